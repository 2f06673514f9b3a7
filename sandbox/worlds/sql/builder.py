"""The form from which a statement is composed, so that it can be chosen and filled in instead of written."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sandbox.worlds.sql.tables import TABLES

VERBS = (
    "select",
    "count",
    "insert",
    "update",
    "increase",
    "decrease",
    "delete",
    "create index",
    "add unique",
    "add check",
    "set not null",
    "add column",
)
TYPES = ("text", "integer", "boolean")
ANY = "-"  # no column chosen
WRITES = frozenset(VERBS) - {"select", "count"}

Fields: TypeAlias = dict[
    str, str
]  # by key: verb, table, column, amount, allowed, new, type, where1, value1, set:<column>

_WITH_WHERE = frozenset({"select", "count", "update", "increase", "decrease", "delete"})
_WITH_SETS = frozenset({"insert", "update"})
_OF_VERB: Mapping[str, tuple[str, ...]] = {
    "increase": ("column", "amount"),
    "decrease": ("column", "amount"),
    "create index": ("column",),
    "add unique": ("column",),
    "add check": ("column", "allowed"),
    "set not null": ("column",),
    "add column": ("new", "type"),
}


def empty(table: str = "hosts") -> Fields:
    """The form as it is at first."""
    return {
        "verb": "select",
        "table": table,
        "column": ANY,
        "amount": "",
        "allowed": "",
        "new": "",
        "type": TYPES[0],
        "where1": ANY,
        "value1": "",
        "where2": ANY,
        "value2": "",
    }


def shown(fields: Fields, columns: Sequence[str]) -> tuple[str, ...]:
    """The keys of the fields that the chosen verb has, in order; `columns` are the table's without id."""
    verb = fields["verb"]
    keys = ["verb", "table", *_OF_VERB.get(verb, ())]
    if verb in _WITH_SETS:
        keys += [f"set:{column}" for column in columns]
    if verb in _WITH_WHERE:
        keys += ["where1", "value1", "where2", "value2"]
    return tuple(keys)


def chosen(fields: Fields, key: str, value: str) -> Fields:
    """The form after one field was changed. Another table has other columns: what was chosen of the old ones goes."""
    changed = {**fields, key: value}
    if key != "table" or value == fields["table"]:
        return changed
    kept = {name: text for name, text in changed.items() if not name.startswith("set:")}
    return {**kept, "column": ANY, "where1": ANY, "where2": ANY}


def compose(fields: Fields) -> str:
    """The statement that the form says. Values are quoted, names come from lists."""
    verb, table = fields["verb"], fields["table"]
    column = fields["column"]
    # In the tables' own order, whatever was filled in first.
    sets = {name: text for name in columns_of(table) if (text := fields.get(f"set:{name}", ""))}
    where = _where(fields)
    match verb:
        case "select":
            return _words("SELECT * FROM", table, where, "ORDER BY id")
        case "count":
            return _words("SELECT count(*) FROM", table, where)
        case "insert":
            values = ", ".join(map(quoted, sets.values()))
            return _words("INSERT INTO", table, f"({', '.join(sets)})", f"VALUES ({values})")
        case "update":
            return _words("UPDATE", table, "SET", ", ".join(f"{n} = {quoted(text)}" for n, text in sets.items()), where)
        case "increase" | "decrease":
            sign = "+" if verb == "increase" else "-"
            return _words("UPDATE", table, "SET", f"{column} = {column} {sign} {quoted(fields['amount'])}", where)
        case "delete":
            return _words("DELETE FROM", table, where)
        case "create index":
            return _words("CREATE INDEX ON", table, f"({column})")
        case "add unique":
            return _words("ALTER TABLE", table, f"ADD UNIQUE ({column})")
        case "add check":
            allowed = ", ".join(quoted(each.strip()) for each in fields["allowed"].split(","))
            return _words("ALTER TABLE", table, f"ADD CHECK ({column} IN ({allowed}))")
        case "set not null":
            return _words("ALTER TABLE", table, "ALTER COLUMN", column, "SET NOT NULL")
        case _:
            return _words("ALTER TABLE", table, "ADD COLUMN", identifier(fields["new"]), fields["type"])


def _where(fields: Fields) -> str:
    said = []
    for column, value in ((fields["where1"], fields["value1"]), (fields["where2"], fields["value2"])):
        if column != ANY:
            said.append(f"{column} = {quoted(value)}" if value else f"{column} IS NULL")
    return f"WHERE {' AND '.join(said)}" if said else ""


def _words(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def quoted(text: str) -> str:
    """A value in a statement."""
    return "'" + text.replace("'", "''") + "'"


def identifier(text: str) -> str:
    """A name in a statement."""
    return '"' + text.replace('"', '""') + '"'


def columns_of(table: str) -> tuple[str, ...]:
    """The plain order of a table's columns, without id."""
    return tuple(TABLES[table])
