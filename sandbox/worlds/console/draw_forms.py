"""Forms: the create wizard, and the dialogs that lie over a page."""

from sandbox.worlds.console import on_forms
from sandbox.worlds.console.declare import Kind
from sandbox.worlds.console.forms import CHOOSE, Form, shown_options
from sandbox.worlds.console.nodes import Choice, Entry, Facts, Field, Item, Line, Node, Points, Press, Say, States, Tick
from sandbox.worlds.console.screen import DIALOG, DIALOG_MOST, DRAWER, VIEWPORT, Pane, kept, shared, spinner
from sandbox.worlds.console.sections import MASK, Section, squash
from sandbox.worlds.console.values import EMPTY, price
from sandbox.worlds.console.view import View

_WIDE, _HIGH = VIEWPORT


def create_page(view: View, kind: Kind) -> list[Section]:
    """The wizard as far as one has come."""
    form, words = view.form, view.words
    if form is None:
        return []
    titles = [words.text(step.title) for step in kind.wizard]
    head = shared(view, "head-new", kind, lambda: Section("head", (Say(words.text(kind.create_title), "h1"),)))
    if view.loading:
        return [
            head,
            spinner(view),
        ]
    sections = [head]
    if form.steps > 1:
        points = tuple((Say(title, "here"), None) for title in (*titles, words.text("Review")))
        sections.append(
            shared(view, "steps", (kind, form.step), lambda: Section("steps", (Points(points, "steps", form.step),)))
        )
    if form.step < len(kind.wizard):
        sections += _step(view, kind, form, titles[form.step])
        group = titles[form.step]
    else:
        group = words.text("Review")
        sections.append(kept(view, "review", (kind, form.values), lambda: _review(view, kind, form, group)))
    return [*sections, *_end(view, _wizard_buttons(view, kind, form), form, group, "main")]


def _step(view: View, kind: Kind, form: Form, title: str) -> list[Section]:
    name = f"step{form.step}"
    visible = form.visible(kind, {})
    asked = [field for field in form.fields if field in kind.wizard[form.step].fields and field in visible]
    heading = shared(view, name, (kind, title), lambda: Section(name, (Say(title, "h2"),), group=title))
    return [heading, *(part for field in asked for part in _fields(view, kind, form, field, {}, title, "main"))]


def _wizard_buttons(view: View, kind: Kind, form: Form) -> tuple[Item, ...]:
    text = view.words.text
    items: list[Item] = [Press("cancel", text("Cancel"))]
    if form.step:
        items.append(Press("back", text("Back")))
    last = Press("submit", text(kind.create_title), "primary")
    return (*items, last if form.is_last else Press("next", text("Next"), "primary"))


def _end(view: View, buttons: tuple[Item, ...], form: Form | None, group: str, region: str) -> list[Section]:
    complaint = form.complaint if form else ""
    key = (buttons, complaint, group)
    nodes: tuple[Node, ...] = (Say(complaint, "alert"),) if complaint else ()
    name = f"end-{region}"
    keep = shared if region == "main" and not complaint else kept
    return [
        keep(view, name, key, lambda: Section(name, (*nodes, Line(buttons, "actions")), group=group, region=region))
    ]


def _review(view: View, kind: Kind, form: Form, group: str) -> Section:
    words = view.words
    visible = form.visible(kind, {})
    nodes: list[Node] = [Say(group, "h2")]
    for number, step in enumerate(kind.wizard):
        title = words.text(step.title)
        edit = Press(f"step:{number}", words.say("Edit {step}", step=title))
        nodes.append(Line((Say(title, "h3"), edit), "tools"))
        names = [name for name in form.fields if name in step.fields and name in visible]
        rows = tuple((words.text(kind.field(n).title), Say(_reviewed(view, kind, form, n), "td")) for n in names)
        nodes.append(Facts(rows))
    if kind.price is not None:
        nodes.append(Say(words.say("Estimated price: {price}", price=price(view, kind.price.of(form.values)))))
    return Section("review", tuple(nodes), group=group)


