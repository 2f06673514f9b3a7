"""Small builders of the rows and contract values that tests need."""

import itertools
from pathlib import Path

from sandbox.contracts import storage as files
from sandbox.contracts.actions import ActOutcome, ActResult, Click, Finish
from sandbox.contracts.observations import Box, Element, Observation
from sandbox.contracts.tasks import Goal, Outcome, Risk, Task, Verification
from sandbox.contracts.trajectories import Decision, Step, Trajectory
from webapp.accounts.models import Role, User
from webapp.rollouts.artefacts import FILES

_numbers = itertools.count(1)


def a_user(role: Role = Role.OPERATOR, *, username: str = "") -> User:
    """A person who can sign in with the password `correct horse battery`."""
    name = username or f"{role}-{next(_numbers)}"
    return User.objects.create_user(username=name, password="correct horse battery", role=role)


def an_observation(*names: str) -> Observation:
    """A page of buttons with these names, refs from 1."""
    elements = tuple(
        Element(ref=ref, role="button", name=name, box=Box(10, 40 * ref, 100, 30))
        for ref, name in enumerate(names, start=1)
    )
    return Observation(url="http://127.0.0.1/", title="page", elements=elements, fingerprint="f" * 64)


def a_task(*, template: str = "object-store/change-quota", seed: int = 1) -> Task:
    """A task with one field."""
    environment = template.split("/")[0]
    return Task(environment=environment, template=template, goal=Goal("do it", (("bucket", "logs"),)), seed=seed)


def a_trajectory(
    *, id: str = "", decision: Decision = "approved", template: str = "object-store/change-quota"
) -> Trajectory:
    """Two steps: a click that was decided on, and the end."""
    page = an_observation("Save", "Cancel")
    done = ActResult(ActOutcome.DONE)
    steps = (
        Step(page, None, "policy", decision, "user", Risk.REVERSIBLE, Click(1), done),
        Step(page, None, "policy", "approved", "user", Risk.READ, Finish(), done),
    )
    return Trajectory(
        id=id or f"t{next(_numbers)}",
        task=a_task(template=template),
        steps=steps,
        verification=Verification(Outcome.VERIFIED),
        policy="v1",
        verdict="good",
    )


def packed(trajectory: Trajectory) -> tuple[str, bytes]:
    """Content hash and file content of a trajectory."""
    content = files.pack(trajectory)
    return files.address(content), content


def a_policy_folder(folder: Path, *, text: str = "") -> Path:
    """A folder with a policy's files; their content tells folders apart and is not meant to act."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (folder / name).write_text(f"{name} {text or next(_numbers)}")
    return folder
