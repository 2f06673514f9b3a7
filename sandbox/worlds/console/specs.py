"""One template of a declared console with all that its tasks are made, judged and solved by."""

import random
from collections.abc import Mapping

from msgspec import Struct

from sandbox.contracts.tasks import Risk, Split, Task, Template
from sandbox.registry import Oracle
from sandbox.worlds.console.blanks import Blank
from sandbox.worlds.console.declare import Console
from sandbox.worlds.console.jobs import Do, Job, Make
from sandbox.worlds.console.scenes import Thing
from sandbox.worlds.console.variant import Variant

_STEPS_EACH = 16
_STEPS_MORE = 14


class ConsoleTask(Struct):
    """A template, its job, its blanks and its scene; `held_out` names the one split that may meet it, "" for all."""

    template: Template
    job: Job
    blanks: tuple[Blank, ...]
    console: Console
    scene: tuple[Thing, ...] = ()
    held_out: Split | None = None

    def sample(self, seed: int, split: Split) -> dict[str, str]:
        """Random parameters; each split has names and numbers of its own."""
        rng = random.Random(f"{self.template.id}:{split}:{seed}")  # noqa: S311  # a task, not a secret
        drawn: dict[str, str] = {}
        for blank in self.blanks:
            drawn[blank.name] = blank.draw(self.console, rng, split, {*drawn.values()})
        return drawn

    def oracle(self, task: Task) -> Oracle:
        """What works this task through the page."""
        from sandbox.worlds.console.oracle import ConsoleOracle  # only who asks for a teacher pays for it

        return ConsoleOracle(self.job, self.console, Variant.of(task.environment))


def spec(  # what a template says, once each
    console: Console,
    name: str,
    title: str,
    job: Job,
    *,
    summary: str,
    blanks: tuple[Blank, ...],
    phrases: tuple[str, ...],
    phrases_zh: tuple[str, ...],
    scene: tuple[Thing, ...] = (),
    held_out: Split | None = None,
    max_steps: int = 0,
) -> ConsoleTask:
    """A template of this console; risk and number of steps follow from the job."""
    template = Template(
        id=f"{console.name}/{name}",
        environment=console.name,
        title=title,
        summary=summary,
        parameters=tuple(blank.parameter(console) for blank in blanks),
        phrases=phrases,
        phrases_zh=phrases_zh,
        risk=risk_of(job, console),
        answers=job.answers,
        max_steps=max_steps or _STEPS_EACH + _STEPS_MORE * len(job.steps),
    )
    return ConsoleTask(template, job, blanks, console, scene, held_out)


def risk_of(job: Job, console: Console) -> Risk:
    """The riskiest step of a job."""
    risks = [Risk.READ]
    for step in job.steps:
        if isinstance(step, Make):
            risks.append(console.kind(step.kind).create_risk)
        elif isinstance(step, Do):
            risks.append(console.kind(step.target.kind).verb(step.verb).risk)
    return max(risks, key=lambda risk: risk.rank)


def by_id(tasks: tuple[ConsoleTask, ...]) -> Mapping[str, ConsoleTask]:
    """Templates by id. Raises ValueError where two have the same."""
    found = {each.template.id: each for each in tasks}
    if len(found) != len(tasks):
        twice = sorted({each.template.id for each in tasks if found[each.template.id] is not each})
        raise ValueError(f"templates with the same id: {', '.join(twice)}")
    return found
