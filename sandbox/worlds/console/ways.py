"""How the teacher finds what a task is about: through lists, tabs, rows and links."""

from sandbox.contracts.actions import Click, Finish, GiveUp, Select, Type
from sandbox.worlds.console.declare import Kind
from sandbox.worlds.console.jobs import Target, sort_key
from sandbox.worlds.console.looks import Look, Move
from sandbox.worlds.console.sight import Row

GONE = Move(Finish(), "it is gone")  # told by who looked for something that may have been deleted


def to_target(look: Look, target: Target, *, sent: bool = False, victim: str = "") -> Move | None:
    """The next move towards the page of what is meant (of a child: its parent's tab); None where it is open.

    `sent`: its form was sent before, so its state may have changed. `victim`: the name of what a deletion was sent for,
    which may be gone by now.
    """
    kind = look.console.kind(target.kind)
    if kind.parent and target.on is not None:
        return to_target(look, target.on) or open_rows(look, look.console.kind(target.on.kind), kind)
    if target.of is not None:
        return _along_link(look, target)
    if target.on is not None and target.pick:
        return _by_comparing(look, target, victim=victim)
    if target.on is not None:
        return _over_tab(look, target, sent=sent, victim=victim)
    return to_object(look, kind, name_of(look, target), may_be_gone=bool(victim))


def name_of(look: Look, target: Target) -> str:
    """What the target is called, as far as that is known by now."""
    if target.of is not None:
        title = look.title(look.console.kind(target.of.kind), target.link)
        return look.recall.followed(title, name_of(look, target.of))
    values = look.wanted(target.where)
    kind = look.console.kind(target.kind)
    if kind.label == "{name}":
        return values.get("name", "")
    try:
        return kind.label.format_map(values)
    except KeyError:
        return ""


def to_object(look: Look, kind: Kind, name: str, *, may_be_gone: bool = False) -> Move | None:
    """Towards the page of the object with this name."""
    sight = look.sight
    if sight.on_detail(kind) and sight.headed(name):
        return None
    search = sight.search(kind)
    if not sight.in_section(kind) or search is None:
        return to_section(look, kind)
    row = sight.usable("link", name)
    if row is not None and row.row:
        return Move(Click(row.ref), "this is the one")
    return look_further(look, kind, name) or missing(kind, name, may_be_gone=may_be_gone)


def look_further(look: Look, kind: Kind, name: str) -> Move | None:
    """Search, widen and turn the pages of a list; None where all has been seen."""
    sight = look.sight
    search = sight.search(kind)
    if search is not None and search.value != name:
        return Move(Type(search.ref, name), "it is not among those shown")
    narrowed = sight.narrowed()
    if narrowed is not None:
        return Move(Select(narrowed.ref, look.text("All")), "a filter may hide it")
    return look.press("button", look.text("Next page"), "it may be further on")


def missing(kind: Kind, name: str, *, may_be_gone: bool) -> Move:
    """What to do where nothing is found."""
    if may_be_gone:
        return GONE
    return Move(GiveUp(f"There is no {kind.title.lower()} named {name}."), "the search finds none")


def to_section(look: Look, kind: Kind) -> Move:
    """Towards a kind's list."""
    link = look.sight.section(kind)
    return Move(Click(link.ref), f"{kind.plural} have a page of their own") if link else look.wait("no navigation")


def open_rows(look: Look, parent: Kind, kind: Kind) -> Move | None:
    """The tab with the rows of another kind; None where it is open."""
    title = look.text(next(tab.title for tab in parent.tabs if tab.rows_of == kind.name))
    if look.sight.tab_is_open(title):
        return None
    return look.press("tab", title, f"{title} are on their own tab") or look.wait(f"no tab {title}")


def open_fact(look: Look, kind: Kind, field: str) -> Move | None:
    """The tab that shows a field; None where the field is shown."""
    if look.sight.fact(look.title(kind, field)) is not None:
        return None
    title = tab_of(look, kind, field)
    if look.sight.tab_is_open(title):
        return look.wait(f"{title} does not show it")
    return look.press("tab", title, f"the tab that shows {field}") or look.wait(f"no tab {title}")


def tab_of(look: Look, kind: Kind, field: str) -> str:
    """What the tab that shows a field is called."""
    return look.text(next(tab.title for tab in kind.tabs if field in tab.fields))


def find_row(look: Look, target: Target, *, owner: str = "") -> Row | None:
    """The row of the open table that is meant; in a list, of those that refer to an owner."""
    kind = look.console.kind(target.kind)
    wanted = look.columns(kind, look.wanted(target.where))
    if owner and target.on is not None:
        wanted |= {look.title(kind, f.name): owner for f in kind.fields if f.references == target.on.kind}
    same = [(look.title(kind, f), look.title(kind, text[1:])) for f, text in target.where if text[:1] == "="]
    fits = [
        row
        for row in look.sight.rows()
        if all(row.value(title) == value for title, value in wanted.items())
        and all(row.value(one) == row.value(other) for one, other in same)
        and any(row.value(look.title(kind, column)) is not None for column in kind.columns)
    ]
    if target.pick and fits:
        which, _, field = target.pick.partition(":")
        title = look.title(kind, field)
        best = min if which == "least" else max
        return best(fits, key=lambda row: sort_key(look.number(kind, field, row.value(title) or "")))
    return fits[0] if fits else None


def row_fits(look: Look, target: Target, row: str) -> bool:
    """Whether the text of a row, as it is remembered, is of what is meant."""
    parts = row.split(" | ")
    wanted = look.columns(look.console.kind(target.kind), look.wanted(target.where))
    alike = any(text[:1] == "=" for _, text in target.where)
    return {*wanted.values()} <= {*parts} and not (alike and len({*parts}) == len(parts))


