"""The console's pages as HTML, drawn from the declaration and the world alone."""

from collections.abc import Mapping
from html import escape
from itertools import groupby

from msgspec import Struct

from sandbox.worlds.console import widgets
from sandbox.worlds.console.declare import Kind, Tab
from sandbox.worlds.console.world import Object, World


class Page(Struct, frozen=True):
    """What stands between the header and the end: a title and the body's HTML."""

    title: str
    html: str


def page(world: World, path: str, query: Mapping[str, str]) -> Page | None:
    """The page at this address, or None where there is none."""
    parts = [part for part in path.split("/") if part]
    if not parts:
        return _framed(world, "", "Overview", [], _overview(world))
    kind = world.console.at(parts[0])
    if kind is None or kind.parent:
        return None
    home = (kind.plural, f"/{kind.path}")
    match parts[1:]:
        case []:
            return _framed(world, kind.name, kind.plural, [], _list(world, kind, query))
        case ["new"]:
            return _framed(world, kind.name, kind.create_title, [home], _wizard(world, kind))
        case [object_id] if object_id in world.objects and world.objects[object_id].kind == kind.name:
            it = world.objects[object_id]
            return _framed(world, kind.name, world.label(it), [home], _detail(world, kind, it, query.get("tab", "")))
        case _:
            return None


def not_found(world: World) -> Page:
    """What is shown where nothing is."""
    body = "<h1>Not found</h1><p>There is nothing at this address. It may have been deleted.</p>"
    return _framed(world, "", "Not found", [], body)


def document(world: World, inner: Page) -> str:
    """A whole HTML document around a page."""
    title = escape(f"{inner.title} · {world.console.title}")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        '<link rel="stylesheet" href="/static/console.css"><script src="/static/console.js" defer></script></head>'
        f'<body><header><strong>{escape(world.console.title)}</strong><div class="toasts" aria-live="polite"></div>'
        f'<span class="who">operator@example.org</span></header><div id="app">{inner.html}</div></body></html>'
    )


def sign_in_document(title: str, error: str) -> str:
    """The page for who is not signed in."""
    note = f'<p class="error" role="alert">{escape(error)}</p>' if error else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sign in · {escape(title)}</title>'
        '<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/console.css"></head>'
        f'<body class="sign-in"><main><h1>{escape(title)}</h1><form method="post" action="/sign-in">{note}'
        '<label for="user">User</label><input id="user" name="user" autocomplete="username">'
        '<label for="password">Password</label>'
        '<input id="password" name="password" type="password" autocomplete="current-password">'
        '<button class="primary">Sign in</button></form></main></body></html>'
    )


def _framed(world: World, current: str, title: str, trail: list[tuple[str, str]], body: str) -> Page:
    crumbs = [] if title == "Overview" else [("Overview", "/"), *trail]
    path = "".join(f"<li>{widgets.link(text, address)}</li>" for text, address in crumbs)
    if crumbs:
        path = f'<ol class="crumbs" aria-label="Breadcrumbs">{path}<li aria-current="page">{escape(title)}</li></ol>'
    return Page(title, f"{_navigation(world, current)}<main>{path}{body}</main>")


def _navigation(world: World, current: str) -> str:
    here = 'aria-current="page"'
    items = widgets.link("Overview", "/", attributes="" if current else here)
    listed = [kind for kind in world.console.kinds if not kind.parent]
    for group, kinds in groupby(listed, key=lambda kind: kind.group):
        items += f'<span class="group">{escape(group)}</span>'
        for kind in kinds:
            items += widgets.link(kind.plural, f"/{kind.path}", attributes=here if kind.name == current else "")
    return f'<nav aria-label="Services">{items}</nav>'


def _overview(world: World) -> str:
    cards = ""
    for kind in (each for each in world.console.kinds if not each.parent):
        lines = "".join(
            f"<p>{quota.limit - world.room(kind, quota, {})} of {quota.limit} {escape(quota.title)}</p>"
            for quota in kind.quotas
        )
        cards += f'<section class="card"><h2>{escape(kind.plural)}</h2><p>{escape(kind.summary)}</p>{lines}</section>'
    return f'<h1>Overview</h1><div class="cards">{cards}</div>'


