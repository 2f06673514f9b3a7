"""The door of the sandbox: what can be asked for, and a live session in a console; light until a session opens."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from sandbox import registry, tasks
from sandbox.contracts.actions import Action, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.takeover import HandEvent
from sandbox.contracts.tasks import Environment, Goal, Risk, Split, Task, Template, Verification
from sandbox.registry import CannotOpen, Oracle, PageHangs, SessionLost, UnknownEnvironment, UnknownTemplate
from sandbox.tasks import BadParameters, parameters_of

__all__ = [
    "BadParameters",
    "CannotOpen",
    "Handle",
    "LiveSession",
    "Oracle",
    "PageHangs",
    "SessionLost",
    "UnknownEnvironment",
    "UnknownTemplate",
    "attach",
    "bind",
    "clear_away",
    "clear_orphans",
    "clear_strays",
    "cut_off",
    "environments",
    "free_task",
    "open_session",
    "oracle",
    "parameters_of",
    "sample",
    "simulated",
    "template",
    "templates",
]

FREE_TEXT_STEPS = 50


def environments() -> tuple[Environment, ...]:
    """Every console that tickets can be filed for, by id."""
    return tuple(each.environment for _, each in sorted(registry.registered().items()) if _open_to_tickets(each))


def templates(environment: str | None = None) -> tuple[Template, ...]:
    """Every kind of ticket, of one environment or of all that tickets can be filed for."""
    found = (
        each.template
        for _, one in sorted(registry.registered().items())
        if (environment is None and _open_to_tickets(one)) or environment == one.environment.id
        for each in one.templates.values()
    )
    return tuple(found)


def simulated() -> tuple[Environment, ...]:
    """Every environment that can be played without a browser, by id; tickets may not be open to all of them."""
    return tuple(one.environment for _, one in sorted(registry.registered().items()) if one.make_simulator is not None)


def template(template_id: str) -> Template:
    """One kind of ticket. Raises UnknownTemplate."""
    return registry.find_template(template_id).template


def _open_to_tickets(one: registry.Registered) -> bool:
    return one.make_world is not None and not one.environment.practice


def bind(template_id: str, parameters: Mapping[str, object], *, seed: int) -> Task:
    """A task from what a person filled in. Raises UnknownTemplate, or BadParameters with a sentence for each field."""
    return tasks.bind(template(template_id), parameters, seed=seed)


def free_task(environment: str, text: str, *, seed: int) -> Task:
    """A task in a person's own words; nothing can verify it. Raises UnknownEnvironment, BadParameters."""
    registry.find_environment(environment)
    if not any(each.isprintable() and not each.isspace() for each in text):  # zero-width characters say nothing
        raise BadParameters({"text": "Say what is to be done."})
    return Task(environment=environment, template="", goal=Goal(text.strip()), seed=seed, max_steps=FREE_TEXT_STEPS)


def sample(template_id: str, *, seed: int, split: Split, recipe: Mapping[str, str] | None = None) -> Task:
    """A random task of a template, in a variant of its environment; splits share no names."""
    found = registry.find_template(template_id)
    return tasks.bind(found.template, found.sample(seed, split), seed=seed, recipe=recipe)


def oracle(task: Task) -> Oracle:
    """What knows the right next action for this task. Raises UnknownTemplate for free text."""
    return registry.find_template(task.template).oracle(task)


class Handle(Struct, frozen=True, forbid_unknown_fields=True):
    """How to find a live session again; plain data for a JSON column. Secrets lie in its folder, none in here."""

    task: Task
    folder: str
    viewport: tuple[int, int]
    world: dict[str, Any]
    browser: dict[str, Any]
    egress: dict[str, Any]


def _go_on(stage: str) -> None:
    """Nobody wants to hear of the stages."""


async def open_session(
    task: Task,
    *,
    folder: Path,
    viewport: tuple[int, int] = (1280, 720),
    reached: Callable[[str], None] = _go_on,
) -> "LiveSession":
    """Start a console for the task, a way out and a browser, signed in at the first screen.

    `folder` must be the session's own: what is left in it by a host that dies here is ended by `clear_away`.
    `reached` hears opening_world, opening_way_out and opening_browser, once each of these runs. Raises CannotOpen.
    """
    from sandbox import live  # only who opens a session pays for browser and worlds

    return await live.open_session(task, folder=folder, viewport=viewport, reached=reached)


async def attach(handle: Handle) -> "LiveSession":
    """The same browser at the same page, after its host died. Raises SessionLost."""
    from sandbox import live

    return await live.attach(handle)


async def cut_off(handle: Handle) -> None:
    """Shut the way out, then end the browser and the world, whoever holds them; safe to repeat."""
    from sandbox import live

    await live.cut_off(handle)


async def clear_away(folder: Path) -> None:
    """End whatever was started for a session in this folder, and remove the folder; safe to repeat."""
    from sandbox import leftovers

    await leftovers.clear_away(folder)


async def clear_strays(folder: Path) -> list[int]:
    """End what runs for sessions under this folder whose own folders somebody has removed; the groups ended."""
    from sandbox import leftovers

    return await leftovers.clear_strays(folder)


async def clear_orphans() -> None:
    """End the consoles and browsers of trainings and evaluations that were killed."""
    from sandbox import leftovers

    await leftovers.clear_orphans()


class LiveSession(Protocol):
    """One console, one browser, one way out; made by `open_session` and `attach`. Calls come one at a time.

    Each that reaches the page raises PageHangs where it does not answer, and SessionLost where the browser is gone.
    """

    handle: Handle

    async def observe(self) -> Observation:
        """The page as it is now, settled, with secrets masked; one that hangs is loaded again once."""
        ...

    async def act(self, action: Action, *, permit: Risk) -> ActResult:
        """Do one action; requests riskier than `permit` are stopped at the proxy and named BLOCKED_REQUEST."""
        ...

    def risk(self, action: Action, observation: Observation) -> Risk:
        """What the action may cost, decided by code outside the model; raised by what an earlier try asked for."""
        ...

    async def picture(self) -> bytes:
        """The viewport as masked JPEG."""
        ...

    async def watch(self, on_frame: Callable[[bytes], Awaitable[None]]) -> None:
        """Send masked JPEG frames whenever the page changes; goes on while other calls run."""
        ...

    async def unwatch(self) -> None:
        """Stop sending frames."""
        ...

    async def hand(self, event: HandEvent, *, permit: Risk = Risk.UNKNOWN) -> Action | None:
        """One trusted event by a person; returns the action it amounted to, None while typing is still gathered.

        What it sets going may ask the console for at most `permit`; UNKNOWN holds nothing back.
        A pointer event, Enter, Tab or a choice ends typing: call `flush_hand` before it to have the two apart.
        """
        ...

    def held_back(self) -> str:
        """What the last `hand` asked for that its permit did not cover; "" for nothing."""
        ...

    def dialog(self) -> str:
        """Kind and words of the native dialog that the last `hand` brought up and that was dismissed; "" for none.

        A person who means it hands an `Agree`.
        """
        ...

    async def flush_hand(self) -> Action | None:
        """The next action not yet given out, typing that is still gathered included; None where there is none."""
        ...

    async def verify(self, answer: str) -> Verification:
        """Ask the world's own state."""
        ...

    async def close(self) -> None:
        """End browser, proxy and world, and remove the folder; safe to repeat."""
        ...
