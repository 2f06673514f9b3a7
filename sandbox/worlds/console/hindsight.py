"""What was done, told as the tickets that would have asked for it; the verifier has the last word."""

from collections.abc import Mapping, Sequence

from sandbox import tasks
from sandbox.contracts.tasks import Outcome, Task
from sandbox.tasks import BadParameters
from sandbox.variants import parse
from sandbox.worlds.console.jobs import Do, Job, Make, Values
from sandbox.worlds.console.records import PAGE, Entry, Refused
from sandbox.worlds.console.tasks import spec_of
from sandbox.worlds.console.verify import Judge
from sandbox.worlds.console.world import World


def retold(world: World, task: Task, templates: Sequence[str]) -> list[Task]:
    """Tickets of these templates that are done now, had they been asked for in this task's world.

    Only jobs of one step can be told from the audit log, and only while it holds a single write of the operator's.
    """
    writes = [each for each in world.audit if each.accepted and each.actor == PAGE]
    if len(writes) != 1:
        return []
    recipe = parse(task.environment)[1]
    found = []
    for name in templates:
        spec = spec_of(name)
        given = _parameters(spec.job, writes[0]) if spec is not None else None
        if spec is None or given is None:
            continue
        try:
            asked = tasks.bind(spec.template, given, seed=task.seed, recipe=recipe)
            done = Judge(task, spec.job, dict(asked.goal.fields)).verify(world, "").outcome
        except (BadParameters, Refused, KeyError):  # it could not have been asked for, or not in that world
            continue
        if done is Outcome.VERIFIED:
            found.append(asked)
    return found


def _parameters(job: Job, entry: Entry) -> Mapping[str, str] | None:
    """With which parameters a job would have been this write; None where it would be another."""
    match job.steps:
        case (Make(kind, values, None),) if entry.event == f"{kind}.create":
            return _filled(values, entry.values)
        case (Do(target, verb, values),) if entry.event == f"{target.kind}.{verb}":
            return _filled((*target.where, *values), {"name": entry.label, **entry.values})
    return None


def _filled(values: Values, held: Mapping[str, str]) -> Mapping[str, str] | None:
    """Parameters from what is held in place of them; None where something else is held, or nothing."""
    found: dict[str, str] = {}
    for field, text in values:
        value = held.get(field, "")
        if text[:1] == "{" and text[-1:] == "}":
            if not value or found.setdefault(text[1:-1], value) != value:
                return None
        elif value != text:
            return None
    return found
