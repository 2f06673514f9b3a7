"""The whole loop as people live it: tickets, approvals, corrections, a takeover, review, training, gray release."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.client import until
from benchmarks.stack import Stack, running
from sandbox import sessions
from sandbox.contracts.tasks import Template
from tests.browser.hands import Hands, Way, file, signed_in

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2400)]

CONSOLE = "Object store"
TRAINED = "object-store/create-bucket"
LEFT_OUT = "object-store/change-quota"
WAYS: tuple[Way | None, ...] = ("picture", "list", "take over", None, None)  # five sessions start a training
SERVERS = ("DATABASE_URL", "VALKEY_URL", "S3_ENDPOINT_URL", "S3_ACCESS_KEY", "S3_SECRET_KEY", "S3_BUCKET", "SECRET_KEY")
TRAINING_MS = 900_000  # a busy machine is given time


@dataclass
class Room:
    """A Belay of its own, and three people who have signed in."""

    stack: Stack
    operator: Page
    reviewer: Page
    admin: Page


@pytest.fixture
def room(chromium: Browser, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    """Everything that `make up` starts, on servers of its own."""
    for name in SERVERS:
        monkeypatch.delenv(name, raising=False)
    wanted = {
        "TRAIN_BUDGET_S": "30",
        "TRAIN_PRACTICE_S": "20",
        "EVALUATE_EPISODES": "1",
        "SESSION_SLOTS": "1",
        "OMP_NUM_THREADS": "1",
    }
    with running(**wanted) as stack, ExitStack() as pages:
        people = (
            pages.enter_context(signed_in(chromium, stack.url, name, stack.passwords[name]))
            for name in ("operator", "reviewer", "admin")
        )
        yield Room(stack, *people)


def template(name: str) -> Template:
    return next(each for each in sessions.templates("object-store") if each.id == name)


def test_from_a_ticket_to_a_promoted_version(room: Room) -> None:
    hands = Hands(room.reviewer, room.stack.person("reviewer"))
    everything_is_asked(room.admin)
    task, session = file(room.operator, template(TRAINED), environment=CONSOLE, seed=9001)
    assert hands.work(session, task) == "verified"

    for seed, way in enumerate(WAYS, start=8000):
        task, session = file(room.operator, template(LEFT_OUT), environment=CONSOLE, seed=seed)
        assert hands.work(session, task, show=way) == "verified"
    assert {"approved", "picture", "list", "take over"} <= set(hands.did)

    five_are_accepted(room.reviewer)
    a_training_starts_by_itself_and_ends(room.admin)
    the_new_version_is_let_out(room.admin, weight="50")
    both_arms_get_work(room, hands)
    the_new_version_is_promoted(room.admin)

    _, session = file(room.operator, template(LEFT_OUT), environment=CONSOLE, seed=9300)
    room.reviewer.goto(f"/sessions/{session}")
    expect(room.reviewer.get_by_role("region", name="Proposal")).to_contain_text("v2", timeout=60_000)


def everything_is_asked(page: Page) -> None:
    """The admin lets nothing on this console go on without asking."""
    page.goto("/environments")
    form = page.get_by_role("region", name=CONSOLE).get_by_role("form", name="Approval policy")
    form.get_by_role("textbox", name="Goes on without asking").click()
    page.get_by_role("option", name="nothing").click()
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("button", name="Save")).to_be_disabled()


def five_are_accepted(page: Page) -> None:
    """The reviewer goes through the queue by key; the oldest is of a template that is known already."""
    page.goto("/review")
    for waiting in range(len(WAYS) + 1, 1, -1):
        expect(page.get_by_text(f"{waiting} waiting")).to_be_visible()
        expect(page.get_by_role("button", name="Accept for training")).to_be_enabled()
        page.keyboard.press("a")
    expect(page.get_by_text("1 waiting")).to_be_visible()


def a_training_starts_by_itself_and_ends(page: Page) -> None:
    """Nobody presses anything: the run is in the list, its curves grow, and it leaves a version behind."""
    page.goto("/training")
    page.get_by_role("link", name="Training run 1").click(timeout=60_000)
    expect(page.get_by_text("running", exact=True)).to_be_visible(timeout=60_000)
    loss = page.get_by_role("figure", name="Loss")
    expect(loss).to_be_visible(timeout=120_000)
    first = loss.get_attribute("aria-label") or ""
    page.wait_for_function(
        "first => document.querySelector('figure[aria-label^=\"Loss\"]').getAttribute('aria-label') !== first",
        arg=first,
        timeout=120_000,
    )
    expect(page.get_by_text("completed", exact=True)).to_be_visible(timeout=TRAINING_MS)
    page.get_by_role("link", name="v2").click()
    family = page.get_by_role("region", name="Lineage")
    expect(family.get_by_role("link", name="v1")).to_be_visible()
    expect(family.get_by_role("listitem").filter(has_text="v2")).to_have_attribute("aria-current", "true")


def the_new_version_is_let_out(page: Page, *, weight: str) -> None:
    """On the page of the new version."""
    page.get_by_role("button", name="Roll out").click()
    dialog = page.get_by_role("dialog", name="Let v2 out beside the champion?")
    dialog.get_by_role("textbox", name="Weight").fill(weight)
    dialog.get_by_role("button", name="Roll out").click()
    page.wait_for_url("**/rollouts/*")
    expect(page.get_by_text("running", exact=True)).to_be_visible()


def both_arms_get_work(room: Room, hands: Hands) -> None:
    """Fresh tickets until either version has worked one; the page counts along without being loaded again."""
    reader = room.stack.person("admin")
    rollout = int(room.admin.url.rpartition("/")[2])
    seeds = iter(range(9200, 9216))

    def both() -> bool | None:
        task, session = file(room.operator, template(LEFT_OUT), environment=CONSOLE, seed=next(seeds))
        assert hands.work(session, task) == "verified"
        arms = reader.get(f"/api/rollouts/{rollout}")["arms"]
        return True if all(arm["tickets"] > 0 for arm in arms.values()) else None

    until(both, within_s=420, what="tickets of both arms")
    arms = reader.get(f"/api/rollouts/{rollout}")["arms"]
    table = room.admin.get_by_role("table", name="The two arms")
    ended = table.get_by_role("row", name="Ended sessions").get_by_role("cell")
    expect(ended).to_have_text([str(arms[side]["tickets"]) for side in ("champion", "challenger")])
    expect(room.admin.get_by_role("table", name="Its sessions").get_by_text("challenger").first).to_be_visible()


def the_new_version_is_promoted(page: Page) -> None:
    page.get_by_role("button", name="Promote").click()
    dialog = page.get_by_role("dialog", name="Promote v2 to champion?")
    dialog.get_by_role("textbox", name="Reason").fill("better on the quota tickets")
    dialog.get_by_role("button", name="Promote").click()
    expect(page.get_by_text("promoted", exact=True)).to_be_visible()
    page.goto("/policies/2")
    expect(page.get_by_text("champion", exact=True).first).to_be_visible()
