"""From a view to a screen: header, navigation, overview and lists."""

from itertools import groupby

from sandbox.worlds.console.declare import Console, Kind
from sandbox.worlds.console.draw_forms import create_page, dialog_pane
from sandbox.worlds.console.draw_list import crumbs, list_page
from sandbox.worlds.console.draw_object import drawer_pane, object_page
from sandbox.worlds.console.lexicon import Lexicon
from sandbox.worlds.console.nodes import Item, Line, Menu, Press, Say, Toast
from sandbox.worlds.console.screen import (
    BANNER,
    DRAWER,
    HEADER,
    SIDE,
    VIEWPORT,
    Pane,
    Screen,
    forget_shared,
    kept,
    shared,
)
from sandbox.worlds.console.sections import Section
from sandbox.worlds.console.view import View

TOP_COLUMNS = 6
PAGES_KEPT = 1024  # about 40 KB each
_WIDE, _HIGH = VIEWPORT
_pages: dict[tuple[object, ...], Screen] = {}  # oldest first
_frames: dict[tuple[Console, Lexicon, str, str], Section] = {}  # navigation: the same for all views of one console


def screen(view: View) -> Screen:
    """The page as it is now. Pages are kept by what they show: who comes back to one finds it drawn."""
    key = view.key
    found = _pages.get(key)
    if found is None:
        while len(_pages) >= PAGES_KEPT:
            del _pages[next(iter(_pages))]
        found = _pages[key] = _drawn(view)
    return found


def forget() -> None:
    """Let go of every page that was kept, and of what pages share."""
    _pages.clear()
    _frames.clear()
    forget_shared()


def _drawn(view: View) -> Screen:
    top = HEADER
    panes = [_header(view)]
    if view.cookies:
        panes.append(_banner(view, top))
        top += BANNER
    nav = _navigation(view)
    if view.variant.nav == "side":
        panes.append(Pane("nav", 0, SIDE, top, _HIGH - top, [nav]))
        left = SIDE
    else:
        panes.append(Pane("nav", 0, _WIDE, top, nav.height, [nav], pad=0))
        top, left = top + nav.height, 0
    drawer = drawer_pane(view, top)
    right = DRAWER if drawer else 0
    title, sections = _page(view)
    main = Pane("main", left, _WIDE - left - right, top, _HIGH - top, sections)
    panes.append(main)
    if drawer:
        panes.append(drawer)
    dialog = dialog_pane(view)
    if dialog:
        panes.append(dialog)
    return Screen(f"{title} · {view.world.console.title}", panes, dialog.key if dialog else "")


def _header(view: View) -> Pane:
    console = view.world.console
    first = shared(view, "brand", "", lambda: _in_header("brand", Say(console.title, "strong")))
    last = shared(view, "who", "", lambda: _in_header("who", Say(console.operator, "span")))
    name = view.words.text("Dismiss")
    toasts = [
        kept(
            view,
            f"toast{each.number}",
            each.text,
            lambda each=each: Section(  # type: ignore[misc]  # bound now, called now
                f"toast{each.number}", (Toast(f"dismiss:{each.number}", each.text, name),), region="toast"
            ),
        )
        for each in view.toasts
    ]
    return Pane("header", 0, _WIDE, 0, HEADER, [first, *toasts, last], pad=2)


def _in_header(name: str, said: Say) -> Section:
    return Section(name, (Line((said,)),), region="header")


def _banner(view: View, top: int) -> Pane:
    text = view.words.text

    def make() -> Section:
        items = (
            Say(text("We use cookies to make the console better."), "span"),
            Press("cookies:all", text("Accept all")),
            Press("cookies:none", text("Reject all")),
        )
        return Section("cookies", (Line(items, "banner"),), group=text("Cookies"))

    return Pane("banner", 0, _WIDE, top, BANNER, [shared(view, "cookies", "", make)], pad=2)


def _navigation(view: View) -> Section:
    console = view.world.console
    key = (console, view.words, view.place.kind, view.variant.nav)
    found = _frames.get(key)
    if found is None:
        if len(_frames) > 4096:
            _frames.clear()
        found = _frames[key] = _drawn_navigation(view)
    return found


def _drawn_navigation(view: View) -> Section:
    console, text = view.world.console, view.words.text
    here = view.place.kind

    def item(key: str, title: str, href: str, current: bool) -> Press:
        return Press(key, title, "nav", href, ("selected",) if current else ())

    # An address that is nowhere belongs to no kind: the overview is then the place to start from.
    items: list[Item] = [item("go:/#nav", text("Overview"), "/", not here)]
    listed = [kind for kind in console.kinds if not kind.parent]
    for group, kinds in groupby(listed, key=lambda kind: kind.group):
        items.append(Say(text(group), "group"))
        for kind in kinds:
            items.append(item(f"go:/{kind.path}#nav", text(kind.plural), f"/{kind.path}", kind.name == here))
    columns = 1 if view.variant.nav == "side" else TOP_COLUMNS
    return Section("nav", (Menu(tuple(items), columns),), region="nav")


def _page(view: View) -> tuple[str, list[Section]]:
    kind, place, text = view.kind, view.place, view.words.text
    if place.page == "overview":
        return text("Overview"), [shared(view, "overview", "", lambda: _overview_head(view)), *_overview(view)]
    it = view.it
    if kind is None or (place.page == "object" and it is None):
        return text("Not found"), [shared(view, "missing", "", lambda: _missing(view))]
    if place.page == "list":
        return text(kind.plural), list_page(view, kind)
    if it is None:
        title = text(kind.create_title)
        way = shared(view, "crumbs-new", kind, lambda: crumbs(view, kind, title))
        return title, [way, *create_page(view, kind)]
    label = view.world.label(it)
    way = kept(view, "crumbs", (kind, label), lambda: crumbs(view, kind, label))
    return label, [way, *object_page(view, kind, it)]


def _missing(view: View) -> Section:
    text = view.words.text
    nodes = (
        Say(text("Not found"), "h1"),
        Say(text("There is nothing at this address. It may have been deleted.")),
        Line((Press("go:/#missing", text("Back to the overview"), "", "/"),)),
    )
    return Section("missing", nodes)


def _overview_head(view: View) -> Section:
    text = view.words.text
    return Section("overview", (Say(text("Overview"), "h1"), Say(text("Choose what you want to work on."))))


def _overview(view: View) -> list[Section]:
    text = view.words.text
    listed = [kind for kind in view.world.console.kinds if not kind.parent]
    found = []
    for group, kinds in groupby(listed, key=lambda kind: kind.group):
        name, members = f"home-{group}", tuple(kinds)

        def make(name: str = name, group: str = group, members: tuple[Kind, ...] = members) -> Section:
            links = tuple(Press(f"go:/{k.path}#home", text(k.plural), "", f"/{k.path}") for k in members)
            return Section(name, (Say(text(group), "h2"), Line(links)), group=text(group))

        found.append(shared(view, name, "", make))
    return found
