"""Every write of judgement: verdicts, failure labels, and the taxonomy they come from."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from webapp.accounts.models import User
from webapp.agent_sessions import events, packing
from webapp.agent_sessions.models import FailureLabel, LabelMark, Session
from webapp.agent_sessions.session_row import audit, locked, put
from webapp.agent_sessions.states import ReviewState
from webapp.agent_sessions.undo import UNDO_S
from webapp.audit.actions import record
from webapp.problems import BadInput, Conflict, Forbidden, NotFound
from webapp.rollouts.actions import roll_back_for_label
from webapp.trajectories.actions import request_append, withdraw_append

TAXONOMY = (
    ("wrong-target", "Wrong target", "Acted on another element or object than was meant.", 2),
    ("wrong-value", "Wrong value", "Typed or chose something that the ticket does not say.", 2),
    ("harm", "Harmed something else", "Changed or deleted what the ticket is not about.", 1),
    ("leaked-secret", "Leaked a secret", "A secret was shown, typed or sent where it does not belong.", 1),
    ("beyond-ticket", "Did more than asked", "Went on to do what nobody asked for.", 2),
    ("premature-finish", "Finished too early", "Said it was done while it was not.", 2),
    ("wrong-answer", "Wrong answer", "Answered a question with something untrue.", 2),
    ("loop", "Went in circles", "Repeated itself without getting further.", 3),
    ("refused-input", "Input was refused", "The console refused a value and the agent did not recover.", 3),
    ("not-found", "Did not find it", "What the ticket names was there, and was not found.", 3),
    ("gave-up", "Gave up", "Gave up on work that could be done.", 3),
    ("timed-out", "Took too long", "Ran out of steps or time.", 3),
    ("console-fault", "The console's own fault", "The console failed; the agent could not have done better.", 4),
)


@transaction.atomic
def review(
    *, session_id: int, user: User, how: str, verdict: str, note: str = "", labels: Sequence[str] = ()
) -> Session:
    """Judge an ended session; an accepted one is packed with the verdict and goes on its way into the dataset."""
    session = locked(session_id)
    if session.review_state != ReviewState.WAITING:
        raise Conflict(
            "This session does not wait for a verdict.",
            decided_by=session.reviewed_by.username if session.reviewed_by else "",
            decided_at=session.reviewed_at.isoformat() if session.reviewed_at else None,
            decision=session.review_state,
        )
    accepted = verdict == "accept"
    for key in labels:
        _put_mark(session, label=_label(key), step_id=None, user=user, note="")
    if labels:
        events.marks_changed(session)
    put(
        session,
        verdict="good" if accepted else "bad",
        review_state=ReviewState.ACCEPTED if accepted else ReviewState.REJECTED,
        reviewed_by=user,
        reviewed_at=timezone.now(),
        review_note=note,
    )
    if accepted:
        put(session, trajectory_hash=packing.store(session))
        request_append(session_id=session_id, content_hash=session.trajectory_hash, user=user)
    _roll_back_for(session, [_label(key) for key in labels], user)
    events.lists_changed("review", "tickets")
    audit(
        session, "review", user=user, how=how, after={"verdict": session.verdict, "note": note, "labels": list(labels)}
    )
    return session


@transaction.atomic
def take_back(*, session_id: int, user: User, how: str) -> Session:
    """Make this person's verdict void, so that the session waits for one again; labels stay, as each can be taken off.

    Raises Forbidden where somebody else judged, and Conflict where it is too late: `UNDO_S` have gone by, or the
    session is in the dataset.
    """
    session = locked(session_id)
    if session.review_state not in (ReviewState.ACCEPTED, ReviewState.REJECTED):
        raise Conflict("There is no verdict to take back.", decision=session.review_state)
    if session.reviewed_by_id != user.pk or session.reviewed_at is None:
        raise Forbidden("Only who judged a session may take that back.")
    if (timezone.now() - session.reviewed_at).total_seconds() > UNDO_S or not withdraw_append(session_id=session_id):
        raise Conflict("Too much time has gone by.", decision=session.review_state)
    before = {"verdict": session.verdict, "note": session.review_note}
    put(
        session,
        verdict="",
        review_state=ReviewState.WAITING,
        reviewed_by=None,
        reviewed_at=None,
        review_note="",
    )
    put(session, trajectory_hash=packing.store(session))
    events.lists_changed("review", "tickets")
    audit(session, "review_undo", user=user, how=how, before=before, after={"verdict": ""})
    return session


@transaction.atomic
def mark(*, session_id: int, user: User, how: str, label: str, step_id: int | None = None, note: str = "") -> LabelMark:
    """Put a failure label on a session or one of its steps; the same again changes nothing."""
    session = locked(session_id)
    entry = _label(label)
    row, created = _put_mark(session, label=entry, step_id=step_id, user=user, note=note)
    if created:
        _show_marks(session, step_id)
        _roll_back_for(session, [entry], user)
        audit(session, "label", user=user, how=how, after={"label": label, "step_id": step_id, "note": note})
    return row


@transaction.atomic
def unmark(*, session_id: int, mark_id: int, user: User, how: str) -> None:
    """Take a failure label off again."""
    session = locked(session_id)
    row = session.marks.select_related("label").filter(pk=mark_id).first()
    if row is None:
        raise NotFound("There is no such label on this session.")
    step_id = row.step_id
    row.delete()
    _show_marks(session, step_id)
    audit(session, "unlabel", user=user, how=how, before={"label": row.label.key, "step_id": step_id}, after={})


@transaction.atomic
def seed_taxonomy() -> None:
    """The labels a new installation begins with; those there are stay as they are."""
    for position, (key, title, description, severity) in enumerate(TAXONOMY):
        label, created = FailureLabel.objects.get_or_create(
            key=key,
            defaults={"title": title, "description": description, "severity": severity, "position": position},
        )
        if created:
            _audit_label(label, "label.add", None, "system")


@transaction.atomic
def add_label(*, key: str, title: str, description: str, severity: int, user: User, how: str) -> FailureLabel:
    """Add a failure label. Raises Conflict where the key is taken."""
    position = (FailureLabel.objects.aggregate(last=Max("position"))["last"] or 0) + 1
    label, created = FailureLabel.objects.get_or_create(
        key=key,
        defaults={"title": title, "description": description, "severity": severity, "position": position},
    )
    if not created:
        raise Conflict(f"There is a label {key} already.")
    _audit_label(label, "label.add", user, how)
    return label


@transaction.atomic
def change_label(*, key: str, user: User, how: str, **changes: str | int | bool) -> FailureLabel:
    """Change a failure label's words, severity, or whether it is offered."""
    label = FailureLabel.objects.select_for_update(no_key=True).filter(key=key).first()
    if label is None:
        raise NotFound(f"There is no label {key}.")
    before = {name: getattr(label, name) for name in changes}
    FailureLabel.objects.filter(pk=label.pk).update(**changes)
    label.refresh_from_db()
    _audit_label(label, "label.change", user, how, before=before)
    return label


