"""Each kind of ticket as a job: the rows at first, the statements that do it, and what must hold in the end."""

import random
from collections.abc import Callable, Mapping

from msgspec import Struct

from sandbox.contracts.tasks import Task
from sandbox.tasks import BadParameters, parameters_of
from sandbox.variants import parse
from sandbox.worlds.sql import names
from sandbox.worlds.sql.builder import Fields, compose, empty
from sandbox.worlds.sql.tables import TABLES, Row, Rows

NAME = "sql"
DEFAULTS = {"rows": "few", "columns": "plain"}
HOSTS = {"few": 6, "many": 25}

Blanks = Mapping[str, str]


class Lookup(Struct, frozen=True):
    """A value that has to be read from a result before it can be used."""

    statement: "Statement"
    column: str
    row: int  # place in the result


class Statement(Struct, frozen=True):
    """One statement, as the filled form that says it."""

    fields: Fields
    value1: Lookup | None = None  # where the first condition's value comes from

    @property
    def text(self) -> str:
        """The statement itself."""
        return compose(self.fields)


class Job(Struct, frozen=True):
    """One task made concrete."""

    rows: Rows
    wanted: Rows  # ids of new rows do not matter: they are left out
    statements: tuple[Statement, ...]  # the writes, in order
    ask: Statement | None = None  # the question of a ticket that asks one
    answer: str = ""
    answer_column: str = ""
    indexes: tuple[tuple[str, str], ...] = ()
    unique: tuple[tuple[str, str], ...] = ()
    required: tuple[tuple[str, str], ...] = ()
    columns: tuple[tuple[str, str, str], ...] = ()
    refuses: tuple[tuple[str, Row], ...] = ()  # rows that a new rule must not take, with an id that is free
    takes: tuple[tuple[str, Row], ...] = ()  # and that it must


