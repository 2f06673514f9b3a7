"""An observation and a goal read in shared words, so that consoles of other vendors and languages look alike."""

import re
from collections.abc import Sequence

from msgspec import structs

from learning import features
from learning.features import Scene
from learning.goals import goal_tokens
from learning.lexical import plain_id, read_field_name
from learning.options import Option
from sandbox.contracts.actions import Select, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past
from sandbox.contracts.tasks import Goal
from sandbox.semantics.thesaurus import Thesaurus, shipped

_NAME = "Name"
_SAID = re.compile(r"(?P<field>[^:：|]{1,40})(:\s|：\s?)(?P<value>.+)")
_NUMBERED = re.compile(r"\s+\d+$")


def scene(observation: Observation, goal: Goal, history: Sequence[Past]) -> Scene:
    """The columns of `learning.features`; actions point at elements and texts as the page and the goal write them."""
    words = shipped()
    texts = goal_tokens(goal)
    told = structs.replace(goal, text=words.shared(goal.text))
    read = tuple((words.shared(_field(name)), words.shared(text)) for name, text in texts)
    seen = features.arranged(_page(observation, words), told, [_step(each, words) for each in history], texts=read)
    written = {each.ref: each for each in observation.elements}
    elements = tuple(written[each.ref] for each in seen.elements)
    return Scene(seen.arrays, elements, texts, _options(seen, elements))


def things() -> list[int]:
    """Word ids of what one console has and another has not."""
    return sorted(plain_id(word) for word in shipped().things)


def _field(name: str) -> str:
    """A goal field's name as words; a number at its end tells only that another field is called so too."""
    return _NUMBERED.sub("", read_field_name(name).plain)


def _page(page: Observation, words: Thesaurus) -> Observation:
    return structs.replace(
        page,
        title=words.shared(page.title),
        elements=tuple(_element(each, words) for each in as_rows(page.elements)),
        dialogs=tuple(map(words.shared, page.dialogs)),
        toasts=tuple(map(words.shared, page.toasts)),
    )


def as_rows(elements: Sequence[Element]) -> tuple[Element, ...]:
    """Things that are shown as cards, each with what it has as "Field: value", as if they stood in a table."""
    cards = {each.row for each in elements if each.row and _said(each)}
    found: list[Element] = []
    heading = ""  # the last one above
    for each in elements:
        heading = each.name if each.role == "heading" and each.region == "main" else heading
        found.append(_cell(each, heading) if each.row in cards else each)
    return tuple(found)


def _cell(element: Element, heading: str) -> Element:
    """One part of a card."""
    said, group = _said(element), element.group or heading
    if said is None:
        return structs.replace(element, label=element.label or _NAME, group=group)
    return structs.replace(element, role="cell", label=said["field"], name=said["value"], group=group)


def _said(element: Element) -> re.Match[str] | None:
    return _SAID.fullmatch(element.name) if element.role == "text" else None


def _element(element: Element, words: Thesaurus) -> Element:
    shared = words.shared
    return Element(
        element.ref,
        element.role,
        shared(element.name),
        shared(element.value),
        element.states,
        element.box,
        shared(element.group),
        shared(element.row),
        shared(element.label),
        tuple(map(shared, element.options)),
        element.region,
        element.frame,
        element.actionable,
    )


def _step(step: Past, words: Thesaurus) -> Past:
    action = step.action
    if isinstance(action, Type):
        action = structs.replace(action, text=words.shared(action.text))
    if isinstance(action, Select):
        action = structs.replace(action, option=words.shared(action.option))
    said = {name: words.shared(getattr(step, name)) for name in ("name", "row", "value")}
    return structs.replace(step, action=action, **said)


def _options(seen: Scene, elements: Sequence[Element]) -> tuple[Option, ...]:
    """Each option as the page writes it; of several that are read alike, the first that is not taken yet."""
    taken: dict[int, int] = {}
    found: list[Option] = []
    for row, text in seen.options:
        at = seen.elements[row].options.index(text, taken.get(row, 0))
        taken[row] = at + 1
        found.append((row, elements[row].options[at]))
    return tuple(found)
