"""How jobs that follow from the declaration are told, in English and in Chinese."""

import re

from sandbox.worlds.console.declare import Field, Kind, Verb
from sandbox.worlds.console.jobs import Values
from sandbox.worlds.console.lexicon_zh import TABLE

_TO = ("Change", "Extend", "Resize", "Enlarge", "Attach")  # verbs that lead to a value


def low(title: str) -> str:
    """A title within a sentence; SSH stays as it is."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def article(noun: str) -> str:
    """A noun with its article."""
    has_vowel = noun[:1].lower() in "aeio" or noun.startswith("SSH")
    return f"{'an' if has_vowel else 'a'} {noun}"


def zh(text: str) -> str:
    """A declared text in Chinese."""
    return TABLE.get(text, text)


def given(kind: Kind, values: Values) -> str:
    """Fields with their values: "size {size}, storage {storage_gb} GB"."""
    return ", ".join(_with_unit(kind.field(name), low(kind.field(name).title), text) for name, text in values)


def given_zh(kind: Kind, values: Values) -> str:
    """The same in Chinese."""
    return "，".join(f"{zh(kind.field(name).title)} {_measured(kind, name, text)}" for name, text in values)


def _measured(kind: Kind, name: str, text: str) -> str:
    unit = kind.field(name).unit
    return f"{text} {zh(unit)}" if unit else text


def which(kind: Kind) -> str:
    """The one that is meant: "disk {disk}", "rule {port} of security group {security_group}"."""
    noun = low(kind.title)
    if not kind.parent:
        return f"{noun} {{{kind.name}}}"
    return f"{noun} {kind.label} of {low(kind.field(kind.parent).title)} {{{kind.parent}}}"


def which_zh(kind: Kind) -> str:
    """The same in Chinese."""
    noun = zh(kind.title)
    if not kind.parent:
        return f"{noun} {{{kind.name}}}"
    label = kind.label.replace(" from ", " 来源 ").replace(" in ", " 位于 ")
    return f"{zh(kind.field(kind.parent).title)} {{{kind.parent}}} 的{noun} {label}"


def verb_phrases(kind: Kind, verb: Verb, values: Values) -> tuple[str, ...]:
    """A verb on the one that is meant, with what it is to set."""
    first, _, rest = verb.title.partition(" ")
    it = which(kind)
    on_it = f" the {rest} of {it}" if rest else f" {it}"
    tail = _tail(kind, first, values)
    return (
        f"{first}{on_it}{tail}.",
        f"Please {low(first)}{on_it}{tail}.",
        f"{it[:1].upper() + it[1:]} needs this: {low(first)}{f' the {rest}' if rest else ' it'}{tail}.",
    )


def verb_phrases_zh(kind: Kind, verb: Verb, values: Values) -> tuple[str, ...]:
    """The same in Chinese."""
    it, do = which_zh(kind), zh(verb.title)
    if not values:
        return f"{do}{it}。", f"请{do}{it}。", f"{it} 需要{do}。"
    told = given_zh(kind, values)
    return f"{it} {do}：{told}。", f"请为{it} {do}，{told}。", f"{it} 需要{do}（{told}）。"


def _tail(kind: Kind, first: str, values: Values) -> str:
    if not values:
        return ""
    if len(values) > 1 or first not in _TO:
        return f": {given(kind, values)}"
    (name, text), *_ = values
    return f" to {given(kind, values)}" if first == "Attach" else f" to {_with_unit(kind.field(name), '', text)}"


def _with_unit(field: Field, title: str, text: str) -> str:
    """A value behind its title, if any; the unit, declared or in the title's brackets, goes behind the value."""
    found = re.fullmatch(r"(.*) \((.+)\)", title or field.title)
    named, unit = (found[1], found[2]) if found else (title, field.unit)
    return " ".join(part for part in (named if title else "", text, unit) if part)
