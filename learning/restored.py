"""What people's MiniWoB++ recordings lack, told from what the person did: colours, and the options of closed lists."""

import random
import re
from collections.abc import Iterator, Sequence

from msgspec import structs

from learning.closeness import LARGE, SMALL, is_a
from learning.lexical import read, stem
from learning.wording import tokens
from sandbox.contracts.actions import Click, Select, Type
from sandbox.contracts.observations import Element
from sandbox.contracts.tasks import Goal
from sandbox.contracts.trajectories import Step, Trajectory

COLOURS = ("red", "green", "blue", "aqua", "black", "magenta", "yellow")  # of drawn shapes
TIMES = 5  # other drawings with the same answer, for each recording
_DRAWN = ("miniwob/click-shape", "miniwob/count-shape", "miniwob/identify-shape")
_SUBMENU = 40  # CSS pixels; menus beside each other begin further apart
_FROM_OPEN_LIST = re.compile(r"Select (.+) from the scroll list")
_FROM_LIST = re.compile(r"Select (.+) from the list")
_BARE = frozenset({"circle", "rectangle", "triangle"})


def restored(recorded: Sequence[Trajectory]) -> list[Trajectory]:
    """The same recordings with what they lack; those whose answer cannot be made right are left out."""
    found: list[Trajectory] = []
    listed = sorted({name for each in recorded for name in _listed(each)})
    for each in recorded:
        if each.task.template == "miniwob/choose-list":
            found += _chosen(each, listed)
        elif each.task.template == "miniwob/click-color":
            found += _asked(each)
        elif each.task.template in _DRAWN:
            found += [again for time in range(TIMES) for again in _coloured(each, time)]
        else:
            found.append(_turned(_listed_so_far(_picked(_opened(_to_items(_whole(each)))))))
    return found


def _whole(recorded: Trajectory) -> Trajectory:
    """What was typed until suggestions came is the word of the goal that it begins."""
    words = [token.text for token in tokens(recorded.task.goal)]

    def said(step: Step) -> Step:
        if not isinstance(step.action, Type) or any(step.action.text.lower() == word.lower() for word in words):
            return step
        begun = step.action.text.lower()
        whole = next((word for word in words if len(begun) > 1 and word.lower().startswith(begun)), step.action.text)
        return structs.replace(step, action=Type(step.action.element, whole))

    return structs.replace(recorded, steps=tuple(map(said, recorded.steps)))


def _to_items(recorded: Trajectory) -> Trajectory:
    """Where suggestions are bare items (book-flight), a recorded page's inner part of each stands for nothing."""
    if not recorded.task.template.startswith("miniwob/book-flight"):
        return recorded
    steps = []
    for step in recorded.steps:
        elements = step.observation.elements
        outer = {each.name: each.ref for each in elements if each.role == "button"}
        inner = {each.ref: outer[each.name] for each in elements if each.role == "menuitem" and each.name in outer}
        kept = tuple(each for each in elements if each.ref not in inner)
        action = step.action
        if isinstance(action, Click):
            action = Click(inner.get(action.element, action.element))
        steps.append(structs.replace(step, observation=structs.replace(step.observation, elements=kept), action=action))
    return structs.replace(recorded, steps=tuple(steps))


