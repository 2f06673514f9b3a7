"""Sessions, approvals, review and pictures over HTTP: what goes in, what comes out, what is refused."""

import hashlib
from typing import Any

import pytest
from django.test import Client

from sandbox.contracts.tasks import Risk
from tests.builders import a_user
from tests.webapp.agent_sessions.cast import Scene, a_scene, fold, seen
from webapp import storage
from webapp.accounts.models import Role, User
from webapp.agent_sessions import review
from webapp.agent_sessions.models import SessionEvent, Step
from webapp.agent_sessions.states import SessionState

pytestmark = pytest.mark.django_db


def as_(user: User) -> Client:
    """A browser in which this person is signed in."""
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, path: str, body: dict[str, Any] | None = None) -> Any:
    """POST JSON."""
    return client.post(f"/api{path}", data=body or {}, content_type="application/json")


def an_answer(step: Step, decision: str = "approved", **more: Any) -> dict[str, Any]:
    """The body of a decision."""
    return {"proposal_id": str(step.proposal_id), "fingerprint": step.fingerprint, "decision": decision, **more}


def test_a_session_is_shown_whole_and_as_this_person_may_handle_it() -> None:
    scene = a_scene()
    scene.propose()
    body = as_(scene.reviewer).get(f"/api/sessions/{scene.session_id}").json()
    can = body.pop("can")
    assert body == {**seen(scene.session_id)}
    assert can == {
        "decide": True,
        "take_over": True,
        "hand_back": False,
        "pause": True,
        "resume": False,
        "stop": True,
        "review": False,
        "label": True,
    }
    assert body["approval"]["summary"] == "Click “Save” (button)"
    assert body["steps"][0]["target"]["name"] == "Save"


def test_events_after_a_snapshot_give_the_next_snapshot() -> None:
    scene = a_scene()
    client = as_(scene.reviewer)
    view = client.get(f"/api/sessions/{scene.session_id}").json()
    step = scene.propose()
    post(client, f"/sessions/{scene.session_id}/decide", an_answer(step))
    for event in client.get(f"/api/sessions/{scene.session_id}/events?after={view['seq']}").json():
        view = fold(view, SessionEvent(seq=event["seq"], kind=event["kind"], data=event["data"]))
    now = client.get(f"/api/sessions/{scene.session_id}").json()
    assert {**view, "can": None} == {**now, "can": None}


def test_a_decision_answers_with_the_step_and_a_lost_race_with_who_and_when() -> None:
    scene = a_scene()
    step = scene.propose()
    won = post(as_(scene.reviewer), f"/sessions/{scene.session_id}/decide", an_answer(step))
    assert (won.status_code, won.json()["state"], won.json()["decided_by"]) == (
        200,
        "decided",
        scene.reviewer.username,
    )
    lost = post(as_(a_user(Role.ADMIN)), f"/sessions/{scene.session_id}/decide", an_answer(step, "rejected"))
    assert lost.status_code == 409
    problem = lost.json()
    assert (problem["decided_by"], problem["decision"]) == (scene.reviewer.username, "approved")
    assert problem["decided_at"]


def test_a_correction_carries_its_action() -> None:
    scene = a_scene()
    step = scene.propose()
    action = {"kind": "type", "element": 2, "text": "logs-eu"}
    body = an_answer(step, "corrected", action=action)
    answer = post(as_(scene.reviewer), f"/sessions/{scene.session_id}/decide", body)
    assert (answer.status_code, answer.json()["action"]) == (200, action)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"decision": "perhaps"}, 422),
        ({"proposal_id": "nonsense"}, 404),
        ({"proposal_id": "00000000-0000-4000-8000-000000000000"}, 404),
        ({"fingerprint": "0" * 64}, 409),
        ({"decision": "corrected", "action": {"kind": "explode"}}, 422),
        ({"decision": "corrected", "action": {"kind": "click", "element": 99}}, 422),
    ],
)
def test_a_decision_that_cannot_be_meant_is_refused(body: dict[str, Any], status: int) -> None:
    scene = a_scene()
    step = scene.propose()
    answer = post(as_(scene.reviewer), f"/sessions/{scene.session_id}/decide", {**an_answer(step), **body})
    assert (answer.status_code, answer.json()["status"]) == (status, status)
    assert scene.session.state == SessionState.AWAITING_APPROVAL


def test_the_queue_shows_the_riskiest_first_and_why_this_person_may_not() -> None:
    mild, grave = a_scene(), a_scene()
    mild.propose()
    grave.propose(Risk.DESTRUCTIVE)
    items = as_(grave.filer).get("/api/approvals").json()["items"]
    assert [item["session_id"] for item in items] == [grave.session_id, mild.session_id]
    assert "somebody else" in items[0]["blocked_reason"]
    assert items[1]["blocked_reason"] == ""
    assert items[0]["step"]["risk"] == "destructive"