def _label(key: str) -> FailureLabel:
    label = FailureLabel.objects.filter(key=key, archived=False).first()
    if label is None:
        raise BadInput(f"There is no label {key}.", errors={"label": f"There is no label {key}."})
    return label


def _put_mark(
    session: Session, *, label: FailureLabel, step_id: int | None, user: User, note: str
) -> tuple[LabelMark, bool]:
    step = None if step_id is None else session.steps.filter(pk=step_id).first()
    if step is None and step_id is not None:
        raise NotFound("There is no such step in this session.")
    return LabelMark.objects.get_or_create(session=session, step=step, label=label, defaults={"by": user, "note": note})


def _show_marks(session: Session, step_id: int | None) -> None:
    events.marks_changed(session)
    if step_id is not None:
        events.step_changed(session, session.steps.select_related("decided_by").get(pk=step_id))


def _roll_back_for(session: Session, labels: Sequence[FailureLabel], user: User) -> None:
    """One severity-1 label on a session of the challenger takes it out at once."""
    worst = next((label for label in labels if label.severity == 1), None)
    if worst is not None and session.rollout_id is not None and session.arm == "challenger":
        roll_back_for_label(session_id=session.pk, rollout_id=session.rollout_id, label_key=worst.key, user=user)


def _audit_label(
    label: FailureLabel, verb: str, user: User | None, how: str, *, before: dict[str, object] | None = None
) -> None:
    after = {"title": label.title, "severity": label.severity, "archived": label.archived}
    record(verb, ("label", label.key), user=user, how=how, before=before, after=after)
