"""The page of one kind's objects: search, filters, table or cards, bulk actions, paging."""

from sandbox.worlds.console.declare import Kind
from sandbox.worlds.console.forms import in_order
from sandbox.worlds.console.jobs import sort_key
from sandbox.worlds.console.nodes import Card, Cards, Choice, Entry, Item, Line, Points, Press, Row, Say, Table, Tick
from sandbox.worlds.console.records import Object
from sandbox.worlds.console.screen import kept, shared, spinner
from sandbox.worlds.console.sections import Section
from sandbox.worlds.console.values import EMPTY, fact, link_column, shown, state, title_of
from sandbox.worlds.console.view import View


def crumbs(view: View, kind: Kind | None, title: str) -> Section:
    """The way here."""
    text = view.words.text
    way: list[tuple[Say | None, Press | None]] = [(None, Press("go:/#crumb", text("Overview"), "", "/"))]
    if kind is not None:
        way.append((None, Press(f"go:/{kind.path}#crumb", text(kind.plural), "", f"/{kind.path}")))
    way.append((Say(title, "here"), None))
    return Section("crumbs", (Points(tuple(way), "crumbs"),))


def list_page(view: View, kind: Kind) -> list[Section]:
    text, listing = view.words.text, view.listing
    keep = kept if listing.search or listing.filters else shared
    sections = [
        shared(view, "crumbs-list", kind, lambda: crumbs(view, None, text(kind.plural))),
        shared(view, "head-list", kind, lambda: _list_head(view, kind)),
        keep(view, "tools", (kind, listing.search, listing.filters), lambda: _tools(view, kind)),
    ]
    if view.loading:
        return [*sections, spinner(view)]
    key = (kind, view.world.token, listing)
    if listing.ticked:
        sections.append(kept(view, "bulk", (kind, listing.ticked), lambda: _bulk(view, kind)))
    last = view.memo.get("rows")
    if last is None or last[0] != key:
        view.memo["rows"] = last = (key, _rows(view, kind))
    rows: list[Section] = last[1]
    return [*sections, *rows]


def _list_head(view: View, kind: Kind) -> Section:
    text = view.words.text
    items: list[Item] = [Say(text(kind.plural), "h1")]
    if kind.wizard:
        items.append(Press(f"go:/{kind.path}/new", text(kind.create_title), "primary", f"/{kind.path}/new"))
    return Section("head", (Line(tuple(items), "head"),))


def _tools(view: View, kind: Kind) -> Section:
    words, chosen = view.words, dict(view.listing.filters)
    search = words.say("Search {kinds}", kinds=words.noun(kind.plural))
    items: list[Item] = [Entry("search", search, view.listing.search, max_length=100, bare=True)]
    for name in kind.filters:
        among = (*kind.states, *kind.slow_states()) if name == "state" else kind.field(name).choices or ("yes", "no")
        title = words.text("State") if name == "state" else words.text(kind.field(name).title)
        value = words.text(chosen[name]) if name in chosen else words.text("All")
        items.append(Choice(f"filter:{name}", title, value, (words.text("All"), *(words.text(a) for a in among))))
    return Section("tools", (Line(tuple(items), "tools"),))


def _bulk(view: View, kind: Kind) -> Section:
    words, ticked = view.words, view.listing.ticked
    items: list[Item] = [Say(words.say("{count} selected", count=len(ticked)), "span")]
    items += [
        Press(
            f"bulk:{verb.name}",
            words.say("{verb} selected", verb=words.text(verb.title)),
            "danger" if verb.deletes else "",
        )
        for verb in kind.bulk_verbs
    ]
    return Section("bulk", (Line(tuple(items), "bar"),))


def _found(view: View, kind: Kind) -> list[tuple[Object, tuple[str, ...]]]:
    """Objects with what their columns say, narrowed and sorted."""
    listing, world = view.listing, view.world
    key = (kind, world.token)
    last = view.memo.get("texts")
    if last is None or last[0] != key:
        texts = [(it, tuple(shown(view, it, column) for column in kind.columns)) for it in world.of_kind(kind.name)]
        view.memo["texts"] = last = (key, texts)
    found: list[tuple[Object, tuple[str, ...]]] = last[1]
    for name, value in listing.filters:
        found = [(it, said) for it, said in found if (it.state if name == "state" else world.value(it, name)) == value]
    words = listing.search.lower().split()
    if words:
        found = [(it, said) for it, said in found if all(any(w in s for s in map(str.lower, said)) for w in words)]
    column = listing.sort.removeprefix("-")
    if column in kind.columns:
        at = kind.columns.index(column)
        unit = "" if column == "state" else f" {view.words.text(kind.field(column).unit)}"
        found = sorted(
            found, key=lambda pair: sort_key(pair[1][at].removesuffix(unit)), reverse=listing.sort.startswith("-")
        )
    return found


