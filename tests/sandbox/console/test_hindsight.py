"""A world says which tickets were done in it: those that its verifier takes for done, and no others."""

import pytest

from sandbox.contracts.tasks import Outcome
from sandbox.worlds.console.simulator import ConsoleSimulator
from sandbox.worlds.console.specs import ConsoleTask
from sandbox.worlds.console.tasks import TASKS, spec_of
from sandbox.worlds.console.verify import Judge
from tests.sandbox.console.play import drawn, play

EVERY = [each.template.id for each in TASKS]
ONE_STEP = ("create-disk", "attach-disk", "stop-instance", "suspend-user", "delete-snapshot", "resize-instance")


def _spec(name: str) -> ConsoleTask:
    found = spec_of(f"cloud/{name}")
    assert found is not None
    return found


@pytest.mark.parametrize("name", ONE_STEP)
def test_what_the_teacher_did_is_told_as_the_ticket_that_it_did(name: str) -> None:
    simulator, spec = ConsoleSimulator(), _spec(name)
    task = drawn(spec, 3)
    simulator.reset(task)
    assert simulator.retold(EVERY) == []
    play(simulator, spec, task)
    told = simulator.retold(EVERY)
    assert (task.template, task.goal.fields) in [(each.template, each.goal.fields) for each in told]
    assert simulator.retold(["cloud/create-bucket"]) == []


def test_the_same_way_in_the_world_of_another_ticket_is_still_that_ticket() -> None:
    """A world furnished for stopping an instance, in which a user is suspended."""
    simulator, spec = ConsoleSimulator(), _spec("suspend-user")
    task = drawn(_spec("stop-instance"), 4)
    simulator.reset(task)
    user = next(user for user in simulator.world.of_kind("user") if user.state == "active")
    simulator.world.do(user.id, "suspend", {}, confirm=simulator.world.label(user))
    [told] = simulator.retold(["cloud/suspend-user", "cloud/stop-instance"])
    assert told.goal.fields == (("user", simulator.world.label(user)),)
    assert told.environment == task.environment
    verified = Judge(task, spec.job, dict(told.goal.fields)).verify(simulator.world, "")
    assert verified.outcome is Outcome.VERIFIED
    assert Judge.of(task).verify(simulator.world, "").outcome is Outcome.FAILED


def test_two_writes_are_no_ticket_of_one_step() -> None:
    simulator = ConsoleSimulator()
    simulator.reset(drawn(_spec("suspend-user"), 4))
    active = [user for user in simulator.world.of_kind("user") if user.state == "active"]
    assert len(active) > 1
    for user in active[:2]:
        simulator.world.do(user.id, "suspend", {}, confirm=simulator.world.label(user))
    assert simulator.retold(EVERY) == []
