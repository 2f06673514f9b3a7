"""A world of one number, for tests of what plays worlds; some of its buttons break it in the ways worlds break."""

import os
import signal
import time
from typing import Any

from msgspec import structs

from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Finish
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Proposal
from sandbox.contracts.tasks import (
    Check,
    Environment,
    Goal,
    Outcome,
    Parameter,
    Risk,
    Split,
    Task,
    Template,
    Verification,
)
from sandbox.registry import Registered
from sandbox.variants import Dimension

ENVIRONMENT = Environment("tiny", "Tiny", "One number", real=False, practice=True)
TEMPLATE = Template(
    id="tiny/count",
    environment="tiny",
    title="Count",
    summary="Count to a number",
    parameters=(Parameter("target", "Target", kind="integer", minimum=1, maximum=5),),
    phrases=("Count to {target}.",),
    risk=Risk.REVERSIBLE,
    max_steps=12,
)
BUTTONS = ("more", "less", "break", "hang", "spin", "deaf", "die", "raise", "nonsense", "wild")
REF = {name: ref for ref, name in enumerate(BUTTONS, 1)}


class Tiny:
    """The world. `break` is what cannot be undone; the buttons after it break the simulator itself."""

    def __init__(self) -> None:
        self.number, self.target, self.broken, self.closed = 0, 1, False, False

    def reset(self, task: Task) -> Observation:
        self.number, self.broken = 0, False
        self.target = int(dict(task.goal.fields)["target"])
        return self._seen()

    def act(self, action: Action) -> tuple[ActResult, Observation]:
        name = dict(enumerate(BUTTONS, 1)).get(getattr(action, "element", 0), "")
        before = self.number
        self.number += {"more": 1, "less": -1}.get(name, 0)
        self.broken |= name == "break"
        answer = _FAULTS.get(name, lambda it: None)(self)
        outcome = ActOutcome.DONE if self.number != before or name == "break" else ActOutcome.NO_EFFECT
        return answer or (ActResult(outcome), self._seen())

    def verify(self, answer: str) -> Verification:
        held = self.number == self.target and not self.broken
        return Verification(Outcome.VERIFIED if held else Outcome.FAILED, (Check("counted", held),))

    def progress(self) -> float:
        return max(0.0, 1 - abs(self.target - self.number) / self.target)

    def harm(self) -> tuple[str, ...]:
        return ("broken",) * self.broken

    def close(self) -> None:
        self.closed = True

    def _seen(self) -> Observation:
        buttons = tuple(Element(ref, "button", name) for name, ref in REF.items())
        shown = Element(99, "text", str(self.number), actionable=False)
        return Observation("tiny://", "Tiny", (*buttons, shown), fingerprint=f"{self.number}{self.broken}")


class Sturdy(Tiny):
    """The same without the buttons that break the simulator."""

    def _seen(self) -> Observation:
        seen = super()._seen()
        return structs.replace(seen, elements=(*seen.elements[: REF["break"]], seen.elements[-1]))


def _deaf(_: Tiny) -> Any:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])  # no alarm gets through: only killing helps
    time.sleep(60)


def _spin(_: Tiny) -> Any:
    while True:
        try:
            sum(range(10_000))
        except Exception:  # noqa: S112  # a world that swallows all it can
            continue


def _raise(_: Tiny) -> Any:
    raise LookupError("the world has lost its number")


def _wild(it: Tiny) -> Any:
    it.number, it.target = 10**9, -1
    it.progress = lambda: float("nan")  # type: ignore[method-assign]  # a state gone wild


_FAULTS: dict[str, Any] = {
    "hang": lambda _: time.sleep(60),
    "spin": _spin,
    "deaf": _deaf,
    "die": lambda _: os._exit(3),
    "raise": _raise,
    "nonsense": lambda _: (ActResult(ActOutcome.DONE), {"url": 7}),
    "wild": _wild,
}


class Count:
    """Its one template."""

    template = TEMPLATE

    def sample(self, seed: int, split: Split) -> dict[str, str]:
        return {"target": str(seed % 5 + 1)}

    def oracle(self, task: Task) -> "Counting":
        return Counting()


class Counting:
    """Its oracle."""

    def act(self, observation: Observation, goal: Goal, history: Any) -> Proposal:
        missing = int(dict(goal.fields)["target"]) - int(observation.elements[-1].name)
        action: Action = Click(REF["more" if missing > 0 else "less"]) if missing else Finish()
        return Proposal(action, 1.0, policy="oracle")


DIMENSIONS = (Dimension("tone", tuple(f"t{n}" for n in range(50)), test=("t49",)),)
REGISTERED = Registered(ENVIRONMENT, {TEMPLATE.id: Count()}, None, Tiny, DIMENSIONS)


def make(_: str) -> Tiny:
    """For a pool."""
    return Tiny()


def task(target: int = 3, variant: str = "tiny") -> Task:
    """Count to a number."""
    fields = (("target", str(target)),)
    return Task(variant, TEMPLATE.id, Goal(f"Count to {target}.", fields), seed=target, max_steps=12)