def _rows(view: View, kind: Kind) -> list[Section]:
    found = _found(view, kind)
    size = view.world.console.page_size
    last = max(1, -(-len(found) // size))
    number = min(view.listing.page, last)
    part = found[(number - 1) * size : number * size]
    if not part:
        return [Section("rows", (Say(view.words.text("Nothing found."), "empty"),))]
    draw = _card_list if view.variant.list == "cards" else _table
    sections = [draw(view, kind, part)]
    if last > 1:
        sections.append(_pager(view, number, last, len(found)))
    return sections


def _table(view: View, kind: Kind, part: list[tuple[Object, tuple[str, ...]]]) -> Section:
    words, listing = view.words, view.listing
    columns = in_order(kind.columns, view.variant, f"{kind.name}.columns")
    places = [kind.columns.index(column) for column in columns]
    bulk = bool(kind.bulk_verbs)
    heads: list[Item] = []
    if bulk:
        ids = ",".join(it.id for it, _ in part)
        every = all(it.id in listing.ticked for it, _ in part)
        heads.append(Tick(f"all:{ids}", words.text("Select all"), every, bare=True))
    for column in columns:
        sorted_by = listing.sort.removeprefix("-") == column
        heads.append(
            Press(f"sort:{column}", title_of(words, kind, column), "sort", "", ("pressed",) if sorted_by else ())
        )
    if kind.drawer:
        heads.append(Say(words.text("Actions"), "th"))
    rows = []
    for it, said in part:
        cells: list[tuple[Item, ...]] = [(_ticker(view, kind, it),)] if bulk else []
        cells += [(_cell(view, kind, it, column, said[at]),) for column, at in zip(columns, places, strict=True)]
        if kind.drawer:
            cells.append((Press(f"peek:{it.id}", words.text("Quick look"), "quiet"),))
        rows.append(Row(tuple(cells)))
    label = words.text(kind.plural)
    return Section("rows", (Table(label, tuple(heads), tuple(rows)),))


def _ticker(view: View, kind: Kind, it: Object) -> Tick:
    name = view.words.say("Select {name}", name=view.world.label(it))
    return Tick(f"tick:{it.id}", name, it.id in view.listing.ticked, bare=True)


def _cell(view: View, kind: Kind, it: Object, column: str, said: str) -> Item:
    if column == link_column(kind):
        return Press(f"go:/{kind.path}/{it.id}", said if said != EMPTY else it.id, "", f"/{kind.path}/{it.id}")
    if column == "state":
        return state(view, it)
    return fact(view, it, column) if kind.field(column).references else Say(said, "td")


def _card_list(view: View, kind: Kind, part: list[tuple[Object, tuple[str, ...]]]) -> Section:
    words = view.words
    columns = in_order(kind.columns, view.variant, f"{kind.name}.columns")
    places = [kind.columns.index(column) for column in columns]
    cards = []
    for it, said in part:
        items: list[Item] = [_ticker(view, kind, it)] if kind.bulk_verbs else []
        linked = link_column(kind)
        items.append(_cell(view, kind, it, linked, said[kind.columns.index(linked)]))
        for column, at in zip(columns, places, strict=True):
            if column != linked:
                items.append(Say(f"{title_of(words, kind, column)}: {said[at]}", "line"))
        if kind.drawer:
            items.append(Press(f"peek:{it.id}", words.text("Quick look"), "quiet"))
        cards.append(Card(tuple(items)))
    return Section("rows", (Cards(tuple(cards)),))


def _pager(view: View, number: int, last: int, count: int) -> Section:
    words, size = view.words, view.world.console.page_size
    first = (number - 1) * size + 1
    items: list[Item] = []
    if number > 1:
        items.append(Press(f"page:{number - 1}#before", words.text("Previous page")))
    span = words.say("{first}–{last} of {count}", first=first, last=min(count, number * size), count=count)
    items.append(Say(span, "span"))
    if number < last:
        items.append(Press(f"page:{number + 1}#after", words.text("Next page")))
    return Section("pager", (Line(tuple(items), "pager"),))
