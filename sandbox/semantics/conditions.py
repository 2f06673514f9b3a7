"""The conditions of a rule: parts of a step and of what was seen before and after it, and whether they hold."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct

from sandbox.contracts.actions import Action, ActResult
from sandbox.contracts.observations import Element, Observation
from sandbox.documents import Document

_ELEMENT_TEXTS = ("name", "value", "label", "row", "group")
_PAGE = ("url", "title", "dialog", "toast", "pending")


class Moment(Struct, frozen=True):
    """One step as rules see it. Before the first action there is only what is seen `after`."""

    after: Observation
    before: Observation | None = None
    action: Action | None = None
    result: ActResult | None = None


Evidence = list[str]
"""What made conditions hold, in words; gathered only where somebody asks why."""


class Condition(Protocol):
    """Something that holds of a moment, or does not."""

    def __call__(self, moment: Moment, evidence: Evidence | None) -> bool:
        """Whether it holds; says why into `evidence`, where that is given."""
        ...


def condition(document: Document, *place: str | int) -> Condition:
    """The condition that stands at this place of a rule file. Raises BadDocument for a broken pattern."""
    return _all([_BUILDERS[key](document, *place, key) for key in _at(document, place)])


def _at(document: Document, place: tuple[str | int, ...]) -> Any:
    value = document.value
    for part in place:
        value = value[part]
    return value


def _all(parts: list[Condition]) -> Condition:
    if len(parts) == 1:
        return parts[0]
    return lambda moment, evidence: all(part(moment, evidence) for part in parts)


def _build_all(document: Document, *place: str | int) -> Condition:
    return _all([condition(document, *place, number) for number in range(len(_at(document, place)))])


def _build_any(document: Document, *place: str | int) -> Condition:
    parts = [condition(document, *place, number) for number in range(len(_at(document, place)))]
    return lambda moment, evidence: any(part(moment, evidence) for part in parts)


def _build_not(document: Document, *place: str | int) -> Condition:
    inner = condition(document, *place)

    def holds(moment: Moment, evidence: Evidence | None) -> bool:
        if inner(moment, None):
            return False
        _say(evidence, f"not: {_short(_at(document, place))}")
        return True

    return holds


def _build_action(document: Document, *place: str | int) -> Condition:
    wanted: Mapping[str, Any] = _at(document, place)
    kinds, keys = frozenset(wanted.get("kind", ())), frozenset(wanted.get("key", ()))
    fits = _element_test(document, place)
    about_element = bool(wanted.keys() - {"kind", "key"})

    def holds(moment: Moment, evidence: Evidence | None) -> bool:
        if moment.action is None:
            return False
        kind = kind_of(moment.action)
        if kinds and kind not in kinds:
            return False
        if keys and getattr(moment.action, "key", None) not in keys:
            return False
        element = moment.before.element(getattr(moment.action, "element", -1)) if moment.before else None
        if about_element and (element is None or not fits(element)):
            return False
        _say(evidence, f"the action was {kind}" + (f" on {element.role} {element.name!r}" if element else ""))
        return True

    return holds


def _build_outcome(document: Document, *place: str | int) -> Condition:
    wanted = frozenset(_at(document, place))

    def holds(moment: Moment, evidence: Evidence | None) -> bool:
        if moment.result is None or moment.result.outcome.value not in wanted:
            return False
        _say(evidence, f"its outcome was {moment.result.outcome.value}")
        return True

    return holds


def _build_detail(document: Document, *place: str | int) -> Condition:
    search = _pattern(document, place)

    def holds(moment: Moment, evidence: Evidence | None) -> bool:
        if moment.result is None or not search(moment.result.detail):
            return False
        _say(evidence, f"it was told {moment.result.detail!r}")
        return True

    return holds


def _build_request(document: Document, *place: str | int) -> Condition:
    search = _pattern(document, place)

    def holds(moment: Moment, evidence: Evidence | None) -> bool:
        found = next((each for each in moment.result.requests if search(each)), None) if moment.result else None
        _say(evidence, f"the request {found!r} left", found is not None)
        return found is not None

    return holds


def _build_before(document: Document, *place: str | int) -> Condition:
    sight = _sight(document, place)

    def holds(moment: Moment, evidence: Evidence | None) -> bool:
        found = sight(moment.before) if moment.before else None
        _say(evidence, f"seen before: {found}", found is not None)
        return found is not None

    return holds


def _build_after(document: Document, *place: str | int) -> Condition:
    sight = _sight(document, place)

    def holds(moment: Moment, evidence: Evidence | None) -> bool:
        found = sight(moment.after)
        _say(evidence, f"seen: {found}", found is not None)
        return found is not None

    return holds


def _build_appears(document: Document, *place: str | int) -> Condition:
    sight = _sight(document, place)

    def holds(moment: Moment, evidence: Evidence | None) -> bool:
        found = sight(moment.after)
        if found is None or (moment.before is not None and sight(moment.before) is not None):
            return False
        _say(evidence, f"seen now and not before: {found}")
        return True

    return holds


def _build_disappears(document: Document, *place: str | int) -> Condition:
    sight = _sight(document, place)

    def holds(moment: Moment, evidence: Evidence | None) -> bool:
        found = sight(moment.before) if moment.before else None
        if found is None or sight(moment.after) is not None:
            return False
        _say(evidence, f"seen before and not now: {found}")
        return True

    return holds


def _build_changed(document: Document, *place: str | int) -> Condition:
    wanted = _at(document, place)

    def holds(moment: Moment, evidence: Evidence | None) -> bool:
        before, after = moment.before, moment.after
        found = [part for part in wanted if before is not None and getattr(before, part) != getattr(after, part)]
        _say(evidence, f"changed: {', '.join(found)}", bool(found))
        return bool(found)

    return holds


_BUILDERS: dict[str, Callable[..., Condition]] = {
    "all": _build_all,
    "any": _build_any,
    "not": _build_not,
    "action": _build_action,
    "outcome": _build_outcome,
    "detail": _build_detail,
    "request": _build_request,
    "before": _build_before,
    "after": _build_after,
    "appears": _build_appears,
    "disappears": _build_disappears,
    "changed": _build_changed,
}


def _sight(document: Document, place: tuple[str | int, ...]) -> Callable[[Observation], str | None]:
    """What is seen of a page, in words, or None."""
    wanted: Mapping[str, Any] = _at(document, place)
    at_least, at_most = wanted.get("at_least", 1), wanted.get("at_most")
    pages = [_page_test(document, place, key) for key in _PAGE if key in wanted]
    counts = bool(wanted.keys() - {*_PAGE}) or not pages
    fits = _element_test(document, place)

    def seen(page: Observation) -> str | None:
        said = [test(page) for test in pages]
        if any(each is None for each in said):
            return None
        if counts:
            found = [each for each in page.elements if fits(each)]
            if at_most is not None and "at_least" not in wanted:
                if len(found) > at_most:
                    return None
            elif len(found) < at_least or (at_most is not None and len(found) > at_most):
                return None
            said.append(f"{len(found)} of {_short(wanted)}" + (f", first {found[0].name!r}" if found else ""))
        return "; ".join(str(each) for each in said)

    return seen


def _page_test(document: Document, place: tuple[str | int, ...], key: str) -> Callable[[Observation], str | None]:
    if key == "pending":
        wanted = _at(document, place)[key]
        return lambda page: f"{page.pending} requests on their way" if bool(page.pending) is wanted else None
    search = _pattern(document, (*place, key))
    if key in ("dialog", "toast"):
        many = f"{key}s"
        return lambda page: next((f"{key} {text!r}" for text in getattr(page, many) if search(text)), None)
    return lambda page: f"{key} {getattr(page, key)!r}" if search(getattr(page, key)) else None


def _element_test(document: Document, place: tuple[str | int, ...]) -> Callable[[Element], bool]:
    wanted: Mapping[str, Any] = _at(document, place)
    sets = [(part, frozenset(wanted[part])) for part in ("role", "region") if part in wanted]
    texts = [(part, _pattern(document, (*place, part))) for part in _ELEMENT_TEXTS if part in wanted]
    states, without = frozenset(wanted.get("state", ())), frozenset(wanted.get("without", ()))

    def fits(element: Element) -> bool:
        if any(getattr(element, part) not in allowed for part, allowed in sets):
            return False
        if not (states.issubset(element.states) and without.isdisjoint(element.states)):
            return False
        return all(search(getattr(element, part)) for part, search in texts)

    return fits


def _pattern(document: Document, place: tuple[str | int, ...]) -> Callable[[str], Any]:
    try:
        return re.compile(_at(document, place), re.IGNORECASE).search
    except re.error as problem:
        raise document.bad(f"expected a regular expression: {problem}", *place) from None


def kind_of(action: Action) -> str:
    """The name of an action's kind: click, type, give_up ..."""
    return str(type(action).__struct_config__.tag)


def _say(evidence: Evidence | None, text: str, holds: bool = True) -> None:
    if evidence is not None and holds:
        evidence.append(text)


def _short(value: Any) -> str:
    text = str(value).replace("'", "")
    return text if len(text) <= 60 else f"{text[:57]}..."
