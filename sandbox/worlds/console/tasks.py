"""The kinds of ticket that the simulated cloud console offers."""

from collections.abc import Mapping

from sandbox.contracts.tasks import Environment
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.declare import Console
from sandbox.worlds.console.jobs import Job
from sandbox.worlds.console.specs import ConsoleTask, by_id
from sandbox.worlds.console.templates.chains import CHAINS
from sandbox.worlds.console.templates.classic import CLASSIC
from sandbox.worlds.console.templates.declared import declared
from sandbox.worlds.console.templates.repairs import REPAIRS

ENVIRONMENT = Environment(
    id="cloud",
    title="Cloud console (simulated)",
    summary="A cloud that exists only here, from instances to alarms: safe to practise in.",
    real=False,
)

TASKS: tuple[ConsoleTask, ...] = declared((*CLASSIC, *CHAINS, *REPAIRS))
_known: dict[str, ConsoleTask] = dict(by_id(TASKS))
_consoles: dict[str, Console] = {CLOUD.name: CLOUD}


def spec_of(template_id: str) -> ConsoleTask | None:
    """All that is known of a template; None for free text."""
    return _known.get(template_id)


def know(tasks: Mapping[str, ConsoleTask]) -> None:
    """Make templates of other declared consoles known to those who furnish and judge."""
    _known.update(tasks)
    _consoles.update({each.console.name: each.console for each in tasks.values()})


def console_of(environment_id: str) -> Console:
    """The console of an environment, with or without a recipe; the cloud's where none is known."""
    return _consoles.get(environment_id.partition("?")[0], CLOUD)


def job_of(template_id: str) -> Job | None:
    """What a task of this template asks for; None for free text."""
    found = spec_of(template_id)
    return found.job if found else None
