"""Which statements are run at all; the others are refused by name before the database sees them."""

import re

_LEADING = re.compile(r"(?:\s+|--[^\n]*\n?|/\*.*?\*/)*", re.DOTALL)
_WORDS = re.compile(r"[a-z_]+")
_ALLOWED = frozenset(["select", "values", "table", "with", "insert", "update", "delete", "truncate", "explain"])
_DEFINES = {
    "create": re.compile(r"create\s+(unique\s+)?(index|table|view)\b"),
    "alter": re.compile(r"alter\s+(table|index|view)\b"),
    "drop": re.compile(r"drop\s+(table|index|view)\b"),
}
_TRANSACTIONS = frozenset(["begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare"])
_SETTINGS = frozenset(["set", "reset", "discard", "show"])
# What reaches out of the statement's own transaction, whatever stands around it.
_REACHES_OUT = re.compile(r"\b(set_config|pg_terminate_backend|pg_cancel_backend|pg_notify|dblink\w*)\b|\bu&[\"']")

READS = frozenset(["select", "values", "table", "with"])


class StatementRefused(ValueError):
    """A statement that is never run; `name` says of which sort it is."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name = name


def keyword(statement: str) -> str:
    """The first word, in lower case, behind blanks and comments."""
    rest = statement[_LEADING.match(statement).end() :].lower()  # type: ignore[union-attr]  # it matches the empty text
    found = _WORDS.match(rest)
    return found[0] if found else ""


def check(statement: str) -> None:
    """Raises StatementRefused. Several statements in one are refused by the database's own protocol."""
    word = keyword(statement)
    text = statement[_LEADING.match(statement).end() :].lower()  # type: ignore[union-attr]  # it matches the empty text
    if not word:
        raise StatementRefused("NoStatement", "write a statement, such as SELECT * FROM hosts")
    if word in _TRANSACTIONS:
        raise StatementRefused("TransactionControl", f"{word.upper()} would end the transaction that protects the data")
    if word in _SETTINGS:
        raise StatementRefused("SessionSetting", f"{word.upper()} changes the connection and not the data")
    if found := _REACHES_OUT.search(text):
        raise StatementRefused("ReachesOut", f"{found[0]} is not allowed here")
    if word in _DEFINES and not _DEFINES[word].match(text):
        raise StatementRefused("OtherObject", f"{word.upper()} is allowed for tables, indexes and views alone")
    if word not in _ALLOWED and word not in _DEFINES:
        raise StatementRefused("NotAllowed", f"{word.upper()} is not among the statements that can be run here")
