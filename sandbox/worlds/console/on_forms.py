"""What a person does with a form of the console: opens it, fills it in, sends it, hears what came of it."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from sandbox.worlds.console.admission import wrong
from sandbox.worlds.console.api import Reply, Request, create_request, verb_request
from sandbox.worlds.console.declare import Kind, Verb
from sandbox.worlds.console.forms import CHOOSE, Form, held
from sandbox.worlds.console.places import Dialog, Place

if TYPE_CHECKING:
    from sandbox.worlds.console.view import View


def open_verb(view: "View", what: str, _: str) -> None:
    """Open the dialog of a verb of one object."""
    name, _, object_id = what.partition(":")
    it = view.world.get(object_id)
    if it is None:
        return
    kind = view.world.console.kind(it.kind)
    view.dialog = Dialog("verb", kind.name, name, object_id)
    view.form = Form.of(view.world, it, kind.verb(name), view.variant)


def open_child(view: "View", kind_name: str, _: str) -> None:
    """Open the dialog that adds a child to the object of the page."""
    kind = view.world.console.kind(kind_name)
    view.dialog = Dialog("child", kind_name, "", view.place.object_id)
    view.form = Form.blank(kind, view.variant, seed=view.world.seed)


def open_bulk(view: "View", verb: str, _: str) -> None:
    """Open the dialog of a verb for all that is ticked."""
    kind = view.place.kind
    view.dialog, view.form = Dialog("bulk", kind, verb, "", view.listing.ticked), Form(kind, ())


def cancel(view: "View", *_: str) -> None:
    """Close the dialog, or leave the create form."""
    if view.dialog:
        close(view)
    elif view.kind:
        view.go(Place("list", view.kind.name))


def close(view: "View") -> None:
    """Close the dialog."""
    view.dialog = view.form = None


def set_field(view: "View", name: str, value: str) -> None:
    """Give a field what was typed, chosen or ticked."""
    if view.form and name in view.form.values:
        kind = view.world.console.kind(view.form.kind)
        if kind.field(name).type == "choice":
            value = held(view.words, kind, name, value)
        if value == view.words.text(CHOOSE):
            value = ""
        view.form = view.form.with_value(name, value)


def type_tag(view: "View", name: str, value: str) -> None:
    """Type at a tag that is not added yet."""
    if view.form:
        view.form = replace(view.form, drafts={**view.form.drafts, name: value})


def add_tag(view: "View", name: str, _: str) -> None:
    """Add the tag that was typed."""
    if view.form:
        view.form = view.form.add_tag(name)


def drop_tag(view: "View", what: str, _: str) -> None:
    """Take a tag off."""
    name, _, tag = what.partition(":")
    if view.form:
        view.form = view.form.drop_tag(name, tag)


def confirm(view: "View", _: str, value: str) -> None:
    """Write the name out that has to be written out."""
    if view.form:
        view.form = replace(view.form, confirm=value)


def is_held(view: "View") -> bool:
    """Whether the dialog waits for a name to be typed out."""
    dialog = view.dialog
    if dialog is None or view.form is None or dialog.about != "verb":
        return False
    it = view.world.get(dialog.object_id)
    verb = view.world.console.kind(dialog.kind).verb(dialog.verb)
    return verb.confirm == "typed" and it is not None and view.form.confirm != view.world.label(it)


def step_on(view: "View", *_: str) -> None:
    """Go to the next page of the create form, if this one is filled in well."""
    if view.form is None or view.dialog or view.form.is_last:
        return
    kind = view.world.console.kind(view.form.kind)
    fields = kind.wizard[view.form.step].fields
    errors = wrong(view.world, kind, view.form.given(kind, {}), fields=fields)
    said = {name: view.words.told(text) for name, text in errors.items()}
    view.form = view.form.refused(said, "", kind) if said else view.form.at(view.form.step + 1)
    view.pages += 1


def step_back(view: "View", *_: str) -> None:
    """Go to the page before."""
    if view.form:
        step_to(view, str(view.form.step - 1))


def step_to(view: "View", number: str, *_: str) -> None:
    """Go to a page of the create form."""
    if view.form:
        view.form = view.form.at(int(number))
        view.pages += 1


def submit(view: "View", *_: str) -> Request | None:
    """Send the form."""
    form, dialog = view.form, view.dialog
    if form is None:
        return None
    kind = view.world.console.kind(form.kind)
    if dialog is None:
        return create_request(kind, form.given(kind, {}))
    it = view.world.get(dialog.object_id)
    if dialog.about == "child":
        parent = view.world.label(it) if it else ""
        return create_request(kind, {**form.given(kind, {}), kind.parent: parent})
    verb = kind.verb(dialog.verb)
    if dialog.about == "bulk":
        return verb_request(kind, verb, "-", {"ids": ",".join(dialog.ids)})
    given = form.given(kind, view.world.facts(it) if it else {})
    return verb_request(kind, verb, dialog.object_id, {**given, **({"confirm": form.confirm} if form.confirm else {})})


def succeed(view: "View", reply: Reply) -> None:
    """The form was accepted: say so, and go on to where it leads."""
    form, dialog = view.form, view.dialog
    if form is None:
        return
    kind = view.world.console.kind(form.kind)
    verb = kind.verb(dialog.verb) if dialog and dialog.verb else None
    several = bool(dialog and dialog.about == "bulk")
    view.say(_done(view, kind, verb, reply.label, several=several))
    if dialog is None:
        view.arrive(Place("object", kind.name, reply.object_id))
    elif verb and verb.deletes and dialog.about == "verb" and not kind.parent:
        view.arrive(Place("list", kind.name))
    else:
        close(view)
        if several:
            view.listing = replace(view.listing, ticked=())


def _done(view: "View", kind: Kind, verb: Verb | None, label: str, *, several: bool) -> str:
    say, text = view.words.say, view.words.text
    if several and verb:
        return say("{verb}: {count} {kind}.", verb=text(verb.title), count=label, kind=view.words.several(kind.plural))
    done = text(verb.done if verb else kind.created)
    return say("{kind} {label} {done}.", kind=text(kind.title), label=label, done=done)
