"""Works a console task through its page: the next right action from any state, told by what is visible alone."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Select, Type, Wait
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal
from sandbox.worlds.console.declare import Console, Field, Kind, Verb
from sandbox.worlds.console.forms_oracle import FormFiller, Move
from sandbox.worlds.console.jobs import Do, Job, Make, Step, Target, Tell, Values, fact_field, sort_key, told
from sandbox.worlds.console.lexicon import Lexicon
from sandbox.worlds.console.recall import Recall
from sandbox.worlds.console.sight import EMPTY, Row, Sight
from sandbox.worlds.console.variant import Variant

PATIENCE = 12  # waits in a row before giving up


class ConsoleOracle:
    """The teacher for one job."""

    def __init__(self, job: Job, console: Console, variant: Variant) -> None:
        self.job = job
        self.console = console
        self.variant = variant
        self.lexicon = Lexicon.of(variant)

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose; the same page, goal and history give the same action."""
        move = Turn(self, Sight(observation, self.lexicon), Recall(history, self.lexicon), dict(goal.fields)).move()
        value = 0.0 if isinstance(move.action, GiveUp) else 1.0
        return Proposal(move.action, 1.0, value=value, policy="oracle", why=move.why)