def _reviewed(view: View, kind: Kind, form: Form, name: str) -> str:
    value, field = form.values[name], kind.field(name)
    if field.type == "secret":
        return MASK
    chosen = field.type in ("choice", "boolean")
    return (view.words.text(value) if chosen else view.words.written(field, value.strip())) or EMPTY


def _fields(  # one field with all that decides how it is drawn
    view: View, kind: Kind, form: Form, name: str, beside: dict[str, str], group: str, region: str
) -> list[Section]:
    field = kind.field(name)
    value, error = form.values[name], form.errors.get(name, "")
    world = view.world.token if field.references else 0
    key = (kind, value, error, form.drafts.get(name, ""), world, group, region)
    untouched = region == "main" and value in ("", field.default) and not (field.references or error or form.drafts)
    keep = shared if untouched else kept

    def make() -> Section:
        title, states = view.words.text(field.title), _states(field.required, error)
        node: Node
        if field.type == "tags":
            return _tags(view, name, form, Section(name, (), group=group, region=region), title, error)
        if field.type == "boolean":
            node = Field(Tick(f"field:{name}", title, value == "yes"), view.words.text(field.help), error)
        elif field.type in ("choice", "reference"):
            node = Field(_choice(view, kind, form, name, beside, states), view.words.text(field.help), error)
        else:
            entry_kind = field.type if field.type in ("integer", "date", "secret") else "text"
            limit = 12 if field.type == "integer" else field.max_length
            unit = view.words.text(field.unit)
            entry = Entry(f"field:{name}", title, value, entry_kind, states, limit, unit=unit)
            node = Field(entry, view.words.text(field.help), error)
        return Section(f"field-{name}", (node,), group=group, region=region)

    return [keep(view, f"field-{name}", key, make)]


def _states(required: bool, error: str) -> States:
    return (*(("invalid",) if error else ()), *(("required",) if required else ()))


def _choice(view: View, kind: Kind, form: Form, name: str, beside: dict[str, str], states: States) -> Choice:
    field, words = kind.field(name), view.words
    options = shown_options(view.world, words, field, beside)
    value = words.text(form.values[name]) if field.type == "choice" else form.values[name]
    if value not in options:
        value = words.text(CHOOSE)
    if not (form.values[name] and field.required):
        # Nothing is chosen beforehand where there is no default: the person decides.
        options = (words.text(CHOOSE), *options)
    elif value == words.text(CHOOSE):
        options = (value, *options)
    return Choice(f"field:{name}", words.text(field.title), value, options, states)


def _tags(view: View, name: str, form: Form, place: Section, title: str, error: str) -> Section:
    words = view.words
    tags = [tag for tag in form.values[name].split(",") if tag]
    chips = tuple(
        (Say(t, "chip"), Press(f"tag-drop:{name}:{t}", words.say("Remove {tag}", tag=t), "icon")) for t in tags
    )
    entry = Entry(f"tag:{name}", title, form.drafts.get(name, ""), "text", ("invalid",) if error else (), 80)
    nodes: tuple[Node, ...] = (Field(entry, words.text("Press Enter after each."), error),)
    if chips:
        nodes = (*nodes, Points(chips, "tags"))
    add = Line((Press(f"tag-add:{name}", words.text("Add")),), "tools")
    return Section(f"field-{name}", (*nodes, add), group=place.group, region=place.region)


# --- dialogs ---


def dialog_pane(view: View) -> Pane | None:
    """What lies over the page, or None."""
    if view.expired:
        return _placed(
            view, "expired", *_notice(view, "Your session has expired", _EXPIRED, (("login", "Sign in again"),))
        )
    if view.survey:
        answers = (("survey:yes", "Very much"), ("survey:no", "Not now"))
        return _placed(view, "survey", *_notice(view, "How do you like the console?", _SURVEY, answers))
    dialog, form = view.dialog, view.form
    if dialog is None or form is None:
        return None
    key = f"{dialog.about}:{dialog.kind}:{dialog.verb}:{dialog.object_id}"
    return _placed(view, key, *_form_dialog(view, form))


