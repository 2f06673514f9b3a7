"""Where worlds and their task templates make themselves known, and what each of them must be able to do."""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from sandbox.contracts.actions import Action, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Environment, Goal, Risk, Split, Task, Template, Verification
from sandbox.variants import BadEnvironmentId, Dimension, VariantGenerator, parse

if TYPE_CHECKING:
    from sandbox.browser.page import Page


class CannotOpen(RuntimeError):
    """The console could not be opened or signed in to; the message says where and why."""


class PageHangs(RuntimeError):
    """A page does not answer, though it was loaded again; the message says so to people."""


class SessionLost(RuntimeError):
    """The browser or the world of a session is gone; it cannot be gone on with."""


class UnknownEnvironment(LookupError):
    """No world is registered under this id, or none has such a variant; the message says what there is."""


class NoSuchFace(LookupError):
    """The environment cannot be played in this way: not in a browser, or not without one."""


class NoOracle(LookupError):
    """Nobody knows the right next action for this kind of task but people."""


class NameTaken(ValueError):
    """Two worlds have the same id; the message names both."""


class UnknownTemplate(LookupError):
    """No template is registered under this id; the message says what there is."""


class RequestRule(Struct, frozen=True, forbid_unknown_fields=True):
    """What a request that leaves the browser costs. The first rule that fits decides.

    Data and not a function, because the egress proxy of a session judges by it in a process of its own.
    A request that no rule fits is READ when its method is GET, HEAD or OPTIONS, and UNKNOWN otherwise.
    """

    method: str  # "POST", or "*" for any
    path: str  # regular expression, matched in full against path and query ("/buckets/[^/]+(\\?.*)?")
    risk: Risk


class World(Protocol):
    """One running console instance."""

    environment: Environment
    request_rules: tuple[RequestRule, ...]  # whole when the object is made; does not depend on start()
    start_url: str  # valid after start() or resume()
    allow: tuple[str, ...]  # "host:port" pairs the browser may reach; valid after start() or resume()

    async def start(self, folder: Path) -> dict[str, Any]:
        """Start the console in processes noted in this folder; returns JSON by which `resume` finds it, no secret."""
        ...

    async def resume(self, state: dict[str, Any]) -> None:
        """Find the console again after the host died. Raises SessionLost."""
        ...

    async def set_up(self, task: Task) -> None:
        """Bring the console into the task's first state, from any state: same task, same first screen.

        A task with template "" is free text: a plain seeded console will do.
        """
        ...

    async def sign_in(self, page: "Page") -> None:
        """Sign the browser in and leave it on the task's first screen. Credentials never enter an observation."""
        ...

    async def verify(self, task: Task, answer: str) -> Verification:
        """Ask the console's own state, never the page."""
        ...

    async def stop(self) -> None:
        """End the console's processes; safe to repeat, and after `resume`."""
        ...


class Simulator(Protocol):
    """One world played without a browser, task after task, in the caller's own thread. Holds no process or socket
    unless its world is a server; what it shows is equal to what its browser face shows, where it has one.
    """

    def reset(self, task: Task) -> Observation:
        """Bring the world into the task's first state, from any state: same task, same first observation."""
        ...

    def act(self, action: Action) -> tuple[ActResult, Observation]:
        """Do one action. A refused one is an outcome, never an exception."""
        ...

    def verify(self, answer: str) -> Verification:
        """Judge the task by the world's own state (and its audit log, where it has one)."""
        ...

    def progress(self) -> float:
        """How much of the task is done now, 0 to 1, by the world's own state: the potential of the progress reward."""
        ...

    def harm(self) -> tuple[str, ...]:
        """What was done since reset that the task did not ask for and that cannot be undone, by event name."""
        ...

    def close(self) -> None:
        """Let go of everything; safe to repeat."""
        ...


