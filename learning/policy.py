"""A trained policy at work: ONNX Runtime and numpy, no torch."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from learning import batches
from learning.arrays import KINDS, OUTPUTS, USELESS, VERSION
from learning.candidates import NONE, Candidate, ranked
from learning.features import Scene
from learning.history import kind_of
from learning.lexical import has, read
from learning.readings import compare_words, reading_of
from sandbox.contracts.actions import Action, Finish, GiveUp, Press, Scroll, Select, Type, Wait
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Alternative, Past, Proposal
from sandbox.contracts.tasks import Goal

USELESS_TWICE = 2  # the same action without effect this often in a row is enough
SAME_AT_ALL = 4  # and this often with effect is going round in circles
LONG_WAIT = 12  # waits in a row


class BadPolicy(ValueError):
    """The folder holds no policy that this version can run."""


def open_session(path: Path) -> onnxruntime.InferenceSession:
    """ONNX Runtime on one core."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class NetworkPolicy:
    """Proposes by a network; the same state gives the same proposal."""

    def __init__(self, folder: Path, *, name: str) -> None:
        spec = json.loads((folder / "spec.json").read_text())
        if spec.get("features") != VERSION:
            raise BadPolicy(f"made for features {spec.get('features')}, this is version {VERSION}")
        compare_words(spec, name)
        self.name = name
        self._reading = reading_of(spec.get("shape", {}))
        self._session = open_session(folder / "policy.onnx")

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose the likeliest action that is not known to lead nowhere."""
        seen = self._reading(observation, goal, history)
        logits = self._logits(seen)
        found = ranked(seen, logits)
        allowed = [each for each in found if not leads_nowhere(each.action, observation, history)] or found
        best, *rest = allowed
        return Proposal(
            action=best.action,
            probability=_probability(best),
            alternatives=tuple(Alternative(each.action, _probability(each)) for each in rest[:3]),
            value=1 / (1 + math.exp(-float(logits["value"]))),
            policy=self.name,
            why=why(seen, best),
        )

    def _logits(self, seen: Scene) -> dict[str, NDArray[np.float32]]:
        outputs: list[Any] = self._session.run(list(OUTPUTS), batches.inputs_of([seen.arrays]))
        elements, options = len(seen.elements), len(seen.options)
        lengths = {"click": elements, "type": elements, "answer": elements, "source": elements, "change": elements}
        lengths["option"] = options
        rows = {name: output[0] for name, output in zip(OUTPUTS, outputs, strict=True)}
        return {name: row[: lengths[name]] if name in lengths else row for name, row in rows.items()}


def _probability(candidate: Candidate) -> float:
    return min(math.exp(candidate.log_probability), 1.0)  # in this order, what is not a number stays so


def leads_nowhere(action: Action, observation: Observation, history: Sequence[Past]) -> bool:
    """The loop guard: done twice in a row for nothing, or again and again whatever came of it."""
    if isinstance(action, Finish | GiveUp):
        return False
    in_a_row = 0
    for step in reversed(history):
        if not same_step(action, observation, step):
            break
        in_a_row += 1
    if isinstance(action, Wait):
        return in_a_row >= LONG_WAIT
    recent = history[-in_a_row:] if in_a_row else ()
    if in_a_row >= USELESS_TWICE and all(step.result.outcome in USELESS for step in recent[-USELESS_TWICE:]):
        return True
    return sum(same_step(action, observation, step) for step in history[-12:]) >= SAME_AT_ALL


def same_step(action: Action, observation: Observation, step: Past) -> bool:
    """Whether a step taken was this very action, whatever number its element had then."""
    if type(action) is not type(step.action):
        return False
    if isinstance(action, Press | Scroll | Wait | Finish | GiveUp):
        return action == step.action
    element = observation.element(getattr(action, "element", NONE))
    if element is None or (element.role, element.name, element.row) != (step.role, step.name, step.row):
        return False
    return _written(action) == _written(step.action)


def _written(action: Action) -> str:
    match action:
        case Type(_, text):
            return text
        case Select(_, option):
            return option
    return ""


def why(seen: Scene, candidate: Candidate) -> str:
    """The strongest match between goal and page that speaks for an action, in words."""
    if candidate.element == NONE:
        return {"finish": "everything the goal asks for looks done", "wait": "the page is still working"}.get(
            KINDS[kind_of(candidate.action)], "no element on the page fits better"
        )
    element = seen.elements[candidate.element]
    if candidate.source != NONE:
        field, text = seen.texts[candidate.source]
        return f'the goal\'s {field or "text"} "{_short(text)}" belongs into {_called(element)}'
    for field, text in seen.texts:
        place = _place(element, text, candidate.action)
        if place:
            return f'{place} the goal\'s {field or "text"} "{_short(text)}"'
    return f"{_called(element)} is the likeliest next step towards the goal"


def _place(element: Element, text: str, action: Action) -> str:
    value = read(text)
    if isinstance(action, Select) and read(action.option).plain == value.plain:
        return f'option "{_short(action.option)}" is'
    if read(element.name).plain == value.plain:
        return "it is called like"
    if has(read(element.name), value):
        return f"{_called(element)} names"
    if has(read(element.row), value):
        return f"{_called(element)} stands in the row of"
    return ""


def _called(element: Element) -> str:
    name = element.label if element.role in ("textbox", "combobox", "spinbutton") and element.label else element.name
    return f'{element.role} "{_short(name)}"' if name else f"this {element.role}"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
