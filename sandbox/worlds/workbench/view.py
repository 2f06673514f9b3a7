"""What a workbench shows, as a bounded window of text with its tools, and what an action on it means."""

from collections.abc import Callable, Iterator, Mapping

from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Finish, GiveUp, Scroll, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.textface import DONE, Face, Section, Slot, no_effect, refusal
from sandbox.worlds.workbench.bench import OPERATIONS, Bench, Refused, key_of

LOG_SHOWN = 12
EDITABLE, CLOSED = ("editable",), ("disabled",)
_COLUMNS = {"files": (0.0, 60.0), "window": (430.0, 60.0), "tools": (860.0, 60.0), "log": (430.0, 420.0)}

Words = Mapping[str, str]

# What the tools are called: the plain words, and others for variants.
PLAIN: Words = {
    "argument": "Argument",
    "operand": "Operand",
    "operation": "Operation",
    "up": "Up",
    "find": "Find",
    "copy": "Copy value",
    "copy-operand": "Copy value as operand",
    "count": "Count results",
    "compute": "Compute",
    "set": "Set value",
    "rename": "Rename file",
    "move": "Move file",
    "delete": "Delete file",
    "report": "Report",
    "submit": "Submit",
}
WORDS: Mapping[str, Words] = {
    "plain": PLAIN,
    "short": {
        **PLAIN,
        "find": "Search",
        "copy": "Take",
        "copy-operand": "Take as operand",
        "count": "Count",
        "set": "Set",
        "rename": "Rename",
        "move": "Move",
        "delete": "Delete",
    },
    "office": {
        **PLAIN,
        "argument": "In hand",
        "find": "Look up",
        "copy": "Pick value",
        "copy-operand": "Pick value as operand",
        "compute": "Work out",
        "set": "Write value",
        "report": "Note for the ticket",
        "submit": "Send",
    },
    "shell": {
        **PLAIN,
        "argument": "Buffer",
        "find": "grep",
        "copy": "yank",
        "copy-operand": "yank operand",
        "count": "wc",
        "compute": "expr",
        "set": "put",
        "rename": "rename",
        "move": "mv",
        "delete": "rm",
        "report": "note",
        "submit": "send",
    },
}
TOOLS = ("find", "copy", "copy-operand", "count", "compute", "set", "rename", "move", "delete", "report", "submit")
ORDERS: Mapping[str, tuple[str, ...]] = {
    "plain": TOOLS,
    "reversed": TOOLS[::-1],
    "writing-first": (*TOOLS[5:], *TOOLS[:5]),
}


