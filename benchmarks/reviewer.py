"""A reviewer who knows each task's right next step and decides through the API as a person would."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import httpx

from benchmarks.client import ENDED, Person
from sandbox import sessions
from sandbox.contracts.actions import Action, ActResult
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.storage import from_builtins, to_builtins
from sandbox.contracts.tasks import Task


@dataclass
class Work:
    """What became of a set of tickets."""

    outcomes: dict[int, str] = field(default_factory=dict)  # ticket -> verified | failed | unverified
    sessions: dict[int, int] = field(default_factory=dict)  # ticket -> session
    policies: dict[int, str] = field(default_factory=dict)
    approved: int = 0
    corrected: int = 0

    @property
    def verified(self) -> int:
        """How many ended verified."""
        return sum(outcome == "verified" for outcome in self.outcomes.values())


def file_sampled(operator: Person, template: str, seeds: Iterable[int]) -> dict[int, Task]:
    """File one ticket a seed with held-out parameters; ticket id -> task."""
    filed = {}
    for seed in seeds:
        task = sessions.sample(template, seed=seed, split="test")
        parameters = sessions.parameters_of(task)
        body = {"environment": task.environment, "template": template, "parameters": parameters}
        filed[operator.post("/api/tickets", body)["id"]] = task
    return filed


def work(reviewer: Person, tickets: dict[int, Task], *, correct: bool, within_s: float) -> Work:
    """Decide whatever these tickets' sessions ask until all have ended.

    With `correct`, a proposal that is not the right next step is corrected; else everything is approved.
    Raises TimeoutError naming the tickets that did not end.
    """
    done = Work()
    deadline = time.monotonic() + within_s
    while len(done.outcomes) < len(tickets):
        if time.monotonic() > deadline:
            raise TimeoutError(f"have not ended: {'; '.join(_standing(reviewer, set(tickets) - set(done.outcomes)))}")
        asked = reviewer.get("/api/approvals", limit=100)["items"]
        mine = [approval for approval in asked if approval["ticket"]["id"] in tickets]
        for approval in mine:
            _decide(reviewer, approval, tickets[approval["ticket"]["id"]], correct, done)
        if not mine:
            _look_for_ends(reviewer, tickets, done)
            time.sleep(0.1)
    return done


def _standing(reviewer: Person, tickets: set[int]) -> list[str]:
    """Where the sessions of these tickets stand."""
    found = []
    for ticket in sorted(tickets):
        session = reviewer.get(f"/api/sessions/{reviewer.get(f'/api/tickets/{ticket}')['session']['id']}")
        last = session["steps"][-1]["summary"] if session["steps"] else "no step"
        found.append(f"ticket {ticket} is {session['state']} ({session['end_reason']}) after {last}")
    return found


def _look_for_ends(reviewer: Person, tickets: dict[int, Task], done: Work) -> None:
    for ticket in set(tickets) - set(done.outcomes):
        session = reviewer.get(f"/api/tickets/{ticket}")["session"]
        if session["state"] in ENDED:
            done.outcomes[ticket] = session["outcome"]
            done.sessions[ticket] = session["id"]
            done.policies[ticket] = session["policy"]


def _decide(reviewer: Person, approval: dict[str, Any], task: Task, correct: bool, done: Work) -> None:
    body = {
        "proposal_id": approval["proposal_id"],
        "fingerprint": approval["fingerprint"],
        "decision": "approved",
    }
    if correct:
        right = right_action(reviewer, approval, task)
        if to_builtins(right) != approval["step"]["proposal"]["action"]:
            body |= {"decision": "corrected", "action": to_builtins(right)}
    try:
        reviewer.post(f"/api/sessions/{approval['session_id']}/decide", body)
    except httpx.HTTPStatusError as problem:
        if problem.response.status_code != 409:
            raise
        return  # the page changed meanwhile: it will be asked again
    if body["decision"] == "approved":
        done.approved += 1
    else:
        done.corrected += 1


def right_action(reviewer: Person, approval: dict[str, Any], task: Task) -> Action:
    """What the task's oracle would do on the page that this approval is about."""
    session = reviewer.get(f"/api/sessions/{approval['session_id']}")
    history: list[Past] = []
    for step in session["steps"]:
        if step["state"] == "done" and step["result"] is not None:
            seen = _observation(reviewer, session["id"], step["index"])
            action: Action = from_builtins(step["action"], Action)
            history.append(past(seen, action, from_builtins(step["result"], ActResult)))
    observation = _observation(reviewer, session["id"], approval["step"]["index"])
    return sessions.oracle(task).act(observation, task.goal, history).action


def _observation(reviewer: Person, session_id: int, index: int) -> Observation:
    body = reviewer.get(f"/api/sessions/{session_id}/steps/{index}/observation")
    return from_builtins(body, Observation)
