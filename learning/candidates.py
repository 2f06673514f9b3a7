"""Between an action and its indices in a scene: labels for learning, and every possible action ranked for acting."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learning import lexical
from learning.arrays import DIRECTIONS, KEYS, KINDS
from learning.features import Scene
from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Navigate, Press, Scroll, Select, Type, Wait

NONE = -1
LOW = -1e4  # logit of what is impossible; finite, so that it survives every export and precision

Logits = Mapping[str, NDArray[np.float32]]

MOST = 24  # candidates of a kind, and of all kinds together


@dataclass(frozen=True, slots=True)
class Label:
    """The right action as indices; NONE where a head has no say. Masks name all that come to the same action."""

    kind: int
    elements: NDArray[np.bool_]  # (E,) all False where no element is pointed at
    sources: NDArray[np.bool_]  # (G,) goal tokens with the text to type
    options: NDArray[np.bool_]  # (O,)
    key: int = NONE
    direction: int = NONE


@dataclass(frozen=True, slots=True)
class Candidate:
    """One possible action."""

    action: Action
    log_probability: float
    element: int = NONE  # row in the scene
    source: int = NONE  # goal token that the text comes from


def label(scene: Scene, action: Action) -> Label | None:
    """The indices of an action in this scene; None where the network could never say it."""
    count = len(scene.elements)
    elements = np.zeros(count, np.bool_)
    sources = np.zeros(len(scene.arrays.goal_there), np.bool_)
    options = np.zeros(len(scene.options), np.bool_)
    key = direction = NONE
    match action:
        case Click(element):
            kind = "click"
            elements[:] = _pointed(scene, element) & scene.arrays.element_can[:, 0]
        case Type(element, text):
            kind = "type"
            elements[:] = _pointed(scene, element) & scene.arrays.element_can[:, 1]
            sources[: len(scene.texts)] = [_same(source, text) for _, source in scene.texts]
        case Select(element, option):
            kind = "select"
            refs = [scene.elements[row].ref for row, _ in scene.options]
            options[:] = [
                ref == element and _same(text, option) for ref, (_, text) in zip(refs, scene.options, strict=True)
            ]
        case Press(name):
            kind, key = "press", KEYS.index(name)
        case Scroll(way):
            kind, direction = "scroll", DIRECTIONS.index(way)
        case Wait():
            kind = "wait"
        case Finish(answer):
            kind = "answer" if answer else "finish"
            if answer:
                said = [answer in (each.name, each.value) for each in scene.elements]
                elements[:] = np.array(said, np.bool_) & scene.arrays.element_can[:, 2]
        case GiveUp():
            kind = "give_up"
        case Navigate():
            return None
    missing = (kind in ("click", "type", "answer") and not elements.any()) or (kind == "type" and not sources.any())
    if missing or (kind == "select" and not options.any()):
        return None
    return Label(KINDS.index(kind), elements, sources, options, key, direction)


def _pointed(scene: Scene, ref: int) -> NDArray[np.bool_]:
    return np.array([each.ref == ref for each in scene.elements], np.bool_)


def _same(source: str, text: str) -> bool:
    return lexical.read(source).plain == lexical.read(text).plain


def log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Along the last axis; an empty axis stays empty."""
    if logits.shape[-1] == 0:
        return logits
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), np.float32)


def ranked(scene: Scene, logits: Logits) -> list[Candidate]:
    """The likeliest actions, exactly: every kind with every argument it can take; the same action's ways add up."""
    kinds = log_softmax(logits["kind"])
    found: list[Candidate] = []
    clicks = log_softmax(logits["click"]) + kinds[KINDS.index("click")]
    for row in _best(clicks):
        found.append(Candidate(Click(scene.elements[row].ref), float(clicks[row]), row))
    sources = log_softmax(logits["source"])[:, : len(scene.texts)]
    typing = (log_softmax(logits["type"]) + kinds[KINDS.index("type")])[:, None] + sources
    for flat in _best(typing.reshape(-1)):
        row, g = divmod(int(flat), max(len(scene.texts), 1))
        text = scene.texts[g][1]
        found.append(Candidate(Type(scene.elements[row].ref, text), float(typing[row, g]), row, g))
    options = log_softmax(logits["option"]) + kinds[KINDS.index("select")]
    for index in _best(options):
        row, text = scene.options[index]
        found.append(Candidate(Select(scene.elements[row].ref, text), float(options[index]), row))
    answers = log_softmax(logits["answer"]) + kinds[KINDS.index("answer")]
    for row in _best(answers):
        element = scene.elements[row]
        found.append(Candidate(Finish(element.name or element.value), float(answers[row]), row))
    found += _without_element(logits, kinds)
    return _merged(found)[:MOST]


def _best(scores: NDArray[np.float32]) -> list[int]:
    order = np.argsort(-scores, kind="stable")[:MOST]
    return [int(index) for index in order if scores[index] > LOW / 2]


def _without_element(logits: Logits, kinds: NDArray[np.float32]) -> list[Candidate]:
    keys = log_softmax(logits["key"]) + kinds[KINDS.index("press")]
    ways = log_softmax(logits["direction"]) + kinds[KINDS.index("scroll")]
    found = [Candidate(Press(key), float(keys[index])) for index, key in enumerate(KEYS)]  # type: ignore[arg-type]  # KEYS are its literals
    found += [Candidate(Scroll(way), float(ways[index])) for index, way in enumerate(DIRECTIONS)]  # type: ignore[arg-type]  # so are these
    found.append(Candidate(Wait(), float(kinds[KINDS.index("wait")])))
    found.append(Candidate(Finish(), float(kinds[KINDS.index("finish")])))
    found.append(Candidate(GiveUp("I do not know how to go on."), float(kinds[KINDS.index("give_up")])))
    return found


def _merged(found: list[Candidate]) -> list[Candidate]:
    """Equal actions as one; an answer is its words, wherever they stand."""
    groups: dict[Action, list[Candidate]] = {}
    for each in found:
        groups.setdefault(each.action, []).append(each)
    merged = []
    for action, group in groups.items():
        best = max(group, key=lambda each: each.log_probability)
        total = best.log_probability
        if len(group) > 1:  # most actions have one way alone, and NumPy takes its time
            total = float(np.logaddexp.reduce([each.log_probability for each in group]))
        merged.append(Candidate(action, total, best.element, best.source))
    return sorted(merged, key=lambda each: -each.log_probability)
