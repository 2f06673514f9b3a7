"""Who knows how: reads the page, rebuilds what the files are by now, and does the first move of the plan."""

import re
from collections.abc import Sequence

from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Scroll, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal, Task
from sandbox.worlds.workbench.bench import File, key_of
from sandbox.worlds.workbench.jobs import job_of, recipe
from sandbox.worlds.workbench.plan import Act, Sight, plan
from sandbox.worlds.workbench.view import WORDS, Words
from sandbox.worlds.workbench.wants import Job

_SET = re.compile(r"set (\S+) in (\S+) to (.*)")
_CARRIED = re.compile(r"(?:renamed|moved) (\S+) to (\S+)")
_DELETED = re.compile(r"deleted (\S+)")
_SEARCHED = "Files with "


class BenchOracle:
    """Works one task from any state of the page; what it did not break it can bring to the end."""

    def __init__(self, task: Task) -> None:
        self._job = job_of(task)
        self._words = WORDS[recipe(task)["words"]]

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose; a pure function of page and history."""
        sight = read_page(observation, self._job, self._words)
        refs = _refs(observation, sight, self._words)
        moves = plan(self._job, sight)
        if moves is None:
            return _said(GiveUp("What was done cannot be undone."), "something is gone, or a wrong report was sent")
        if not moves:
            return _said(Finish(), "all that was asked for is done")
        return _said(_action(moves[0], refs), f"{len(moves)} moves are left")


def _said(action: Action, why: str) -> Proposal:
    return Proposal(action=action, probability=1.0, value=1.0, policy="oracle", why=why)


def _action(move: Act, refs: dict[str, int]) -> Action:
    if move.key == "scroll":
        return Scroll("down" if move.text == "down" else "up")
    ref = refs[move.key]
    if move.key == "operation":
        return Select(ref, move.text)
    return Type(ref, move.text) if move.text else Click(ref)


def read_page(observation: Observation, job: Job, words: Words) -> Sight:
    """What a page shows, as the planner takes it."""
    files = dict(job.files)
    report, submitted = "", False
    fields = {e.name: e.value for e in observation.elements if e.role in ("textbox", "combobox")}
    for element in observation.elements:
        if element.group == "Changes":
            if element.name.startswith("Report: "):
                report, submitted = _report(element.name)
            else:
                _replay(files, element.name)
    window = next(e.group for e in observation.elements if e.role == "heading" and e.region == "main")
    numbers = {file.path: number for number, file in files.items()}
    query = window.removeprefix(_SEARCHED) if window.startswith(_SEARCHED) else ""
    shown = next((e.name for e in observation.elements if e.role == "text" and e.name.endswith(_of(e.name))), "")
    opened = 0 if query else numbers.get(window, 0)
    return Sight(
        files=files,
        folder=next(e.name for e in observation.elements if e.role == "heading" and e.region == "nav")[1:],
        open=opened,
        query=query,
        results=_results(files, query),
        top=int(shown.partition(" ")[0]) - 1 if shown else 0,
        selected=_selected(observation, files.get(opened)),
        argument=fields[words["argument"]],
        operand=fields[words["operand"]],
        operation=fields[words["operation"]],
        report=report,
        submitted=submitted,
    )


def _of(text: str) -> str:
    """The end of "1 to 12 of 30", so that no line of a file is taken for it."""
    found = re.fullmatch(r"[0-9]+ to [0-9]+ of ([0-9]+)", text)
    return f" of {found[1]}" if found else "\n"


def _report(said: str) -> tuple[str, bool]:
    text = said.removeprefix("Report: ")
    submitted = text.endswith(", submitted")
    text = text.removesuffix(", submitted")
    return ("" if text == "nothing yet" else text), submitted


def _replay(files: dict[int, File], said: str) -> None:
    """One entry of the log done to the files; entries about files unknown to it change nothing."""
    numbers = {file.path: number for number, file in files.items()}
    if found := _SET.fullmatch(said):
        key, path, value = found.groups()
        if path in numbers:
            lines = files[numbers[path]].lines
            new = tuple(f"{key} = {value}" if key_of(line) == key else line for line in lines)
            files[numbers[path]] = File(path, new)
    elif found := _CARRIED.fullmatch(said):
        if found[1] in numbers:
            files[numbers[found[1]]] = File(found[2], files[numbers[found[1]]].lines)
    elif found := _DELETED.fullmatch(said):
        files.pop(numbers.get(found[1], 0), None)


def _results(files: dict[int, File], query: str) -> tuple[int, ...]:
    found = [n for n, file in files.items() if query in file.name or any(query in line for line in file.lines)]
    return tuple(sorted(found, key=lambda number: files[number].path)) if query else ()


def _selected(observation: Observation, file: File | None) -> int:
    line = next((e.name for e in observation.elements if e.role == "text" and "selected" in e.states), None)
    return -1 if line is None or file is None else file.lines.index(line)


def _refs(observation: Observation, sight: Sight, words: Words) -> dict[str, int]:
    """The element of each key that a move may name."""
    numbers = {file.path: number for number, file in sight.files.items()}
    here = f"{sight.folder}/" if sight.folder else ""
    tools = {name: key for key, name in words.items()}
    refs: dict[str, int] = {}
    for element in observation.elements:
        if element.region == "nav" and element.role == "link":
            name = here + element.name
            key = f"folder:{name[:-1]}" if name.endswith("/") else f"file:{numbers.get(name, 0)}"
        elif element.role == "link":
            key = f"result:{numbers.get(element.name, 0)}"
        elif element.role == "text" and sight.open and element.row:
            key = f"line:{sight.open}:{sight.files[sight.open].lines.index(element.name)}"
        elif element.role == "button":
            key = tools[element.name] if element.region == "nav" else f"tool:{tools[element.name]}"
        else:
            key = tools.get(element.name, "")
        refs[key] = element.ref
    return refs
