"""What a key does where the focus is, as browsers do it and the page's script makes sure that they do."""

from typing import TYPE_CHECKING

from sandbox.contracts.actions import ActOutcome, Key
from sandbox.worlds.console.nodes import Choice, Entry, Press, Tick
from sandbox.worlds.console.places import Event

if TYPE_CHECKING:
    from sandbox.worlds.console.tree import TreeFace

_DONE = (ActOutcome.DONE, "")


def pressed(face: "TreeFace", key: Key) -> tuple[ActOutcome, str]:
    """Press one key."""
    if key == "Tab":
        _tab(face)
        return _DONE
    found = face.thing(face.focus) if face.focus else None
    if key == "Escape":
        if face.screen.modal or face.view.drawer:
            face.send(Event("key", face.focus, key))
        return _DONE
    if found is None:
        return _DONE
    it = found[1]
    match it.node:
        case Press():
            if key == "Enter" or (key == "Space" and not it.node.href):
                face.send(Event("click", it.key))
        case Tick() if key == "Space":
            face.send(Event("input", it.key, "no" if it.node.checked else "yes"))
        case Choice():
            _move(face, it.node, key)
        case Entry():
            _edit(face, it.node, key)
    return _DONE


def _tab(face: "TreeFace") -> None:
    stops = face.screen.stops
    if not stops:
        return
    at = stops[face.focus] + 1 if face.focus in stops else 0
    face.focus = list(stops)[at % len(stops)]
    found = face.thing(face.focus)
    if found is not None:
        face.reveal(found[0], found[2])


def _move(face: "TreeFace", node: Choice, key: Key) -> None:
    step = {"ArrowDown": 1, "ArrowUp": -1}.get(key, 0)
    at = node.options.index(node.value) + step if node.value in node.options else -1
    if step and 0 <= at < len(node.options):
        face.send(Event("input", node.key, node.options[at]))


def _edit(face: "TreeFace", node: Entry, key: Key) -> None:
    if key == "Enter":
        face.send(Event("key", node.key, key))
    elif node.kind != "date":
        now = node.value
        then = now[:-1] if key == "Backspace" else f"{now} "[: node.max_length] if key == "Space" else now
        if then != now:
            face.send(Event("input", node.key, then))
