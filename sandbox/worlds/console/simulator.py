"""The console as a simulator: task after task without a browser, in the caller's own thread."""

from collections.abc import Sequence

from sandbox.contracts.actions import Action, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Task, Verification
from sandbox.worlds.console.furnish import furnish
from sandbox.worlds.console.hindsight import retold
from sandbox.worlds.console.tree import TreeFace
from sandbox.worlds.console.variant import Variant
from sandbox.worlds.console.verify import Judge
from sandbox.worlds.console.world import World


class ConsoleSimulator:
    """See sandbox.registry.Simulator."""

    __slots__ = ("_face", "_judge")

    def __init__(self) -> None:
        self._face: TreeFace | None = None
        self._judge: Judge | None = None

    @property
    def face(self) -> TreeFace:
        """What is seen and used. Raises RuntimeError before the first reset."""
        if self._face is None:
            raise RuntimeError("reset comes first")
        return self._face

    @property
    def world(self) -> World:
        """The state behind it."""
        return self.face.view.world

    def reset(self, task: Task) -> Observation:
        """Bring the world into the task's first state; the overview is open."""
        self._face = TreeFace(furnish(task), Variant.of(task.environment))
        self._judge = Judge.of(task)
        return self._face.observe()

    def act(self, action: Action) -> tuple[ActResult, Observation]:
        """Do one action."""
        result = self.face.act(action)
        return result, self.face.observe()

    def verify(self, answer: str) -> Verification:
        """Judge the task by the world's state and audit log."""
        return self._judged().verify(self.world, answer)

    def progress(self) -> float:
        """How much of the task is done, 0 to 1."""
        return self._judged().progress(self.world)

    def harm(self) -> tuple[str, ...]:
        """What was done that the task did not ask for and that cannot be undone, by event name."""
        return self._judged().harm(self.world)

    def retold(self, templates: Sequence[str]) -> list[Task]:
        """Tickets of these templates that would be verified now, had they been asked for in this world."""
        return retold(self.world, self._judged().task, templates)

    def close(self) -> None:
        """Let go of everything."""
        self._face = self._judge = None

    def _judged(self) -> Judge:
        if self._judge is None:
            raise RuntimeError("reset comes first")
        return self._judge
