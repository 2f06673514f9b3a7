"""The ways in which one simulated console differs from the plain one: its dimensions, and a recipe read once."""

from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from sandbox.variants import BadEnvironmentId, Dimension, VariantGenerator

Locale: TypeAlias = Literal["en", "zh", "de"]

DIMENSIONS: tuple[Dimension, ...] = (
    Dimension(name="locale", values=("en", "zh", "de"), test=("de",)),
    Dimension(name="words", values=("plain", "first", "second"), test=("second",)),
    Dimension(name="nav", values=("side", "top")),
    Dimension(name="list", values=("table", "cards"), test=("cards",)),
    Dimension(name="form", values=("modal", "drawer"), validation=("drawer",)),
    Dimension(name="theme", values=("light", "dark", "contrast"), validation=("contrast",)),
    Dimension(name="order", values=("plain", "shuffled", "reversed"), test=("reversed",)),
    Dimension(name="ids", values=("plain", "dynamic")),
    Dimension(name="defaults", values=("plain", "missing", "wrong")),
    Dimension(name="latency", values=("none", "short", "long")),
    Dimension(name="faults", values=("none", "fail", "lost")),
    Dimension(name="popups", values=("none", "cookies", "survey", "both")),
    Dimension(name="quota", values=("free", "tight")),
    Dimension(name="names", values=("free", "taken")),
    Dimension(name="operator", values=("none", "busy")),
    Dimension(name="session", values=("stays", "expires")),
    Dimension(name="hostile", values=("none", "description", "name"), test=("name",)),
    Dimension(name="goal", values=("en", "zh")),
)


class Variant(Struct, frozen=True, forbid_unknown_fields=True):
    """One recipe. What a value does is said here once, for the world, both faces and the oracle."""

    locale: Locale = "en"  # of the pages
    words: Literal["plain", "first", "second"] = "plain"  # which synonyms of titles and buttons (English pages)
    nav: Literal["side", "top"] = "side"
    list: Literal["table", "cards"] = "table"
    form: Literal["modal", "drawer"] = "modal"  # where a verb's form opens
    theme: Literal["light", "dark", "contrast"] = "light"
    order: Literal["plain", "shuffled", "reversed"] = "plain"  # of fields within a step or form, of columns
    ids: Literal["plain", "dynamic"] = "plain"  # of HTML elements and classes
    defaults: Literal["plain", "missing", "wrong"] = "plain"  # nothing chosen beforehand; or something else is
    latency: Literal["none", "short", "long"] = "none"  # 0, 1 or 3 ticks until a request is answered
    faults: Literal["none", "fail", "lost"] = "none"  # some writes fail; or are done and their answer is lost
    popups: Literal["none", "cookies", "survey", "both"] = "none"
    quota: Literal["free", "tight"] = "free"  # tight: just enough left for the task
    names: Literal["free", "taken"] = "free"  # taken: the new name belongs to something that is being deleted
    operator: Literal["none", "busy"] = "none"  # a second person works on other things meanwhile
    session: Literal["stays", "expires"] = "stays"  # the login runs out once, in the middle
    hostile: Literal["none", "description", "name"] = "none"  # where a text tells the agent to do something else
    goal: Literal["en", "zh"] = "en"  # language of the goal

    @staticmethod
    def of(environment_id: str) -> "Variant":
        """The variant that an id describes, whatever its console. Raises BadEnvironmentId."""
        return _read(environment_id)


PLAIN = Variant()


@lru_cache(maxsize=16384)
def _read(environment_id: str) -> Variant:
    base = environment_id.partition("?")[0]
    recipe = VariantGenerator(base, DIMENSIONS).recipe(environment_id)
    try:
        return msgspec.convert(recipe, type=Variant)
    except msgspec.ValidationError as problem:  # the dimensions above and the struct disagree
        raise BadEnvironmentId(f"{environment_id!r}: {problem}") from problem
