"""Every write about policies: registering, aliases, gray release, the human-only switch."""

import json
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from webapp import locks
from webapp.accounts.models import User
from webapp.audit.actions import record
from webapp.problems import Conflict
from webapp.rollouts import artefacts
from webapp.rollouts.events import changed
from webapp.rollouts.models import Alias, ArmResult, PolicyVersion, Rollout, Switch
from webapp.rollouts.states import TRANSITIONS


def register_policy(
    *,
    folder: Path,
    source: PolicyVersion.Source,
    parent: PolicyVersion | None,
    spec: dict[str, Any],
    card: str,
    lineage: dict[str, Any],
    evaluation: dict[str, Any],
    user: User | None,
    how: str,
) -> PolicyVersion:
    """Store and number a policy folder; the same files registered again give the same row."""
    content_hash, prefix = artefacts.upload(folder)
    with transaction.atomic():
        locks.take(locks.REGISTRY)
        existing = PolicyVersion.objects.filter(content_hash=content_hash).first()
        if existing is not None:
            return existing
        last = PolicyVersion.objects.aggregate(last=Max("number"))["last"] or 0
        policy = PolicyVersion.objects.create(
            number=last + 1,
            parent=parent,
            source=source,
            content_hash=content_hash,
            storage_key=prefix,
            spec=spec,
            card=card,
            lineage=lineage,
            evaluation=evaluation,
        )
        record("policy.register", ("policy", policy.number), user=user, how=how, after={"content_hash": content_hash})
        changed()
    return policy


def seed_starter() -> PolicyVersion:
    """Register the starter policy that ships with Belay and make it champion where there is none.

    Raises BadPolicy where it is not one that this version of Belay can run.
    """
    from learning import jobs  # the door; light until a policy is loaded

    folder = jobs.STARTER
    if not PolicyVersion.objects.filter(content_hash=artefacts.content_hash(folder)).exists():
        jobs.load_policy(folder, name="The starter")
    receipt = json.loads((folder / "receipt.json").read_text())
    policy = register_policy(
        folder=folder,
        source=PolicyVersion.Source.STARTER,
        parent=None,
        spec=json.loads((folder / "spec.json").read_text()),
        card=(folder / "card.md").read_text(),
        lineage=receipt,
        evaluation=json.loads((folder / "evaluation.json").read_text()),
        user=None,
        how="system",
    )
    if not Alias.objects.filter(name=Alias.Name.CHAMPION, policy__isnull=False).exists():
        point_alias(name=Alias.Name.CHAMPION, policy=policy, user=None, how="system")
    return policy


@transaction.atomic
def point_alias(*, name: Alias.Name, policy: PolicyVersion | None, user: User | None, how: str) -> None:
    """Swap an alias; hosts see it at their next claim."""
    alias, _ = Alias.objects.select_for_update(no_key=True).get_or_create(name=name)
    before = {"policy": alias.policy.name if alias.policy else None}
    after = {"policy": policy.name if policy else None}
    Alias.objects.filter(name=name).update(policy=policy, version=F("version") + 1)
    record("alias.point", ("alias", name), user=user, how=how, before=before, after=after)
    changed()


@transaction.atomic
def start_rollout(*, challenger: PolicyVersion, weight: int, user: User, how: str) -> Rollout:
    """Let a challenger out beside the champion. Raises Conflict where one is out already, or it is the champion."""
    locks.take(locks.REGISTRY)
    champion = Alias.objects.select_for_update(no_key=True).get(name=Alias.Name.CHAMPION).policy
    if champion is None:
        raise Conflict("There is no champion to compare with; seed the starter policy first.")
    if champion.pk == challenger.pk:
        raise Conflict(f"{challenger.name} is the champion already.")
    running = Rollout.objects.filter(state__in=[Rollout.State.RUNNING, Rollout.State.PAUSED]).first()
    if running is not None:
        raise Conflict(
            f"Rollout {running.pk} of {running.challenger.name} is still out; promote it or roll it back first."
        )
    rollout = Rollout.objects.create(
        champion=champion, challenger=challenger, weight=weight, salt=secrets.token_hex(16), started_by=user
    )
    point_alias(name=Alias.Name.CHALLENGER, policy=challenger, user=user, how=how)
    after = {"challenger": challenger.name, "champion": champion.name, "weight": weight}
    record("rollout.start", ("rollout", rollout.pk), user=user, how=how, after=after)
    return rollout


@transaction.atomic
def set_weight(*, rollout_id: int, weight: int, user: User, how: str) -> Rollout:
    """Change the challenger's share; widening moves no ticket out of it."""
    rollout = _open_rollout(rollout_id)
    Rollout.objects.filter(id=rollout_id).update(weight=weight, version=F("version") + 1)
    before, after = {"weight": rollout.weight}, {"weight": weight}
    record("rollout.weight", ("rollout", rollout_id), user=user, how=how, before=before, after=after)
    changed()
    rollout.refresh_from_db()
    return rollout