def _along_link(look: Look, target: Target) -> Move | None:
    """Open the source, press the link in its facts; where that was done before, its name is remembered."""
    kind = look.console.kind(target.kind)
    if target.of is None:
        raise ValueError("a link has a source")
    source = look.console.kind(target.of.kind)
    name = name_of(look, target)
    if name:
        return to_object(look, kind, name)
    move = to_target(look, target.of) or open_fact(look, source, target.link)
    if move is not None:
        return move
    fact = look.sight.fact(look.title(source, target.link))
    if fact is None or fact.role != "link":
        return look.wait("its link is not there")
    return Move(Click(fact.ref), "this leads to it")


def _over_tab(look: Look, target: Target, *, sent: bool, victim: str) -> Move | None:
    """Open the other object, the tab with the rows, and the row that fits."""
    kind = look.console.kind(target.kind)
    if target.on is None:
        raise ValueError("a tab has an owner")
    if _is_open(look, kind, target, sent=sent):
        return None
    there = look.console.kind(target.on.kind)
    move = to_target(look, target.on) or open_rows(look, there, kind)
    if move is not None:
        return move
    title = look.title(kind, "name") if "name" in kind.index else ""
    if victim and look.sight.row({title: victim}) is None:
        return GONE
    row = find_row(look, target)
    link = row.link(title) if row else None
    return Move(Click(link.ref), "this row fits") if link else missing(kind, "that fits", may_be_gone=False)


def _by_comparing(look: Look, target: Target, *, victim: str) -> Move | None:
    """Search the list for the owner, compare the rows, and search for the best by its own name.

    Once a row is open nothing on its page says how it compares: what was searched for last remembers it.
    """
    kind = look.console.kind(target.kind)
    if target.on is None:
        raise ValueError("what is compared has an owner")
    owner, title = name_of(look, target.on), look.title(kind, "name")
    search = look.sight.search(kind)
    chosen = victim or made_out(look, target)
    if chosen and look.sight.on_detail(kind) and look.sight.headed(chosen):
        return None
    if not look.sight.in_section(kind) or search is None:
        return to_section(look, kind)
    if victim or (chosen and search.value == chosen):
        # Another row may refer to something called alike: the link has to be the row's own.
        links = (row.link(title) for row in look.sight.rows())
        link = next((each for each in links if each and each.name == chosen), None)
        if link is not None:
            return Move(Click(link.ref), "this was made out to be the one")
        if victim:
            return look_further(look, kind, victim) or GONE
    if search.value != owner:
        return Move(Type(search.ref, owner), "those of this one are to be compared")
    narrowed = look.sight.narrowed()
    if narrowed is not None:
        return Move(Select(narrowed.ref, look.text("All")), "a filter may hide one")
    if (move := _in_order(look, kind, target.pick)) is not None:
        return move
    best = find_row(look, target, owner=owner)
    link = best.link(title) if best else None
    if link is None:
        further = look.press("button", look.text("Next page"), "they may be further on")
        return further or missing(kind, "that fits", may_be_gone=False)
    if link.name == owner:  # it is searched for already
        return Move(Click(link.ref), "this one is it")
    return Move(Type(search.ref, link.name), "this one is it")


def made_out(look: Look, target: Target) -> str:
    """What was made out to be the best of several: it was searched for last by its own name."""
    kind = look.console.kind(target.kind)
    owner = name_of(look, target.on) if target.on else ""
    title = look.lexicon.say("Search {kinds}", kinds=look.lexicon.noun(kind.plural))
    typed = next((text for text in look.recall.typed(title) if text and text != owner), "")
    if typed or not owner:
        return typed
    # One that is called like its owner needs no search of its own: the row that was opened names it, and its owner.
    return owner if look.recall.opened() == owner and look.recall.opened_row().count(owner) > 1 else ""


def _in_order(look: Look, kind: Kind, pick: str) -> Move | None:
    """Where a list has several pages: the move that brings the best to the first; None where it is there."""
    which, _, field = pick.partition(":")
    title = look.title(kind, field)
    sort = look.sight.usable("button", title)
    pages = (look.sight.usable("button", look.text(name)) for name in ("Next page", "Previous page"))
    if sort is None or not any(pages):
        return None
    shown = [sort_key(look.number(kind, field, value)) for row in look.sight.rows() if (value := row.value(title))]
    falls = which == "most"
    if "pressed" in sort.states and shown == sorted(shown, reverse=falls):
        return None
    return Move(Click(sort.ref), "the first in order is looked for")


def _is_open(look: Look, kind: Kind, target: Target, *, sent: bool) -> bool:
    """Whether the page is of the object that was opened from the row; what it shows must not speak against it."""
    sight = look.sight
    if not sight.on_detail(kind) or not sight.headed(look.recall.opened()) or target.on is None:
        return False
    owner = name_of(look, target.on)
    facts = look.wanted(target.where)
    state = facts.pop("state", "")
    if state and not sent and sight.state != look.text(state):
        return False
    facts |= {field.name: owner for field in kind.fields if field.references == target.on.kind}
    for field, value in facts.items():
        fact = sight.fact(look.title(kind, field))
        if fact is not None and fact.name != look.shown(kind, field, value):
            return False
    return all(_same_fact(look, kind, field, text[1:]) for field, text in target.where if text[:1] == "=")


def _same_fact(look: Look, kind: Kind, one: str, other: str) -> bool:
    facts = [look.sight.fact(look.title(kind, field)) for field in (one, other)]
    return any(fact is None for fact in facts) or len({fact.name for fact in facts if fact}) == 1
