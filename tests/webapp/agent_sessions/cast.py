"""The cast of these tests: a ticket at work, a host that holds it, people who decide."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Max

from sandbox.contracts import storage
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click
from sandbox.contracts.observations import Box, Element, Observation
from sandbox.contracts.policies import Alternative, Proposal
from sandbox.contracts.tasks import Goal, Risk, Task
from tests.builders import a_user
from webapp.accounts.models import Role, User
from webapp.agent_sessions import leases, proposals, snapshot
from webapp.agent_sessions.models import ApprovalRequest, Session, SessionEvent, Step
from webapp.rollouts.models import PolicyVersion
from webapp.tickets.models import Ticket


def a_page(name: str = "start", *, states: tuple[str, ...] = ()) -> Observation:
    """A page with a button, a field and a list; pages of other names have other fingerprints."""
    elements = (
        Element(1, "button", "Save", states=states, box=Box(10, 10, 80, 20)),
        Element(2, "textbox", "Name", states=("editable",), box=Box(10, 40, 80, 20)),
        Element(3, "combobox", "Size", options=("small", "large"), box=Box(10, 70, 80, 20)),
        Element(4, "button", f"Delete {name}", box=Box(10, 100, 80, 20)),
    )
    return Observation("http://127.0.0.1/", name, elements, fingerprint=name.ljust(64, "0"))


def a_proposal(action: Action | None = None) -> Proposal:
    """Click Save, or else what is given; the alternative is to delete."""
    return Proposal(action or Click(1), 0.9, (Alternative(Click(4), 0.1),), policy="v1", why="the goal says so")


def a_policy() -> PolicyVersion:
    """A registered version; nothing here loads it."""
    number = (PolicyVersion.objects.aggregate(last=Max("number"))["last"] or 0) + 1
    return PolicyVersion.objects.create(
        number=number, source="starter", content_hash=str(number).rjust(64, "a"), storage_key="policies/x"
    )


@dataclass
class Scene:
    """One session, the host that holds it, and the people around it."""

    filer: User
    reviewer: User
    session_id: int
    fence: int

    @property
    def host(self) -> dict[str, Any]:
        """How the host names itself to a verb."""
        return {"session_id": self.session_id, "fence": self.fence}

    @property
    def session(self) -> Session:
        return Session.objects.get(pk=self.session_id)

    @property
    def approval(self) -> ApprovalRequest:
        return ApprovalRequest.objects.filter(session_id=self.session_id).latest("id")

    def step(self, step_id: int) -> Step:
        return Step.objects.get(pk=step_id)

    def propose(self, risk: Risk = Risk.REVERSIBLE, *, page: str = "start", **more: Any) -> Step:
        """The policy proposes to click Save."""
        proposal = more.pop("proposal", a_proposal())
        made = proposals.propose(
            **self.host, observation=a_page(page), proposal=proposal, risk=risk, before="b" * 64, **more
        )
        return self.step(made.step_id)

    def carry_out(self, step: Step, *, page: str = "next") -> None:
        """The host does a decided step."""
        proposals.begin_intent(**self.host, step_id=step.pk)
        proposals.finish_act(
            **self.host,
            step_id=step.pk,
            result=ActResult(ActOutcome.DONE),
            observation=a_page(page),
            after="a" * 64,
        )

    def answer(self, step: Step, decision: str = "approved", **more: Any) -> dict[str, Any]:
        """Arguments of `decide` for the reviewer."""
        return {
            "session_id": self.session_id,
            "proposal_id": str(step.proposal_id),
            "fingerprint": step.fingerprint,
            "decision": decision,
            "user": self.reviewer,
            "how": "web",
            **more,
        }


def a_ticket(filer: User, *, priority: int = 3) -> Ticket:
    """A ticket in words for an environment that no test opens."""
    return Ticket.objects.create(
        title="Save it", environment="nowhere", text="save it", seed=1, filed_by=filer, priority=priority
    )


def queued(ticket: Ticket) -> Session:
    """A queued session of a ticket."""
    task = Task(environment="nowhere", template="", goal=Goal("save it", (("name", "x"),)), seed=1)
    return Session.objects.create(ticket=ticket, task=storage.to_builtins(task))


def a_scene(*, is_open: bool = True) -> Scene:
    """A session that a host holds, at its first page."""
    filer, reviewer = a_user(Role.REVIEWER), a_user(Role.REVIEWER)
    session = queued(a_ticket(filer, priority=1))
    Session.objects.filter(pk=session.pk).update(policy_version=a_policy())
    claim = leases.claim(holder="here/boot:1:1", machine="here")
    assert claim is not None
    assert claim.session_id == session.pk
    scene = Scene(filer, reviewer, session.pk, claim.fence)
    Session.objects.filter(pk=session.pk).update(policy_version=a_policy(), arm="champion")
    if is_open:
        leases.opened(**scene.host, observation=a_page(), anew=True)
    return scene


def seen(session_id: int) -> dict[str, Any]:
    """The snapshot as JSON."""
    session = Session.objects.select_related("ticket__filed_by", "policy_version").get(pk=session_id)
    return snapshot.snapshot(session).model_dump(mode="json")


def fold(view: dict[str, Any], event: SessionEvent) -> dict[str, Any]:
    """What the page does with an event; the TypeScript fold says the same."""
    assert event.seq == view["seq"] + 1, "a gap"
    view = {**view, "seq": event.seq}
    match event.kind:
        case "session_changed" | "page_changed" | "approval_changed" | "marks_changed":
            return {**view, **event.data}
        case "step_changed":
            others = [step for step in view["steps"] if step["index"] != event.data["step"]["index"]]
            return {**view, "steps": sorted([*others, event.data["step"]], key=lambda step: step["index"])}
        case _:
            raise AssertionError(event.kind)


def folded(view: dict[str, Any]) -> dict[str, Any]:
    """A snapshot with all later events folded over it."""
    for event in SessionEvent.objects.filter(session_id=view["id"], seq__gt=view["seq"]).order_by("seq"):
        view = fold(view, event)
    return view
