"""A session host killed while it opens a session: console, way out and browser do not outlive the next claim."""

from pathlib import Path

import msgspec
import pytest
from django.conf import settings

from sandbox.browser.processes import NOTE, Note
from tests.crash import rig
from webapp.agent_sessions.models import Session
from webapp.agent_sessions.states import SessionState

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]
POINTS = {"opening_world": 1, "opening_way_out": 2, "opening_browser": 3, "after_open": 3}


def place(session: Session) -> Path:
    """Where the last host that claimed it worked."""
    session.refresh_from_db()
    return Path(settings.STATE_DIR) / "sessions" / f"{session.pk}-{session.fence}"


def notes(folder: Path) -> list[Note]:
    """What was written down there."""
    return [msgspec.json.decode(file.read_bytes(), type=Note) for file in folder.rglob(f"*{NOTE}")]


def is_left(note: Note) -> bool:
    """Whether any of it is still there."""
    return note.process.is_alive or any(Path(leaf).exists() for leaf in note.leaves)


@pytest.mark.parametrize(("point", "parts"), POINTS.items())
def test_the_next_claim_ends_what_a_fallen_host_had_opened(point: str, parts: int) -> None:
    session, reviewer = rig.a_filed_ticket()
    with rig.a_host(BELAY_CRASH_AT=point) as host:
        assert host.killed_itself()
    left, folder = notes(place(session)), place(session)
    assert [note.process.is_alive for note in left] == [True] * parts
    with rig.a_host():
        rig.approve_up_to_submit(session, reviewer)
        assert not any(is_left(note) for note in left)
        assert not folder.exists()


def test_a_new_host_clears_up_after_a_session_that_nobody_will_claim_again() -> None:
    session, _ = rig.a_filed_ticket()
    with rig.a_host(BELAY_CRASH_AT="opening_browser") as host:
        assert host.killed_itself()
    left = notes(place(session))
    Session.objects.filter(pk=session.pk).update(state=SessionState.CANCELLED)
    with rig.a_host():
        rig.wait_for("the end of what was left", lambda: not any(is_left(note) for note in left))
    assert not place(session).exists()


def test_no_secret_of_a_live_session_is_in_its_row() -> None:
    session, _ = rig.a_filed_ticket("object-store/create-bucket")
    with rig.a_host():
        rig.wait_for("an open question", lambda: rig.open_step(session) is not None)
        folder = place(session)
        row = msgspec.json.encode(session.handle).decode()
        store = msgspec.json.decode((folder / "world" / "store.json").read_bytes())
        kept = [store["password"], store["secret_key"], (folder / "way-out.key").read_text()]
        assert [secret for secret in kept if len(secret) < 20 or secret in row] == []
        open_to_others = [file.name for file in folder.rglob("*") if file.suffix in {".key", ".json"} and _others(file)]
        assert open_to_others == []


def _others(file: Path) -> int:
    return file.stat().st_mode & 0o077
