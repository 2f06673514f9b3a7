"""kill -9 of session host, web, Celery worker and trainer while work goes on: nothing is lost, nothing done twice."""

import os
import signal
import threading
import time
from contextlib import suppress
from typing import Any

import httpx

from benchmarks import Result
from benchmarks.client import Person, until
from benchmarks.dispatches import dispatched
from benchmarks.reviewer import Work, file_sampled, work
from benchmarks.stack import Stack, running
from sandbox.contracts.tasks import Task

TEMPLATE = "cloud/create-security-group"
VICTIMS = ("session-host", "web", "session-host", "worker")


class Stubborn(Person):
    """Somebody who presses again when the server was away; what counted the first time answers 409."""

    def get(self, path: str, **query: Any) -> Any:
        return self._again(lambda: super(Stubborn, self).get(path, **query))

    def post(self, path: str, body: Any = None) -> Any:
        return self._again(lambda: super(Stubborn, self).post(path, body))

    @staticmethod
    def _again(ask: Any) -> Any:
        limit = time.monotonic() + 60
        while True:
            try:
                return ask()
            except httpx.TransportError:
                if time.monotonic() > limit:
                    raise
                time.sleep(0.3)


def run(*, quick: bool) -> Result:
    """How many things were lost or done twice."""
    tickets = 2 if quick else 8
    with running(SESSION_SLOTS="2", TRAIN_AFTER_ACCEPTED="1000", TRAIN_BUDGET_S="20") as stack:
        reviewer = Stubborn(stack.url, "reviewer", stack.passwords["reviewer"])
        filed = file_sampled(stack.person("operator"), TEMPLATE, range(7300, 7300 + tickets))
        kills, done = _work_under_fire(stack, reviewer, filed)
        broken = [f"ticket {ticket}: {outcome}" for ticket, outcome in done.outcomes.items() if outcome != "verified"]
        sent = dispatched(stack.folder)
        broken += [
            f"session {key[0]} step {key[1]} dispatched {len(at)} times" for key, at in sent.items() if len(at) > 1
        ]
        broken += _append_under_fire(stack, reviewer, done)
        kills += 1
        if not quick:
            broken += _train_under_fire(stack)
            kills += 1
    print(f"{kills} kills, {tickets} tickets, {len(sent)} acts; lost or doubled: {len(broken)}")
    print("\n".join(broken))
    return Result(value=len(broken), unit="lost or doubled", bar="= 0", holds=not broken, n=kills)


def _kill(stack: Stack, name: str) -> None:
    """Only ever a process of this measurement's own folder."""
    pid = stack.pid(name)
    print(f"kill -9 {name} ({pid})")
    with suppress(ProcessLookupError):  # fallen, and not up again yet
        os.kill(pid, signal.SIGKILL)


def _work_under_fire(stack: Stack, reviewer: Person, filed: dict[int, Task]) -> tuple[int, Work]:
    found: list[Work] = []
    failed: list[BaseException] = []

    def decide() -> None:
        try:
            found.append(work(reviewer, filed, correct=True, within_s=600))
        except BaseException as problem:
            failed.append(problem)
            raise

    thread = threading.Thread(target=decide)
    thread.start()
    kills, acts = 0, 0
    while thread.is_alive():
        thread.join(0.2)
        # Again when an act got through since the last kill, so that what was killed is up and under way again.
        now = len(dispatched(stack.folder))
        if thread.is_alive() and now >= acts + 2:
            _kill(stack, VICTIMS[kills % len(VICTIMS)])
            kills, acts = kills + 1, now
    if failed:
        raise failed[0]
    return kills, found[0]


def _append_under_fire(stack: Stack, reviewer: Person, done: Work) -> list[str]:
    for session in done.sessions.values():
        until(lambda s=session: _is_packed(reviewer, s), within_s=60, what="the packed session")  # type: ignore[misc]  # a default binds it
        reviewer.post(f"/api/sessions/{session}/review", {"verdict": "accept"})
    _kill(stack, "worker")
    wanted = sorted(done.sessions.values())

    def appended() -> list[int] | None:
        items = reviewer.get("/api/trajectories", source="session", limit=500)["items"]
        ids = sorted(item["session_id"] for item in items)
        return ids if len(ids) >= len(wanted) else None

    ids = until(appended, within_s=120, what="the accepted sessions in the dataset", every_s=0.5)
    return [] if ids == wanted else [f"accepted {wanted}, in the dataset {ids}"]


def _is_packed(reviewer: Person, session_id: int) -> bool | None:
    return bool(reviewer.get(f"/api/sessions/{session_id}")["trajectory_hash"]) or None


def _train_under_fire(stack: Stack) -> list[str]:
    admin = Stubborn(stack.url, "admin", stack.passwords["admin"])
    before = admin.get("/api/policies")["count"]
    admin.post("/api/datasets")
    run_id = admin.post("/api/training", {})["id"]

    def state() -> str:
        return str(admin.get(f"/api/training/{run_id}")["state"])

    until(lambda: state() == "running" or None, within_s=60, what="the training run")
    time.sleep(3.0)  # somewhere in the middle of it
    _kill(stack, "trainer")
    ended = until(
        lambda: (lambda now: now if now in ("completed", "failed", "cancelled") else None)(state()),
        within_s=400,
        what="the end of the training run",
        every_s=0.5,
    )
    added = admin.get("/api/policies")["count"] - before
    return [] if (ended, added) == ("completed", 1) else [f"training run {run_id} {ended}, {added} new versions"]