_EXPIRED = "You were signed out because nothing was done for a while. What you did last was not kept."
_SURVEY = "Your answer helps us to make it better. It takes one minute."


def _notice(view: View, title: str, body: str, buttons: tuple[tuple[str, str], ...]) -> tuple[str, list[Section]]:
    text = view.words.text
    shown = text(title)

    def make() -> Section:
        items = tuple(Press(key, text(name), "primary" if not at else "") for at, (key, name) in enumerate(buttons))
        nodes = (Say(shown, "h2"), Say(text(body)), Line(items, "actions"))
        return Section("notice", nodes, group=shown, region="dialog")

    return shown, [kept(view, "notice", title, make)]


def _form_dialog(view: View, form: Form) -> tuple[str, list[Section]]:
    dialog, words = view.dialog, view.words
    assert dialog is not None
    kind = view.world.console.kind(dialog.kind)
    beside: dict[str, str] = {}
    names = ""  # of all that are meant, where the title does not tell
    it = view.world.get(dialog.object_id)
    if dialog.about == "child":
        parent = view.world.label(it) if it else ""
        submit = words.text(kind.create_title)
        title, warning, look = words.say("{create} to {parent}", create=submit, parent=parent), "", "primary"
    else:
        verb = kind.verb(dialog.verb)
        several = dialog.about == "bulk"
        said = words.text(verb.title)
        submit = words.deed(verb, kind, several=several)
        if several:
            count = str(len(dialog.ids))
            title = words.say("{verb} {label} {kind}", verb=said, kind=words.several(kind.plural), label=count)
            names = ", ".join(view.world.label(each) for one in dialog.ids if (each := view.world.get(one)))
        else:
            title = words.deed(verb, kind, view.world.label(it) if it else "")
        warning, look = words.text(verb.warning), "danger" if verb.deletes else "primary"
        beside = view.world.facts(it) if it else {}
    title = squash(title)
    sections = [kept(view, "dialog", (title, warning, names), lambda: _opening(title, warning, names))]
    for name in form.visible(kind, beside):
        sections += _fields(view, kind, form, name, beside, title, "dialog")
    if it is not None and dialog.about == "verb" and kind.verb(dialog.verb).confirm == "typed":
        sections.append(_confirm(view, form, view.world.label(it), title))
    states = ("disabled",) if on_forms.is_held(view) else ()
    buttons = (Press("cancel", words.text("Cancel")), Press("submit", submit, look, "", states))
    return title, [*sections, *_end(view, buttons, form, title, "dialog")]


def _opening(title: str, *texts: str) -> Section:
    nodes = (Say(title, "h2"), *(Say(text) for text in texts if text))
    return Section("dialog", nodes, group=title, region="dialog")


def _confirm(view: View, form: Form, label: str, group: str) -> Section:
    def make() -> Section:
        entry = Entry("confirm", view.words.say("Type {label} to confirm", label=label), form.confirm)
        return Section("confirm", (Field(entry),), group=group, region="dialog")

    return kept(view, "confirm", (label, form.confirm, group), make)


def _placed(view: View, key: str, title: str, sections: list[Section]) -> Pane:
    if view.variant.form == "drawer":
        return Pane("dialog", _WIDE - DRAWER - 60, DRAWER + 60, 0, _HIGH, sections, key=key, label=title, pad=20)
    pane = Pane("dialog", (_WIDE - DIALOG) // 2, DIALOG, 0, 0, sections, key=key, label=title, pad=20)
    pane.height = min(pane.content, DIALOG_MOST)
    pane.top = (_HIGH - pane.height) // 2
    return pane