class _Made:
    """Rows being laid out; ids count up."""

    def __init__(self, seed: str, hosts: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311  # has to be repeatable
        self.rows: Rows = {"hosts": [], "volumes": [], "alerts": [], "budgets": []}
        self._hosts = hosts

    def add(self, table: str, **values: str | None) -> Row:
        """One row more."""
        row: Row = {"id": str(len(self.rows[table]) + 1), **values}
        self.rows[table].append(row)
        return row

    def host(self, name: str, *, without: str | None = None, **given: str | None) -> Row:
        """A host with two volumes, none of them labelled `without`, and an alert."""
        chance = self.chance
        values: dict[str, str | None] = {
            "zone": names.zone(chance, "train"),
            "owner": names.owner(chance, "train"),
            "cores": str(chance.choice((2, 4, 8, 16))),
            "state": chance.choice(names.STATES),
        }
        row = self.add("hosts", name=name, **{**values, **given})
        labels = [label for label in ("logs", "backup", "scratch", "images") if label != without]
        for label in chance.sample(labels, 2):
            self.add("volumes", host_id=row["id"], label=label, size_gb=str(chance.randint(5, 400)))
        self.alert(row, chance.choice(names.SEVERITIES))
        return row

    def alert(self, host: Row, severity: str, state: str = "open") -> Row:
        """An alert of a host."""
        return self.add("alerts", host_id=host["id"], severity=severity, state=state)

    def surround(self, name: str = "", **given: str | None) -> None:
        """Other hosts, two of them with names that look like the one; and budgets, where there are none."""
        if not self.rows["budgets"]:
            self.budgets()
        alike = [f"{name}-old", f"{name}0"] if name else []
        taken = {row["name"] for row in self.rows["hosts"]} | {name}
        for each in alike:
            self.host(each, **given)
        for _ in range(self._hosts):
            found = names.host(self.chance, "train")
            if found not in taken:
                taken.add(found)
                self.host(found, **given)

    def budgets(self, *teams: str) -> None:
        """Budgets of these teams and of others."""
        others = [team for team in ("support", "security", "facilities") if team not in teams]
        mixed = [*teams, *others]
        self.chance.shuffle(mixed)
        for team in mixed:
            self.add("budgets", team=team, amount=str(self.chance.randint(500, 900)))


def recipe(task: Task) -> dict[str, str]:
    """How this task's variant differs, plain values included."""
    return {**DEFAULTS, **parse(task.environment)[1]}


def job_of(task: Task) -> Job:
    """The job of a task; the same task gives the same job. A free text has rows and wants nothing.

    Raises BadParameters where what was filled in contradicts itself.
    """
    blanks = parameters_of(task)
    made = _Made(f"rows:{task.template}:{task.seed}:{sorted(blanks.items())}", HOSTS[recipe(task)["rows"]])
    if not task.template:
        made.surround()
        return Job(made.rows, made.rows, ())
    return _LAID[task.template.removeprefix(f"{NAME}/")](made, blanks)


def _refuse(contradicts: bool, field: str, sentence: str) -> None:
    """Raises BadParameters where values that are right each by itself cannot stand together."""
    if contradicts:
        raise BadParameters({field: sentence})


def _form(verb: str, table: str, *where: tuple[str, str], **more: str) -> Statement:
    """A filled form: up to two conditions, other fields by key (set_zone is "set:zone")."""
    fields = {**empty(table), "verb": verb, "table": table}
    for place, (column, value) in enumerate(where, start=1):
        fields |= {f"where{place}": column, f"value{place}": value}
    fields |= {key.replace("set_", "set:", 1) if key.startswith("set_") else key: text for key, text in more.items()}
    return Statement(fields)


def _looked_up(statement: Statement, lookup: Lookup) -> Statement:
    return Statement(statement.fields, lookup)


def _changed(rows: Rows, table: str, does: Callable[[Row], Row | None]) -> Rows:
    """The rows after each of one table was changed, or dropped where None is returned."""
    found = [new for row in rows[table] if (new := does(dict(row))) is not None]
    return {**rows, table: found}


def _where(**conditions: str | None) -> Callable[[Row], bool]:
    return lambda row: all(row[column] == value for column, value in conditions.items())


def _setting(fits: Callable[[Row], bool], **values: str) -> Callable[[Row], Row]:
    return lambda row: {**row, **values} if fits(row) else row


def _find_fact(made: _Made, blanks: Blanks) -> Job:
    row = made.host(blanks["host"])
    made.surround(blanks["host"])
    ask = _form("select", "hosts", ("name", blanks["host"]))
    return Job(made.rows, made.rows, (), ask, str(row[blanks["fact"]]), blanks["fact"])


def _count_hosts(made: _Made, blanks: Blanks) -> Job:
    for _ in range(made.chance.randint(2, 5)):
        made.host(names.host(made.chance, "train"), zone=blanks["zone"], state=blanks["state"])
    made.surround(zone=blanks["zone"], state=next(each for each in names.STATES if each != blanks["state"]))
    made.surround()
    fits = _where(zone=blanks["zone"], state=blanks["state"])
    ask = _form("count", "hosts", ("zone", blanks["zone"]), ("state", blanks["state"]))
    return Job(made.rows, made.rows, (), ask, str(sum(map(fits, made.rows["hosts"]))), "count")


def _add_host(made: _Made, blanks: Blanks) -> Job:
    made.surround(blanks["host"])
    new: Row = {"name": blanks["host"], "zone": blanks["zone"], "owner": None, "cores": blanks["cores"], "state": None}
    wanted = {**made.rows, "hosts": [*made.rows["hosts"], new]}
    insert = _form("insert", "hosts", set_name=blanks["host"], set_zone=blanks["zone"], set_cores=blanks["cores"])
    return Job(made.rows, wanted, (insert,))


def _set_owner(made: _Made, blanks: Blanks) -> Job:
    made.host(blanks["host"], owner="nobody")
    made.surround(blanks["host"])
    wanted = _changed(made.rows, "hosts", _setting(_where(name=blanks["host"]), owner=blanks["owner"]))
    return Job(made.rows, wanted, (_form("update", "hosts", ("name", blanks["host"]), set_owner=blanks["owner"]),))


def _resize_volume(made: _Made, blanks: Blanks) -> Job:
    host = made.host(blanks["host"], without=blanks["label"])
    volume = made.add("volumes", host_id=host["id"], label=blanks["label"], size_gb="1")
    made.surround(blanks["host"])
    wanted = _changed(made.rows, "volumes", _setting(_where(id=volume["id"]), size_gb=blanks["size"]))
    lookup = Lookup(_form("select", "hosts", ("name", blanks["host"])), "id", 0)
    where = (("host_id", str(host["id"])), ("label", blanks["label"]))
    update = _looked_up(_form("update", "volumes", *where, set_size_gb=blanks["size"]), lookup)
    return Job(made.rows, wanted, (update,))


def _delete_host(made: _Made, blanks: Blanks) -> Job:
    host = made.host(blanks["host"])
    made.surround(blanks["host"])
    wanted = _changed(made.rows, "hosts", lambda row: None if row["id"] == host["id"] else row)
    wanted = _changed(wanted, "volumes", lambda row: None if row["host_id"] == host["id"] else row)
    return Job(made.rows, wanted, (_form("delete", "hosts", ("name", blanks["host"])),))


def _close_alerts(made: _Made, blanks: Blanks) -> Job:
    host = made.host(blanks["host"])
    for severity in (blanks["severity"], blanks["severity"], *names.SEVERITIES):
        made.alert(host, severity)
    made.surround(blanks["host"])
    fits = _where(host_id=host["id"], severity=blanks["severity"])
    wanted = _changed(made.rows, "alerts", _setting(fits, state=blanks["state"]))
    lookup = Lookup(_form("select", "hosts", ("name", blanks["host"])), "id", 0)
    where = (("host_id", str(host["id"])), ("severity", blanks["severity"]))
    return Job(made.rows, wanted, (_looked_up(_form("update", "alerts", *where, set_state=blanks["state"]), lookup),))


def _move_budget(made: _Made, blanks: Blanks) -> Job:
    _refuse(blanks["giver"] == blanks["taker"], "taker", "Name another team than the giver.")
    made.budgets(blanks["giver"], blanks["taker"])
    made.surround()
    amount = int(blanks["amount"])
    moved = {blanks["giver"]: -amount, blanks["taker"]: amount}

    def does(row: Row) -> Row:
        return {**row, "amount": str(int(row["amount"] or 0) + moved.get(str(row["team"]), 0))}

    statements = (
        _form("decrease", "budgets", ("team", blanks["giver"]), column="amount", amount=blanks["amount"]),
        _form("increase", "budgets", ("team", blanks["taker"]), column="amount", amount=blanks["amount"]),
    )
    return Job(made.rows, _changed(made.rows, "budgets", does), statements)


def _add_index(made: _Made, blanks: Blanks) -> Job:
    columns = tuple(TABLES[blanks["table"]])
    _refuse(blanks["column"] not in columns, "column", f"{blanks['table']} has the columns {', '.join(columns)}.")
    made.surround()
    place = (blanks["table"], blanks["column"])
    return Job(made.rows, made.rows, (_form("create index", place[0], column=place[1]),), indexes=(place,))


def _add_column(made: _Made, blanks: Blanks) -> Job:
    _refuse(blanks["new"] in ("id", *TABLES[blanks["table"]]), "new", f"{blanks['table']} has this column already.")
    made.surround()
    new = _form("add column", blanks["table"], new=blanks["new"], type=blanks["type"])
    wanted = _changed(made.rows, blanks["table"], lambda row: {**row, blanks["new"]: None})
    return Job(made.rows, wanted, (new,), columns=((blanks["table"], blanks["new"], blanks["type"]),))


def _fix_severity(made: _Made, blanks: Blanks) -> Job:
    allowed = [each.strip() for each in blanks["allowed"].split(",")]
    _refuse(not {*names.SEVERITIES} <= {*allowed}, "allowed", f"Allow at least {', '.join(names.SEVERITIES)}.")
    _refuse(blanks["bad"] in allowed, "bad", "This severity is allowed: name one that is not.")
    host = made.host(names.host(made.chance, "train"))
    for _ in range(made.chance.randint(1, 3)):
        made.alert(host, blanks["bad"])
    made.surround()
    wanted = _changed(made.rows, "alerts", _setting(_where(severity=blanks["bad"]), severity=blanks["good"]))
    statements = (
        _form("update", "alerts", ("severity", blanks["bad"]), set_severity=blanks["good"]),
        _form("add check", "alerts", column="severity", allowed=blanks["allowed"]),
    )

    def row(severity: str) -> tuple[str, Row]:
        return "alerts", {"id": "900000", "host_id": "1", "severity": severity, "state": "open"}

    good = tuple(map(row, allowed))
    return Job(made.rows, wanted, statements, refuses=(row(blanks["bad"]), row("")), takes=good)


def _fix_owner(made: _Made, blanks: Blanks) -> Job:
    for _ in range(made.chance.randint(1, 3)):
        made.host(names.host(made.chance, "train"), owner=None)
    made.surround()
    wanted = _changed(made.rows, "hosts", _setting(_where(owner=None), owner=blanks["owner"]))
    statements = (
        _form("update", "hosts", ("owner", ""), set_owner=blanks["owner"]),
        _form("set not null", "hosts", column="owner"),
    )
    return Job(made.rows, wanted, statements, required=(("hosts", "owner"),))


def _fix_double(made: _Made, blanks: Blanks) -> Job:
    made.host(blanks["host"])
    made.surround(blanks["host"])
    newer = made.host(blanks["host"])
    wanted = _changed(made.rows, "hosts", lambda row: None if row["id"] == newer["id"] else row)
    wanted = _changed(wanted, "volumes", lambda row: None if row["host_id"] == newer["id"] else row)
    lookup = Lookup(_form("select", "hosts", ("name", blanks["host"])), "id", 1)
    delete = _looked_up(_form("delete", "hosts", ("id", str(newer["id"]))), lookup)
    return Job(made.rows, wanted, (delete, _form("add unique", "hosts", column="name")), unique=(("hosts", "name"),))


_LAID: Mapping[str, Callable[[_Made, Blanks], Job]] = {
    "find-fact": _find_fact,
    "count-hosts": _count_hosts,
    "add-host": _add_host,
    "set-owner": _set_owner,
    "resize-volume": _resize_volume,
    "delete-host": _delete_host,
    "close-alerts": _close_alerts,
    "move-budget": _move_budget,
    "add-index": _add_index,
    "add-column": _add_column,
    "fix-severity": _fix_severity,
    "fix-owner": _fix_owner,
    "fix-double": _fix_double,
}
