"""The element-set policy as PPO sees it: an action drawn from its heads, how likely it was, and what it is worth."""

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from learning import batches, packing
from learning.arrays import DIRECTIONS, KEYS, KINDS, Arrays
from learning.candidates import LOW, NONE, Label
from learning.critic import Binned, critic_of, judged
from learning.features import Scene
from learning.networks import ElementSetPolicy, run, tensors
from learning.ppo import ActorCritic, Judged
from learning.rows import Lengths, Named
from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Press, Scroll, Select, Type, Wait

ARGUMENTS = ("element", "source", "option", "key", "direction")  # NONE where a kind has no such argument
NAMES = ("kind", *ARGUMENTS)
POINTED = ("click", "type", "answer")  # kinds that point at an element
TYPE, SELECT, PRESS, SCROLL = (KINDS.index(name) for name in ("type", "select", "press", "scroll"))
ENDING = tuple(KINDS.index(name) for name in ("finish", "answer", "give_up"))  # not tried just to see what happens
_DID_NOT_KNOW = "I do not know how to go on."


class Acting(ActorCritic):
    """A policy with a critic of its own: what the policy says of success is for people, the critic's is for PPO."""

    def __init__(self, policy: ElementSetPolicy, environments: int = 1, *, bins: int = 0, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.policy = policy
        policy.hasten()
        self.critic = critic_of(policy.shape.width, environments, bins=bins)
        self._seen = _Seen()
        weakref.finalize(self, policy.value.register_forward_pre_hook(self._seen.see).remove)

    def outputs(self, inputs: Named) -> tuple[dict[str, Tensor], Tensor]:
        """The policy's outputs by name, and (B,) values: one pass through the trunk for both."""
        found, value, _ = self._outputs(inputs)
        return found, value

    def _outputs(self, inputs: Named) -> tuple[dict[str, Tensor], Tensor, Tensor | None]:
        found = run(self.policy, inputs)
        return found, *judged(self.critic, self._seen.state, inputs["environment"])

    def forward(self, inputs: Named, actions: Named) -> Judged:
        """See ppo.ActorCritic; actions by NAMES."""
        found, value, sizes = self._outputs(inputs)
        return Judged(log_prob(found, actions), entropy(found), value, sizes)

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """The weights of another, whose critic may be of the other kind."""
        bins = len(weights["critic.at"]) if "critic.at" in weights else 0
        if bins != (len(self.critic.at) if isinstance(self.critic, Binned) else 0):
            device = self.critic.mean.device
            self.critic = critic_of(self.policy.shape.width, len(self.critic.mean), bins=bins).to(device)
        self.load_state_dict({name: torch.from_numpy(each.copy()) for name, each in weights.items()})


class _Seen:
    """The page's vector on its way into the policy's own value head; a hook that holds no critic."""

    def __init__(self) -> None:
        self.state = torch.empty(0)

    def see(self, _: nn.Module, given: tuple[Tensor, ...]) -> None:
        """Keep it."""
        self.state = given[0]


def log_prob(outputs: Mapping[str, Tensor], actions: Mapping[str, Tensor]) -> Tensor:
    """(B,) the sum over the heads that have a say in what was done."""
    kind = actions["kind"]
    total = outputs["kind"].log_softmax(-1).gather(1, kind[:, None])[:, 0]
    element = actions["element"]
    for name in POINTED:
        total = total + _said(outputs[name], element, kind == KINDS.index(name))
    rows = torch.arange(len(kind), device=kind.device)
    sources = outputs["source"][rows, element.clamp(min=0)]  # (B, G)
    total = total + _said(sources, actions["source"], kind == TYPE)
    for name, speaks in (("option", SELECT), ("key", PRESS), ("direction", SCROLL)):
        total = total + _said(outputs[name], actions[name], kind == speaks)
    return total


def entropy(outputs: Mapping[str, Tensor]) -> Tensor:
    """(B,) of the whole action: of its kind, and of each kind's arguments as often as that kind is chosen."""
    chances = outputs["kind"].softmax(-1)
    total = _entropy(outputs["kind"])
    for name in POINTED:
        total = total + chances[:, KINDS.index(name)] * _entropy(outputs[name])
    fields = outputs["type"].softmax(-1)
    total = total + chances[:, TYPE] * (fields * _entropy(outputs["source"])).sum(-1)
    for name, kind in (("option", SELECT), ("key", PRESS), ("direction", SCROLL)):
        total = total + chances[:, kind] * _entropy(outputs[name])
    return total


def _said(logits: Tensor, chosen: Tensor, speaks: Tensor) -> Tensor:
    """(B, X), (B,), (B,) -> (B,) log-probability of what was chosen; 0 where this head had no say."""
    found = logits.log_softmax(-1).gather(1, chosen.clamp(min=0)[:, None])[:, 0]
    return torch.where(speaks, found, torch.zeros_like(found))


def _entropy(logits: Tensor) -> Tensor:
    """(..., X) -> (...,)."""
    log_p = logits.log_softmax(-1)
    return -(log_p.exp() * log_p).sum(-1)


def drawn(
    outputs: Mapping[str, Tensor], generator: torch.Generator, *, even: float = 0.0
) -> tuple[dict[str, Tensor], Tensor]:
    """An action of each state by NAMES, (B,) each, and (B,) with which log-probability it was drawn.

    With probability `even` every head that is asked chooses evenly among what can be done there and does not end the
    episode (exploration); the log-probability is that of the whole, so that what is learnt from it is weighed right.
    """
    kind, total = _draw(outputs["kind"], generator, even, shunned=ENDING)
    rows = torch.arange(len(kind))
    asked = {name: outputs[name] for name in POINTED}
    elements = {name: _draw(logits, generator, even) for name, logits in asked.items()}
    found = {name: torch.full_like(kind, NONE) for name in ARGUMENTS}
    for name, (element, chance) in elements.items():
        speaks = kind == KINDS.index(name)
        found["element"] = torch.where(speaks, element, found["element"])
        total = total + torch.where(speaks, chance, 0.0)
    sources = outputs["source"][rows, elements["type"][0]]
    for name, logits, speaking in (
        ("source", sources, TYPE),
        ("option", outputs["option"], SELECT),
        ("key", outputs["key"], PRESS),
        ("direction", outputs["direction"], SCROLL),
    ):
        choice, chance = _draw(logits, generator, even)
        found[name] = torch.where(kind == speaking, choice, NONE)
        total = total + torch.where(kind == speaking, chance, 0.0)
    return {"kind": kind, **found}, total


def _draw(
    logits: Tensor, generator: torch.Generator, even: float, *, shunned: tuple[int, ...] = ()
) -> tuple[Tensor, Tensor]:
    """(B, X) -> (B,) index and (B,) log-probability; what is LOW is never drawn where anything is not."""
    chances = logits.softmax(-1)
    if even > 0:
        possible = (logits > LOW / 2).to(chances.dtype)
        possible[:, shunned] = 0.0
        spread = possible / possible.sum(-1, keepdim=True).clamp(min=1.0)
        chances = torch.where(possible.any(-1, keepdim=True), (1 - even) * chances + even * spread, chances)
    index = torch.multinomial(chances, 1, generator=generator)
    return index[:, 0], chances.gather(1, index)[:, 0].log()


def action_of(seen: Scene, chosen: Mapping[str, int]) -> Action:
    """What the indices of one decision say in the words of the page."""
    kind = KINDS[chosen["kind"]]
    element = seen.elements[chosen["element"]] if chosen["element"] != NONE else None
    if kind == "select":
        row, text = seen.options[chosen["option"]]
        return Select(seen.elements[row].ref, text)
    if kind == "press":
        return Press(KEYS[chosen["key"]])  # type: ignore[arg-type]  # KEYS are its literals
    if kind == "scroll":
        return Scroll(DIRECTIONS[chosen["direction"]])  # type: ignore[arg-type]  # so are these
    if kind == "wait":
        return Wait()
    if element is None:
        return Finish() if kind == "finish" else GiveUp(_DID_NOT_KNOW)
    if kind == "type":
        return Type(element.ref, seen.texts[chosen["source"]][1])
    return Click(element.ref) if kind == "click" else Finish(element.name or element.value)


def taught(label: Label) -> dict[str, int]:
    """A right action as one decision: of equally right arguments the first."""
    found = {"element": label.elements, "source": label.sources, "option": label.options}
    indices = {name: int(mask.argmax()) if mask.any() else NONE for name, mask in found.items()}
    return {"kind": label.kind, **indices, "key": label.key, "direction": label.direction}


@dataclass(frozen=True)
class Pages:
    """Decisions on pages of any size, which stand in a batch without padding."""

    arrays: Sequence[Arrays]
    actions: Mapping[str, Tensor]  # by NAMES, each (N,)
    environment: Tensor  # (N,)

    @cached_property
    def lengths(self) -> Lengths:
        """Tokens of each page."""
        return self._shelf.lengths()

    def take(self, chosen: Lengths) -> tuple[Named, Named]:
        """See rows.Rows; the inputs are a packed batch."""
        at = torch.from_numpy(chosen)
        inputs = tensors(self._shelf.take(chosen))
        inputs["environment"] = self.environment[at]
        return inputs, {name: each[at] for name, each in self.actions.items()}

    @cached_property
    def _shelf(self) -> packing.Shelf:
        return packing.shelved(self.arrays)


def trimmed(inputs: Named) -> Named:
    """The same without goal tokens that no row has, but for one: those that are not there count as a match of 0."""
    goals = min(inputs["goal_there"].shape[1], int(inputs["goal_there"].any(0).sum()) + 1)
    found = dict(inputs)
    for name in ("goal_words", "goal_numbers", "goal_there"):
        found[name] = inputs[name][:, :goals]
    for name in ("element_pairs", "history_pairs", "option_pairs"):
        found[name] = inputs[name][:, :, :goals]
    return found


def batch_of(pages: Sequence[Arrays], environment: Sequence[int]) -> Named:
    """Several pages as inputs."""
    inputs = tensors(batches.inputs_of(pages))
    inputs["environment"] = torch.tensor(environment)
    return trimmed(inputs)
