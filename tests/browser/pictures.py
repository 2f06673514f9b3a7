"""The README's pictures, made of a real loop: `python -m tests.browser.pictures [--all FOLDER]`."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import httpx
from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.client import ENDED, Person, until
from benchmarks.reviewer import Work, file_sampled, work
from benchmarks.stack import running
from sandbox.browser.find import find_chromium
from sandbox.contracts.tasks import Task

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
WIDTHS = {1440: 900, 900: 1000}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
CONSOLE = "object-store"
TAUGHT = (f"{CONSOLE}/change-quota",)  # the template that the starter was never shown
LIVE = f"{CONSOLE}/create-bucket"
PATIENCE_MS = 60_000  # of a page; a busy machine is given time
PATIENCE_S = 1800  # of work and of a training, likewise


def main() -> None:
    """Make some work on a Belay of its own, and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="every page too: two widths, light and dark")
    folder = parser.parse_args().all
    with (
        running(TRAIN_BUDGET_S="20", TRAIN_PRACTICE_S="0", EVALUATE_EPISODES="1", SESSION_SLOTS="2") as stack,
        sync_playwright() as playwright,
    ):
        people = {name: stack.person(name) for name in ("operator", "reviewer", "admin")}
        browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=["--no-sandbox"])
        PICTURES.mkdir(parents=True, exist_ok=True)
        rollout = _make_work(people)
        with _page(browser, stack.url, people["admin"]) as page:
            _shoot(page, f"/rollouts/{rollout}", PICTURES / "rollout.png")
        session = _wait_at_a_question(people)
        with _page(browser, stack.url, people["reviewer"]) as page:
            _shoot(page, f"/sessions/{session}", PICTURES / "session.png", live=True)
        if folder is not None:
            _every_page(browser, stack.url, people, folder, rollout=rollout, session=session)
        browser.close()


def _make_work(people: dict[str, Person]) -> int:
    """Tickets, reviewed and learned from; the new version let out at 50 % on fresh ones. Returns the rollout."""
    operator, reviewer, admin = people["operator"], people["reviewer"], people["admin"]
    # Everything is asked, so that nothing wrong goes by and the arms differ in what had to be corrected.
    policy = next(each["approval_policy"] for each in admin.get("/api/environments") if each["id"] == CONSOLE)
    admin.put(f"/api/environments/{CONSOLE}/approval-policy", {**policy, "auto_approve_up_to": "nothing"})
    taught = _worked(operator, reviewer, range(8100, 8106))
    for session in taught.sessions.values():
        _accept(reviewer, session)
    say("a training run has started" if admin.get("/api/training")["items"] else "no run yet")
    version = until(lambda: _learned(admin), within_s=PATIENCE_S, what="a newly trained policy version", every_s=0.5)
    rollout = admin.post("/api/rollouts", {"challenger": version["number"], "weight": 50})
    _worked(operator, reviewer, range(8200, 8208))
    return int(rollout["id"])


def _worked(operator: Person, reviewer: Person, seeds: range) -> Work:
    tickets: dict[int, Task] = {}
    for template in TAUGHT:
        tickets |= file_sampled(operator, template, seeds)
    done = work(reviewer, tickets, correct=True, within_s=PATIENCE_S)
    say(f"{done.verified} of {len(tickets)} tickets verified, {done.corrected} steps corrected")
    return done


def _accept(reviewer: Person, session: int) -> None:
    try:
        reviewer.post(f"/api/sessions/{session}/review", {"verdict": "accept"})
    except httpx.HTTPStatusError as problem:  # not offered for review: it did not end well
        say(str(problem))


def _learned(admin: Person) -> dict[str, Any] | None:
    lost = [run for run in admin.get("/api/training")["items"] if run["state"] in ("failed", "cancelled")]
    if lost:
        raise RuntimeError(f"training run {lost[0]['id']} {lost[0]['state']}: {lost[0]['error']}")
    newest: dict[str, Any] = admin.get("/api/policies")["items"][0]
    return newest if newest["source"] == "training" else None


