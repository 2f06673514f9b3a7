"""One web process and one Chromium for all journeys; people, a policy and a session host for each."""

from collections.abc import Iterator
from dataclasses import dataclass

import django
import pytest

django.setup()  # this file may be read before pytest-django does it: when these tests are named on the command line

from django.db import connection  # noqa: E402 - Django must be set up first
from playwright.sync_api import Browser, expect, sync_playwright  # noqa: E402 - Django must be set up first

from sandbox import sessions as sandbox  # noqa: E402
from sandbox.browser.find import find_chromium  # noqa: E402
from tests.browser.site import Looks, web_process  # noqa: E402
from tests.builders import a_user  # noqa: E402
from tests.crash.rig import a_host, wait_for  # noqa: E402
from webapp.accounts.models import Role, User  # noqa: E402
from webapp.agent_sessions import actions  # noqa: E402
from webapp.agent_sessions.models import Session  # noqa: E402
from webapp.agent_sessions.review import seed_taxonomy  # noqa: E402
from webapp.agent_sessions.states import ENDED  # noqa: E402
from webapp.problems import Conflict  # noqa: E402
from webapp.rollouts.actions import point_alias  # noqa: E402
from webapp.rollouts.models import Alias, PolicyVersion  # noqa: E402


@pytest.fixture(scope="package", autouse=True)
def _rows_beside_playwright() -> Iterator[None]:
    """Playwright keeps an event loop in this thread; rows may be read beside it, as nothing here runs on that loop."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """One browser for all pages; a busy machine is given time."""
    expect.set_options(timeout=20_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def site(django_db_setup: None) -> Iterator[str]:
    """Where the pages are."""
    with web_process() as url:
        yield url


@pytest.fixture
def looks(chromium: Browser, site: str) -> Iterator[Looks]:
    """Opens pages; no script on any of them may have failed."""
    looks = Looks(chromium, site)
    yield looks
    looks.close()
    wait_for("the web process to have answered the closed pages", is_nobody_writing)
    assert looks.errors == []


def is_nobody_writing() -> bool:
    """Whether no other process is in a transaction for half a second: the tables are emptied next."""
    for _ in range(10):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*), pg_sleep(0.05) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND state <> 'idle'"
            )
            busy = (cursor.fetchone() or (0,))[0]
        if busy:
            return False
    return True


@dataclass(frozen=True)
class Cast:
    """The people, and how a ticket comes to be."""

    operator: User
    reviewer: User
    admin: User
    policy: PolicyVersion

    def file(self, template: str = "cloud/create-security-group", *, seed: int = 7) -> Session:
        """A ticket of the operator's, its session queued."""
        task = sandbox.sample(template, seed=seed, split="test")
        ticket = actions.file_ticket(
            user=self.operator,
            how="web",
            environment=task.environment,
            template=template,
            parameters=sandbox.parameters_of(task),
        )
        return ticket.sessions.get()


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    """Three people, the taxonomy, and a champion."""
    seed_taxonomy()
    policy = PolicyVersion.objects.create(number=1, source="starter", content_hash="a" * 64, storage_key="policies/a")
    point_alias(name=Alias.Name.CHAMPION, policy=policy, user=None, how="system")
    operator, reviewer, admin = (a_user(role, username=f"{role}-of-journeys") for role in Role)
    return Cast(operator, reviewer, admin, policy)


@pytest.fixture
def host(cast: Cast) -> Iterator[None]:
    """A session host whose policy is the oracle; it leaves no browser behind."""
    with a_host():
        yield
        for session in Session.objects.exclude(state__in=ENDED):
            _stop(session, cast.admin)
        wait_for("every browser to be closed", lambda: not Session.objects.filter(handle__isnull=False).exists())


def _stop(session: Session, user: User) -> None:
    try:
        actions.stop(session_id=session.pk, user=user, how="web", reason="the journey is over")
    except Conflict:  # it ended by itself in this moment
        return
