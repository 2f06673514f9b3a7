"""Small pieces of the console's HTML: links, inputs, facts, dialogs; every text escaped here."""

from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import urlencode

from sandbox.worlds.console.declare import Field, Kind, Verb, request_path
from sandbox.worlds.console.world import Object, World


def link(text: str, path: str, query: Mapping[str, str] | None = None, *, attributes: str = "") -> str:
    """A link that the script follows without loading the page anew."""
    address = path + (f"?{urlencode({k: v for k, v in query.items() if v})}" if query else "")
    return f'<a href="{escape(address)}" data-go {attributes}>{escape(text)}</a>'


def state_badge(state: str, *, slow: bool) -> str:
    """A state as a coloured word."""
    kind = "slow" if slow else state.replace(" ", "-")
    return f'<span class="state state-{escape(kind)}">{escape(state)}</span>'


def shown(world: World, it: Object, field: str) -> str:
    """A field's value as HTML."""
    if field == "state":
        return state_badge(it.state, slow=it.ticks > 0)
    text = escape(world.shown(it, field)) or "–"
    declared = world.console.kind(it.kind).field(field)
    if declared.references and it.values.get(field):
        there = world.console.kind(declared.references)
        return link(world.shown(it, field), f"/{there.path}/{it.values[field]}")
    return text


def title_of(kind: Kind, field: str) -> str:
    """Heading of a field."""
    return "State" if field == "state" else kind.field(field).title


def form_field(world: World, kind: Kind, field: Field, *, form: str, it: Object | None = None) -> str:
    """A label with its input, help and place for an error."""
    ident = f"{form}-{field.name}"
    value = world.shown(it, field.name) if it else field.default
    note = f'<small id="{ident}-help">{escape(field.help)}</small>' if field.help else ""
    optional = "" if field.required or field.references else " (optional)"
    described = f'aria-describedby="{ident}-help"' if note else ""
    attributes = f'id="{ident}" name="{field.name}" {described}'
    if field.type == "boolean":
        box = f'<input type="checkbox" {attributes} {"checked" if value == "yes" else ""}>'
        control = f'<label class="check">{box} {escape(field.title)}</label>'
    else:
        control = f'<label for="{ident}">{escape(field.title)}{optional}</label>'
        control += _control(world, field, value, attributes, _options(world, field, it))
    return f'<div class="field">{control}{note}<p class="error" data-error="{field.name}" hidden></p></div>'


def _control(world: World, field: Field, value: str, attributes: str, options: Sequence[str]) -> str:
    if field.type in ("choice", "reference"):
        # Nothing is chosen beforehand where the declaration names no default: the person decides.
        empty = "" if value else '<option value="" selected>Choose…</option>'
        items = "".join(
            f'<option value="{escape(o)}" {"selected" if o == value else ""}>{escape(o)}</option>' for o in options
        )
        return f"<select {attributes}>{empty}{items}</select>"
    mode = 'inputmode="numeric"' if field.type == "integer" else f'maxlength="{field.max_length}"'
    return f'<input type="text" {attributes} value="{escape(value)}" autocomplete="off" spellcheck="false" {mode}>'


def _options(world: World, field: Field, it: Object | None) -> Sequence[str]:
    if field.type != "reference":
        return field.choices
    there = world.of_kind(field.references)
    fits = (o for o in there if it is None or all(o.values[n] == it.values[n] for n in field.same))
    return sorted(world.label(o) for o in fits)


def create_dialog(world: World, kind: Kind, parent: Object) -> str:
    """The create form of a kind that lives on its parent's page."""
    ident = f"create-{kind.name}"
    inputs = "".join(form_field(world, kind, kind.field(name), form=ident) for name in kind.asked)
    hidden = f'<input type="hidden" name="{kind.parent}" value="{escape(world.label(parent))}">'
    send = f"POST /api/{kind.path}"
    return _dialog(ident, f"{kind.create_title} to {world.label(parent)}", hidden + inputs, send, kind.create_title, "")


def verb_dialog(world: World, it: Object, verb: Verb) -> str:
    """The dialog in which a verb is confirmed, with what it asks for."""
    kind = world.console.kind(it.kind)
    label = world.label(it)
    ident = f"{verb.name}-{it.id}"
    body = f"<p>{escape(verb.warning)}</p>" if verb.warning else ""
    body += "".join(form_field(world, kind, kind.field(name), form=ident, it=it) for name in verb.fields)
    if verb.confirm == "typed":
        body += (
            f'<div class="field"><label for="{ident}-confirm">Type {escape(label)} to confirm</label>'
            f'<input type="text" id="{ident}-confirm" name="confirm" data-confirm="{escape(label)}" '
            f'autocomplete="off" spellcheck="false"></div>'
        )
    send = f"{verb.method} {request_path(kind, it.id, verb)}"
    danger = "danger" if verb.deletes else ""
    title = f"{verb.title} {kind.title.lower()} {label}"
    return _dialog(ident, title, body, send, f"{verb.title} {kind.title.lower()}", danger)


def _dialog(ident: str, title: str, body: str, send: str, submit: str, style: str) -> str:  # one call each
    return (
        f'<dialog id="{ident}" aria-modal="true" aria-labelledby="{ident}-title">'
        f'<form data-send="{escape(send)}" novalidate><h2 id="{ident}-title">{escape(title)}</h2>{body}'
        '<p class="error" role="alert" data-error="" hidden></p>'
        f'<div class="actions"><button type="button" data-close>Cancel</button>'
        f'<button type="submit" class="primary {style}">{escape(submit)}</button></div></form></dialog>'
    )


def open_button(text: str, dialog: str, *, style: str = "", disabled: bool = False) -> str:
    """A button that opens a dialog of the same page."""
    off = "disabled" if disabled else ""
    return f'<button type="button" class="{style}" data-open="{escape(dialog)}" {off}>{escape(text)}</button>'