@transaction.atomic
def promote(*, rollout_id: int, user: User, how: str, reason: str = "") -> Rollout:
    """Make the challenger the champion."""
    rollout = _move(rollout_id, Rollout.State.PROMOTED, user, how, reason)
    point_alias(name=Alias.Name.CHAMPION, policy=rollout.challenger, user=user, how=how)
    point_alias(name=Alias.Name.CHALLENGER, policy=None, user=user, how=how)
    return rollout


@transaction.atomic
def roll_back(*, rollout_id: int, user: User | None, how: str, reason: str) -> Rollout:
    """Take the challenger out; the champion stays what it was."""
    rollout = _move(rollout_id, Rollout.State.ROLLED_BACK, user, how, reason)
    point_alias(name=Alias.Name.CHALLENGER, policy=None, user=user, how=how)
    return rollout


def pause(*, rollout_id: int, user: User, how: str) -> Rollout:
    """Give new tickets to the champion alone until resumed."""
    return _move(rollout_id, Rollout.State.PAUSED, user, how, "")


def resume(*, rollout_id: int, user: User, how: str) -> Rollout:
    """Let the challenger have its share again."""
    return _move(rollout_id, Rollout.State.RUNNING, user, how, "")


@transaction.atomic
def roll_back_for_label(*, session_id: int, rollout_id: int, label_key: str, user: User) -> bool:
    """A severity-1 label on a challenger's session takes it out at once; False where it was no longer out."""
    rollout = Rollout.objects.select_for_update(no_key=True).get(id=rollout_id)
    if Rollout.State.ROLLED_BACK not in TRANSITIONS[Rollout.State(rollout.state)]:
        return False
    reason = f"severity-1 label {label_key} on session {session_id}"
    roll_back(rollout_id=rollout_id, user=user, how="system", reason=reason)
    return True


@transaction.atomic
def record_result(
    *,
    rollout_id: int,
    session_id: int,
    arm: str,
    outcome: str,
    end_state: str,
    steps: int,
    corrections: int,
    takeovers: int,
    ended_at: datetime,
) -> None:
    """Count one ended session for its arm, once."""
    ArmResult.objects.get_or_create(
        session_id=session_id,
        defaults={
            "rollout_id": rollout_id,
            "arm": arm,
            "outcome": outcome,
            "end_state": end_state,
            "steps": steps,
            "corrections": corrections,
            "takeovers": takeovers,
            "ended_at": ended_at,
        },
    )
    changed()


@transaction.atomic
def set_human_only(*, on: bool, reason: str, user: User, how: str) -> Switch:
    """Stop every policy from proposing, or let them again."""
    switch, _ = Switch.objects.select_for_update(no_key=True).get_or_create(id=1)
    before = {"human_only": switch.human_only}
    Switch.objects.filter(id=1).update(human_only=on, reason=reason, changed_by=user, changed_at=timezone.now())
    after = {"human_only": on, "reason": reason}
    record("human_only.set", ("switch", "human_only"), user=user, how=how, before=before, after=after)
    changed(wake_hosts=True)
    switch.refresh_from_db()
    return switch


@transaction.atomic
def set_note(*, policy: PolicyVersion, note: str, user: User, how: str) -> None:
    """Change the one part of a policy version that may change."""
    before = {"note": policy.note}
    PolicyVersion.objects.filter(id=policy.pk).update(note=note)
    record("policy.note", ("policy", policy.number), user=user, how=how, before=before, after={"note": note})


def _open_rollout(rollout_id: int) -> Rollout:
    rollout = (
        Rollout.objects.select_for_update(no_key=True, of=("self",)).select_related("challenger").get(id=rollout_id)
    )
    if rollout.state not in (Rollout.State.RUNNING, Rollout.State.PAUSED):
        raise Conflict(f"Rollout {rollout_id} has ended ({rollout.state}).")
    return rollout


@transaction.atomic
def _move(rollout_id: int, target: Rollout.State, user: User | None, how: str, reason: str) -> Rollout:
    rollout = _open_rollout(rollout_id)
    source = Rollout.State(rollout.state)
    if target not in TRANSITIONS[source]:
        raise Conflict(f"A rollout that is {source} cannot become {target}.")
    ended = {"ended_by": user, "ended_at": timezone.now(), "reason": reason} if not TRANSITIONS[target] else {}
    Rollout.objects.filter(id=rollout_id, state=source).update(state=target, version=F("version") + 1, **ended)
    before, after = {"state": source}, {"state": target, "reason": reason}
    record(f"rollout.{target}", ("rollout", rollout_id), user=user, how=how, before=before, after=after)
    changed()
    rollout.refresh_from_db()
    return rollout
