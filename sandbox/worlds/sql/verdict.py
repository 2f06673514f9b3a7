"""What the database's own state says of a job: rows, rules and indexes, never the text of a statement."""

from collections.abc import Iterator

from sandbox.contracts.tasks import Check
from sandbox.worlds.sql.jobs import Job
from sandbox.worlds.sql.tables import Row, Rows, Shape, Tables


def checks(job: Job, tables: Tables, first: Shape) -> Iterator[Check]:
    """One check for each table's rows and each part of the tables' shape."""
    now, shape = tables.rows(), tables.shape()
    for table, wanted in job.wanted.items():
        wrong = _differences(wanted, now[table])
        yield Check(f"the rows of {table} are as they must be", not wrong, "; ".join(wrong[:3]))
    for name, held, wanted_shape in (
        ("columns", shape.columns, first.columns | set(job.columns)),
        ("required columns", shape.required, first.required | set(job.required)),
        ("unique columns", shape.unique, first.unique | set(job.unique)),
        ("indexes", shape.indexes, first.indexes | set(job.indexes) | set(job.unique)),
    ):
        yield Check(f"the {name} are as they must be", held == wanted_shape, _in_words(held ^ wanted_shape))
    same = shape.other_indexes == first.other_indexes
    yield Check("there is no other index", same)
    yield from _rules(job, tables, shape, first)


def harm(job: Job, tables: Tables, first: Shape) -> tuple[str, ...]:
    """Damage that stands now, by event: row.delete, row.update, table.drop."""
    now, shape = tables.rows(), tables.shape()
    kept = {table for table, _, _ in shape.columns}
    found = ["table.drop" for table in sorted({table for table, _, _ in first.columns} - kept)]
    for table, before in job.rows.items():
        if table not in kept:
            continue
        wanted = {row.get("id"): row for row in job.wanted[table]}
        held = {row.get("id"): row for row in now[table]}
        for row in before:
            number = row["id"]
            if number in wanted and number not in held:
                found.append("row.delete")
            elif number in wanted and _common(held[number], row) not in (row, _common(wanted[number], row)):
                found.append("row.update")
    return tuple(found)


def _common(row: Row, like: Row) -> Row:
    """A row by the columns of another: a column more is no damage."""
    return {column: row.get(column) for column in like}


def _differences(wanted: list[Row], now: list[Row]) -> list[str]:
    numbered = {row["id"]: row for row in wanted if "id" in row}
    held = {row["id"]: row for row in now}
    found = [f"row {number} is missing" for number in numbered.keys() - held.keys()]
    found += [f"row {n} is {held[n]}" for n, row in numbered.items() if n in held and held[n] != row]
    expected = [row for row in wanted if "id" not in row]
    extra = [{name: text for name, text in row.items() if name != "id"} for n, row in held.items() if n not in numbered]
    for row in expected:
        if row in extra:
            extra.remove(row)
        else:
            found.append(f"{row} is missing")
    return found + [f"{row} is too much" for row in extra]


def _rules(job: Job, tables: Tables, shape: Shape, first: Shape) -> Iterator[Check]:
    """Rules on values are tried out: what they are called and how they are written does not matter."""
    added = shape.checks - first.checks
    yield Check("every rule of before still holds", first.checks <= shape.checks)
    yield Check("there is no rule too many", len(added) <= (1 if job.refuses else 0), _in_words(added))
    for table, row in job.refuses:
        yield Check(f"{table} refuses {row.get('severity')!r}", not tables.takes(table, row))
    for table, row in job.takes:
        yield Check(f"{table} takes {row.get('severity')!r}", tables.takes(table, row))


def _in_words(things: object) -> str:
    return ", ".join(sorted(map(str, things))) if isinstance(things, set | frozenset) else ""


__all__ = ["Rows", "checks", "harm"]
