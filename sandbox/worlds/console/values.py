"""Values of objects as pages show them."""

from sandbox.worlds.console.declare import Kind
from sandbox.worlds.console.lexicon import Lexicon
from sandbox.worlds.console.nodes import Press, Say
from sandbox.worlds.console.records import Object
from sandbox.worlds.console.sections import MASK
from sandbox.worlds.console.view import View

EMPTY = "–"
_IDLE = frozenset(("stopped", "paused", "free", "disabled", "drained", "suspended", "inactive", "muted"))
_BAD = frozenset(("firing", "failed", "error", "expired"))
_TICK_S = 7


def title_of(words: Lexicon, kind: Kind, field: str) -> str:
    """Heading of a field."""
    return words.text("State") if field == "state" else words.text(kind.field(field).title)


def shown(view: View, it: Object, field: str) -> str:
    """A field's value as it is read, or a dash."""
    value = view.world.shown(it, field)
    if field != "state":
        declared = view.world.console.kind(it.kind).field(field)
        if declared.type == "secret":
            return MASK
        if declared.type not in ("choice", "boolean"):
            return view.words.written(declared, value) or EMPTY
    return view.words.text(value) if value else EMPTY


def fact(view: View, it: Object, field: str, *, part: str = "") -> Say | Press:
    """A field's value as it stands on a page of facts: what it refers to can be gone to.

    `part` tells those apart that stand on one page twice.
    """
    said = shown(view, it, field)
    if field == "state":
        return state(view, it)
    kind = view.world.console.kind(it.kind)
    declared = kind.field(field)
    target = it.values[kind.index[field]]
    address = address_of(view, target) if declared.references and target else ""
    return Press(f"go:{address}#{part}{it.id}.{field}", said, "", address) if address else Say(said, "td")


def state(view: View, it: Object) -> Say:
    """An object's state, in the colour that it has everywhere."""
    look = "slow" if it.ticks else "state idle" if it.state in _IDLE else "state bad" if it.state in _BAD else "state"
    return Say(view.words.text(it.state) if it.state else EMPTY, look)


def moment(today: str, tick: int) -> str:
    """When a tick was, for people: the calendar stands still, the clock goes on from nine."""
    minutes, seconds = divmod(tick * _TICK_S, 60)
    return f"{today} {9 + minutes // 60:02}:{minutes % 60:02}:{seconds:02}"


def address_of(view: View, object_id: str) -> str:
    """Where an object has its page: its own, or its parent's; "" where it is gone."""
    it = view.world.get(object_id)
    if it is None:
        return ""
    kind = view.world.console.kind(it.kind)
    if not kind.parent:
        return f"/{kind.path}/{it.id}"
    return address_of(view, it.values[kind.index[kind.parent]])


def price(view: View, cents: int) -> str:
    """A price for people."""
    return view.words.say("${price} a month", price=f"{cents / 100:.2f}")


def link_column(kind: Kind) -> str:
    """The column that leads to an object's own page."""
    return "name" if "name" in kind.columns else kind.columns[0]
