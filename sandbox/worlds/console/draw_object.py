"""The page of one object: its state, verbs and tabs; and the quick look beside a list."""

from sandbox.worlds.console.declare import Kind, Tab, holds
from sandbox.worlds.console.forms import in_order
from sandbox.worlds.console.nodes import Facts, Item, Line, Node, Press, Row, Say, Table
from sandbox.worlds.console.records import Object
from sandbox.worlds.console.screen import DRAWER, VIEWPORT, Pane, kept, shared, spinner
from sandbox.worlds.console.sections import Section, squash
from sandbox.worlds.console.values import EMPTY, fact, link_column, moment, price, shown, state, title_of
from sandbox.worlds.console.view import View

_LATEST = 8  # entries of the activity


def object_page(view: View, kind: Kind, it: Object) -> list[Section]:
    """Head, verbs, tabs, and the tab that is open."""
    head = kept(view, "head", (kind, it), lambda: _head(view, kind, it))
    if view.loading:
        waits = spinner(view)
        return [head, waits]
    tab = next((each for each in kind.tabs if each.name == view.place.tab), kind.tabs[0])
    tabs = shared(view, "tabs", (kind, tab.name), lambda: _tabs(view, kind, tab))
    version = len(view.world.audit) if tab.activity else view.world.token
    panel = kept(view, "panel", (it.id, tab.name, version), lambda: _panel(view, kind, it, tab))
    return [head, tabs, panel]


def _head(view: View, kind: Kind, it: Object) -> Section:
    words = view.words
    items: list[Item] = [Say(view.world.label(it), "h1")]
    if it.state:
        items.append(state(view, it))
    verbs: list[Item] = []
    for verb in kind.verbs:
        look = "danger" if verb.deletes else ""
        states = () if view.world.allowed(it, verb) else ("disabled",)
        tip = words.text(verb.warning)
        verbs.append(Press(f"verb:{verb.name}:{it.id}", words.text(verb.title), look, "", states, tip))
    nodes: tuple[Node, ...] = (Line(tuple(items), "head"),)
    return Section("head", (*nodes, Line(tuple(verbs), "verbs")) if verbs else nodes)


def _tabs(view: View, kind: Kind, open_one: Tab) -> Section:
    items = tuple(
        Press(f"tab:{tab.name}", view.words.text(tab.title), "tab", "", ("selected",) if tab is open_one else ())
        for tab in kind.tabs
    )
    return Section("tabs", (Line(items, "tabs"),))


def _panel(view: View, kind: Kind, it: Object, tab: Tab) -> Section:
    group = view.words.text(tab.title)
    nodes: tuple[Node, ...]
    if tab.activity:
        nodes = _activity(view, it)
    elif tab.rows_of:
        return _related(view, view.world.console.kind(tab.rows_of), it, group)
    else:
        nodes = (Facts(_facts(view, kind, it, tab.fields, first=tab is kind.tabs[0])),)
    return Section("panel", nodes, group=group)


def _facts(
    view: View, kind: Kind, it: Object, fields: tuple[str, ...], *, first: bool
) -> tuple[tuple[str, Say | Press], ...]:
    held = view.world.facts(it)
    names = [n for n in in_order(fields, view.variant, f"{kind.name}.facts") if _is_shown(kind, n, held)]
    rows: list[tuple[str, Say | Press]] = [
        (title_of(view.words, kind, name), fact(view, it, name, part="" if first else "other:")) for name in names
    ]
    if first and kind.price is not None:
        rows.append((view.words.text("Price"), Say(price(view, kind.price.of(held)), "td")))
    return tuple(rows)


def _is_shown(kind: Kind, name: str, held: dict[str, str]) -> bool:
    return name == "state" or holds(kind.field(name).visible_when, held)


def _related(view: View, kind: Kind, it: Object, group: str) -> Section:
    """Rows of another kind that refer to this object; children can be added and changed here."""
    words = view.words
    rows = [other for other, _ in view.world.referring(it) if other.kind == kind.name]
    is_child = bool(kind.parent) and kind.field(kind.parent).references == it.kind
    columns = in_order(kind.columns, view.variant, f"{kind.name}.columns")
    nodes: list[Node] = []
    if is_child and kind.wizard:
        nodes.append(Line((Press(f"child:{kind.name}", words.text(kind.create_title), "primary"),), "tools"))
    if not rows:
        return Section("panel", (*nodes, Say(words.text("Nothing found."), "empty")), group=group)
    heads = [Say(title_of(words, kind, column), "th") for column in columns]
    if is_child and kind.verbs:
        heads.append(Say(words.text("Actions"), "th"))
    drawn = tuple(_related_row(view, kind, other, columns, is_child=is_child) for other in rows)
    return Section("panel", (*nodes, Table(words.text(kind.plural), tuple(heads), drawn)), group=group)


def _related_row(view: View, kind: Kind, it: Object, columns: tuple[str, ...], *, is_child: bool) -> Row:
    cells: list[tuple[Item, ...]] = []
    for column in columns:
        said = shown(view, it, column)
        if column == link_column(kind) and not kind.parent:
            cells.append(
                (Press(f"go:/{kind.path}/{it.id}", said if said != EMPTY else it.id, "", f"/{kind.path}/{it.id}"),)
            )
        elif column == "state":
            cells.append((state(view, it),))
        elif kind.field(column).references:
            cells.append((fact(view, it, column),))
        else:
            cells.append((Say(said, "td"),))
    if is_child and kind.verbs:
        cells.append(
            tuple(
                Press(
                    f"verb:{verb.name}:{it.id}",
                    view.words.text(verb.title),
                    "danger" if verb.deletes else "quiet",
                    "",
                    () if view.world.allowed(it, verb) else ("disabled",),
                )
                for verb in kind.verbs
            )
        )
    return Row(tuple(cells))


def _activity(view: View, it: Object) -> tuple[Node, ...]:
    text = view.words.text
    entries = [entry for entry in reversed(view.world.audit) if entry.object_id == it.id][:_LATEST]
    if not entries:
        return (Say(text("Nothing yet."), "empty"),)
    heads = tuple(Say(text(title), "th") for title in ("When", "Event", "Who", "Result", "Detail"))
    today = view.world.console.today
    rows = tuple(
        Row(
            (
                (Say(moment(today, entry.tick), "td"),),
                (Say(entry.event, "td"),),
                (Say(entry.actor, "td"),),
                (Say(text("accepted") if entry.accepted else text("refused"), "td"),),
                (Say("; ".join(map(view.words.told, entry.detail.split("; "))) or EMPTY, "td"),),
            )
        )
        for entry in entries
    )
    return (Table(text("Activity"), heads, rows),)


def drawer_pane(view: View, top: int) -> Pane | None:
    """The quick look at one object, beside the list."""
    it = view.world.get(view.drawer) if view.drawer else None
    if it is None or view.place.page != "list":
        return None
    words = view.words
    kind = view.world.console.kind(it.kind)
    label = squash(f"{words.text(kind.title)} {view.world.label(it)}")

    def make() -> Section:
        address = f"/{kind.path}/{it.id}"
        buttons = (
            Press(f"go:{address}#peek", words.text("Open"), "primary", address),
            Press("peek:", words.text("Close")),
        )
        facts = Facts(_facts(view, kind, it, kind.drawer, first=False))
        return Section("drawer", (Say(label, "h2"), facts, Line(buttons, "actions")), group=label, region="dialog")

    section = kept(view, "drawer", (it.id, view.world.token), make)
    return Pane("drawer", VIEWPORT[0] - DRAWER, DRAWER, top, VIEWPORT[1] - top, [section], key=it.id, label=label)
