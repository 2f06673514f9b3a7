"""Which of a policy's proposals is put forward, given what people refused on the same page."""

from collections.abc import Sequence

from sandbox.contracts.actions import Action
from sandbox.contracts.policies import Alternative, Proposal


def choose(wanted: Proposal, refused: Sequence[Action]) -> Proposal | None:
    """The best proposal that nobody refused on this page; None where all were."""
    whole = (Alternative(wanted.action, wanted.probability), *wanted.alternatives)
    left = tuple(each for each in whole if each.action not in refused)
    if not left:
        return None
    first, rest = left[0], left[1:]
    why = wanted.why if first.action == wanted.action else "the next best, after what was refused here"
    return Proposal(
        action=first.action,
        probability=first.probability,
        alternatives=rest,
        value=wanted.value,
        policy=wanted.policy,
        why=why,
    )


MAYBE_DONE = "it may not have happened: the session host ended while it was carried out"
STOPPED = "its request was stopped on its way out, because it is riskier than was allowed"


def again(proposal: Proposal | None, action: Action, *, why: str) -> Proposal:
    """The same action once more, for a reason that people are told."""
    if proposal is None:
        return Proposal(action=action, probability=0.0, why=why)
    rest = tuple(each for each in proposal.alternatives if each.action != action)
    return Proposal(action, proposal.probability, rest, proposal.value, proposal.policy, why)
