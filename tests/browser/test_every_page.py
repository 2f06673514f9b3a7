"""Each address of the map opens without an error, with rows and without."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Cast
from tests.browser.site import ROOT, Looks
from tests.builders import a_policy_folder, a_trajectory, packed
from webapp.accounts.models import User
from webapp.rollouts.actions import register_policy, start_rollout
from webapp.rollouts.models import PolicyVersion
from webapp.training.models import MetricPoint, TrainingRun
from webapp.trajectories.actions import freeze, import_starter
from webapp.trajectories.models import DatasetVersion

pytestmark = pytest.mark.django_db(transaction=True)

# Route of the map -> what one sees there once there is work.
FULL = {
    "/": ("heading", "At hand"),
    "/tickets": ("table", "Tickets"),
    "/tickets/new": ("heading", "New ticket"),
    "/tickets/:id": ("table", "Sessions"),
    "/sessions/:id": ("button", "Stop"),
    "/approvals": ("heading", "Approvals"),
    "/review": ("heading", "Review"),
    "/trajectories": ("table", "Trajectories"),
    "/trajectories/:hash": ("list", "Timeline"),
    "/datasets": ("table", "Datasets"),
    "/datasets/:number": ("heading", "Dataset version 1"),
    "/training": ("table", "Training"),
    "/training/:id": ("figure", "Loss: loss 0.5"),
    "/policies": ("table", "Policies"),
    "/policies/:number": ("region", "Lineage"),
    "/rollouts": ("table", "Rollouts"),
    "/rollouts/:id": ("table", "The two arms"),
    "/environments": ("table", "Templates"),
    "/audit": ("table", "Audit"),
    "/settings": ("table", "People"),
}

# Route -> what it asks the server for first.
ASKS = {
    "/": "home",
    "/tickets": "tickets?*",
    "/tickets/new": "environments",
    "/tickets/:id": "tickets/*",
    "/sessions/:id": "sessions/*",
    "/approvals": "approvals",
    "/review": "review",
    "/trajectories": "trajectories?*",
    "/trajectories/:hash": "trajectories/*",
    "/datasets": "datasets?*",
    "/datasets/:number": "datasets/*",
    "/training": "training?*",
    "/training/:id": "training/*",
    "/policies": "policies?*",
    "/policies/:number": "policies/*",
    "/rollouts": "rollouts?*",
    "/rollouts/:id": "rollouts/*",
    "/environments": "environments",
    "/audit": "audit?*",
    "/settings": "people",
}

EMPTY = {
    "/": "No ticket yet",
    "/tickets": "No ticket matches",
    "/approvals": "Nothing waits for a decision",
    "/review": "Nothing waits for review",
    "/trajectories": "The dataset holds nothing that matches",
    "/datasets": "No version is frozen yet",
    "/training": "Nothing was trained yet",
    "/rollouts": "No policy was let out yet",
    "/audit?verb=none": "No entry matches",
    "/settings": "No token",
    "/nowhere": "Nothing is at this address",
}


@pytest.fixture
def addresses(cast: Cast, tmp_path: Path) -> dict[str, str]:
    """Address of each route, now that there is one of everything."""
    session = cast.file()
    content_hash, content = packed(a_trajectory())
    import_starter([content])
    dataset = freeze(reason=DatasetVersion.Reason.MANUAL, user=cast.admin, how="web")
    run = TrainingRun.objects.create(trigger="manual", dataset=dataset, parent=cast.policy)
    MetricPoint.objects.create(run=run, step=1, values={"loss": 0.5, "held_out_accuracy": 0.9})
    challenger = register_policy(
        folder=a_policy_folder(tmp_path / "policy"),
        source=PolicyVersion.Source.TRAINING,
        parent=cast.policy,
        spec={"width": 96},
        card="# A card",
        lineage={},
        evaluation={},
        user=cast.admin,
        how="web",
    )
    rollout = start_rollout(challenger=challenger, weight=50, user=cast.admin, how="web")
    ids = {
        "/tickets/:id": session.ticket_id,
        "/sessions/:id": session.pk,
        "/trajectories/:hash": content_hash,
        "/datasets/:number": dataset.number,
        "/training/:id": run.pk,
        "/policies/:number": challenger.number,
        "/rollouts/:id": rollout.pk,
    }
    return {route: re.sub(r":\w+", str(ids.get(route)), route) for route in FULL}


def opened(looks: Looks, user: User, address: str) -> tuple[Page, list[str]]:
    """A page, and what its console complains of while it loads."""
    page = looks.person(user, "/api/health")
    complaints: list[str] = []
    page.on("console", lambda message: complaints.extend([message.text] * (message.type == "error")))
    page.goto(address)
    return page, complaints


def test_the_map_is_the_applications_own() -> None:
    routes = re.findall(r'<Route path="([^"]+)"', (ROOT / "webapp/frontend/src/App.tsx").read_text())
    assert set(routes) == {*FULL, "*"}


@pytest.mark.parametrize("route", FULL)
def test_a_page_shows_what_there_is(route: str, cast: Cast, looks: Looks, addresses: dict[str, str]) -> None:
    page, complaints = opened(looks, cast.admin, addresses[route])
    role, name = FULL[route]
    expect(page.get_by_role(role, name=name).first).to_be_visible()  # type: ignore[arg-type]  # roles of the table
    expect(page.get_by_label("Loading")).to_have_count(0)
    assert complaints == []
    page.set_viewport_size({"width": 900, "height": 1000})
    expect(page.get_by_role("button", name="Show or hide navigation")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 900


@pytest.mark.parametrize("address", EMPTY)
def test_an_empty_page_says_what_to_do_first(address: str, cast: Cast, looks: Looks) -> None:
    page, complaints = opened(looks, cast.reviewer, address)
    expect(page.get_by_text(EMPTY[address])).to_be_visible()
    assert complaints == []


@pytest.mark.parametrize("route", ASKS)
def test_a_page_says_that_it_loads_and_that_it_could_not_and_tries_again(
    route: str, cast: Cast, looks: Looks, addresses: dict[str, str]
) -> None:
    page = looks.person(cast.admin, "/api/health")
    held: list[Route] = []
    page.route(f"**/api/{ASKS[route]}", lambda asked: held.append(asked))
    with page.expect_request(f"**/api/{ASKS[route]}"):
        page.goto(addresses[route])
    expect(page.get_by_label("Loading").first).to_be_visible()
    assert held
    for asked in held:
        asked.fulfill(status=500, json={"title": "Broken", "status": 500, "detail": "The disk is full."})
    trouble = page.get_by_role("alert").filter(has_text="This could not be loaded")
    expect(trouble).to_contain_text("The disk is full.")
    page.unroute(f"**/api/{ASKS[route]}")
    trouble.get_by_role("button", name="Try again").click()
    role, name = FULL[route]
    expect(page.get_by_role(role, name=name).first).to_be_visible()  # type: ignore[arg-type]  # roles of the table
