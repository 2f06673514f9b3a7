"""Ended sessions are judged once; accepted ones go on their way into the dataset with the verdict, whole."""

from datetime import timedelta

import pytest
from django.utils import timezone

from sandbox.contracts import storage as files
from sandbox.contracts.actions import Type
from sandbox.contracts.tasks import Outcome, Verification
from tests.builders import a_user
from tests.webapp.agent_sessions.cast import Scene, a_policy, a_scene
from webapp import storage
from webapp.accounts.models import Role
from webapp.agent_sessions import actions, review
from webapp.agent_sessions.approvals import decide
from webapp.agent_sessions.models import FailureLabel, LabelMark, Session
from webapp.agent_sessions.states import SessionState
from webapp.agent_sessions.undo import UNDO_S
from webapp.audit.models import AuditEntry
from webapp.problems import BadInput, Conflict, Forbidden, NotFound
from webapp.rollouts.actions import point_alias, start_rollout
from webapp.rollouts.models import Alias, ArmResult, Rollout
from webapp.trajectories.actions import AppendWithdrawn, _append_checked, append, object_key
from webapp.trajectories.models import AppendRequest, TrajectoryRecord

pytestmark = pytest.mark.django_db


def an_ended_scene(outcome: Outcome = Outcome.VERIFIED) -> Scene:
    """One corrected step was carried out; then it ended."""
    review.seed_taxonomy()
    scene = a_scene()
    step = scene.propose()
    decide(**scene.answer(step, "corrected", action=Type(2, "logs")))
    scene.carry_out(scene.step(step.pk))
    end(scene, outcome)
    return scene


def end(scene: Scene, outcome: Outcome = Outcome.VERIFIED) -> None:
    """The host ends it."""
    actions.end_held(**scene.host, state=SessionState.COMPLETED, reason="finished", verification=Verification(outcome))


def judge(scene: Scene, verdict: str = "accept", **more: object) -> Session:
    """The reviewer's verdict."""
    return review.review(session_id=scene.session_id, user=scene.reviewer, how="web", verdict=verdict, **more)  # type: ignore[arg-type]  # note and labels


def test_an_ended_session_waits_for_a_verdict_and_its_ticket_is_done() -> None:
    scene = an_ended_scene()
    assert (scene.session.review_state, scene.session.outcome) == ("waiting", "verified")
    assert scene.session.ticket.state == "done"


def test_a_session_found_wanting_fails_its_ticket() -> None:
    assert an_ended_scene(Outcome.FAILED).session.ticket.state == "failed"


def test_an_accepted_session_is_requested_once_with_the_bytes_that_were_reviewed() -> None:
    scene = an_ended_scene()
    step = scene.session.steps.get()
    review.mark(session_id=scene.session_id, user=scene.reviewer, how="web", label="wrong-target", step_id=step.pk)
    judge(scene, labels=["loop"])
    request = AppendRequest.objects.get(session_id=scene.session_id)
    content = storage.get(f"trajectories/{request.content_hash}.belay")
    assert files.address(content) == request.content_hash == scene.session.trajectory_hash
    kept = files.unpack(content)
    assert (kept.verdict, kept.labels, kept.verification.outcome) == ("good", ("loop",), Outcome.VERIFIED)
    (taken,) = kept.steps
    assert (taken.decision, taken.actor, taken.labels) == ("corrected", "operator", ("wrong-target",))
    assert taken.proposal is not None
    assert taken.proposal.action != taken.action


def test_a_rejected_session_is_not_requested() -> None:
    scene = an_ended_scene()
    judge(scene, "reject")
    assert AppendRequest.objects.count() == 0
    assert (scene.session.verdict, scene.session.review_state) == ("bad", "rejected")


def take_back(scene: Scene, **more: object) -> Session:
    """The reviewer thinks better of it."""
    return review.take_back(**{"session_id": scene.session_id, "user": scene.reviewer, "how": "web", **more})  # type: ignore[arg-type]  # a user and words


@pytest.mark.parametrize(("verdict", "kept"), [("accept", "good"), ("reject", "bad")])
def test_a_verdict_taken_back_leaves_the_session_waiting_as_it_was(verdict: str, kept: str) -> None:
    scene = an_ended_scene()
    actions.wind_up(**scene.host)
    packed = scene.session.trajectory_hash
    judge(scene, verdict, note="too quick")
    take_back(scene)
    session = scene.session
    assert (session.review_state, session.verdict, session.review_note, session.reviewed_by) == (
        "waiting",
        "",
        "",
        None,
    )
    assert session.trajectory_hash == packed
    assert AppendRequest.objects.count() == 0
    entry = AuditEntry.objects.get(verb="session.review_undo")
    assert entry.before == {"verdict": kept, "note": "too quick"}
    judge(scene)
    assert AppendRequest.objects.get().content_hash == scene.session.trajectory_hash


