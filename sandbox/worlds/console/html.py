"""The console's pages as HTML, drawn from the same nodes as its observations; every text escaped here."""

from collections.abc import Callable
from hashlib import blake2b
from html import escape
from itertools import groupby
from typing import Any

from sandbox.worlds.console.nodes import (
    Cards,
    Choice,
    Entry,
    Facts,
    Field,
    Item,
    Line,
    Menu,
    Points,
    Press,
    Row,
    Say,
    Table,
    Tick,
    Toast,
    text_of,
)
from sandbox.worlds.console.screen import Pane, Screen
from sandbox.worlds.console.sections import Section, card_height, is_long
from sandbox.worlds.console.variant import Variant

_LANGUAGES = {"en": "en", "zh": "zh-Hans", "de": "de"}
_NARROW = 20  # letters that every column has room for
_TAGS = {"h1": "h1", "h2": "h2", "h3": "h3", "strong": "strong"}


class Page:
    """Draws screens for one variant; ids and class names are its own where they are dynamic."""

    def __init__(self, variant: Variant, salt: str) -> None:
        self.variant = variant
        self._salt = salt if variant.ids == "dynamic" else ""

    def document(self, screen: Screen, state: str) -> str:
        """A whole document; `state` is what the script starts from, as JSON."""
        look = f'data-theme="{self.variant.theme}" data-nav="{self.variant.nav}" data-form="{self.variant.form}"'
        return (
            f'<!doctype html><html lang="{_LANGUAGES[self.variant.locale]}" {look}><head><meta charset="utf-8">'
            f"<title>{escape(screen.title)}</title>"
            '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
            '<link rel="stylesheet" href="/static/console.css">'
            '<script src="/static/console.js" defer></script></head>'
            f'<body><div id="app" data-state="{escape(state)}">{self.body(screen)}</div></body></html>'
        )

    def body(self, screen: Screen) -> str:
        """What stands in the body."""
        return "".join(self._pane(pane) for pane in screen.panes)

    def _pane(self, pane: Pane) -> str:
        label, key = escape(pane.label), escape(pane.key)
        if pane.name == "nav":
            return f'<nav data-s="nav">{"".join(self._nodes(section) for section in pane.sections)}</nav>'
        if pane.name == "banner":
            return f'<div class="cookies" data-s="cookies">{self._grouped(pane.sections)}</div>'
        if pane.name == "main":
            return f'<main data-s="main">{self._grouped(pane.sections)}</main>'
        inner = "".join(self._section(each) for each in pane.sections)
        if pane.name == "header":
            return f'<header data-s="header">{inner}</header>'
        if pane.name == "drawer":
            return f'<aside role="dialog" aria-label="{label}" data-s="drawer:{key}">{inner}</aside>'
        return f'<dialog aria-label="{label}" data-s="dialog:{key}">{inner}</dialog>'

    def _grouped(self, sections: list[Section]) -> str:
        drawn = ""
        for group, members in groupby(sections, key=lambda section: section.group):
            inner = "".join(self._section(each) for each in members)
            drawn += (
                f'<section aria-label="{escape(group)}" data-s="group:{escape(group)}">{inner}</section>'
                if group
                else inner
            )
        return drawn

    def _section(self, section: Section) -> str:
        return f'<div class="{self._class("part")}" data-s="{escape(section.name)}">{self._nodes(section)}</div>'

    def _nodes(self, section: Section) -> str:
        return "".join(_DRAW[type(node)](self, node) for node in section.nodes)

    def _class(self, name: str) -> str:
        if not self._salt:
            return name
        return f"{name} c{blake2b(f'{self._salt}{name}'.encode(), digest_size=4).hexdigest()}"

    def _id(self, key: str) -> str:
        digest = blake2b(f"{self._salt}{key}".encode(), digest_size=4).hexdigest()
        return f"{'r' if self._salt else 'f'}{digest}"

    # --- items ---

    def _item(self, item: Item) -> str:
        if isinstance(item, Say):
            tag = _TAGS.get(item.look, "span")
            return f'<{tag} class="{self._class(item.look)}">{escape(item.text)}</{tag}>'
        if isinstance(item, Press):
            return self._press(item)
        if isinstance(item, Tick):
            said = f'aria-label="{escape(item.title)}"' if item.bare else ""
            checked = " checked" if item.checked else ""
            return f'<input type="checkbox" data-k="{escape(item.key)}" {said}{checked}>'
        label = "" if item.bare else f'<label for="{self._id(item.key)}">{escape(item.title)}</label>'
        return label + (self._entry(item) if isinstance(item, Entry) else self._choice(item))

    def _press(self, item: Press) -> str:
        states = item.states
        attributes = (
            f'class="{self._class(item.look or ("link" if item.href else "plain"))}" data-k="{escape(item.key)}"'
        )
        if item.look == "tab":
            attributes += f' role="tab" aria-selected="{"true" if "selected" in states else "false"}"'
        elif "selected" in states:
            attributes += ' aria-current="page"'
        attributes += ' aria-pressed="true"' if "pressed" in states else ""
        attributes += f' title="{escape(item.tip)}"' if item.tip else ""
        attributes += " disabled" if "disabled" in states else ""
        if item.href:
            return f'<a href="{escape(item.href)}" {attributes}>{escape(item.text)}</a>'
        if item.look == "icon":
            return f'<button type="button" {attributes} aria-label="{escape(item.text)}"></button>'
        return f'<button type="button" {attributes}>{escape(item.text)}</button>'

    def _named(self, item: Entry | Choice) -> str:
        hint = f'aria-label="{escape(item.title)}" placeholder="{escape(item.title)}"'
        name = hint if item.bare else f'id="{self._id(item.key)}"'
        name += ' aria-invalid="true"' if "invalid" in item.states else ""
        return name + (' aria-required="true"' if "required" in item.states else "")

    def _entry(self, item: Entry) -> str:
        kind = {"date": "date", "secret": "password"}.get(item.kind, "text")
        more = "" if kind == "date" else f' maxlength="{item.max_length}" autocomplete="off" spellcheck="false"'
        more += ' inputmode="numeric"' if item.kind == "integer" else ""
        if item.unit:
            more += f' aria-describedby="{self._id(item.key)}u"'
        drawn = (
            f'<input type="{kind}" {self._named(item)} data-k="{escape(item.key)}" value="{escape(item.value)}"{more}>'
        )
        if not item.unit:
            return drawn
        unit = f'<span class="{self._class("unit")}" id="{self._id(item.key)}u">{escape(item.unit)}</span>'
        return f'<div class="{self._class("measured")}">{drawn}{unit}</div>'

    def _choice(self, item: Choice) -> str:
        options = "".join(
            f"<option{' selected' if each == item.value else ''}>{escape(each)}</option>" for each in item.options
        )
        return f'<select {self._named(item)} data-k="{escape(item.key)}">{options}</select>'

    # --- nodes ---

    def say(self, node: Say) -> str:
        """A text that stands by itself."""
        if node.look in _TAGS:
            return self._item(node)
        alert = ' role="alert"' if node.look == "alert" else ""
        long = " long" if is_long(node.text) else ""
        return f'<p class="{self._class(node.look)}{long}"{alert}>{escape(node.text)}</p>'

    def line(self, node: Line) -> str:
        """Things beside each other."""
        role = ' role="tablist"' if node.look == "tabs" else ""
        return f'<div class="{self._class("line")} {node.look}"{role}>{"".join(map(self._item, node.items))}</div>'

    def field(self, node: Field) -> str:
        """One field of a form."""
        control = node.control
        if isinstance(control, Tick):
            inner = f'<label class="{self._class("check")}">{self._item(control)} {escape(control.title)}</label>'
        else:
            inner = self._item(control)
        helped = f'<small class="{_lines(node.help)}">{escape(node.help)}</small>' if node.help else ""
        wrong = f'<p class="{self._class("error")} {_lines(node.error)}">{escape(node.error)}</p>' if node.error else ""
        return f'<div class="{self._class("field")}">{inner}{helped}{wrong}</div>'

    def points(self, node: Points) -> str:
        """A list of short points."""
        drawn = ""
        for number, (said, press) in enumerate(node.points):
            here = ' aria-current="step"' if number == node.current else ""
            inner = (escape(said.text) if said else "") + (self._item(press) if press else "")
            drawn += f"<li{here}>{inner}</li>"
        return f'<ol class="{self._class(node.look)}">{drawn}</ol>'

    def menu(self, node: Menu) -> str:
        """Navigation."""
        return "".join(map(self._item, node.items))

    def table(self, node: Table) -> str:
        """Rows under headings."""
        buttons = max((len(row.cells[-1]) for row in node.rows if row.cells), default=0)
        heads = [self._head(head) for head in node.heads]
        leads = next((at for row in node.rows for at, cell in enumerate(row.cells) if _is_link(cell)), None)
        if leads is not None:  # names are the longest
            heads[leads] = heads[leads].replace("<th>", '<th class="first">')
        if buttons > 1:  # a column of buttons is as wide as they need
            heads[-1] = heads[-1].replace("<th>", f'<th style="width:{20 + 110 * buttons}px">')
        rows = "".join(map(self._row, node.rows))
        return (
            f'<table class="{self._class("rows")}" aria-label="{escape(node.label)}">'
            f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{rows}</tbody></table>"
        )

    def _head(self, head: Item) -> str:
        return f"<th>{escape(head.text) if isinstance(head, Say) else self._item(head)}</th>"

    def _cell(self, cell: tuple[Item, ...]) -> str:
        inner = "".join(map(self._celled, cell))
        if len(cell) > 1:
            return f'<td><div class="acts">{inner}</div></td>'
        said = text_of(cell[0]) if cell else ""
        tip = f' title="{escape(said)}"' if len(said) > _NARROW else ""  # what is cut off can be read all the same
        return f"<td{tip}>{inner}</td>"

    def _row(self, row: Row) -> str:
        cells = "".join(map(self._cell, row.cells))
        key = next((item.key for cell in row.cells for item in cell if isinstance(item, Press | Tick)), "")
        return f'<tr data-s="{escape(key)}">{cells}</tr>'

    def _celled(self, item: Item) -> str:
        if isinstance(item, Say) and item.look in ("td", "th"):
            return escape(item.text)
        return self._item(item)

    def facts(self, node: Facts) -> str:
        """Titles with their values."""
        rows = "".join(
            f'<tr><th scope="row">{escape(title)}</th><td>{self._celled(value)}</td></tr>' for title, value in node.rows
        )
        return f'<table class="{self._class("facts")}"><tbody>{rows}</tbody></table>'

    def cards(self, node: Cards) -> str:
        """Objects as cards."""
        drawn = ""
        for card in node.cards:
            inner = "".join(
                f"<p>{escape(item.text)}</p>" if isinstance(item, Say) else self._item(item) for item in card.items
            )
            key = next((item.key for item in card.items if isinstance(item, Press | Tick)), "")
            drawn += f'<li data-s="{escape(key)}">{inner}</li>'
        return f'<ul class="{self._class("tiles")}" style="--tile:{card_height(node)}px">{drawn}</ul>'

    def toast(self, node: Toast) -> str:
        """A notice."""
        press = self._press(Press(node.key, node.dismiss, "icon"))
        return f'<div class="toast" role="status">{press}<span>{escape(node.text)}</span></div>'


_DRAW: dict[type, Callable[[Page, Any], str]] = {
    Say: Page.say,
    Line: Page.line,
    Field: Page.field,
    Points: Page.points,
    Menu: Page.menu,
    Table: Page.table,
    Facts: Page.facts,
    Cards: Page.cards,
    Toast: Page.toast,
}


def _is_link(cell: tuple[Item, ...]) -> bool:
    return len(cell) == 1 and isinstance(cell[0], Press) and bool(cell[0].href)


def _lines(text: str) -> str:
    return "long" if is_long(text) else "short"


def sign_in_document(title: str, error: str) -> str:
    """The page for who is not signed in."""
    note = f'<p class="error" role="alert">{escape(error)}</p>' if error else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sign in · {escape(title)}</title>'
        '<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/console.css"></head>'
        f'<body class="sign-in"><main><h1>{escape(title)}</h1><form method="post" action="/sign-in">{note}'
        '<div class="field"><label for="user">User</label><input id="user" name="user" autocomplete="username"></div>'
        '<div class="field"><label for="password">Password</label>'
        '<input id="password" name="password" type="password" autocomplete="current-password"></div>'
        '<button class="primary">Sign in</button></form></main></body></html>'
    )