class Oracle(Protocol):
    """Knows the right next action for one task, from any state of the page, also after a wrong step."""

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose; a pure function of page and history."""
        ...


class TaskTemplate(Protocol):
    """A kind of ticket that can also be drawn at random and solved."""

    template: Template

    def sample(self, seed: int, split: Split) -> dict[str, str]:
        """Random parameters; each split has a vocabulary of names of its own."""
        ...

    def oracle(self, task: Task) -> Oracle:
        """The oracle for a task of this template. Raises NoOracle."""
        ...


class Registered(Struct, frozen=True):
    """One environment: how to make its world (browser) and its simulator (none), its templates by id, its variants."""

    environment: Environment
    templates: Mapping[str, TaskTemplate]
    make_world: Callable[[], World] | None = None
    make_simulator: Callable[[], Simulator] | None = None
    dimensions: tuple[Dimension, ...] = ()

    def open_to(self, split: Split) -> Mapping[str, TaskTemplate]:
        """Templates that a split may meet: those that are held out for another (`held_out`) are left out."""
        return {name: each for name, each in self.templates.items() if getattr(each, "held_out", None) in (None, split)}

    def world(self) -> World:
        """A new world for a browser. Raises NoSuchFace."""
        if self.make_world is None:
            raise NoSuchFace(f"{self.environment.id} has no browser face")
        return self.make_world()

    def simulator(self) -> Simulator:
        """A new simulator. Raises NoSuchFace."""
        if self.make_simulator is None:
            raise NoSuchFace(f"{self.environment.id} cannot be played without a browser")
        return self.make_simulator()


_registered: dict[str, Registered] = {}


def register(  # one call says all that is known of an environment
    environment: Environment,
    world: Callable[[], World] | None,
    templates: Sequence[TaskTemplate],
    *,
    simulator: Callable[[], Simulator] | None = None,
    dimensions: Sequence[Dimension] = (),
) -> None:
    """Make an environment known. Called when a package of `sandbox.worlds` is imported; importing it must be light.

    Raises NameTaken.
    """
    for each in templates:
        if each.template.environment != environment.id or not each.template.id.startswith(environment.id + "/"):
            raise ValueError(f"template {each.template.id} does not belong to environment {environment.id}")
    known = _registered.get(environment.id)
    if known is not None and known.environment != environment:  # the same one again is a module that is read anew
        both = f"{known.environment.title!r} and {environment.title!r}"
        raise NameTaken(
            f"two environments are called {environment.id!r}, {both}: give the one of your own another name"
        )
    by_id = {each.template.id: each for each in templates}
    _registered[environment.id] = Registered(environment, by_id, world, simulator, tuple(dimensions))


def registered() -> Mapping[str, Registered]:
    """Every environment by id, after importing each package of `sandbox.worlds` once."""
    import sandbox.worlds

    for module in pkgutil.iter_modules(sandbox.worlds.__path__, "sandbox.worlds."):
        importlib.import_module(module.name)
    return _registered


def find_environment(environment_id: str) -> Registered:
    """One environment, by its id with or without a recipe that it knows. Raises UnknownEnvironment."""
    try:
        base, recipe = parse(environment_id)
    except BadEnvironmentId as problem:
        raise UnknownEnvironment(str(problem)) from None
    found = registered().get(base)
    if found is None:
        raise UnknownEnvironment(f"there is no environment {base!r}{_near(base, registered())}")
    if recipe:
        try:
            VariantGenerator.of(found).id_of(recipe)
        except BadEnvironmentId as problem:
            raise UnknownEnvironment(f"{environment_id!r}: {problem}") from None
    return found


def find_template(template_id: str) -> TaskTemplate:
    """One template. Raises UnknownTemplate."""
    base = template_id.partition("/")[0]
    environment = registered().get(base)
    if environment is None:
        raise UnknownTemplate(f"{template_id!r}: there is no environment {base!r}{_near(base, registered())}")
    if template_id not in environment.templates:
        raise UnknownTemplate(f"there is no template {template_id!r}{_near(template_id, environment.templates)}")
    return environment.templates[template_id]


def _near(name: str, known: Iterable[str]) -> str:
    """Those that are called alike, or all where there are few."""
    names = sorted(known)
    near = get_close_matches(name, names, 3) or names[:20]
    return f"; did you mean {' or '.join(near)}?" if len(near) <= 3 else f"; there are: {', '.join(near)}"


def request_risk(rules: Sequence[RequestRule], method: str, path: str) -> Risk:
    """What a request costs by these rules."""
    import re

    for rule in rules:
        if rule.method in ("*", method) and re.fullmatch(rule.path, path, re.DOTALL):
            return rule.risk
    return Risk.READ if method in ("GET", "HEAD", "OPTIONS") else Risk.UNKNOWN
