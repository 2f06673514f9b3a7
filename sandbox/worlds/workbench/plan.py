"""The shortest moves of a workbench from any state to what is wanted: for oracle, progress and step counts."""

from typing import assert_never

from msgspec import Struct

from sandbox.worlds.workbench.bench import Bench, File, key_of, value_of
from sandbox.worlds.workbench.wants import (
    At,
    Computed,
    Counted,
    Delete,
    Found,
    Given,
    Job,
    Linked,
    Move,
    Reach,
    Read,
    Rename,
    Report,
    Set,
    Value,
    Want,
    line_of,
    wanted_files,
    wanted_report,
    worth,
)


class Sight(Struct):
    """What the planner goes by: a bench, or what a page shows of one."""

    files: dict[int, File]
    folder: str
    open: int
    query: str
    results: tuple[int, ...]
    top: int
    selected: int
    argument: str
    operand: str
    operation: str
    report: str
    submitted: bool


class Act(Struct, frozen=True):
    """One move: an element's key, and the text to type or choose there ("" is a click; key "scroll" scrolls)."""

    key: str
    text: str = ""


def of_bench(bench: Bench) -> Sight:
    """A bench as the planner sees it."""
    return Sight(
        dict(bench.files),
        bench.folder,
        bench.open,
        bench.query,
        bench.results,
        bench.top,
        bench.selected,
        bench.argument,
        bench.operand,
        bench.operation,
        bench.report,
        bench.submitted,
    )


def plan(job: Job, sight: Sight) -> list[Act] | None:
    """The moves left until only to finish is left; None where it cannot be done any more. `sight` is used up."""
    planner = _Planner(job, sight)
    wanted, report = planner.wanted, wanted_report(job)
    if wanted.keys() - sight.files.keys():
        return None
    if sight.submitted:
        return [] if sight.files == wanted and sight.report == report else None
    planner.mend()
    for want in job.wants:
        planner.do(want)
    return planner.moves


