"""What an action changed, as compact targets, and the losses of foreseeing it; pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from learning.arrays import KINDS, ROLES, USELESS, Bools, Floats, number_of
from learning.losses import pointing
from sandbox.contracts.actions import ActOutcome
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Goal

PAGE = ("anything", "dialogs", "address", "toasts", "useless")
APPEARED = len(ROLES) + 1  # one for roles that are not known
_PASSING = frozenset({"focused", "offscreen"})  # states that come and go by themselves
_ROWS = 3  # changed rows that a goal names
_FIELDS = 8


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a page. E elements of the page before."""

    gone: Bools  # (E,)
    altered: Bools  # (E,) still there, with another value or state
    appeared: Bools  # (APPEARED,) roles of elements that were not there before
    page: Floats  # (len(PAGE),)


def changed(before: Observation, after: Observation, elements: Sequence[Element], outcome: ActOutcome) -> Change:
    """What an action did; `elements` are those of `before` that the network sees."""
    there, known = _by_key(after.elements), Counter(_key(each) for each in before.elements)
    gone, altered = np.zeros(len(elements), np.bool_), np.zeros(len(elements), np.bool_)
    met: Counter[tuple[str, ...]] = Counter()
    for index, element in enumerate(elements):
        key = _key(element)
        same = there.get(key, [])
        if met[key] < len(same):
            altered[index] = _held(same[met[key]]) != _held(element)
        else:
            gone[index] = True
        met[key] += 1
    appeared = np.zeros(APPEARED, np.bool_)
    for key, same in there.items():
        if len(same) > known[key]:
            appeared[number_of(same[0].role, ROLES)] = True
    page = [
        bool(gone.any() or altered.any() or appeared.any()),
        before.dialogs != after.dialogs,
        before.url != after.url,
        before.toasts != after.toasts,
        outcome in USELESS,
    ]
    return Change(gone, altered, appeared, np.array(page, np.float32))


def told(before: Observation, after: Observation) -> Goal | None:
    """A later state as the goal of what led there: what is held now and was not, and what is new; None where nothing.

    Fields that hold something else, and the rows and titles that came, are the goal's fields; notices, dialogs and
    headings that came are its text.
    """
    there = _by_key(before.elements)
    fields: dict[str, str] = {}
    rows: dict[str, str] = {}
    said = [each for each in (*after.dialogs, *after.toasts) if each not in (*before.dialogs, *before.toasts)]
    for element in after.elements:
        earlier = there.get(_key(element), [])
        if earlier and _held(earlier[0]) == _held(element):
            continue
        name = (element.label or element.name).lower()
        if name and element.value and ("editable" in element.states or element.options):
            if earlier or element.value != (*element.options, "")[0]:  # a new field that holds what it begins with
                fields.setdefault(name, element.value)
        elif element.row:
            rows.setdefault(element.row, element.row.split(" | ")[0])
        elif not earlier and element.role in ("heading", "tab") and element.name not in said:
            said.append(element.name)
    if len(rows) <= _ROWS:
        fields |= {f"name {n}" if n else "name": text for n, text in enumerate(dict.fromkeys(rows.values()))}
    if not fields and not said:
        return None
    return Goal(". ".join(said[:6]), tuple(list(fields.items())[:_FIELDS]))


def _key(element: Element) -> tuple[str, ...]:
    return (element.role, element.name, element.label, element.row, element.region)


def _held(element: Element) -> tuple[str, tuple[str, ...]]:
    return element.value, tuple(state for state in element.states if state not in _PASSING)


def _by_key(elements: Sequence[Element]) -> dict[tuple[str, ...], list[Element]]:
    found: dict[tuple[str, ...], list[Element]] = {}
    for each in elements:
        found.setdefault(_key(each), []).append(each)
    return found


def change_loss(
    elements: Tensor,  # (B, E, 2) logits: gone, altered
    page: Tensor,  # (B, len(PAGE) + APPEARED) logits
    happened: Mapping[str, Tensor],  # gone and altered (B, E), appeared (B, APPEARED), page (B, len(PAGE))
    there: Tensor,  # (B, E) bool
) -> Tensor:  # (B,)
    """Binary cross-entropy of everything foreseen: mean over the elements plus mean over the page's bits."""
    wanted = torch.stack([happened["gone"], happened["altered"]], -1).to(elements.dtype)
    each = functional.binary_cross_entropy_with_logits(elements, wanted, reduction="none").mean(-1)
    weight = there.to(each.dtype)
    of_elements = (each * weight).sum(1) / weight.sum(1).clamp(min=1.0)
    bits = torch.cat([happened["page"], happened["appeared"].to(page.dtype)], -1)
    return of_elements + functional.binary_cross_entropy_with_logits(page, bits, reduction="none").mean(-1)


def inverse_loss(
    kinds: Tensor,  # (B, KINDS) logits
    pointer: Tensor,  # (B, E) logits
    labels: Mapping[str, Tensor],  # of batches.labels_of, with `parents` (B, E): the select of a chosen option
) -> Tensor:  # (B,)
    """-log p of the kind of the action between two states and of the element that it used, where it used one."""
    used = labels["elements"] | labels["parents"]
    answered = labels["kind"] == KINDS.index("answer")  # ends the task: no second state tells its element
    pointed = pointing(pointer, used & ~answered[:, None])
    return functional.cross_entropy(kinds, labels["kind"], reduction="none") + pointed