def _wait_at_a_question(people: dict[str, Person]) -> int:
    """A session in the middle of its work, with a question open. Returns its id."""
    operator, reviewer = people["operator"], people["reviewer"]
    (ticket,) = file_sampled(operator, LIVE, [8301])
    session = int(operator.get(f"/api/tickets/{ticket}")["session"]["id"])

    def is_far_enough() -> bool | None:
        view = reviewer.get(f"/api/sessions/{session}")
        if view["state"] in ENDED:
            raise RuntimeError(f"session {session} ended {view['state']}: {view['end_reason']}")
        question = view["approval"]
        if question is None:
            return None
        if view["step_count"] >= 3:
            return True
        body = {key: question[key] for key in ("proposal_id", "fingerprint")}
        reviewer.http.post(
            f"/api/sessions/{session}/decide", json={**body, "decision": "approved"}, headers=reviewer.headers()
        )
        return None

    until(is_far_enough, within_s=PATIENCE_S, what="a session in the middle of its work", every_s=0.3)
    return session


@contextmanager
def _page(
    browser: Browser,
    url: str,
    person: Person,
    *,
    width: int = 1440,
    scheme: Literal["light", "dark"] = "light",
) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": width, "height": WIDTHS[width]}, base_url=url, color_scheme=scheme, locale="en-GB"
    )
    context.add_cookies([{"name": "sessionid", "value": person.http.cookies["sessionid"], "url": url}])
    yield context.new_page()
    context.close()


def _shoot(page: Page, path: str, target: Path, *, live: bool = False) -> None:
    page.goto(path, timeout=PATIENCE_MS)
    expect(page.locator("main h1, h1").first).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_label("Loading")).to_have_count(0, timeout=PATIENCE_MS)
    if live:
        expect(page.locator("canvas[data-has-frame=true]")).to_be_visible(timeout=PATIENCE_MS)
        expect(page.get_by_role("button", name="Approve")).to_be_visible(timeout=PATIENCE_MS)
    page.wait_for_function("() => [...document.images].every((image) => image.complete)", timeout=PATIENCE_MS)
    page.evaluate("() => document.fonts.ready")
    page.screenshot(path=target, animations="disabled")
    say(f"{target} ({target.stat().st_size // 1024} KB)")


def _every_page(
    browser: Browser, url: str, people: dict[str, Person], folder: Path, *, rollout: int, session: int
) -> None:
    admin = people["admin"]
    ended = next(row["id"] for row in admin.get("/api/sessions")["items"] if row["state"] == "completed")
    lists = ("trajectories", "datasets", "training", "policies")
    first = {name: admin.get(f"/api/{name}")["items"][0] for name in lists}
    pages = {
        "home": "/",
        "tickets": "/tickets",
        "ticket": f"/tickets/{admin.get('/api/tickets')['items'][0]['id']}",
        "new": "/tickets/new?environment=object-store&template=object-store%2Fcreate-bucket",
        "session-live": f"/sessions/{session}",
        "session-ended": f"/sessions/{ended}",
        "approvals": "/approvals",
        "review": "/review",
        "trajectories": "/trajectories",
        "trajectory": f"/trajectories/{first['trajectories']['content_hash']}",
        "datasets": "/datasets",
        "dataset": f"/datasets/{first['datasets']['number']}",
        "training": "/training",
        "run": f"/training/{first['training']['id']}",
        "policies": "/policies",
        "policy": f"/policies/{first['policies']['number']}",
        "rollouts": "/rollouts",
        "rollout": f"/rollouts/{rollout}",
        "environments": "/environments",
        "audit": "/audit",
        "people": "/settings?tab=people",
        "tokens": "/settings?tab=tokens",
        "labels": "/settings?tab=taxonomy",
    }
    folder.mkdir(parents=True, exist_ok=True)
    for width in WIDTHS:
        for scheme in SCHEMES:
            with _page(browser, url, admin, width=width, scheme=scheme) as page:
                for name, path in pages.items():
                    _shoot(page, path, folder / f"{name}-{width}-{scheme}.png", live=name == "session-live")


def say(text: str) -> None:
    """Progress, for people."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