class _Planner:
    """Works on a copy of what is seen, so that each move is known to lead to the next."""

    def __init__(self, job: Job, sight: Sight) -> None:
        self.job = job
        self.now = sight
        self.wanted = wanted_files(job)
        self.moves: list[Act] = []

    def mend(self) -> None:
        """Put right what was done to files that the ticket is not about, and what was done wrongly to others."""
        asked = {want.reach.file: want for want in self.job.wants if not isinstance(want, Report)}
        for number, good in self.wanted.items():
            file = self.now.files[number]
            if file == good:
                continue
            want = asked.get(number)
            for place, line in enumerate(good.lines):
                is_asked = isinstance(want, Set) and want.key == key_of(line)
                if file.lines[place] != line and not is_asked:
                    self._set(At(number), key_of(line), Given(value_of(line)))
            if self.now.files[number].folder != good.folder and not isinstance(want, Move):
                self.do(Move(At(number), good.folder))
            if self.now.files[number].name != good.name and not isinstance(want, Rename):
                self.do(Rename(At(number), good.name))

    def do(self, want: Want) -> None:
        """Whatever is left to do for this."""
        now = self.now
        match want:
            case Set(reach, key, value):
                self._set(reach, key, value)
            case Rename(reach, name):
                if now.files[reach.file].name != name:
                    self._reach(reach)
                    self._hold(name)
                    file = now.files[reach.file]
                    self._write("tool:rename", File(f"{file.folder}/{name}".lstrip("/"), file.lines))
            case Move(reach, folder):
                if now.files[reach.file].folder != folder:
                    self._reach(reach)
                    self._hold(folder)
                    file = now.files[reach.file]
                    self._write("tool:move", File(f"{folder}/{file.name}", file.lines))
                    now.folder = folder
            case Delete(reach):
                if reach.file in now.files:
                    self._reach(reach)
                    self._click("tool:delete")
                    del now.files[reach.file]
                    now.open, now.selected, now.top = 0, -1, 0
            case Report(value):
                text = worth(value, self.job.files)
                if now.report != text:
                    self._have(value)
                    self._click("tool:report")
                    now.report = text
                self._click("tool:submit")
                now.submitted = True
            case _:
                assert_never(want)

    def _set(self, reach: Reach, key: str, value: Value) -> None:
        file = self.now.files[reach.file]
        place, text = line_of(file, key), worth(value, self.job.files)
        if value_of(file.lines[place]) == text:
            return
        self._have(value)
        self._mark(reach, key)
        lines = (*file.lines[:place], f"{key} = {text}", *file.lines[place + 1 :])
        self._write("tool:set", File(file.path, lines))

    def _have(self, value: Value) -> None:
        """Get a value in hand."""
        now, text = self.now, worth(value, self.job.files)
        if now.argument == text:
            return
        match value:
            case Given():
                self._hold(text)
            case Read(reach, key):
                self._mark(reach, key)
                self._click("tool:copy")
            case Counted(mark):
                self._search(mark)
                self._click("tool:count")
            case Computed(base, operation, other):
                self._have(base)
                self._have_operand(other)
                if now.operation != operation:
                    self.moves.append(Act("operation", operation))
                    now.operation = operation
                self._click("tool:compute")
            case _:
                assert_never(value)
        now.argument = text

    def _have_operand(self, value: Given | Read) -> None:
        text = worth(value, self.job.files)
        if self.now.operand == text:
            return
        if isinstance(value, Given):
            self.moves.append(Act("operand", text))
        else:
            self._mark(value.reach, value.key)
            self._click("tool:copy-operand")
        self.now.operand = text

    def _mark(self, reach: Reach, key: str) -> None:
        self._reach(reach)
        now = self.now
        place = line_of(now.files[reach.file], key)
        if now.selected != place:
            self._scroll_to(place)
            self._click(f"line:{reach.file}:{place}")
            now.selected = place

    def _reach(self, reach: Reach) -> None:
        if self.now.open == reach.file:
            return
        match reach:
            case At(number):
                self._walk(number)
            case Found(number, mark):
                self._search(mark)
                self._open_result(number)
            case Linked(number, by, key):
                name = worth(Read(At(by), key), self.job.files)
                if self.now.query != name:
                    self._have(Read(At(by), key))
                self._search(name)
                self._open_result(number)
            case _:
                assert_never(reach)

    def _walk(self, number: int) -> None:
        now, file = self.now, self.now.files[number]
        while now.folder != file.folder:
            here = f"{now.folder}/" if now.folder else ""
            if file.folder.startswith(here):
                now.folder = here + file.folder[len(here) :].partition("/")[0]
                self._click(f"folder:{now.folder}")
            else:
                now.folder = now.folder.rpartition("/")[0]
                self._click("up")
        self._click(f"file:{number}")
        self._opened(number)

    def _search(self, text: str) -> None:
        now = self.now
        if now.query == text:
            return
        self._hold(text)
        self._click("tool:find")
        files = now.files
        found = [n for n, file in files.items() if text in file.name or any(text in line for line in file.lines)]
        now.results = tuple(sorted(found, key=lambda number: files[number].path))
        now.query, now.open, now.selected, now.top = text, 0, -1, 0

    def _open_result(self, number: int) -> None:
        self._scroll_to(self.now.results.index(number))
        self._click(f"result:{number}")
        self._opened(number)

    def _opened(self, number: int) -> None:
        now = self.now
        now.open, now.query, now.results, now.selected, now.top = number, "", (), -1, 0
        now.folder = now.files[number].folder

    def _scroll_to(self, row: int) -> None:
        now, window = self.now, self.job.window
        while not now.top <= row < now.top + window:
            down = row >= now.top + window
            self.moves.append(Act("scroll", "down" if down else "up"))
            now.top += window if down else -window

    def _hold(self, text: str) -> None:
        if self.now.argument != text:
            self.moves.append(Act("argument", text))
            self.now.argument = text

    def _write(self, tool: str, file: File) -> None:
        self._click(tool)
        self.now.files[self.now.open] = file

    def _click(self, key: str) -> None:
        self.moves.append(Act(key))
