"""People's MiniWoB++ recordings as trajectories: `python -m sandbox.worlds.miniwob.demos FOLDER OUT`."""

import argparse
import json
import lzma
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Finish, Press, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.storage import pack
from sandbox.contracts.tasks import Check, Outcome, Risk, Task, Verification
from sandbox.contracts.trajectories import Step, Trajectory
from sandbox.worlds.miniwob.catalogue import PagesMissing, names
from sandbox.worlds.miniwob.recorded import Moment, Node
from sandbox.worlds.miniwob.tasks import MAX_STEPS, goal
from sandbox.worlds.miniwob.world import SOLVED

_NAMED = {13: "Enter", 27: "Escape"}
_TAB, _SPACE, _ENTER = 9, 32, 13
_SILENT = frozenset({16, 17, 18, 20, 91, 93, 224})  # keys that do nothing by themselves
_TEXT = frozenset({"textbox", "spinbutton"})
BEFORE = 1  # an event's moment before the page has heard of it


class NotMapped(ValueError):
    """The recording does not tell what was done; the message says why."""


class Event(Struct, frozen=True):
    """What the mouse or the keyboard did."""

    type: str
    timing: int
    x: float = 0
    y: float = 0
    key: int = msgspec.field(default=0, name="keyCode")


class State(Struct, frozen=True):
    """The page at one event, before or after the page had heard of it."""

    time: float
    dom: Node
    action: Event | None = None


class Recording(Struct, frozen=True):
    """One demonstration, as the benchmark's recorder wrote it."""

    utterance: str
    states: tuple[State, ...]
    reward: float = msgspec.field(name="rawReward")
    task: str = msgspec.field(default="", name="taskName")
    fields: dict[str, str] = msgspec.field(default_factory=dict)


class Reader:
    """Goes through one recording once and gathers steps.

    What was chosen from a closed list or by keys is not recorded: NotMapped, or with `unsaid` a Select of no text.
    """

    def __init__(self, recording: Recording, task: str, *, unsaid: bool = False) -> None:
        self.recording = recording
        self.task = task
        self.unsaid = unsaid
        self.steps: list[tuple[Moment, Action]] = []
        self._moments: dict[int, Moment] = {}
        self._pressed: tuple[int, Event] | None = None
        self._typing: tuple[int, int] | None = None  # state it began at, node typed into

    def read(self) -> list[tuple[Moment, Action]]:
        """The moments and what was done at each. Raises NotMapped."""
        for index, state in enumerate(self.recording.states):
            if state.action is not None and state.action.timing == BEFORE:
                self._feel(index, state.action)
        last = len(self.recording.states) - 1
        self._typed(last)
        if self._pressed is not None:
            index, event = self._pressed
            self._press(index, event)  # the page ended while the button was down
        if not self.steps:
            raise NotMapped("nothing was done")
        return self.steps

    def moment(self, index: int) -> Moment:
        """The page at one state."""
        if index not in self._moments:
            self._moments[index] = Moment(self.recording.states[index].dom, self.task, self.recording.utterance)
        return self._moments[index]

    def _feel(self, index: int, event: Event) -> None:
        match event.type:
            case "mousedown":
                self._typed(index)
                self._pressed = index, event
            case "click" if self._pressed is not None:
                began, pressed = self._pressed
                self._pressed = None
                self._press(began, pressed, released=(index, event))
            case "keydown" if event.key not in _SILENT:
                self._key(index, event.key)

    def _press(self, index: int, event: Event, *, released: tuple[int, Event] | None = None) -> None:
        moment = self.moment(index)
        node = moment.pressed(event.x, event.y)
        element = moment.element(node) if node is not None else None
        if element is None or node is None:
            if self._changes(index):
                raise NotMapped("a press on what no observation shows")
            return
        if element.role == "combobox":
            if node.tag != "OPTION" and self.unsaid:
                self.steps += [(moment, Select(element.ref, ""))] * (not self.steps)  # opened and chosen from
                return
            if node.tag != "OPTION":
                raise NotMapped("the log does not say which option of a closed list was chosen")
            self.steps.append((moment, Select(element.ref, node.text)))
            return
        if released is not None and self._elsewhere(released, element.ref):
            if self._changes(index):
                raise NotMapped("the mouse was dragged")
            return
        if element.actionable or self._changes(index):
            self.steps.append((moment, Click(element.ref)))

    def _elsewhere(self, released: tuple[int, Event], ref: int) -> bool:
        """Whether the button came up over another element that was there before, too."""
        moment = self.moment(released[0])
        node = moment.pressed(released[1].x, released[1].y)
        element = moment.element(node) if node is not None else None
        return element is not None and element.ref != ref and moment.nodes.get(ref) is not None

    def _changes(self, index: int) -> bool:
        """Whether the page is another one when the next thing is done."""
        states = self.recording.states
        after = next(
            (
                later
                for later in range(index + 1, len(states))
                if (event := states[later].action) is not None
                and event.timing == BEFORE
                and event.type in ("mousedown", "keydown")
            ),
            len(states) - 1,
        )
        return _facts(self.moment(index)) != _facts(self.moment(after))

    def _key(self, index: int, key: int) -> None:
        moment = self.moment(index)
        focused = next((node for node in moment.dom.walk() if node.focused and node.tag != "BODY"), None)
        element = moment.element(focused) if focused is not None else None
        if element is None or focused is None:
            return  # a key that nothing on the page takes
        if element.role == "combobox":
            if not self.unsaid:
                raise NotMapped("the log does not say which option a key chose")
            self.steps += [(moment, Select(element.ref, ""))] * (not self.steps)
            return
        if element.role not in _TEXT:
            if key in (_SPACE, _ENTER):
                self._typed(index)
                self.steps.append((moment, Click(element.ref)))
            return
        if key == _TAB:
            self._typed(index)
            return
        if key in _NAMED:
            self._typed(index)
            self.steps.append((moment, Press(_NAMED[key])))  # type: ignore[arg-type]  # two of the named keys
            return
        if self._typing is None or self._typing[1] != element.ref:
            self._typed(index)
            self._typing = index, element.ref

    def _typed(self, until: int) -> None:
        """Keys in one field become one Type of all that it then holds."""
        if self._typing is None:
            return
        (began, ref), self._typing = self._typing, None
        moment = self.moment(began)
        for index in range(until, began - 1, -1):
            held = self.moment(index).nodes.get(ref)
            if held is not None:
                break
        else:
            raise NotMapped("the field went away while it was typed into")
        text = held.value if isinstance(held.value, str) else ""
        if text == moment.nodes[ref].value:
            return
        before = self.steps[-1] if self.steps else None
        if before is not None and isinstance(before[1], Click | Type) and before[1].element == ref:
            moment = before[0]  # typing begins by a click into the field, by itself
            self.steps.pop()
        self.steps.append((moment, Type(ref, text)))


