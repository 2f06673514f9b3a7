"""A small console drawn by hand: a list of buckets, a dialog with a form, and who knows how to use them."""

import random
from collections.abc import Sequence

from msgspec import structs

from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Finish, Select, Type
from sandbox.contracts.observations import Box, Element, Observation
from sandbox.contracts.policies import Past, Proposal, past
from sandbox.contracts.tasks import Goal, Outcome, Risk, Task, Verification
from sandbox.contracts.trajectories import Step, Trajectory

DONE = ActResult(ActOutcome.DONE)
NAMES = ("amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "heron", "iris", "jade")


def a_goal(bucket: str = "logs-3", size: str = "50", unit: str = "GB") -> Goal:
    """Set a quota."""
    text = f"Change the quota of bucket {bucket} to {size} {unit}."
    return Goal(text, (("bucket", bucket), ("quota", size), ("unit", unit)))


def a_list(*buckets: str, quotas: Sequence[str] = ()) -> Observation:
    """A page with a row of buttons for each bucket."""
    elements = [
        Element(ref=1, role="link", name="Buckets", region="nav", states=("selected",)),
        Element(ref=2, role="link", name="Users", region="nav"),
        Element(ref=3, role="heading", name="Buckets", actionable=False),
        Element(ref=4, role="button", name="Create bucket"),
    ]
    for index, bucket in enumerate(buckets):
        quota = quotas[index] if quotas else "10 GB"
        row, top, ref = f"{bucket} | {quota}", 100 + 40 * index, 10 * (index + 1)
        elements += [
            Element(ref=ref, role="link", name=bucket, row=row, label="Name", box=Box(200, top, 90, 30)),
            Element(ref=ref + 1, role="cell", name=quota, row=row, label="Quota", actionable=False),
            Element(ref=ref + 2, role="button", name="Quota", row=row, box=Box(600, top, 30, 30)),
            Element(ref=ref + 3, role="button", name="Delete", row=row, box=Box(640, top, 30, 30)),
        ]
    return Observation("http://127.0.0.1/buckets", "Buckets", tuple(elements), fingerprint=f"list {buckets} {quotas}")


def a_form(size: str = "", unit: str = "MB") -> Observation:
    """The same page with a dialog open over it."""
    elements = (
        Element(ref=70, role="heading", name="Quota", region="dialog", actionable=False),
        Element(
            ref=71, role="spinbutton", name="Quota size", label="Quota size", value=size, states=("editable",),
            region="dialog",
        ),
        Element(
            ref=72, role="combobox", name="Unit", label="Unit", value=unit, options=("MB", "GB", "TB"), region="dialog"
        ),
        Element(ref=73, role="button", name="Update quota", region="dialog"),
        Element(ref=74, role="button", name="Cancel", region="dialog"),
    )  # fmt: skip
    return Observation(
        "http://127.0.0.1/buckets", "Buckets", elements, dialogs=("Manage quota",), fingerprint=f"form {size} {unit}"
    )


def right(observation: Observation, goal: Goal) -> Action:
    """What is to be done next on these pages."""
    wanted = dict(goal.fields)
    size, unit = observation.element(71), observation.element(72)
    amount = f"{wanted['quota']} {wanted['unit']}"
    if size is None or unit is None:
        row = next(each for each in observation.elements if each.name == wanted["bucket"])
        return Finish() if amount in row.row else Click(row.ref + 2)
    if size.value != wanted["quota"]:
        return Type(71, wanted["quota"])
    return Click(73) if unit.value == wanted["unit"] else Select(72, wanted["unit"])


class Knows:
    """The oracle of these pages."""

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose."""
        return Proposal(right(observation, goal), 1.0, policy="oracle")


class HandGym:
    """The console of these pages, without a browser."""

    def reset(self, task: Task) -> Observation:
        """A list with the goal's bucket among others."""
        self.goal = dict(task.goal.fields)
        rng = random.Random(task.seed)
        self.buckets = [self.goal["bucket"], *(f"{name}-{rng.randint(1, 9)}" for name in rng.sample(NAMES, 3))]
        rng.shuffle(self.buckets)
        self.quotas = ["10 GB"] * 4
        self.open_row = -1
        return self._seen()

    def act(self, action: Action) -> tuple[ActResult, Observation]:
        """Do it."""
        match action:
            case Click(ref) if ref >= 10 and ref % 10 == 2 and ref < 70:
                self.open_row, self.size, self.unit = ref // 10 - 1, "", "MB"
            case Click(74):
                self.open_row = -1
            case Click(73):
                self.quotas[self.open_row] = f"{self.size} {self.unit}"
                self.open_row = -1
            case Type(71, text):
                self.size = text
            case Select(72, option):
                self.unit = option
            case _:
                return ActResult(ActOutcome.NO_EFFECT), self._seen()
        return DONE, self._seen()

    def verify(self, answer: str) -> Verification:
        """Ask the quotas themselves."""
        wanted = f"{self.goal['quota']} {self.goal['unit']}"
        good = dict(zip(self.buckets, self.quotas, strict=True))[self.goal["bucket"]] == wanted
        others = all(q == "10 GB" for b, q in zip(self.buckets, self.quotas, strict=True) if b != self.goal["bucket"])
        return Verification(Outcome.VERIFIED if good and others else Outcome.FAILED)

    def close(self) -> None:
        """Nothing to end."""

    def _seen(self) -> Observation:
        page = a_form(self.size, self.unit) if self.open_row >= 0 else a_list(*self.buckets, quotas=self.quotas)
        return structs.replace(page, fingerprint=f"{page.fingerprint} {self.open_row}")


def a_task(seed: int, *, names: Sequence[str] = NAMES) -> Task:
    """A random quota to be set."""
    rng = random.Random(f"task {seed}")
    goal = a_goal(f"{rng.choice(names)}-{rng.randint(10, 99)}", str(rng.randint(11, 900)), rng.choice(("GB", "TB")))
    return Task("hand", "hand/change-quota", goal, seed)


def a_demonstration(seed: int) -> Trajectory:
    """The oracle at work on a random task."""
    task, gym = a_task(seed), HandGym()
    observation, steps, action = gym.reset(task), [], None
    while not isinstance(action, Finish):
        action = right(observation, task.goal)
        steps.append(Step(observation, None, "oracle", None, None, Risk.READ, action, DONE))
        _, observation = gym.act(action)
    return Trajectory(f"hand-{seed}", task, tuple(steps), gym.verify(""))


def remembered(observation: Observation, action: Action, outcome: ActOutcome = ActOutcome.DONE) -> Past:
    """A step taken on this page."""
    return past(observation, action, ActResult(outcome))
