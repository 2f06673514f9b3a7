"""How far a student's action distribution is from its teacher's, as pure functions of both networks' heads."""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional

from learning.arrays import KINDS


def categorical_kl(
    teacher: Tensor,  # (..., X) logits
    student: Tensor,  # (..., X) logits
    *,
    temperature: float,
) -> Tensor:  # (...,)
    """KL(teacher || student) with both softened alike."""
    theirs = functional.log_softmax(teacher / temperature, -1)
    ours = functional.log_softmax(student / temperature, -1)
    return (theirs.exp() * (theirs - ours)).sum(-1)


def action_kl(
    teacher: Mapping[str, Tensor],  # a network's outputs by name (arrays.OUTPUTS)
    student: Mapping[str, Tensor],
    *,
    temperature: float = 1.0,
) -> Tensor:  # (B,)
    """KL of whole actions, exactly, by the chain rule: of the kind, then of each argument as often as its kind is said.

    A typed text is chosen at the element that is typed into, so its divergence is averaged over the teacher's elements.
    Times the temperature squared, so that gradients keep their size whatever the temperature.
    """

    def kl(name: str) -> Tensor:
        return categorical_kl(teacher[name], student[name], temperature=temperature)

    kinds = functional.softmax(teacher["kind"] / temperature, -1)  # (B, KINDS)
    into = functional.softmax(teacher["type"] / temperature, -1)  # (B, E)
    arguments = {
        "click": kl("click"),
        "type": kl("type") + (into * kl("source")).sum(-1),
        "select": kl("option"),
        "press": kl("key"),
        "scroll": kl("direction"),
        "answer": kl("answer"),
    }
    total = kl("kind")
    for name, divergence in arguments.items():
        total = total + kinds[:, KINDS.index(name)] * divergence
    return total * temperature**2


def value_loss(teacher: Tensor, student: Tensor) -> Tensor:
    """(B,), (B,) logits of success -> (B,): cross-entropy with the teacher's probability."""
    return functional.binary_cross_entropy_with_logits(student, torch.sigmoid(teacher), reduction="none")


def feature_loss(
    teacher: Tensor,  # (B, X, D)
    student: Tensor,  # (B, X, D) already brought to the teacher's width
    there: Tensor,  # (B, X) bool
) -> Tensor:  # (B,)
    """Squared distance of what the two trunks made of each thing, each normalised; mean over what is there."""
    theirs, ours = (
        functional.layer_norm(teacher, teacher.shape[-1:]),
        functional.layer_norm(student, student.shape[-1:]),
    )
    weight = there.to(ours.dtype)
    return ((theirs - ours).square().mean(-1) * weight).sum(1) / weight.sum(1).clamp(min=1.0)