class View:
    """One bench as it is shown. `order` and `words` are the variant's."""

    def __init__(self, bench: Bench, *, words: str, order: str) -> None:
        self.bench = bench
        self.words = WORDS[words]
        self._style = (words, order)
        self._tools = ORDERS[order]
        self.face = Face()
        self._versions: dict[int, int] = {}

    def observation(self) -> Observation:
        """What is shown now."""
        bench, section = self.bench, self.face.section
        written = len(bench.log)
        files = section(
            ("files", bench.folder, bench.open, written),
            self._files,
            group="Files",
            region="nav",
            at=_COLUMNS["files"],
        )
        name = self._window_name()
        window = section(
            ("window", name, bench.top, bench.selected, written), self._window, group=name, at=_COLUMNS["window"]
        )
        fields = section(
            ("fields", bench.argument, bench.operand, bench.operation),
            self._fields,
            group="Tools",
            at=_COLUMNS["tools"],
        )
        open_tools = self._open_tools()
        tools = section(
            ("tools", open_tools), lambda: self._buttons(open_tools), group="Tools", at=(_COLUMNS["tools"][0], 140.0)
        )
        log = section(("log", written), self._log, group="Changes", at=_COLUMNS["log"])
        sections: tuple[Section, ...] = (files, window, fields, tools, log)
        return self.face.observation(f"workbench:/{bench.folder}", "Workbench", sections)

    def act(self, action: Action, shown: Observation) -> ActResult:
        """Do one action on what is shown."""
        refused = refusal(action, shown)
        if refused is not None:
            return refused
        try:
            match action:
                case Click(element):
                    self._click(self.face.key(element))
                case Type(element, text):
                    self._fill(self.face.key(element), text)
                case Select(_, option):
                    self.bench.operation = option
                case Scroll(direction):
                    rows = self.bench.window if direction == "down" else -self.bench.window
                    if not self.bench.scroll(rows):
                        return no_effect(f"there is nothing further {direction}")
                case Finish() | GiveUp():
                    pass
                case _:
                    return no_effect("nothing changes by itself here, and keys do nothing")
        except Refused as refusal_:
            return ActResult(ActOutcome.NO_EFFECT, str(refusal_))
        return DONE

    def _click(self, key: str) -> None:
        kind, _, rest = key.partition(":")
        bench = self.bench
        match kind:
            case "up":
                bench.go_up()
            case "folder":
                bench.enter(rest)
            case "file" | "result":
                bench.read(int(rest))
            case "line":
                line = int(rest.partition(":")[2])
                if bench.selected == line:
                    raise Refused("this line is marked already")
                bench.select(line)
            case "tool":
                self._use(rest)
            case _:
                raise Refused("a click changes nothing here")

    def _use(self, tool: str) -> None:
        bench = self.bench
        before = (bench.argument, bench.operand, bench.query, len(bench.log))
        uses: Mapping[str, Callable[[], None]] = {
            "find": bench.find,
            "copy": bench.copy,
            "copy-operand": lambda: bench.copy(operand=True),
            "count": bench.count,
            "compute": bench.compute,
            "set": bench.set,
            "rename": bench.rename,
            "move": bench.move,
            "delete": bench.delete,
            "report": bench.write_report,
            "submit": bench.submit,
        }
        uses[tool]()
        if before == (bench.argument, bench.operand, bench.query, len(bench.log)):
            raise Refused("nothing changed")

    def _fill(self, key: str, text: str) -> None:
        if key == "argument":
            self.bench.argument = text[:200]
        else:
            self.bench.operand = text[:200]

    def _open_tools(self) -> tuple[str, ...]:
        """The tools that can be used now; as on a page, a tool without its object is disabled."""
        bench = self.bench
        can = ["find", "compute"]
        if bench.query:
            can.append("count")
        if bench.selected >= 0:
            can += ["copy", "copy-operand"]
        if not bench.submitted:
            can.append("report")
            if bench.report:
                can.append("submit")
            if bench.open:
                can += ["rename", "move", "delete"]
                if bench.selected >= 0 and key_of(bench.files[bench.open].lines[bench.selected]):
                    can.append("set")
        return tuple(can)

    def _window_name(self) -> str:
        bench = self.bench
        if bench.query:
            return f"Files with {bench.query}"
        return bench.files[bench.open].path if bench.open else "Nothing open"

    def _files(self) -> Iterator[Slot]:
        bench = self.bench
        here = f"{bench.folder}/" if bench.folder else ""
        yield Slot("place", "heading", f"/{bench.folder}", actionable=False)
        yield Slot("up", "button", self.words["up"], states=() if bench.folder else CLOSED)
        for folder in bench.folders:
            if folder.startswith(here) and folder != bench.folder and "/" not in folder[len(here) :]:
                yield Slot(f"folder:{folder}", "link", f"{folder[len(here) :]}/")
        for number in sorted(bench.files, key=lambda number: bench.files[number].path):
            if bench.files[number].folder == bench.folder:
                states = ("selected",) if number == bench.open else ()
                yield Slot(f"file:{number}", "link", bench.files[number].name, states=states)

    def _window(self) -> Iterator[Slot]:
        bench = self.bench
        yield Slot("window", "heading", self._window_name(), actionable=False)
        rows = range(bench.top, min(bench.top + bench.window, bench.rows))
        if bench.rows > bench.window:
            shown = f"{bench.top + 1} to {rows.stop} of {bench.rows}"
            yield Slot("window:rows", "text", shown, actionable=False)
        if bench.query:
            for row in rows:
                number = bench.results[row]
                if number in bench.files:
                    yield Slot(f"result:{number}", "link", bench.files[number].path)
            if not bench.results:
                yield Slot("window:none", "status", "no file has it", actionable=False)
        elif bench.open:
            lines = bench.files[bench.open].lines
            for row in rows:
                states = ("selected",) if row == bench.selected else ()
                line = lines[row]
                yield Slot(f"line:{bench.open}:{row}", "text", line, states=states, label=key_of(line), row=line)

    def _fields(self) -> Iterator[Slot]:
        bench, words = self.bench, self.words
        yield Slot("argument", "textbox", words["argument"], bench.argument, EDITABLE, label=words["argument"])
        yield Slot(
            "operation",
            "combobox",
            words["operation"],
            bench.operation,
            label=words["operation"],
            options=OPERATIONS,
        )
        yield Slot("operand", "textbox", words["operand"], bench.operand, EDITABLE, label=words["operand"])

    def _buttons(self, usable: tuple[str, ...]) -> Iterator[Slot]:
        for tool in self._tools:
            yield Slot(f"tool:{tool}", "button", self.words[tool], states=() if tool in usable else CLOSED)

    def _log(self) -> Iterator[Slot]:
        bench = self.bench
        said = bench.report or "nothing yet"
        yield Slot("report", "status", f"Report: {said}{', submitted' if bench.submitted else ''}", actionable=False)
        first = max(0, len(bench.log) - LOG_SHOWN)
        for place, change in enumerate(bench.log[first:], start=first):
            yield Slot(f"change:{place}", "status", change.said, actionable=False)
