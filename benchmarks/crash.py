"""kill -9 of session host, web, Celery worker and trainer while work goes on: nothing is lost, nothing done twice."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import httpx

from benchmarks import Result
from benchmarks.client import Person, until
from benchmarks.dispatches import dispatched
from benchmarks.reviewer import Work, file_sampled, work
from benchmarks.stack import Stack, running
from sandbox.contracts.tasks import Task
from webapp.embedded import processes
from webapp.embedded.state import State

TEMPLATE = "cloud/create-security-group"
# Who is killed, and when: while the host waits for a person, the instant an act goes out, the instant it is over.
KILLS = (
    ("session-host", "waiting"),
    ("session-host", "acting"),
    ("web", "waiting"),
    ("session-host", "between"),
    ("worker", "waiting"),
)


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
                time.sleep(0.1)


def run(*, quick: bool) -> Result:
    """How many things were lost or done twice."""
    # Between two kills so many acts get through: what was killed is up and under way again.
    tickets, acts_between = (1, 1) if quick else (5, 2)
    # The quick form trains nothing, and so needs no trainer.
    only = ("web", "worker", "beat", "session-host") if quick else ()
    # Nothing is judged after the training: that takes minutes and is killed by nobody here.
    training = {
        "TRAIN_AFTER_ACCEPTED": "1000",
        "TRAIN_BUDGET_S": "20",
        "TRAIN_PRACTICE_S": "0",
        "EVALUATE_EPISODES": "0",
    }
    with running(only=only, SESSION_SLOTS="2", **training) as stack:
        reviewer = Stubborn(stack.url, "reviewer", stack.passwords["reviewer"])
        filed = file_sampled(stack.person("operator"), TEMPLATE, range(7300, 7300 + tickets))
        kills, done = _work_under_fire(stack, reviewer, filed, acts_between)
        broken = [f"ticket {ticket}: {outcome}" for ticket, outcome in done.outcomes.items() if outcome != "verified"]
        sent = dispatched(stack.folder)
        broken += [
            f"session {key[0]} step {key[1]} dispatched {len(at)} times" for key, at in sent.items() if len(at) > 1
        ]
        broken += _append_under_fire(stack, reviewer, done, kills)
        if not quick:
            broken += _train_under_fire(stack, kills)
    for each in dict.fromkeys(kills):
        print(f"{kills.count(each):3} x kill -9 of {each}")
    print(f"{tickets} tickets, {len(sent)} acts; lost or doubled: {len(broken)}")
    print("\n".join(broken))
    return Result(value=len(broken), unit="lost or doubled", bar="= 0", holds=not broken, n=len(kills))


def kill(stack: Stack, name: str, moment: str) -> list[str]:
    """What was killed, and when; nothing where it has fallen and is not up again yet.

    Only ever a process of this measurement's own folder.
    """
    identity = processes.read(State(stack.folder).pidfile(name))
    if identity is None:
        return []
    try:
        os.kill(identity.pid, signal.SIGKILL)
    except ProcessLookupError:  # it fell in this instant
        return []
    return [f"{name} while {moment}"]


def _work_under_fire(
    stack: Stack, reviewer: Person, filed: dict[int, Task], acts_between: int
) -> tuple[list[str], Work]:
    found: list[Work] = []
    failed: list[BaseException] = []

    def decide() -> None:
        try:
            found.append(work(reviewer, filed, correct=True, within_s=900))
        except BaseException as problem:
            failed.append(problem)
            raise

    thread = threading.Thread(target=decide)
    thread.start()
    kills = list(_fire(stack, thread.is_alive, acts_between))
    thread.join()
    if failed:
        raise failed[0]
    return kills, found[0]


def _fire(stack: Stack, is_going_on: Callable[[], bool], acts_between: int) -> Iterator[str]:
    """Kill one after the other, each in its moment, while the work goes on."""
    watcher = Stubborn(stack.url, "reviewer", stack.passwords["reviewer"])  # a connection of this thread's own
    acts = 0
    for name, moment in cycle(KILLS):
        while is_going_on() and len(dispatched(stack.folder)) < acts + acts_between:
            time.sleep(0.05)
        while is_going_on() and not _is(moment, stack, watcher):
            time.sleep(0.005)
        if not is_going_on():
            return
        killed = kill(stack, name, f"the host is {moment}")
        acts = len(dispatched(stack.folder))
        yield from killed


def _is(moment: str, stack: Stack, watcher: Person) -> bool:
    """Whether now is this moment of some session."""
    if moment == "waiting":
        return bool(watcher.get("/api/approvals", limit=1)["items"])
    sent = dispatched(stack.folder)
    latest = max((at[-1] for at in sent.values()), default=0.0)
    age_s = time.time() - latest
    # An act takes a tenth of a second or more with the look at what it did; then the next page is judged.
    return age_s < 0.05 if moment == "acting" else 0.15 < age_s < 0.4


def _append_under_fire(stack: Stack, reviewer: Person, done: Work, kills: list[str]) -> list[str]:
    for session in done.sessions.values():
        until(lambda s=session: _is_packed(reviewer, s), within_s=120, what="the packed session")  # type: ignore[misc]  # a default binds it
        reviewer.post(f"/api/sessions/{session}/review", {"verdict": "accept"})
    wanted = sorted(done.sessions.values())

    def appended(at_least: int) -> list[int] | None:
        items = reviewer.get("/api/trajectories", source="session", limit=500)["items"]
        ids = sorted(item["session_id"] for item in items)
        return ids if len(ids) >= at_least else None

    # A verdict can be taken back for some seconds; the worker is killed in the middle of what it then does.
    until(lambda: appended(1), within_s=120, what="the first accepted session in the dataset", every_s=0.01)
    kills += kill(stack, "worker", "it appends")
    ids = until(lambda: appended(len(wanted)), within_s=120, what="the accepted sessions in the dataset", every_s=0.5)
    return [] if ids == wanted else [f"accepted {wanted}, in the dataset {ids}"]


def _is_packed(reviewer: Person, session_id: int) -> bool | None:
    return bool(reviewer.get(f"/api/sessions/{session_id}")["trajectory_hash"]) or None


def _train_under_fire(stack: Stack, kills: list[str]) -> list[str]:
    admin = Stubborn(stack.url, "admin", stack.passwords["admin"])
    before = admin.get("/api/policies")["count"]
    admin.post("/api/datasets")
    run_id = admin.post("/api/training", {})["id"]

    def is_learning() -> bool | None:
        run = admin.get(f"/api/training/{run_id}")
        return (run["state"] == "running" and run["phase"] == "train") or None

    until(is_learning, within_s=120, what="the training run to learn")
    kills += kill(stack, "trainer", "it learns")

    def end() -> str | None:
        state = str(admin.get(f"/api/training/{run_id}")["state"])
        return state if state in ("completed", "failed", "cancelled") else None

    ended = until(end, within_s=400, what="the end of the training run", every_s=0.5)
    added = admin.get("/api/policies")["count"] - before
    return [] if (ended, added) == ("completed", 1) else [f"training run {run_id} {ended}, {added} new versions"]
