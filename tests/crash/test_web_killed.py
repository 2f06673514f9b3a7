"""The web process killed in the middle of a decision: it counts wholly or not at all, and is carried out once."""

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import httpx
import pytest
from django.utils import timezone

from tests.crash import rig
from webapp.access import digest
from webapp.accounts.models import ApiToken, User
from webapp.agent_sessions.states import SessionState
from webapp.embedded.state import free_port

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]


@contextmanager
def a_web(**points: str) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """The web process on a port of its own, which may die at a point."""
    port = free_port(avoid=set())
    argv = [sys.executable, "-m", "uvicorn", "webapp.asgi:application", "--port", str(port), "--log-level", "warning"]
    env = {**os.environ, "BELAY_TESTING": "1", **points}
    process = subprocess.Popen(argv, cwd=rig.ROOT, env=env)
    url = f"http://127.0.0.1:{port}"
    try:
        rig.wait_for("the web process", lambda: answers(url))
        yield url, process
    finally:
        process.kill()
        process.wait(30)


def answers(url: str) -> bool:
    """Whether it is up."""
    try:
        return httpx.get(f"{url}/api/health", trust_env=False).status_code == 200
    except httpx.ConnectError:
        return False


def a_token(user: User) -> str:
    """An API token with which this person decides."""
    token = secrets.token_urlsafe(24)
    tomorrow = timezone.now() + timedelta(days=1)
    ApiToken.objects.create(
        user=user, name="t", prefix=token[:8], digest=digest(token), scopes=["decide"], expires_at=tomorrow
    )
    return token


@pytest.mark.parametrize(
    ("point", "state_after", "answer_to_the_second_try"),
    [("decide_before_commit", "proposed", 200), ("decide_after_commit", "decided", 409)],
)
def test_a_decision_cut_short_by_a_kill_counts_wholly_or_not_at_all(
    point: str, state_after: str, answer_to_the_second_try: int
) -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host():
        step = rig.approve_up_to_submit(session, reviewer)
    path = f"/api/sessions/{session.pk}/decide"
    token = {"Authorization": f"Bearer {a_token(reviewer)}"}
    body = {"proposal_id": str(step.proposal_id), "fingerprint": step.fingerprint, "decision": "approved"}
    with a_web(BELAY_CRASH_AT=point) as (url, web):
        with pytest.raises(httpx.TransportError):
            httpx.post(url + path, json=body, headers=token, trust_env=False)
        assert web.wait(30) == -signal.SIGKILL
    step.refresh_from_db()
    assert step.state == state_after
    with a_web() as (url, _):
        answer = httpx.post(url + path, json=body, headers=token, trust_env=False)
        assert answer.status_code == answer_to_the_second_try
    with rig.a_host():
        rig.approve_up_to_finish(session, reviewer)
        assert len(rig.writes(session)) == 1
        rig.approve_until(session, reviewer, lambda: rig.is_put_away(session))
    assert (session.state, session.outcome) == (SessionState.COMPLETED, "verified")
