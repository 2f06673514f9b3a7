"""The script that runs in an isolated world of every page: it sees, masks and locates."""

from functools import cache
from importlib.resources import files

WORLD = "belay"
_DOORS = (
    "lookWhole, observe, locate, isOpened, selectAll, setValue, rawValue, choose, scrolled, rest, change, turn, refAt, "
    "focusRef, keep, maskAll, attend, begin, scripted, isStill, tell, batch"
)


@cache
def script() -> str:
    """The parts in their order, as one function that leaves `belay` behind."""
    parts = sorted((each.name, each) for each in files(__package__).iterdir() if each.name.endswith(".js"))
    body = "\n".join(part.read_text("utf-8") for _, part in parts)
    return f"if (!globalThis.belay) globalThis.belay = (() => {{\n'use strict';\n{body}\nreturn {{ {_DOORS} }};\n}})();"
