"""Two people press approve and reject in the same instant: one decision, one execution, and the loser hears whose."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from benchmarks import Result
from benchmarks.client import ENDED, Person
from benchmarks.dispatches import ask_everything, dispatched
from benchmarks.reviewer import file_sampled
from benchmarks.stack import NEEDED, running

TEMPLATE = "cloud/create-disk"
PRESSES = ("approved", "rejected")
SETTLE_S = 20.0

Raced = tuple[int, int, str]  # session, step, the decision that counted


def run(*, quick: bool) -> Result:
    """How many of the races broke a rule."""
    wanted = 12 if quick else 200
    with running(only=NEEDED, SESSION_SLOTS="3") as stack:
        people = [stack.person(name) for name in ("reviewer", "admin")]
        ask_everything(people[1], "cloud")
        broken, raced = _race(stack.person("operator"), people, wanted)
        steps = _settled(people[0], raced)
        time.sleep(2.0)  # whatever would still be carried out wrongly shows by now
        broken += _executions(steps, raced, dispatched(stack.folder))
    print(f"{len(raced)} races, {len(broken)} broken")
    print("\n".join(broken))
    return Result(value=len(broken), unit="broken races", bar="= 0", holds=not broken, n=len(raced))


def _race(operator: Person, people: list[Person], wanted: int) -> tuple[list[str], list[Raced]]:
    broken: list[str] = []
    raced: list[Raced] = []
    known: set[str] = set()
    tickets: dict[int, Any] = {}
    seed, limit = 7200, time.monotonic() + 900
    while len(raced) < wanted:
        if time.monotonic() > limit:
            raise TimeoutError(f"only {len(raced)} races in 15 minutes")
        if sum(_is_open(operator, ticket) for ticket in tickets) < 4:
            tickets = file_sampled(operator, TEMPLATE, range(seed, seed + 4)) | tickets
            seed += 4
        asked = people[0].get("/api/approvals", limit=100)["items"]
        for approval in [each for each in asked if each["proposal_id"] not in known][: wanted - len(raced)]:
            known.add(approval["proposal_id"])
            answers = _press(people, approval)
            winner = next((press for press, answer in answers.items() if answer.status_code == 200), "")
            broken += _judge(approval, answers)
            raced.append((approval["session_id"], approval["step"]["index"], winner))
        time.sleep(0.05)
    return broken, raced


def _is_open(operator: Person, ticket: int) -> bool:
    return operator.get(f"/api/tickets/{ticket}")["session"]["state"] not in ENDED


def _press(people: list[Person], approval: dict[str, Any]) -> dict[str, httpx.Response]:
    start = threading.Barrier(2)

    def press(person: Person, decision: str) -> httpx.Response:
        body = {name: approval[name] for name in ("proposal_id", "fingerprint")} | {"decision": decision}
        start.wait()
        return person.http.post(f"/api/sessions/{approval['session_id']}/decide", json=body, headers=person.headers())

    with ThreadPoolExecutor(2) as pool:
        running_ = [pool.submit(press, person, each) for person, each in zip(people, PRESSES, strict=True)]
        return {each: future.result() for each, future in zip(PRESSES, running_, strict=True)}


def _judge(approval: dict[str, Any], answers: dict[str, httpx.Response]) -> list[str]:
    name = f"proposal {approval['proposal_id']}"
    codes = sorted(answer.status_code for answer in answers.values())
    if codes != [200, 409]:
        texts = [answer.text[:200] for answer in answers.values()]
        return [f"{name}: answers {codes}: {texts}"]
    winner = next(press for press, answer in answers.items() if answer.status_code == 200)
    lost = next(answer for answer in answers.values() if answer.status_code == 409).json()
    who = ("reviewer", "admin")[PRESSES.index(winner)]
    if (lost.get("decided_by"), lost.get("decision")) != (who, winner) or not lost.get("decided_at"):
        return [f"{name}: the loser heard {lost}"]
    return []


def _settled(reviewer: Person, raced: list[Raced]) -> dict[tuple[int, int], dict[str, Any]]:
    """The steps that were raced for, by session and index, when none is still to be carried out; soon in any case."""
    limit = time.monotonic() + SETTLE_S
    while True:
        found = {}
        for session_id in {each[0] for each in raced}:
            for step in reviewer.get(f"/api/sessions/{session_id}")["steps"]:
                found[session_id, step["index"]] = step
        steps = {each[:2]: found[each[:2]] for each in raced}
        if time.monotonic() > limit or not any(each["state"] in ("decided", "intent") for each in steps.values()):
            return steps
        time.sleep(0.2)


def _executions(
    steps: dict[tuple[int, int], dict[str, Any]], raced: list[Raced], sent: dict[tuple[int, int], list[float]]
) -> list[str]:
    broken = []
    for session_id, index, winner in raced:
        key = (session_id, index)
        if wrong := misdone(steps[key], winner, len(sent.get(key, []))):
            broken.append(f"session {session_id} step {index}: {winner}, {wrong}")
    return broken


def misdone(step: dict[str, Any], winner: str, times: int) -> str:
    """What is wrong with a step that was raced for and went so many times to the browser; "" if nothing.

    What was approved is done once, or withdrawn undone where the page had changed or the session was ended first.
    """
    if step["decision"] != winner:
        return f"written down as {step['decision']}"
    ends = {("done", 1), ("withdrawn", 0)} if winner == "approved" else {("withdrawn", 0)}
    return "" if (step["state"], times) in ends else f"{step['state']}, dispatched {times} times"
