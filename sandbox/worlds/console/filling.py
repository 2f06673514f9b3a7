"""How the teacher fills in what is asked for: the create form step by step, and dialogs."""

import re
from collections.abc import Mapping

from sandbox.contracts.actions import Action, Click, GiveUp, Select, Type
from sandbox.contracts.observations import Element
from sandbox.worlds.console.answers import FAILED, LOST, UNREACHED
from sandbox.worlds.console.declare import Field, Kind
from sandbox.worlds.console.looks import Look, Move, holds

_TRIES = 14  # presses in a row of a button that is refused for a while
_RETRY = (FAILED, UNREACHED)
_PASSES = ("There is already {one} named {name}.", "{verb} is not possible while it is {state}.")


def wizard_move(look: Look, kind: Kind, values: Mapping[str, str]) -> Move:
    """The next move in a kind's create form."""
    submit = look.text(kind.create_title)
    button = look.sight.usable("button", submit)
    reviewing = button is not None and any(
        look.sight.usable("button", _edit(look, step.title)) is not None for step in kind.wizard
    )
    move = _review_move(look, kind, values) if reviewing else _untagged(look) or fill(look, kind, values, kind.asked)
    if move is None:
        name = submit if button is not None else look.text("Next")
        move = refused(look, name) or look.press("button", name, "everything here is as asked")
    return move or look.wait("the form cannot go on")


def dialog_move(look: Look, kind: Kind, values: Mapping[str, str], submit: str) -> Move:
    """The next move in a dialog that asks for these values, and perhaps for a name."""
    fields = kind.asked if values.keys() <= {*kind.asked} else tuple(values)
    move = fill(look, kind, values, fields) or _confirm(look)
    if move is None:
        move = refused(look, submit) or look.press("button", submit, "confirm")
    return move or look.wait("the button cannot be pressed")


def fill(look: Look, kind: Kind, values: Mapping[str, str], fields: tuple[str, ...]) -> Move | None:
    """The first field from above that is not as asked; None where all are."""
    for name in fields:
        field = kind.field(name)
        element = look.sight.input(look.text(field.title))
        if element is None:
            continue
        wanted = _wanted(look, field, element, values)
        if wanted is not None and holds(element, field) != wanted:
            return Move(_set(element, wanted), f"{field.title} is to be {wanted or 'empty'}")
    return None


def refused(look: Look, button: str) -> Move | None:
    """What to do about a refusal that the open form shows; None where the button may be pressed (again)."""
    complaint = look.sight.complaint()
    complaints = (complaint, *(text for text in look.sight.refusals() if _says(look, text, (LOST, *_RETRY, *_PASSES))))
    if any(_says(look, text, (LOST,)) for text in complaints):
        return look.cancel()  # and see whether it was done
    if look.recall.was_blocked(button) or any(_says(look, text, _RETRY) for text in complaints):
        return None
    wrong = any("invalid" in each.states for each in look.sight.elements) or bool(complaint)
    if not wrong or not look.recall.repeats(button):
        return None
    passing = any(_says(look, text, _PASSES) for text in complaints)
    if passing and look.recall.repeats(button) < _TRIES:
        return None
    return Move(GiveUp(next(filter(None, complaints), "The console refuses it.")), "refused although all is as asked")


def _says(look: Look, text: str, answers: tuple[str, ...]) -> bool:
    return any(look.lexicon.means(each, text) for each in answers)


def _wanted(look: Look, field: Field, element: Element, values: Mapping[str, str]) -> str | None:
    """What an input is to hold, as the page shows it; None where it may hold what it does."""
    if field.name in values:
        value = values[field.name]
    elif field.type == "secret":
        return ""
    elif field.type == "tags" or (look.variant.defaults != "plain" and _is_filled(look, element, field)):
        return None  # nobody spoke of it
    else:
        value = field.default
        if not value and field.required and element.role == "combobox" and element.options:
            return element.options[-1]
    if field.type == "boolean" and element.role != "combobox":
        return value
    if element.role == "combobox":
        return look.text(value) if value else _nothing(element)
    return value


def _is_filled(look: Look, element: Element, field: Field) -> bool:
    return holds(element, field) not in ("", look.text("Choose…"))


def _nothing(element: Element) -> str:
    return element.value if not element.options or element.value not in element.options[1:] else element.options[0]


def _set(element: Element, value: str) -> Action:
    if element.role in ("checkbox", "switch"):
        return Click(element.ref)
    return Select(element.ref, value) if element.role == "combobox" else Type(element.ref, value)


def _confirm(look: Look) -> Move | None:
    """A name that has to be written out."""
    before, _, after = look.lexicon.say("Type {label} to confirm", label="\0").partition("\0")
    for each in look.sight.elements:
        found = (
            re.fullmatch(f"{re.escape(before)}(.+){re.escape(after)}", each.name) if each.role == "textbox" else None
        )
        if found and each.value != found[1]:
            return Move(Type(each.ref, found[1]), "the name has to be typed")
    return None


def _review_move(look: Look, kind: Kind, values: Mapping[str, str]) -> Move | None:
    for step in kind.wizard:
        for name in step.fields:
            fact = look.sight.fact(look.title(kind, name))
            field = kind.field(name)
            if fact is None or (name not in values and (look.variant.defaults != "plain" or field.type == "secret")):
                continue
            if fact.name == look.shown(kind, name, values.get(name, field.default)):
                continue
            edit = look.press("button", _edit(look, step.title), f"{kind.field(name).title} is not as asked")
            if edit is not None:
                return edit
    return None


def _untagged(look: Look) -> Move | None:
    """Take off tags that nobody asked for."""
    before, _, after = look.lexicon.say("Remove {tag}", tag="\0").partition("\0")
    for each in look.sight.elements:
        if (
            each.role == "button"
            and not each.row
            and re.fullmatch(f"{re.escape(before)}.+{re.escape(after)}", each.name)
        ):
            return Move(Click(each.ref), "nobody asked for this tag")
    return None


def _edit(look: Look, step: str) -> str:
    return look.lexicon.say("Edit {step}", step=look.text(step))
