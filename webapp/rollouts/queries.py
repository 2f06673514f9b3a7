"""Every read about policies: who acts on a ticket, how the arms fare."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from django.db.models import Avg, Count, Q, QuerySet, Sum

from learning.intervals import wilson
from webapp.rollouts import artefacts
from webapp.rollouts.models import Alias, ArmResult, PolicyVersion, Rollout, Switch


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """Which policy version works a ticket; no policy where only people may act."""

    policy: PolicyVersion | None
    rollout: Rollout | None
    arm: str  # champion | challenger | ""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """How one side of a rollout fares. `interval` is Wilson's 95 % interval of the verified rate."""

    policy: PolicyVersion
    tickets: int
    share: float
    verified: int
    failed: int
    unverified: int
    verified_rate: float | None  # of sessions that a verifier could judge
    interval: tuple[float, float] | None
    corrections: int
    takeovers: int
    mean_steps: float | None


def human_only() -> bool:
    """Whether policies are switched off."""
    return Switch.objects.filter(id=1, human_only=True).exists()


def alias(name: Alias.Name) -> PolicyVersion | None:
    """The version an alias points to."""
    row = Alias.objects.filter(name=name).select_related("policy").first()
    return row.policy if row else None


def fraction(salt: str, ticket_id: int) -> float:
    """SHA-256(salt, ticket id) as a fraction in [0, 1): the same ticket always falls on the same side."""
    digest = hashlib.sha256(f"{salt}:{ticket_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def assignment(ticket_id: int) -> Assignment:
    """Who works this ticket now: the challenger within the rollout's weight, else the champion."""
    if human_only():
        return Assignment(policy=None, rollout=None, arm="")
    rollout = Rollout.objects.filter(state=Rollout.State.RUNNING).select_related("challenger", "champion").first()
    if rollout is None:
        champion = alias(Alias.Name.CHAMPION)
        return Assignment(policy=champion, rollout=None, arm="champion" if champion else "")
    if fraction(rollout.salt, ticket_id) < rollout.weight / 100:
        return Assignment(policy=rollout.challenger, rollout=rollout, arm="challenger")
    return Assignment(policy=rollout.champion, rollout=rollout, arm="champion")


def local_folder(policy: PolicyVersion) -> Path:
    """The policy's files on this machine. Raises artefacts.DamagedArtefact."""
    return artefacts.fetch(policy.content_hash, policy.storage_key)


def policies() -> QuerySet[PolicyVersion]:
    """All versions, newest first."""
    return PolicyVersion.objects.select_related("parent").prefetch_related("aliases").order_by("-number")


def rollouts() -> QuerySet[Rollout]:
    """All rollouts, newest first."""
    return Rollout.objects.select_related("champion", "challenger", "started_by", "ended_by").order_by("-id")


def arms(rollout: Rollout) -> dict[str, Arm]:
    """Both sides of a rollout."""
    results = rollout.results.all()
    total = results.count()
    return {
        "champion": _arm(results.filter(arm="champion"), rollout.champion, total),
        "challenger": _arm(results.filter(arm="challenger"), rollout.challenger, total),
    }


def _arm(results: QuerySet[ArmResult], policy: PolicyVersion, total: int) -> Arm:
    sums = results.aggregate(
        tickets=Count("id"),
        verified=Count("id", filter=Q(outcome="verified")),
        failed=Count("id", filter=Q(outcome="failed")),
        unverified=Count("id", filter=Q(outcome="unverified")),
        corrections=Sum("corrections", default=0),
        takeovers=Sum("takeovers", default=0),
        mean_steps=Avg("steps"),
    )
    judged = sums["verified"] + sums["failed"]
    return Arm(
        policy=policy,
        share=sums["tickets"] / total if total else 0.0,
        verified_rate=sums["verified"] / judged if judged else None,
        interval=wilson(sums["verified"], judged) if judged else None,
        **sums,
    )
