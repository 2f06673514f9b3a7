"""What pages say, in the variant's language and words: English source text in, shown text out."""

from collections.abc import Mapping
from functools import lru_cache

from sandbox.worlds.console import lexicon_de, lexicon_zh
from sandbox.worlds.console.answers import SAID_ANEW, one, shape, taken_apart
from sandbox.worlds.console.declare import Field, Kind, Verb
from sandbox.worlds.console.synonyms import SYNONYMS
from sandbox.worlds.console.variant import Locale, Variant

TABLES: Mapping[Locale, Mapping[str, str]] = {"en": {}, "zh": lexicon_zh.TABLE, "de": lexicon_de.TABLE}


class Lexicon:
    """One way of saying things; where a table lacks a text, the English one stands."""

    __slots__ = ("_lowers", "_table")

    def __init__(self, table: Mapping[str, str], *, lowers: bool) -> None:
        self._table = table
        self._lowers = lowers

    @staticmethod
    def of(variant: Variant) -> "Lexicon":
        """The lexicon of a variant; equal variants share one."""
        return _lexicon(variant.locale, variant.words)

    def text(self, source: str) -> str:
        """A declared title, help, warning, state, or yes and no, as it is shown."""
        return self._table.get(source, source)

    def noun(self, title: str) -> str:
        """The title of a kind or field within a sentence."""
        shown = self._table.get(title, title)
        if not self._lowers or shown[1:2].isupper():  # SSH key stays as it is
            return shown
        return shown[:1].lower() + shown[1:]

    def several(self, plural: str) -> str:
        """The plural of a kind where some are counted: a list of all may be called otherwise."""
        return self._table.get(f"several {plural}") or self.noun(plural)

    def say(self, template: str, **blanks: object) -> str:
        """A sentence of the page around already shown blanks."""
        return self._table.get(template, template).format_map(blanks)

    def told(self, sentence: str) -> str:
        """An answer of the console, as the page says it; what is none is left as it is."""
        found = taken_apart(sentence) if self._table else None
        if found is None:
            return sentence
        template, blanks = found
        return self.say(template, **{n: self._blank(text) if n in SAID_ANEW else text for n, text in blanks.items()})

    def means(self, template: str, shown: str) -> bool:
        """Whether a shown text says an answer of this template, be it within another."""
        return shape(self._table.get(template, template)).search(shown) is not None

    def _blank(self, text: str) -> str:
        """What stands in an answer: another answer, a title as it is or in lower case, or a word of its own."""
        if text in self._table:
            return self._table[text]
        bare = text.removeprefix("an ").removeprefix("a ")
        title = f"{bare[:1].upper()}{bare[1:]}"
        if title not in self._table:
            return self.told(text)
        return one(self._table[title]) if self._lowers and bare != text else self.noun(title)

    def deed(self, verb: Verb, kind: Kind, label: str = "", *, several: bool = False) -> str:
        """A verb with what it is done to: "Stop instance web-1", "Stop instances", "Change limit of alarm web-1"."""
        shape = "{verb} of {kind}" if " " in verb.title else "{verb} {kind}"
        noun = self.several(kind.plural) if several else self.noun(kind.title)
        blanks = {"verb": self.text(verb.title), "kind": noun}
        return self.say(f"{shape} {{label}}", label=label, **blanks) if label else self.say(shape, **blanks)

    def written(self, field: Field, value: str) -> str:
        """A value that is not chosen from a list, as people write it: tags apart, numbers with their unit."""
        if field.type == "tags":
            return value.replace(",", ", ")
        return f"{value} {self.text(field.unit)}" if field.unit and value else value


@lru_cache(maxsize=32)
def _lexicon(locale: Locale, words: str) -> Lexicon:
    table = TABLES[locale] if locale != "en" else SYNONYMS[words]
    return Lexicon(table, lowers=locale == "en")