def test_a_question_is_claimed_and_let_go() -> None:
    scene = a_scene()
    scene.propose()
    path = f"/approvals/{scene.approval.pk}"
    assert post(as_(scene.reviewer), f"{path}/claim").json()["claimed_by"] == scene.reviewer.username
    assert post(as_(a_user(Role.REVIEWER)), f"{path}/claim").status_code == 409
    assert post(as_(scene.reviewer), f"{path}/release").json()["claimed_by"] == ""


def test_an_operator_stops_their_own_session_and_nobody_elses() -> None:
    scene = a_scene()
    stranger = a_user(Role.OPERATOR)
    assert post(as_(stranger), f"/sessions/{scene.session_id}/stop").status_code == 403
    scene.filer.role = Role.OPERATOR
    scene.filer.save()
    assert post(as_(scene.filer), f"/sessions/{scene.session_id}/stop", {"reason": "no"}).status_code == 200
    assert scene.session.end_reason == "no"


def test_hands_without_the_wheel_and_hands_that_are_none_are_refused() -> None:
    scene = a_scene()
    path = f"/sessions/{scene.session_id}/hand"
    client = as_(scene.reviewer)
    assert post(client, path, {"events": [{"kind": "pointer", "x": 1, "y": 2}]}).status_code == 409
    assert post(client, path, {"events": [{"kind": "laser"}]}).status_code == 422


def test_an_absent_session_is_a_404_everywhere() -> None:
    client = as_(a_user(Role.ADMIN))
    gets = ["/sessions/999", "/sessions/999/events", "/sessions/999/steps/1/observation"]
    posts = ["take-over", "hand-back", "pause", "resume", "stop"]
    assert {client.get(f"/api{path}").status_code for path in gets} == {404}
    assert {post(client, f"/sessions/999/{path}").status_code for path in posts} == {404}


def test_what_a_step_was_taken_on_can_be_read() -> None:
    scene = a_scene()
    scene.propose()
    body = as_(scene.reviewer).get(f"/api/sessions/{scene.session_id}/steps/1/observation").json()
    assert [element["name"] for element in body["elements"]] == ["Save", "Name", "Size", "Delete start"]


def test_a_picture_of_a_step_is_shown_and_kept_for_good() -> None:
    scene = a_scene()
    jpeg = b"\xff\xd8 a picture"
    content_hash = hashlib.sha256(jpeg).hexdigest()
    storage.put(f"frames/{content_hash}.jpg", jpeg, "image/jpeg")
    client = as_(a_user(Role.OPERATOR))
    assert client.get(f"/api/frames/{content_hash}.jpg").status_code == 404  # of no step that can be seen
    step = scene.propose()
    Step.objects.filter(pk=step.pk).update(before=content_hash)
    answer = client.get(f"/api/frames/{content_hash}.jpg")
    assert (answer.content, answer["Content-Type"]) == (jpeg, "image/jpeg")
    assert "immutable" in answer["Cache-Control"]
    assert "private" in answer["Cache-Control"]
    assert Client().get(f"/api/frames/{content_hash}.jpg").status_code == 401


def test_labels_are_listed_put_and_taken_off() -> None:
    review.seed_taxonomy()
    scene = a_scene()
    client = as_(scene.reviewer)
    assert [row["key"] for row in client.get("/api/labels").json()][:2] == ["wrong-target", "wrong-value"]
    marked = post(client, f"/sessions/{scene.session_id}/labels", {"label": "loop", "note": "twice"})
    assert marked.status_code == 201
    (mark,) = marked.json()["marks"]
    assert (mark["label"], mark["note"], mark["by"]) == ("loop", "twice", scene.reviewer.username)
    gone = client.delete(f"/api/sessions/{scene.session_id}/labels/{mark['id']}")
    assert gone.json()["marks"] == []


def a_list_entry(scene: Scene, query: str = "") -> list[int]:
    """Ids in the list of sessions."""
    return [row["id"] for row in as_(scene.reviewer).get(f"/api/sessions{query}").json()["items"]]


def test_sessions_are_listed_by_filter() -> None:
    scene, other = a_scene(), a_scene()
    scene.propose()
    assert a_list_entry(scene) == [other.session_id, scene.session_id]
    assert a_list_entry(scene, "?state=awaiting_approval") == [scene.session_id]
    assert a_list_entry(scene, f"?ticket={other.session.ticket_id}") == [other.session_id]
    assert a_list_entry(scene, "?outcome=verified") == []
