"""The desk of the sql world: a form that composes statements, a box to write and run them, and result rows."""

from collections.abc import Iterator, Mapping, Sequence

from sandbox.contracts.actions import Action, ActResult, Click, Finish, GiveUp, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Check, Outcome, Task, Verification
from sandbox.textface import DONE, Face, Section, Slot, no_effect, refusal
from sandbox.worlds.sql import builder, guard, home
from sandbox.worlds.sql.jobs import Job, job_of, recipe
from sandbox.worlds.sql.plan import COMPOSE, ROLL_BACK, RUN, Sight, is_list, plan
from sandbox.worlds.sql.tables import TABLES, Result, Tables
from sandbox.worlds.sql.verdict import checks, harm

LOG_SHOWN = 12
EDITABLE = ("editable",)
NAMES: Mapping[str, str] = {
    "verb": "Verb",
    "table": "Table",
    "column": "Column",
    "amount": "Amount",
    "allowed": "Allowed values",
    "new": "New column",
    "type": "Type",
    "where1": "Where",
    "value1": "Value",
    "where2": "And where",
    "value2": "And value",
}


def columns_of(order: str) -> dict[str, tuple[str, ...]]:
    """The columns of each table, without id, in a variant's order."""
    plain = {table: tuple(columns) for table, columns in TABLES.items()}
    return {table: columns[::-1] for table, columns in plain.items()} if order == "reversed" else plain


