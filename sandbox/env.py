"""Gymnasium's face of a world: its simulator where it has one, else one warm world with one warm browser."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import gymnasium
import msgspec
import numpy as np
from gymnasium import spaces

from sandbox import leftovers, registry
from sandbox.browser.page import Page
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Finish, GiveUp
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.storage import from_json, to_json
from sandbox.contracts.tasks import Outcome, Split, Task, Verification
from sandbox.tasks import bind

T = TypeVar("T")

VIEWPORT = (1280, 720)
MAX_ELEMENTS = 500
MAX_TEXT = 2_000
MAX_ACTION = 4_000


class Gym:
    """Plays task after task in one console. Not for several threads; `close` ends what it started."""

    def __init__(self, environment_id: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._run(leftovers.clear_orphans())
        self._folder = leftovers.owned_folder()
        self._world = registry.find_environment(environment_id).world()
        self._page: Page | None = None
        self._task: Task | None = None
        self._asked: Task | None = None  # as it was given to reset
        self._first_url = ""
        try:
            self._run(self._open())
        except BaseException:
            self.close()
            raise

    @property
    def page(self) -> Page:
        """The warm page."""
        if self._page is None:
            raise RuntimeError("the gym is closed")
        return self._page

    @property
    def world(self) -> registry.World:
        """The warm world."""
        return self._world

    @property
    def task(self) -> Task:
        """The task being played; where a page tells the goal itself (MiniWoB++), with that goal."""
        if self._task is None:
            raise RuntimeError("a task comes with reset")
        return self._task

    def reset(self, task: Task) -> Observation:
        """Bring console and page to the task's first screen."""
        return self._run(self._reset(task))

    def act(self, action: Action) -> tuple[ActResult, Observation]:
        """Do one action; what came of it, and the page after it."""
        return self._run(self._act(action))

    def verify(self, answer: str) -> Verification:
        """Ask the console's own state about the current task."""
        if self._asked is None:
            raise RuntimeError("verify comes after reset")
        return self._run(self._world.verify(self._asked, answer))

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run something async of the page or the world in the gym's own loop."""
        return self._run(coroutine)

    def close(self) -> None:
        """End browser and world; safe to repeat."""
        if self._loop.is_closed():
            return
        page, self._page = self._page, None
        if page is not None:
            self._run(page.close())
        self._run(self._world.stop())
        self._run(leftovers.clear_away(self._folder))
        self._loop.close()

    async def _open(self) -> None:
        await self._world.start(self._folder / "world")
        self._page = await Page.launch(allow=self._world.allow, viewport=VIEWPORT, noted_in=self._folder)
        await self._world.sign_in(self._page)
        self._first_url = (await self.page.observe()).url

    async def _reset(self, task: Task) -> Observation:
        await self._world.set_up(task)
        await self.page.goto(self._world.start_url)
        self._task = self._asked = task
        told = getattr(self._world, "told", None)
        if told is not None:  # it waits until the page has begun
            self._task = msgspec.structs.replace(task, goal=await told(self.page))
        observation = await self.page.observe()
        if observation.url in (self._first_url, self._world.start_url):
            return observation
        # The last player has signed the browser out.
        await self._world.sign_in(self.page)
        return await self.page.observe()

    async def _act(self, action: Action) -> tuple[ActResult, Observation]:
        return await self.page.step(action)

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(coroutine)


class AnyText(spaces.Text):
    """Texts of any characters up to a length; Gymnasium's own takes letters and digits alone."""

    def __init__(self, max_length: int) -> None:
        super().__init__(min_length=0, max_length=max_length)

    def contains(self, x: Any) -> bool:
        """Whether this is a text, and short enough."""
        return isinstance(x, str) and len(x) <= self.max_length


class ActionText(AnyText):
    """Texts that are one action in JSON; samples are actions on small element numbers."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A random action."""
        element = int(self.np_random.integers(1, 100))
        kinds: tuple[dict[str, Any], ...] = (
            {"kind": "click", "element": element},
            {"kind": "type", "element": element, "text": "sample"},
            {"kind": "press", "key": "Tab"},
            {"kind": "scroll", "direction": "down"},
            {"kind": "wait"},
        )
        return msgspec.json.encode(kinds[int(self.np_random.integers(len(kinds)))]).decode()


ELEMENT_SPACE = spaces.Dict(
    {
        "ref": spaces.Box(0, 2**31 - 1, (), np.int64),
        "role": AnyText(40),
        "name": AnyText(MAX_TEXT),
        "value": AnyText(MAX_TEXT),
        "states": AnyText(200),
        "row": AnyText(MAX_TEXT),
        "label": AnyText(MAX_TEXT),
        "group": AnyText(MAX_TEXT),
        "region": AnyText(20),
        "options": AnyText(MAX_TEXT * 4),
        "box": spaces.Box(-1e6, 1e6, (4,), np.float32),
        "actionable": spaces.Discrete(2),
    }
)
OBSERVATION_SPACE = spaces.Dict(
    {
        "goal": AnyText(MAX_TEXT),
        "fields": AnyText(MAX_TEXT),
        "url": AnyText(MAX_TEXT),
        "toasts": AnyText(MAX_TEXT),
        "elements": spaces.Sequence(ELEMENT_SPACE),
    }
)


