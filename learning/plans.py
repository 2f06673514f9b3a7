"""A folder holds the work of one plan: it is gone on with by the same plan, and by no other."""

from collections.abc import Collection
from pathlib import Path

import msgspec

PLAN = "plan.json"


class AnotherPlan(ValueError):
    """A folder holds what another plan made."""


def settle(plan: msgspec.Struct, work: Path, *, free: Collection[str] = ()) -> None:
    """Note the plan of a folder. Raises AnotherPlan where what lies there is of one that differs, but for `free`."""
    path = work / PLAN
    if path.is_file():
        noted = msgspec.json.decode(path.read_bytes(), type=type(plan))
        if noted == plan:
            return
        names = [name for name in plan.__struct_fields__ if name not in free]
        if other := [name for name in names if getattr(noted, name) != getattr(plan, name)]:
            raise AnotherPlan(
                f"{work} holds the work of a plan with other {', '.join(other)}: choose another folder, or empty it"
            )
    work.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(plan))
