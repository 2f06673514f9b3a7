"""What docs/console.md says of adding a kind and a task holds: its code is run, and what comes of it is solved."""

import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import msgspec

from sandbox.contracts.tasks import Outcome, Risk
from sandbox.tasks import bind
from sandbox.worlds.console import declare, jobs, tasks
from sandbox.worlds.console.blanks import Blank
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.kinds import shared
from sandbox.worlds.console.simulator import ConsoleSimulator
from sandbox.worlds.console.soundness import checked
from sandbox.worlds.console.specs import ConsoleTask, by_id, spec
from sandbox.worlds.console.templates.declared import declared
from tests.sandbox.console.play import play

DOCUMENT = Path(__file__).parents[3] / "docs" / "console.md"
FIRST, SECOND = (dedent(code) for code in re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL))
NAMES: dict[str, Any] = {**vars(declare), **vars(jobs), **vars(shared), "Risk": Risk, "Blank": Blank, "spec": spec}


def solved(kind: ConsoleTask) -> bool:
    """Whether the teacher solves a random task."""
    task = bind(kind.template, kind.sample(1, "train"), seed=1)
    return play(ConsoleSimulator(), kind, task)[0].outcome is Outcome.VERIFIED


def test_a_kind_added_as_the_page_says_brings_its_tasks_with_it() -> None:
    names = dict(NAMES)
    exec(FIRST, names)  # noqa: S102  # the page's own example
    console = checked(msgspec.structs.replace(CLOUD, name="bigger", kinds=(*CLOUD.kinds, names["QUEUE"])))
    made = {
        name: each for name, each in by_id(declared((), console)).items() if name.endswith(("-queue", "-queue-fact"))
    }
    tasks.know(made)
    assert set(made) == {
        f"bigger/{name}" for name in ("create-queue", "find-queue-fact", "edit-queue", "pause-queue", "delete-queue")
    }
    assert all(solved(each) for each in made.values())


def test_a_task_added_as_the_page_says_is_solved() -> None:
    added = eval(SECOND, {**NAMES, "CLOUD": CLOUD})  # noqa: S307  # the page's own example
    tasks.know(by_id((added,)))
    assert solved(added)
