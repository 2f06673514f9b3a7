"""One episode as it goes on in a slot: what is seen in tokens, what each step earned, and why it ended."""

from typing import Literal, TypeAlias

from msgspec import Struct, structs

from sandbox.contracts.actions import Action, ActResult, Finish, GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Outcome, Task, Verification
from sandbox.coverage import Coverage
from sandbox.levels import Level
from sandbox.rewards import Doing, FarmingDetector, Ledger, Spec
from sandbox.semantics.conditions import Moment
from sandbox.semantics.rules import Adapter
from sandbox.semantics.trails import Tread, tread
from sandbox.worker import Shown, Trouble

End: TypeAlias = Literal["", "finish", "give_up", "danger", "steps", "time"] | Trouble
"""Why an episode ended: what the agent said, a limit, or what befell its simulator; "" while it goes on."""

TERMINAL: frozenset[str] = frozenset({"finish", "give_up", "danger"})


class Turn(Struct, frozen=True):
    """Something happened in a slot. It waits for an action, unless `end` says that this was the last of its episode.

    `reward` and its `parts` are of the action before. `terminated` and `truncated` are Gymnasium's: a fault or a limit
    truncates, so that the learner may value what would have come.
    """

    slot: int
    episode: int  # number of the episode, from 1
    task: Task
    level: Level
    step: int  # actions done so far
    observation: Observation
    result: ActResult | None  # of the action before; None on a first screen
    tokens: frozenset[str]
    progress: float
    reward: float
    parts: dict[str, float]
    end: End
    verification: Verification | None  # of a finish: the outcome, which is not the reward

    @property
    def terminated(self) -> bool:
        """Whether the task is over, with no future to value."""
        return self.end in TERMINAL

    @property
    def truncated(self) -> bool:
        """Whether it was cut short."""
        return bool(self.end) and self.end not in TERMINAL


class Episode:
    """From the first screen to the end. `seen` is None until there is a first screen."""

    def __init__(
        self, number: int, level: Level, task: Task, *, adapter: Adapter, coverage: Coverage, spec: Spec, began: float
    ) -> None:
        self.level, self.task, self.began = level, task, began
        self.detector = FarmingDetector()
        self.step = 0
        self.total = 0.0
        self.seen: Shown | None = None
        self.action: Action | None = None  # that is being done
        self._number = number
        self._adapter = adapter
        self._coverage = coverage
        self._spec = spec
        self._ledger: Ledger | None = None
        self._last: Tread | None = None
        self._doing: Doing | None = None

    def begin(self, shown: Shown) -> Turn:
        """The first screen."""
        first = tread(self._adapter, Moment(shown.observation))
        self._coverage.meet(frozenset(), first.tokens)
        self._ledger = Ledger(self._spec, first, shown.progress)
        self.detector.begin(shown.progress)
        self.seen, self._last = shown, first
        return self._turn(shown, 0.0, {}, "")

    def act(self, action: Action) -> None:
        """An action is sent. Raises RuntimeError where none is waited for."""
        if self.seen is None or self.action is not None:
            raise RuntimeError("no action is waited for here")
        self.action = action
        self.step += 1

    def do(self, shown: Shown) -> None:
        """What came of the action."""
        before, action = self._before()
        now = tread(self._adapter, Moment(shown.observation, before, action, shown.result))
        novelty = self._coverage.meet(self._last.tokens if self._last else frozenset(), now.tokens)
        self._doing = Doing(
            tread=now,
            action=action,
            element=before.element(getattr(action, "element", -1)),
            before=before.fingerprint,
            progress=shown.progress,
            harm=shown.harm,
            left=self.task.max_steps - self.step,
            novelty=novelty,
        )
        self.seen, self._last = shown, now

    def close_step(self, *, late: bool = False, verification: Verification | None = None) -> Turn:
        """The step is over: what it earned, and whether it was the last. `late`: the time of the episode is up."""
        if self._doing is None or self._ledger is None or self.seen is None:
            raise RuntimeError("close_step comes after do")
        verified = verification is not None and verification.outcome is Outcome.VERIFIED
        doing, self._doing, self.action = structs.replace(self._doing, verified=verified), None, None
        earned = self._ledger.step(doing)
        self.total += earned.total
        self.detector.step(earned, doing.progress)
        end: End = ""
        if isinstance(doing.action, Finish):
            end = "finish"
        elif isinstance(doing.action, GiveUp):
            end = "give_up"
        elif earned.terminates:
            end = "danger"
        elif self.step >= self.task.max_steps:
            end = "steps"
        elif late:
            end = "time"
        return self._turn(self.seen, earned.total, earned.parts, end, verification)

    def lose(self, trouble: Trouble) -> Turn | None:
        """Its simulator is gone: the last turn, on what was last seen; None where nothing ever was."""
        return None if self.seen is None else self._turn(self.seen, 0.0, {}, trouble)

    def _before(self) -> tuple[Observation, Action]:
        if self.seen is None or self.action is None:
            raise RuntimeError("do comes after act")
        return self.seen.observation, self.action

    def _turn(
        self, shown: Shown, reward: float, parts: dict[str, float], end: End, verification: Verification | None = None
    ) -> Turn:
        return Turn(
            slot=shown.slot,
            episode=self._number,
            task=self.task,
            level=self.level,
            step=self.step,
            observation=shown.observation,
            result=shown.result,
            tokens=self._last.tokens if self._last else frozenset(),
            progress=shown.progress,
            reward=reward,
            parts=parts,
            end=end,
            verification=verification,
        )