def _facts(moment: Moment) -> set[tuple[object, ...]]:
    """What a press may change; classes are left out, for they follow the pointer."""
    return {(node.ref, node.text, str(node.value)) for node in moment.dom.walk() if node.tag != "t"}


def trajectory(recording: Recording, task: str, number: int, *, unsaid: bool = False) -> Trajectory:
    """The recording as an ended session of a person. Raises NotMapped; `unsaid` as Reader has it."""
    if task not in names():
        raise NotMapped("the installed pages have no such task")
    read = Reader(recording, task, unsaid=unsaid).read()
    last = Moment(recording.states[-1].dom, task, recording.utterance, ended=True)
    steps = [_step(moment, action, task) for moment, action in (*read, (last, Finish()))]
    solved = recording.reward == SOLVED
    check = Check("raw reward is 1", solved, f"{recording.reward:g}")
    return Trajectory(
        id=f"miniwob-demo-{task}-{number}",
        task=Task(
            environment="miniwob",
            template=f"miniwob/{task}",
            goal=goal(recording.utterance, recording.fields),
            seed=number,
            max_steps=MAX_STEPS,
        ),
        steps=tuple(steps),
        verification=Verification(Outcome.VERIFIED if solved else Outcome.FAILED, (check,)),
    )


def _step(moment: Moment, action: Action, task: str) -> Step:
    toasts = tuple(each.name for each in moment.elements if each.region == "toast")
    seen = Observation(url=f"http://127.0.0.1/miniwob/{task}.html", title="", elements=moment.elements, toasts=toasts)
    return Step(seen, None, "operator", None, None, Risk.REVERSIBLE, action, ActResult(ActOutcome.DONE))


def recordings(file: Path) -> Iterator[Recording | NotMapped]:
    """Each line of a `.jsonl` or `.jsonl.xz` file; what is no recording comes as the reason why."""
    with lzma.open(file, "rt", encoding="utf-8") if file.suffix == ".xz" else file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield msgspec.json.decode(line, type=Recording)
            except msgspec.DecodeError as problem:
                yield NotMapped(f"{file.name}, line {number} is no recording: {problem}")


def convert(folder: Path, out: Path) -> dict[str, Any]:
    """Convert every file; one packed file for each trajectory. Returns the report. Raises FileNotFoundError."""
    files = sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.xz")])
    if not files:
        raise FileNotFoundError(f"{folder} holds no .jsonl or .jsonl.xz file of recordings")
    out.mkdir(parents=True, exist_ok=True)
    tasks: dict[str, dict[str, Any]] = {}
    for file in files:
        named = file.name.removesuffix(".xz").removesuffix(".jsonl")
        report = tasks.setdefault(named, {"recordings": 0, "converted": 0, "solved": 0, "not_mapped": Counter()})
        for number, recording in enumerate(recordings(file)):
            report["recordings"] += 1
            try:
                if isinstance(recording, NotMapped):
                    raise recording
                done = trajectory(recording, named, number)
            except NotMapped as reason:
                report["not_mapped"][str(reason)] += 1
                continue
            (out / f"{done.id}.trajectory").write_bytes(pack(done))
            report["converted"] += 1
            report["solved"] += done.verification.outcome is Outcome.VERIFIED
    whole = {key: sum(report[key] for report in tasks.values()) for key in ("recordings", "converted", "solved")}
    return {
        **whole,
        "tasks": {name: {**report, "not_mapped": dict(report["not_mapped"])} for name, report in tasks.items()},
    }


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="holds <task>.jsonl or <task>.jsonl.xz, one recording a line")
    parser.add_argument("out", type=Path, help="gets one packed trajectory a file")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    given = parser.parse_args()
    try:
        report = convert(given.folder, given.out)
    except (FileNotFoundError, PagesMissing) as problem:
        print(problem, file=sys.stderr)
        return 1
    if given.json:
        print(json.dumps(report, ensure_ascii=False, indent=2))
        return 0
    for name, one in report["tasks"].items():
        for reason, count in one["not_mapped"].items():
            print(f"{name}: {count} not mapped: {reason}")
    print(
        f"{report['converted']} of {report['recordings']} converted, {report['solved']} of them solved, to {given.out}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
