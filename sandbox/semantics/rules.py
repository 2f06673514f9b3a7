"""Adapters: rule files that map what a world shows onto shared tokens, loaded and checked."""

import json
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from sandbox.documents import Document, read
from sandbox.semantics.conditions import Condition, Evidence, Moment, condition

HERE = Path(__file__).parent
ADAPTERS = HERE / "adapters"
ANY = "*"


class NoAdapter(LookupError):
    """No rule file is for this environment."""


class TwoMeanings(ValueError):
    """One token stands for two meanings, or two tokens for one."""


class TwoAdapters(ValueError):
    """Two rule files are for the same environment."""


class Rule(Struct, frozen=True):
    """When a token is said."""

    token: str
    because: str
    holds: Condition
    line: int  # of its file


class Fired(Struct, frozen=True):
    """One rule that spoke, and why."""

    token: str
    rule: str  # "console.yaml:12"
    because: str
    evidence: tuple[str, ...]


class Adapter(Struct, frozen=True):
    """The rules of one kind of world."""

    name: str
    title: str
    path: str
    environments: frozenset[str]
    rules: tuple[Rule, ...]
    meanings: dict[str, str]  # token -> meaning, of all tokens it may say

    def tokens(self, moment: Moment) -> frozenset[str]:
        """What this moment is, in tokens."""
        said: set[str] = set()
        for rule in self.rules:
            if rule.token not in said and rule.holds(moment, None):
                said.add(rule.token)
        return frozenset(said)

    def explain(self, moment: Moment) -> tuple[Fired, ...]:
        """Every rule that spoke, with what made it."""
        fired = []
        for rule in self.rules:
            evidence: Evidence = []
            if rule.holds(moment, evidence):
                where = f"{Path(self.path).name}:{rule.line}"
                fired.append(Fired(rule.token, where, rule.because, tuple(evidence)))
        return tuple(fired)


def load(path: Path) -> Adapter:
    """One rule file. Raises BadDocument with file, line and what was expected; TwoMeanings."""
    document = read(path, _schema())
    meanings = _meanings(document, vocabulary())
    rules = tuple(_rule(document, number, meanings) for number in range(len(document.value["rules"])))
    environments = frozenset(document.value["environments"])
    return Adapter(document.value["adapter"], document.value["title"], str(path), environments, rules, meanings)


@cache
def shipped() -> tuple[Adapter, ...]:
    """The adapters that come with Belay; all of them agree on what each token means. Raises TwoMeanings."""
    return together(ADAPTERS.glob("*.yaml"))


def together(paths: Iterable[Path]) -> tuple[Adapter, ...]:
    """Several rule files that are to be used beside each other. Raises BadDocument, TwoMeanings, TwoAdapters."""
    adapters = tuple(load(path) for path in sorted(paths))
    by_environment: dict[str, Adapter] = {}
    pairs: list[tuple[str, str]] = []
    for adapter in adapters:
        for pattern in sorted(adapter.environments):
            other = by_environment.setdefault(pattern, adapter)
            if other is not adapter:
                raise TwoAdapters(f"{adapter.path}: {pattern!r} has an adapter already, in {other.path}: keep one")
        pairs += adapter.meanings.items()
        try:
            agreed(pairs)
        except TwoMeanings as problem:
            raise TwoMeanings(f"{adapter.path}: {problem}") from None
    return adapters


def adapter_for(environment_id: str, adapters: Sequence[Adapter] | None = None) -> Adapter:
    """The adapter of an environment, by its id with or without a recipe. Raises NoAdapter."""
    base = environment_id.partition("?")[0]
    known = shipped() if adapters is None else adapters
    for adapter in sorted(known, key=lambda each: ANY in each.environments):  # whoever takes any comes last
        if any(fnmatchcase(base, pattern) for pattern in adapter.environments):
            return adapter
    raise NoAdapter(f"no adapter is for {base!r}: name it under 'environments' of a rule file")


@cache
def vocabulary() -> dict[str, str]:
    """The shared tokens and what each of them means. Raises BadDocument, TwoMeanings."""
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["tokens"],
        "properties": {"tokens": {"type": "array", "items": {"$ref": "#/$defs/token"}}},
        "$defs": _schema()["$defs"],
    }
    return _meanings(read(HERE / "tokens.yaml", schema), {})


def agreed(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Token -> meaning. Raises TwoMeanings where a token has two meanings or a meaning two tokens."""
    meaning_of: dict[str, str] = {}
    token_of: dict[str, str] = {}
    for token, meaning in pairs:
        plain = " ".join(meaning.lower().split()).rstrip(".")
        known = meaning_of.setdefault(token, plain)
        if known != plain:
            raise TwoMeanings(f"{token} means {known!r}, and also {plain!r}: give one of them another token")
        first = token_of.setdefault(plain, token)
        if first != token:
            raise TwoMeanings(f"{token} and {first} both mean {plain!r}: use one of them")
    return meaning_of


def _meanings(document: Document, known: Mapping[str, str]) -> dict[str, str]:
    """What the tokens declared in a file mean, beside those that are known."""
    found = dict(known)
    for number, entry in enumerate(document.value.get("tokens", ())):
        if entry["token"] in found:
            raise document.bad(f"{entry['token']} has a meaning already: {found[entry['token']]}", "tokens", number)
        try:
            found = agreed([*found.items(), (entry["token"], entry["meaning"])])
        except TwoMeanings as problem:
            raise document.bad(str(problem), "tokens", number) from None
    return found


def _rule(document: Document, number: int, meanings: dict[str, str]) -> Rule:
    entry = document.value["rules"][number]
    token = entry["token"]
    if token not in meanings:
        known = ", ".join(sorted(meanings))
        raise document.bad(f"{token} has no meaning: declare it under 'tokens', or use one of {known}", "rules", number)
    holds = condition(document, "rules", number, "when")
    return Rule(token, entry["because"], holds, document.line("rules", number))


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((HERE / "rules.schema.json").read_text())
    return schema
