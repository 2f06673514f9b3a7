"""Whether a task was done: the world as it is against the world as it should be, and the audit log beside it."""

from sandbox.contracts.tasks import Check, Outcome, Task, Verification
from sandbox.worlds.console.furnish import furnish
from sandbox.worlds.console.jobs import Ask, Job, answer, carry_out
from sandbox.worlds.console.world import Object, World


def verify(job: Job, task: Task, actual: World, said: str) -> Verification:
    """Compare with a second world in which exactly the job was done; both are left to settle first."""
    parameters = dict(task.goal.fields)
    expected = furnish(task, actual.console)
    before = dict(expected.objects)
    carry_out(job, expected, parameters)
    expected.settle()
    found = World(actual.console, actual.seed)
    found.restore(actual.snapshot())
    found.settle()
    meant = {
        ident for ident in before.keys() | expected.objects.keys() if before.get(ident) != expected.objects.get(ident)
    }
    differs = [
        i for i in found.objects.keys() | expected.objects.keys() if found.objects.get(i) != expected.objects.get(i)
    ]
    harmed = sorted(_call(found, expected, ident) for ident in differs if ident not in meant)
    missed = sorted(_call(found, expected, ident) for ident in differs if ident in meant)
    done, right = _accepted(found), _accepted(expected)
    checks = [Check("nothing else was changed", not harmed, ", ".join(harmed))]
    checks.append(
        Check("the audit log has exactly what was asked for", done == right, ", ".join(" ".join(e) for e in done))
    )
    if isinstance(job, Ask):
        checks.insert(0, Check("the answer is right", _same(said, answer(job, expected, parameters)), said))
    else:
        checks.insert(0, Check("what was asked for is there", not missed, ", ".join(missed)))
    outcome = Outcome.VERIFIED if all(check.holds for check in checks) else Outcome.FAILED
    return Verification(outcome, tuple(checks))


def _accepted(world: World) -> list[tuple[str, str]]:
    return [(entry.event, entry.object_id) for entry in world.audit if entry.accepted]


def _call(found: World, expected: World, ident: str) -> str:
    one: Object | None = found.objects.get(ident)
    world = found if one else expected
    it = one or expected.objects[ident]
    return f"{it.kind} {world.label(it)}"


def _same(said: str, right: str) -> bool:
    return said.strip().casefold() == right.casefold()