def _opened(recorded: Trajectory) -> Trajectory:
    """Menus that opened under the pointer, whose moves are not recorded, were opened one after the other."""
    path = recorded.task.goal.text.removeprefix("Select ").split(">")
    shown = [step for step in recorded.steps if isinstance(step.action, Click)][-1:]
    if recorded.task.template != "miniwob/click-menu" or not shown or len(path) < 2:
        return recorded
    items = [each for each in shown[0].observation.elements if each.role == "menuitem"]
    edges = sorted({each.box.x // _SUBMENU for each in items})
    level = {each.ref: edges.index(each.box.x // _SUBMENU) for each in items}
    ways = [[each for each in items if level[each.ref] == at and each.name == name] for at, name in enumerate(path)]
    if not all(len(way) == 1 for way in ways):
        return recorded
    steps = []
    for depth, (item,) in enumerate(ways):
        seen = tuple(_folded(shown[0].observation.elements, level, [way[0] for way in ways], depth))
        page = structs.replace(shown[0].observation, elements=seen)
        steps.append(structs.replace(shown[0], observation=page, action=Click(item.ref)))
    return structs.replace(recorded, steps=(*steps, recorded.steps[-1]))


def _folded(
    elements: Sequence[Element], level: dict[int, int], path: Sequence[Element], depth: int
) -> Iterator[Element]:
    """The page while so many of the path's items are open: no deeper items, nor their names in what holds them."""
    for each in elements:
        if level.get(each.ref, 0) > depth:
            continue
        opened = next((at for at, item in enumerate(path) if each.row.startswith(f"{item.name} ")), None)
        inner = [item.name for item in elements if opened is not None and opened < level.get(item.ref, 0) <= depth]
        if each.role == "menuitem" and opened is not None:
            yield structs.replace(each, row=" ".join([path[opened].name, *inner]) if inner else "")
        elif each.role == "button" and each.name.startswith(f"{path[0].name} "):
            yield structs.replace(each, name=" ".join([path[0].name, *inner_of(elements, level, depth)]))
        else:
            yield each


def inner_of(elements: Sequence[Element], level: dict[int, int], depth: int) -> list[str]:
    """Names of the items in the menus that are open at a depth."""
    return [each.name for each in elements if 0 < level.get(each.ref, 0) <= depth]


def _picked(recorded: Trajectory) -> Trajectory:
    """What was chosen by keys in an open list is not recorded, and by detours where it is several: as was asked for."""
    wanted = _FROM_OPEN_LIST.match(recorded.task.goal.text)
    selects = [step for step in recorded.steps if isinstance(step.action, Select)]
    if wanted is None or not selects:
        return recorded
    ref, first = selects[0].action.element, recorded.steps[0].observation  # type: ignore[union-attr]  # these are selects
    chosen = [
        structs.replace(selects[0], observation=first, action=Select(ref, each)) for each in wanted[1].split(", ")
    ]
    return structs.replace(recorded, steps=(*chosen, *(each for each in recorded.steps if each not in selects)))


def _listed_so_far(recorded: Trajectory) -> Trajectory:
    """A list holds what was chosen in it, which is not recorded; what was not asked for was chosen by mistake."""
    chosen: dict[int, list[str]] = {}
    steps = []
    for step in recorded.steps:
        elements = tuple(
            structs.replace(each, value=", ".join(option for option in each.options if option in chosen[each.ref]))
            if each.ref in chosen
            else each
            for each in step.observation.elements
        )
        if isinstance(step.action, Select):
            if step.action.option.lower() not in recorded.task.goal.text.lower():
                continue
            chosen.setdefault(step.action.element, []).append(step.action.option)
        steps.append(structs.replace(step, observation=structs.replace(step.observation, elements=elements)))
    return structs.replace(recorded, steps=tuple(steps))


def _turned(recorded: Trajectory) -> Trajectory:
    """Presses on a number's own arrows are the number that it then holds; those that change nothing are left out."""
    kept: list[Step] = []
    for index, step in enumerate(recorded.steps[:-1]):
        ref = step.action.element if isinstance(step.action, Click) else -1
        pressed, later = step.observation.element(ref), recorded.steps[index + 1].observation.element(ref)
        if pressed is None or pressed.role != "spinbutton" or later is None:
            kept.append(step)
        elif later.value and later.value != pressed.value:
            before = kept[-1].action if kept else None
            if isinstance(before, Type) and before.element == ref:
                kept[-1] = structs.replace(kept[-1], action=Type(ref, later.value))
            else:
                kept.append(structs.replace(step, action=Type(ref, later.value)))
    return structs.replace(recorded, steps=(*kept, recorded.steps[-1]))


def _listed(recorded: Trajectory) -> tuple[str, ...]:
    """What may stand in a list: options of open ones, and what was asked for from closed ones."""
    found = _FROM_LIST.match(recorded.task.goal.text)
    first = recorded.steps[0].observation.elements
    return (*(option for each in first for option in each.options), *((found[1],) if found else ()))


def _chosen(recorded: Trajectory, listed: Sequence[str]) -> list[Trajectory]:
    """A closed list, whose options are not recorded, has the one that was asked for among others."""
    wanted = _FROM_LIST.match(recorded.task.goal.text)
    lists = [each.ref for each in recorded.steps[0].observation.elements if each.role == "combobox"]
    if wanted is None or len(lists) != 1:
        return []
    rng = random.Random(recorded.id)  # noqa: S311  # not a secret
    others = [name for name in listed if name != wanted[1]]
    options = rng.sample(others, min(len(others), rng.randint(3, 10)))
    options.insert(rng.randint(0, len(options)), wanted[1])
    steps, value = [], options[0]
    for step in recorded.steps:
        elements = [
            structs.replace(each, options=tuple(options), value=value) if each.ref in lists else each
            for each in step.observation.elements
        ]
        action = step.action
        if isinstance(action, Select):
            action, value = Select(action.element, wanted[1]), wanted[1]
        seen = structs.replace(step.observation, elements=tuple(elements))
        steps.append(structs.replace(step, observation=seen, action=action))
    return [structs.replace(recorded, steps=tuple(steps))]


def _asked(recorded: Trajectory) -> list[Trajectory]:
    """A colour that was shown instead of told is the one that was rightly clicked."""
    right = _clicked(recorded.steps)
    words = read(recorded.task.goal.text).tokens
    if right is None or not right.name.startswith("color "):
        return []
    colour = right.name.removeprefix("color ")
    text = recorded.task.goal.text if colour in words else f"Click on the {colour} colored box."
    return [_told(recorded, text, {})]


def _coloured(recorded: Trajectory, time: int) -> list[Trajectory]:
    """Fills, which are not recorded, drawn so that the person's answer is the right one."""
    rng = random.Random(f"{recorded.id}:{time}")  # noqa: S311  # not a secret
    first = recorded.steps[0].observation.elements
    drawings = [each for each in first if _is_drawing(each)]
    colours = {each.ref: rng.choice(COLOURS) for each in drawings}
    right = _clicked(recorded.steps)
    asked = [token for token in read(recorded.task.goal.text).tokens if token in COLOURS]
    if right is None:
        return []
    if asked:
        alike = [each for each in drawings if _fits(each, recorded.task.goal.text)]
        if recorded.task.template.endswith("count-shape"):
            count = int(right.name) if right.name.isdigit() else -1
            if not 0 <= count <= len(alike):
                return []
            having = {each.ref for each in rng.sample(alike, count)}
        else:
            having = {right.ref}
        others = [colour for colour in COLOURS if colour != asked[0]]
        colours |= {each.ref: asked[0] if each.ref in having else rng.choice(others) for each in alike}
    return [structs.replace(_told(recorded, recorded.task.goal.text, colours), id=f"{recorded.id}-{time}")]


def _is_drawing(element: Element) -> bool:
    """Whether it is drawn: shapes, and letters and digits that are no buttons with a frame around them."""
    square = element.box.height <= 36 and element.box.width <= 32
    return (
        element.actionable and square and (element.name in _BARE or (len(element.name) == 1 and element.box.width < 22))
    )


def _fits(element: Element, text: str) -> bool:
    """Whether a drawing is of the size and sort that a text names, whatever its colour."""
    words = [token for token in read(text).tokens if token not in COLOURS]
    large = element.box.height >= 16
    if (LARGE & set(words) and not large) or (SMALL & set(words) and large):
        return False
    last = {"how": words[-3] if len(words) > 2 else ""}.get(words[0], words[-1])  # "How many small aqua ss are there"
    if words[0] == "how" and len(last) == 2 and last[1] == "s":
        last = last[0]
    sort = stem(last)
    return is_a(element.name, sort) or read(element.name).plain == sort


def _clicked(steps: Sequence[Step]) -> Element | None:
    """What the last click went to."""
    clicks = [step for step in steps if isinstance(step.action, Click)]
    return clicks[-1].observation.element(clicks[-1].action.element) if clicks else None  # type: ignore[union-attr]  # these are clicks


def _told(recorded: Trajectory, text: str, colours: dict[int, str]) -> Trajectory:
    steps = []
    for step in recorded.steps:
        elements = [
            structs.replace(each, name=f"{colours[each.ref]} {each.name}") if each.ref in colours else each
            for each in step.observation.elements
        ]
        elements = [
            structs.replace(each, name=text[:300]) if each.name == recorded.task.goal.text[:300] else each
            for each in elements
        ]
        steps.append(structs.replace(step, observation=structs.replace(step.observation, elements=tuple(elements))))
    task = structs.replace(recorded.task, goal=Goal(text, recorded.task.goal.fields))
    return structs.replace(recorded, task=task, steps=tuple(steps))
