"""The shortest moves from what is shown to a job's end: for the oracle, for progress and for counting steps."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sandbox.worlds.sql.builder import ANY, Fields, chosen, shown
from sandbox.worlds.sql.jobs import Job, Statement

COMPOSE, RUN, ROLL_BACK = "compose", "run", "roll-back"


class Sight(Struct):
    """What the planner goes by: the desk, or what a page shows of it."""

    fields: Fields
    statement: str  # what stands in the box
    ran: str  # the statement whose result is shown
    done: tuple[str, ...]  # the writes that went through since the beginning or the last roll-back


class Act(Struct, frozen=True):
    """One move: an element's key, and what to type or choose there; "" is a click, unless it is a field's."""

    key: str
    text: str = ""
    fills: bool = False


def plan(job: Job, sight: Sight, columns: Mapping[str, Sequence[str]]) -> list[Act]:
    """The moves left until only to finish is left. `sight` is used up."""
    moves: list[Act] = []
    expected = tuple(each.text for each in job.statements)
    if sight.done != expected[: len(sight.done)]:
        moves.append(Act(ROLL_BACK))
        sight.done, sight.ran = (), ""
    for statement in job.statements[len(sight.done) :]:
        moves += _run(statement, sight, columns)
    if job.ask is not None and sight.ran != job.ask.text:
        moves += _run(job.ask, sight, columns)
    return moves


def _run(statement: Statement, sight: Sight, columns: Mapping[str, Sequence[str]]) -> list[Act]:
    """The moves that get one statement run."""
    moves: list[Act] = []
    text = statement.text
    if sight.statement != text:
        moves += _fill(statement, sight, columns)
        moves.append(Act(COMPOSE))
        sight.statement = text
    moves.append(Act(RUN))
    sight.ran = text
    return moves


def _fill(statement: Statement, sight: Sight, columns: Mapping[str, Sequence[str]]) -> list[Act]:
    moves: list[Act] = []
    wanted, lookup = statement.fields, statement.value1
    if lookup is not None and sight.fields["value1"] != wanted["value1"]:
        if sight.ran != lookup.statement.text:
            moves += _run(lookup.statement, sight, columns)
        moves.append(Act(f"cell:{lookup.row}:{lookup.column}"))
        sight.fields["value1"] = wanted["value1"]
    for key in ("verb", "table", *shown(wanted, columns[wanted["table"]])):
        if sight.fields.get(key, "") != wanted.get(key, ""):
            moves.append(Act(key, wanted.get(key, ""), fills=True))
            sight.fields = chosen(sight.fields, key, wanted.get(key, ""))
    return moves


def is_list(key: str) -> bool:
    """Whether a field is a closed list."""
    return key in ("verb", "table", "column", "type", "where1", "where2")


__all__ = ["ANY", "Act", "Sight", "is_list", "plan"]