class BelayEnv(gymnasium.Env[dict[str, Any], str]):
    """One template of a world as an environment, played without a browser where the world can be.

    An action is a contract action as JSON text, such as `{"kind": "click", "element": 12}`. The reward is 1 for the
    step that ends a verified task, else 0. `finish` and `give_up` terminate; running out of steps truncates.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  # the name and form are Gymnasium's

    def __init__(
        self, template_id: str, *, split: Split = "train", gym: Gym | registry.Simulator | None = None
    ) -> None:
        self.spec_template = registry.find_template(template_id)
        self.split: Split = split
        self._owns = gym is None
        self._gym = gym or player(self.spec_template.template.environment)
        self._task: Task | None = None
        self._shown: Observation | None = None
        self._steps = 0
        self.observation_space = OBSERVATION_SPACE
        self.action_space = ActionText(MAX_ACTION)

    @property
    def task(self) -> Task:
        """The task of this episode."""
        if self._task is None:
            raise RuntimeError("task comes after reset")
        return self._task

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Draw a task; the same seed gives the same task and the same first screen."""
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(2**31)) if seed is None else seed
        parameters = self.spec_template.sample(drawn, self.split)
        self._task = bind(self.spec_template.template, parameters, seed=drawn)
        self._steps = 0
        self._shown = self._gym.reset(self._task)
        return self._told(self._shown), {"task": to_json(self._task)}

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Do one action. What is no action at all is a step without effect, named in the info."""
        self._steps += 1
        truncated = self._steps >= self.task.max_steps
        if self._shown is None:
            raise RuntimeError("step comes after reset")
        parsed: Action | None
        try:
            parsed = from_json(action, Action)
        except msgspec.DecodeError as problem:
            result, parsed = ActResult(ActOutcome.NO_EFFECT, str(problem)), None
        else:
            result, self._shown = self._gym.act(parsed)
        info: dict[str, Any] = {"outcome": result.outcome.value, "detail": result.detail}
        terminated = isinstance(parsed, Finish | GiveUp)
        reward = 0.0
        if isinstance(parsed, Finish):
            verification = self._gym.verify(parsed.answer)
            info["verification"] = verification.outcome.value
            reward = 1.0 if verification.outcome is Outcome.VERIFIED else 0.0
        return self._told(self._shown), reward, terminated, truncated and not terminated, info

    def close(self) -> None:
        """End the simulator, or world and browser, where they are the environment's own."""
        if self._owns:
            self._gym.close()

    def _told(self, observation: Observation) -> dict[str, Any]:
        return {
            "goal": self.task.goal.text[:MAX_TEXT],
            "fields": "\n".join(f"{name}: {value}" for name, value in self.task.goal.fields)[:MAX_TEXT],
            "url": observation.url[:MAX_TEXT],
            "toasts": "\n".join(observation.toasts)[:MAX_TEXT],
            "elements": tuple(_element(each) for each in observation.elements[:MAX_ELEMENTS]),
        }


def player(environment_id: str) -> Gym | registry.Simulator:
    """A simulator where the world has one: it shows the same, and sooner."""
    found = registry.find_environment(environment_id)
    return Gym(environment_id) if found.make_simulator is None else found.simulator()


def _element(it: Element) -> dict[str, Any]:
    return {
        "ref": np.array(it.ref, np.int64),
        "role": it.role[:40],
        "name": it.name[:MAX_TEXT],
        "value": it.value[:MAX_TEXT],
        "states": " ".join(it.states)[:200],
        "row": it.row[:MAX_TEXT],
        "label": it.label[:MAX_TEXT],
        "group": it.group[:MAX_TEXT],
        "region": it.region[:20],
        "options": "\n".join(it.options)[: MAX_TEXT * 4],
        "box": np.array((it.box.x, it.box.y, it.box.width, it.box.height), np.float32),
        "actionable": np.int64(it.actionable),
    }


def register_all() -> None:
    """Make every template known to `gymnasium.make`, as `belay/<environment>-<name>-v0`."""
    for environment in registry.registered().values():
        for template_id in environment.templates:
            name = f"belay/{template_id.replace('/', '-')}-v0"
            if name not in gymnasium.registry:
                gymnasium.register(name, entry_point="sandbox.env:BelayEnv", kwargs={"template_id": template_id})


register_all()
