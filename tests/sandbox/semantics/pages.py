"""Pages and trajectories for tests of what is made of them."""

from collections.abc import Sequence

from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Finish, GiveUp, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Goal, Outcome, Risk, Task, Verification
from sandbox.contracts.trajectories import Step, Trajectory

DONE = ActResult(ActOutcome.DONE)
SAVE, NAME = Click(1), 2


def page(*more: Element, url: str = "http://c/a", toasts: tuple[str, ...] = (), pending: int = 0) -> Observation:
    """A page with a Save button, a Name field, and more."""
    elements = (Element(1, "button", "Save"), Element(NAME, "textbox", "Name", states=("editable",)), *more)
    mark = f"{url}{toasts}{[(each.role, each.name, each.value, each.states) for each in elements]}"
    return Observation(url, "Page", elements, toasts=toasts, pending=pending, fingerprint=mark)


def text(said: str, *, region: str = "main", states: tuple[str, ...] = ()) -> Element:
    """Something to read."""
    return Element(9, "text", said, region=region, states=states, actionable=False)


def played(
    steps: Sequence[tuple[Observation, Action, ActResult]],
    *,
    id: str = "t",
    held: bool = False,
    environment: str = "web",
) -> Trajectory:
    """A trajectory of these steps."""
    outcome = Outcome.VERIFIED if held else Outcome.FAILED
    task = Task(environment, "", Goal("do it"), seed=1)
    made = tuple(Step(seen, None, "policy", None, None, Risk.READ, action, result) for seen, action, result in steps)
    return Trajectory(id, task, made, Verification(outcome))


def failures(kind: str, count: int) -> list[Trajectory]:
    """So many failed trajectories of one kind, no two alike."""
    return [played(_KINDS[kind](number), id=f"{kind}-{number}") for number in range(count)]


def _typing(number: int) -> list[tuple[Observation, Action, ActResult]]:
    return [(page(url=f"http://c/{n}"), Type(NAME, f"v{n}"), DONE) for n in range(number % 3 + 1)]


_KINDS = {
    "refused_input": lambda n: [
        *_typing(n),
        (page(), SAVE, DONE),
        (page(text("Name is required", states=("invalid",))), SAVE, DONE),
        (page(url="http://c/b"), Finish(), DONE),
    ],
    "loop": lambda n: [*_typing(n), *[(page(), SAVE, DONE), (page(url="http://c/b"), SAVE, DONE)] * 4],
    "gave_up": lambda n: [*_typing(n), (page(), GiveUp("no idea"), DONE)],
    "time_out": lambda n: [
        *_typing(n),
        *[(page(url=f"/{k}"), SAVE, ActResult(ActOutcome.TIMED_OUT)) for k in range(4)],
    ],
    "blocked_by_policy": lambda n: [
        *_typing(n),
        (page(), SAVE, ActResult(ActOutcome.BLOCKED_REQUEST, "POST /x is cost; permitted was read")),
        (page(url="/2"), SAVE, ActResult(ActOutcome.BLOCKED_REQUEST, "POST /x is cost; permitted was read")),
        (page(), Finish(), DONE),
    ],
    "not_found": lambda n: [*_typing(n), (page(), SAVE, DONE), (page(text("Page not found")), Finish(), DONE)],
    "wrong_target": lambda n: [*_typing(n), (page(), SAVE, DONE), (page(toasts=("Disk d1 deleted",)), Finish(), DONE)],
}
