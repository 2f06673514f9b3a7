"""Tasks of consoles made from API documents: make, change, find and answer, delete the right one, press a button."""

from msgspec.structs import replace

from sandbox.contracts.tasks import Environment
from sandbox.registry import Registered, Simulator, World, find_environment, register
from sandbox.worlds.console.declare import Console
from sandbox.worlds.console.jobs import Make
from sandbox.worlds.console.specs import ConsoleTask, by_id
from sandbox.worlds.console.tasks import know
from sandbox.worlds.console.templates.declared import declared
from sandbox.worlds.console.variant import DIMENSIONS

FURNISH = "sandbox.worlds.generated:furnish"  # the console's own process makes itself acquainted first
_UNTOLD = ("tags", "secret")  # what no goal text can speak of
_LOOKING = 14  # steps to find a thing and to confirm
_EACH = 2  # steps for each value


def tasks_of(console: Console) -> tuple[ConsoleTask, ...]:
    """Every template that follows from the declaration and can be told in words."""
    found: dict[str, ConsoleTask] = {}
    for spec in declared((), console):
        if any(_is_untold(console, blank.kind, blank.field) for blank in spec.blanks if not blank.facts):
            continue
        told = sum(len(getattr(step, "values", ())) for step in spec.job.steps)
        screens = sum(len(console.kind(s.kind).wizard) + 1 for s in spec.job.steps if isinstance(s, Make))
        steps = max(spec.template.max_steps, _LOOKING + _EACH * told + screens)
        found.setdefault(
            spec.template.id, replace(spec, template=replace(spec.template, max_steps=steps), held_out=None)
        )
    return tuple(found.values())


def _is_untold(console: Console, kind: str, field: str) -> bool:
    return console.kind(kind).field(field).type in _UNTOLD


def register_console(console: Console, *, summary: str = "") -> Registered:
    """Make a console known as an environment to practise in; its id is the console's name."""
    environment = Environment(
        id=console.name,
        title=f"{console.title} (simulated)",
        summary=summary or f"A console made from the API document of {console.title}: safe to practise in.",
        real=False,
        practice=True,
    )
    tasks = tasks_of(console)
    know(by_id(tasks))

    def world() -> World:
        from sandbox.worlds.console.instance import ConsoleWorld  # only who runs a console pays for it

        return ConsoleWorld(environment, console, furnish=FURNISH)

    def simulator() -> Simulator:
        from sandbox.worlds.console.simulator import ConsoleSimulator  # only who plays one pays for it

        return ConsoleSimulator()

    register(environment, world, tasks, simulator=simulator, dimensions=DIMENSIONS)
    return find_environment(console.name)
