"""From the press on Approve (POST sent) to the act dispatched in the browser."""

import statistics
import time

from benchmarks import Result
from benchmarks.client import Person, until
from benchmarks.dispatches import ask_everything, dispatched
from benchmarks.reviewer import file_sampled
from benchmarks.stack import NEEDED, running

TEMPLATE = "cloud/create-instance"
MEDIAN_MS = 100.0
P95_MS = 300.0


def run(*, quick: bool) -> Result:
    """The median over single approvals, one at a time; every step is asked."""
    wanted = 12 if quick else 100
    with running(only=NEEDED, SESSION_SLOTS="1") as stack:
        operator, reviewer, admin = (stack.person(name) for name in ("operator", "reviewer", "admin"))
        ask_everything(admin, "cloud")
        pressed: dict[tuple[int, int], float] = {}
        seed = 7000
        while len(pressed) < wanted:
            ticket = next(iter(file_sampled(operator, TEMPLATE, [seed])))
            _approve_all(reviewer, ticket, pressed, wanted)
            seed += 1
        sent = dispatched(stack.folder)
    took_ms = sorted((sent[key][0] - at) * 1000 for key, at in pressed.items())
    median, p95 = statistics.median(took_ms), took_ms[round(0.95 * (len(took_ms) - 1))]
    print(
        f"approve to dispatch: median {median:.0f} ms, p95 {p95:.0f} ms, worst {took_ms[-1]:.0f} ms, n={len(took_ms)}"
    )
    return Result(
        value=round(median, 1),
        unit="ms (median)",
        bar=f"median <= {MEDIAN_MS:.0f}, p95 <= {P95_MS:.0f}; p95 was {p95:.0f}",
        holds=median <= MEDIAN_MS and p95 <= P95_MS,
        n=len(took_ms),
    )


def _approve_all(reviewer: Person, ticket: int, pressed: dict[tuple[int, int], float], wanted: int) -> None:
    """Approve what one ticket's session asks, until it asks no more or there are enough; then stop it."""
    limit = time.monotonic() + 60
    session_id = reviewer.get(f"/api/tickets/{ticket}")["session"]["id"]
    while len(pressed) < wanted and time.monotonic() < limit:
        session = reviewer.get(f"/api/sessions/{session_id}")
        if session["ended_at"] is not None:
            return
        approval = session["approval"]
        if approval is None:
            time.sleep(0.05)
            continue
        step = session["steps"][-1]
        if step["action"]["kind"] in ("finish", "give_up"):
            break  # nothing goes to the browser
        body = {name: approval[name] for name in ("proposal_id", "fingerprint")} | {"decision": "approved"}
        time.sleep(0.3)  # a person takes longer, and the host has gone to sleep by then
        at = time.time()
        reviewer.http.post(f"/api/sessions/{session_id}/decide", json=body, headers=reviewer.headers())
        if _fate(reviewer, session_id, step["index"]) == "done":
            pressed[(session_id, step["index"])] = at
    reviewer.post(f"/api/sessions/{session_id}/stop")


def _fate(reviewer: Person, session_id: int, index: int) -> str:
    """What became of a step: done, or withdrawn because the page had changed."""

    def ask() -> str | None:
        steps = reviewer.get(f"/api/sessions/{session_id}")["steps"]
        state: str = next(step["state"] for step in steps if step["index"] == index)
        return state if state in ("done", "withdrawn") else None

    return until(ask, within_s=20, what=f"the act of step {index}")