def test_a_verdict_taken_back_appends_nothing() -> None:
    scene = an_ended_scene()
    judge(scene)
    request = AppendRequest.objects.get()
    take_back(scene)
    with pytest.raises(AppendWithdrawn):
        append(session_id=scene.session_id)
    with pytest.raises(AppendWithdrawn):  # a worker that had begun
        _append_checked(
            request=request, trajectory=files.unpack(storage.get(object_key(request.content_hash))), size_bytes=1
        )
    assert TrajectoryRecord.objects.count() == 0


def test_what_is_in_the_dataset_stays_accepted() -> None:
    scene = an_ended_scene()
    judge(scene)
    append(session_id=scene.session_id)
    with pytest.raises(Conflict):
        take_back(scene)
    assert scene.session.review_state == "accepted"


def test_a_verdict_stands_after_a_while_and_for_everybody_else() -> None:
    scene = an_ended_scene()
    with pytest.raises(Conflict, match="no verdict"):
        take_back(scene)
    judge(scene)
    with pytest.raises(Forbidden, match="Only who judged"):
        take_back(scene, user=scene.filer)
    Session.objects.filter(pk=scene.session_id).update(reviewed_at=timezone.now() - timedelta(seconds=UNDO_S + 0.1))
    with pytest.raises(Conflict, match="time"):
        take_back(scene)


def test_a_second_verdict_hears_of_the_first() -> None:
    scene = an_ended_scene()
    judge(scene)
    with pytest.raises(Conflict) as refusal:
        judge(scene, "reject")
    assert refusal.value.extra["decided_by"] == scene.reviewer.username


def test_winding_up_after_the_verdict_leaves_the_reviewed_file() -> None:
    scene = an_ended_scene()
    judge(scene)
    accepted = scene.session.trajectory_hash
    actions.wind_up(**scene.host)
    assert scene.session.trajectory_hash == accepted


def test_a_verdict_with_an_unknown_label_changes_nothing() -> None:
    scene = an_ended_scene()
    with pytest.raises(BadInput):
        judge(scene, labels=["nonsense"])
    assert LabelMark.objects.count() == 0


def test_a_severity_one_label_rolls_the_challenger_back_at_once() -> None:
    scene = an_ended_scene()
    point_alias(name=Alias.Name.CHAMPION, policy=a_policy(), user=None, how="system")
    rollout = start_rollout(challenger=a_policy(), weight=50, user=a_user(Role.ADMIN), how="web")
    Session.objects.filter(pk=scene.session_id).update(rollout=rollout, arm="challenger")
    review.mark(session_id=scene.session_id, user=scene.reviewer, how="web", label="wrong-target")
    assert Rollout.objects.get().state == "running"
    review.mark(session_id=scene.session_id, user=scene.reviewer, how="web", label="harm")
    assert Rollout.objects.get().state == "rolled_back"


def test_a_severity_one_label_on_the_champions_session_leaves_the_rollout_alone() -> None:
    scene = an_ended_scene()
    point_alias(name=Alias.Name.CHAMPION, policy=a_policy(), user=None, how="system")
    rollout = start_rollout(challenger=a_policy(), weight=50, user=a_user(Role.ADMIN), how="web")
    Session.objects.filter(pk=scene.session_id).update(rollout=rollout, arm="champion")
    review.mark(session_id=scene.session_id, user=scene.reviewer, how="web", label="harm")
    assert Rollout.objects.get().state == "running"


def test_the_end_of_a_session_is_counted_for_its_arm_once() -> None:
    review.seed_taxonomy()
    scene = a_scene()
    point_alias(name=Alias.Name.CHAMPION, policy=a_policy(), user=None, how="system")
    rollout = start_rollout(challenger=a_policy(), weight=50, user=a_user(Role.ADMIN), how="web")
    Session.objects.filter(pk=scene.session_id).update(rollout=rollout, arm="challenger")
    step = scene.propose()
    decide(**scene.answer(step))
    scene.carry_out(scene.step(step.pk))
    end(scene)
    end(scene)
    result = ArmResult.objects.get()
    assert (result.arm, result.outcome, result.steps, result.corrections) == ("challenger", "verified", 1, 0)


def test_a_label_is_put_once_and_taken_off() -> None:
    scene = an_ended_scene()
    first = review.mark(session_id=scene.session_id, user=scene.reviewer, how="web", label="loop")
    again = review.mark(session_id=scene.session_id, user=scene.filer, how="web", label="loop")
    assert first == again
    review.unmark(session_id=scene.session_id, mark_id=first.pk, user=scene.reviewer, how="web")
    with pytest.raises(NotFound):
        review.unmark(session_id=scene.session_id, mark_id=first.pk, user=scene.reviewer, how="web")


def test_the_taxonomy_is_seeded_once_and_kept_as_people_changed_it() -> None:
    review.seed_taxonomy()
    admin = a_user(Role.ADMIN)
    review.change_label(key="loop", user=admin, how="web", title="Round and round")
    review.seed_taxonomy()
    assert FailureLabel.objects.count() == len(review.TAXONOMY)
    assert FailureLabel.objects.get(key="loop").title == "Round and round"
    with pytest.raises(Conflict):
        review.add_label(key="loop", title="x", description="", severity=3, user=admin, how="web")