def _list(world: World, kind: Kind, query: Mapping[str, str]) -> str:
    searched, sort = query.get("q", ""), query.get("sort", "")
    found = [it for it in world.of_kind(kind.name) if _matches(world, kind, it, searched)]
    column = sort.removeprefix("-")
    if column in kind.columns:
        found.sort(key=lambda it: _sort_key(world.shown(it, column)), reverse=sort.startswith("-"))
    size = world.console.page_size
    last = max(1, -(-len(found) // size))
    wanted = query.get("page", "1")
    number = min(max(int(wanted) if wanted.isascii() and wanted.isdigit() else 1, 1), last)
    shown = found[(number - 1) * size : number * size]
    base = f"/{kind.path}"
    create = widgets.link(kind.create_title, f"{base}/new", attributes='class="button primary"')
    search = (
        f'<input type="search" data-search="{base}" aria-label="Search {kind.plural.lower()}" '
        f'placeholder="Search {kind.plural.lower()}" name="q" value="{escape(searched)}" autocomplete="off">'
    )
    heads = "".join(f"<th>{_sort_link(kind, each, sort, searched)}</th>" for each in kind.columns)
    pager = _pager(base, {"q": searched, "sort": sort}, number=number, last=last, count=len(found), size=size)
    return (
        f'<div class="head"><h1>{escape(kind.plural)}</h1>{create}</div><div class="tools">{search}</div>'
        f'<div data-live="rows">{_table(world, kind, shown, heads)}{pager}</div>'
    )


def _matches(world: World, kind: Kind, it: Object, searched: str) -> bool:
    return all(
        any(word in world.shown(it, column).lower() for column in kind.columns) for word in searched.lower().split()
    )


def _sort_key(text: str) -> tuple[int, int, str]:
    return (0, int(text), "") if text.isascii() and text.isdigit() else (1, 0, text)


def _sort_link(kind: Kind, column: str, sort: str, searched: str) -> str:
    title = widgets.title_of(kind, column)
    arrow = {column: " ▲", f"-{column}": " ▼"}.get(sort, "")
    turned = f"-{column}" if sort == column else column
    return widgets.link(title + arrow, f"/{kind.path}", {"q": searched, "sort": turned})


def _table(world: World, kind: Kind, rows: list[Object], heads: str, *, removable: bool = False) -> str:
    if not rows:
        return '<p class="empty">Nothing found.</p>'
    body = ""
    for it in rows:
        slow = "data-pending" if it.ticks else ""
        cells = "".join(f"<td>{_cell(world, kind, it, column)}</td>" for column in kind.columns)
        buttons = "".join(widgets.open_button(verb.title, f"{verb.name}-{it.id}") for verb in kind.verbs if removable)
        body += f"<tr {slow}>{cells}{f'<td>{buttons}</td>' if removable else ''}</tr>"
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _cell(world: World, kind: Kind, it: Object, column: str) -> str:
    if column == "name":
        return widgets.link(it.values["name"], f"/{kind.path}/{it.id}")
    return widgets.shown(world, it, column)


def _pager(base: str, query: dict[str, str], *, number: int, last: int, count: int, size: int) -> str:
    if last == 1:
        return ""
    first = (number - 1) * size + 1
    before = widgets.link("Previous page", base, {**query, "page": str(number - 1)}) if number > 1 else ""
    after = widgets.link("Next page", base, {**query, "page": str(number + 1)}) if number < last else ""
    return f'<div class="pager">{before}<span>{first}–{min(count, number * size)} of {count}</span>{after}</div>'


def _wizard(world: World, kind: Kind) -> str:
    steps = kind.wizard
    sections = ""
    for index, step in enumerate(steps):
        inputs = "".join(widgets.form_field(world, kind, kind.field(name), form="new") for name in step.fields)
        hidden = "" if index == 0 else "hidden"
        sections += f'<section data-step="{index}" {hidden}><h2>{escape(step.title)}</h2>{inputs}</section>'
    if len(steps) > 1:
        sections += _review(kind)
    stepper = "".join(f"<li>{escape(step.title)}</li>" for step in steps)
    stepper = f'<ol class="stepper">{stepper}<li>Review</li></ol>' if len(steps) > 1 else ""
    cancel = widgets.link("Cancel", f"/{kind.path}", attributes='class="button"')
    return (
        f"<h1>{escape(kind.create_title)}</h1>{stepper}"
        f'<form data-wizard data-check="/check/{kind.path}" data-send="POST /api/{kind.path}" novalidate>{sections}'
        f'<p class="error" role="alert" data-error="" hidden></p><div class="actions">{cancel}'
        '<button type="button" data-back hidden>Back</button>'
        '<button type="button" data-next class="primary">Next</button>'
        f'<button type="submit" class="primary" hidden>{escape(kind.create_title)}</button></div></form>'
    )


def _review(kind: Kind) -> str:
    rows = ""
    for index, step in enumerate(kind.wizard):
        for name in step.fields:
            rows += f'<tr><th scope="row">{escape(kind.field(name).title)}</th><td data-review="{name}"></td></tr>'
        edit = f'<button type="button" data-step-to="{index}">Edit {escape(step.title)}</button>'
        rows += f'<tr class="edit"><td colspan="2">{edit}</td></tr>'
    return (
        f'<section data-step="{len(kind.wizard)}" hidden><h2>Review</h2><table class="facts">{rows}</table></section>'
    )


def _detail(world: World, kind: Kind, it: Object, wanted: str) -> str:
    tab = next((each for each in kind.tabs if each.name == wanted), kind.tabs[0])
    slow = "data-pending" if it.ticks else ""
    buttons, dialogs = "", ""
    for verb in kind.verbs:
        usable = not it.ticks and (not verb.from_states or it.state in verb.from_states)
        style = "danger" if verb.deletes else ""
        buttons += widgets.open_button(verb.title, f"{verb.name}-{it.id}", style=style, disabled=not usable)
        dialogs += widgets.verb_dialog(world, it, verb) if usable else ""
    badge = widgets.shown(world, it, "state") if kind.states else ""
    tabs = "".join(
        widgets.link(
            each.title,
            f"/{kind.path}/{it.id}",
            {"tab": each.name},
            attributes=f'role="tab" aria-selected="{"true" if each is tab else "false"}"',
        )
        for each in kind.tabs
    )
    return (
        f'<div data-live="object" {slow}><div class="head"><h1>{escape(world.label(it))}</h1>{badge}'
        f'<div class="verbs">{buttons}</div></div>'
        f'<div class="tabs" role="tablist">{tabs}</div>'
        f'<section class="panel" aria-label="{escape(tab.title)}">{_panel(world, kind, it, tab)}</section>'
        f"{dialogs}</div>"
    )


def _panel(world: World, kind: Kind, it: Object, tab: Tab) -> str:
    if tab.activity:
        return _activity(world, it)
    if tab.rows_of:
        return _related(world, world.console.kind(tab.rows_of), it)
    rows = "".join(
        f'<tr><th scope="row">{escape(widgets.title_of(kind, name))}</th><td>{widgets.shown(world, it, name)}</td></tr>'
        for name in tab.fields
    )
    return f'<table class="facts">{rows}</table>'


def _related(world: World, kind: Kind, it: Object) -> str:
    """Rows of another kind that refer to this object; children can be added and removed here."""
    rows = [other for other, _ in world.referring(it) if other.kind == kind.name]
    is_child = bool(kind.parent) and kind.field(kind.parent).references == it.kind
    heads = "".join(f"<th>{escape(widgets.title_of(kind, column))}</th>" for column in kind.columns)
    table = _table(world, kind, rows, heads + ("<th>Actions</th>" if is_child else ""), removable=is_child)
    if not is_child:
        return table
    dialogs = "".join(widgets.verb_dialog(world, row, verb) for row in rows for verb in kind.verbs)
    add = widgets.open_button(kind.create_title, f"create-{kind.name}", style="primary")
    return f'<div class="tools">{add}</div>{table}{widgets.create_dialog(world, kind, it)}{dialogs}'


def _activity(world: World, it: Object) -> str:
    entries = [entry for entry in reversed(world.audit) if entry.object_id == it.id][:8]
    if not entries:
        return '<p class="empty">Nothing yet.</p>'
    rows = "".join(
        f"<tr><td>{escape(entry.event)}</td><td>{'accepted' if entry.accepted else 'refused'}</td>"
        f"<td>{escape(entry.detail) or '–'}</td></tr>"
        for entry in entries
    )
    return f"<table><thead><tr><th>Event</th><th>Result</th><th>Detail</th></tr></thead><tbody>{rows}</tbody></table>"