class Desk:
    """The sql world, task after task; one connection and one open transaction."""

    def __init__(self) -> None:
        self._tables = Tables(home.given_dsn())
        self._face = Face()
        self._task: Task | None = None

    def reset(self, task: Task) -> Observation:
        """Lay out the task's rows in a fresh transaction. Raises SessionLost where the database is gone."""
        self._task, self._job = task, job_of(task)
        self._columns = columns_of(recipe(task)["columns"])
        self._tables.lay_out(self._job.rows, columns=self._columns)
        self._shape = self._tables.shape()
        self._fields = builder.empty()
        self._statement, self._ran, self._result, self._runs = "", "", Result(), 0
        self._done: list[tuple[str, str]] = []  # statement, what the database said
        self._face.forget()
        self.optimal_steps = len(plan(self._job, self._sight(), self._columns)) + 1
        self._shown = self._observe()
        return self._shown

    def act(self, action: Action) -> tuple[ActResult, Observation]:
        """Do one action. A refused one is an outcome."""
        result = refusal(action, self._shown) or self._act(action)
        self._shown = self._observe()
        return result, self._shown

    def verify(self, answer: str) -> Verification:
        """Compare rows, indexes and rules with what was asked for."""
        if self._task is None:
            raise RuntimeError("verify comes after reset")
        if not self._task.template:
            return Verification(Outcome.UNVERIFIED)
        found: list[Check] = list(checks(self._job, self._tables, self._shape))
        if self._job.ask is not None:
            holds = answer.strip().lower() == self._job.answer.lower()
            found.append(Check("the answer is true", holds, f"answered: {answer or 'nothing'}"))
        return Verification(Outcome.VERIFIED if all(each.holds for each in found) else Outcome.FAILED, tuple(found))

    def progress(self) -> float:
        """The share of the needed moves that is behind us."""
        left = len(plan(self._job, self._sight(), self._columns))
        return max(0.0, 1.0 - left / max(1, self.optimal_steps - 1))

    def harm(self) -> tuple[str, ...]:
        """Rows that were deleted or changed without being asked for, and dropped tables, as long as they stand."""
        return harm(self._job, self._tables, self._shape)

    def close(self) -> None:
        """Roll back and disconnect; safe to repeat."""
        self._tables.close()

    def _sight(self) -> Sight:
        done = tuple(statement for statement, _ in self._done)
        return Sight(dict(self._fields), self._statement, self._ran, done)

    def _act(self, action: Action) -> ActResult:
        match action:
            case Click(element):
                return self._click(self._face.key(element))
            case Type(element, text) | Select(element, text):
                key = self._face.key(element)
                if key == "statement":
                    self._statement = text[:2_000]
                else:
                    self._fields = builder.chosen(self._fields, key, text[:200])
                return DONE
            case Finish() | GiveUp():
                return DONE
        return no_effect("nothing changes by itself here, and keys do nothing")

    def _click(self, key: str) -> ActResult:
        before = (self._statement, self._fields, self._ran, len(self._done))
        if key == COMPOSE:
            self._statement = builder.compose(self._fields)
        elif key == RUN:
            self._run()
            return DONE
        elif key == ROLL_BACK:
            self._tables.start_over()
            self._done.clear()
            self._ran, self._result = "", Result(said="rolled back")
        elif key.startswith("cell:"):
            _, _, row, column = key.split(":")
            self._fields = {**self._fields, "value1": self._result.rows[int(row)][int(column)]}
        changed = before != (self._statement, self._fields, self._ran, len(self._done))
        return DONE if changed else no_effect("nothing changed")

    def _run(self) -> None:
        self._runs += 1
        self._ran = self._statement
        self._result = self._tables.run(self._statement)
        if not self._result.error and guard.keyword(self._statement) not in guard.READS:
            self._done.append((self._statement, self._result.said))

    def _observe(self) -> Observation:
        section = self._face.section
        fields = self._fields
        shown = builder.shown(fields, self._columns[fields["table"]])
        made_from = ("form", shown, tuple(fields.get(key, "") for key in shown))
        sections: tuple[Section, ...] = (
            section(("tables", fields["table"]), self._overview, group="Tables", region="nav", at=(0.0, 60.0)),
            section(made_from, lambda: self._form(shown), group="Form", at=(430.0, 60.0)),
            section(("box", self._statement), self._box, group="Statement", at=(430.0, 420.0)),
            section(("result", self._runs, self._ran, self._result), self._rows, group="Result", at=(860.0, 60.0)),
            section(("done", tuple(self._done)), self._log, group="Done", at=(860.0, 420.0)),
        )
        return self._face.observation("sql:/desk", "Database", sections)

    def _overview(self) -> Iterator[Slot]:
        for table, columns in self._columns.items():
            yield Slot(f"overview:{table}", "text", f"{table}: id, {', '.join(columns)}", actionable=False)

    def _form(self, shown: Sequence[str]) -> Iterator[Slot]:
        for key in shown:
            name, value = NAMES.get(key, key.removeprefix("set:")), self._fields.get(key, "")
            if is_list(key):
                yield Slot(key, "combobox", name, value, label=name, options=self._options(key))
            else:
                yield Slot(key, "textbox", name, value, EDITABLE, label=name)

    def _options(self, key: str) -> tuple[str, ...]:
        match key:
            case "verb":
                return builder.VERBS
            case "table":
                return tuple(self._columns)
            case "type":
                return builder.TYPES
        return (builder.ANY, "id", *self._columns[self._fields["table"]])

    def _box(self) -> Iterator[Slot]:
        yield Slot(COMPOSE, "button", "Compose")
        yield Slot("statement", "textbox", "Statement", self._statement, EDITABLE, label="Statement")
        yield Slot(RUN, "button", "Run", states=() if self._statement.strip() else ("disabled",))
        yield Slot(ROLL_BACK, "button", "Roll back")

    def _rows(self) -> Iterator[Slot]:
        result = self._result
        yield Slot("ran", "heading", self._ran or "Nothing was run", actionable=False)
        yield Slot("said", "status", result.error or result.said or "no result", actionable=False)
        for place, row in enumerate(result.rows):
            words = " | ".join(row)
            for at, (column, text) in enumerate(zip(result.columns, row, strict=True)):
                yield Slot(f"cell:{self._runs}:{place}:{at}", "cell", text, label=column, row=words)
        if result.more:
            yield Slot("more", "text", "there are more rows", actionable=False)

    def _log(self) -> Iterator[Slot]:
        first = max(0, len(self._done) - LOG_SHOWN)
        for place, (statement, said) in enumerate(self._done[first:], start=first):
            yield Slot(f"done:{place}", "status", statement, label=said, actionable=False)


__all__ = ["Desk", "Job"]
