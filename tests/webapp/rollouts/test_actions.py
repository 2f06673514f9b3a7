"""Registering policies, letting one out by weight, promoting it, rolling it back, switching all off."""

from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import a_policy_folder, a_user
from webapp.accounts.models import Role
from webapp.problems import Conflict
from webapp.rollouts import actions, artefacts, queries
from webapp.rollouts.models import Alias, PolicyVersion, Rollout

pytestmark = pytest.mark.django_db


def register(folder: Path, parent: PolicyVersion | None = None) -> PolicyVersion:
    return actions.register_policy(
        folder=folder,
        source=PolicyVersion.Source.TRAINING,
        parent=parent,
        spec={},
        card="",
        lineage={},
        evaluation={},
        user=None,
        how="system",
    )


@pytest.fixture
def champion(tmp_path: Path) -> PolicyVersion:
    policy = register(a_policy_folder(tmp_path / "champion"))
    actions.point_alias(name=Alias.Name.CHAMPION, policy=policy, user=None, how="system")
    return policy


@pytest.fixture
def challenger(tmp_path: Path, champion: PolicyVersion) -> PolicyVersion:
    return register(a_policy_folder(tmp_path / "challenger"), champion)


def test_the_same_files_are_one_version(tmp_path: Path) -> None:
    folder = a_policy_folder(tmp_path / "policy")
    assert register(folder).pk == register(folder).pk


def test_a_policy_is_fetched_as_it_was_registered(champion: PolicyVersion) -> None:
    folder = queries.local_folder(champion)
    assert artefacts.content_hash(folder) == champion.content_hash


def test_an_incomplete_folder_is_refused_by_name(tmp_path: Path) -> None:
    folder = a_policy_folder(tmp_path / "policy")
    (folder / "card.md").unlink()
    with pytest.raises(artefacts.DamagedArtefact, match=r"card\.md"):
        register(folder)


def test_promotion_swaps_the_champion(champion: PolicyVersion, challenger: PolicyVersion) -> None:
    admin = a_user(Role.ADMIN)
    rollout = actions.start_rollout(challenger=challenger, weight=50, user=admin, how="web")
    assert queries.alias(Alias.Name.CHALLENGER) == challenger
    actions.promote(rollout_id=rollout.pk, user=admin, how="web")
    assert queries.alias(Alias.Name.CHAMPION) == challenger
    assert queries.alias(Alias.Name.CHALLENGER) is None


def test_rolling_back_keeps_the_champion(champion: PolicyVersion, challenger: PolicyVersion) -> None:
    admin = a_user(Role.ADMIN)
    rollout = actions.start_rollout(challenger=challenger, weight=100, user=admin, how="web")
    actions.roll_back(rollout_id=rollout.pk, user=admin, how="web", reason="worse")
    assert queries.assignment(1).policy == champion
    with pytest.raises(Conflict, match="has ended"):
        actions.promote(rollout_id=rollout.pk, user=admin, how="web")


def test_two_rollouts_at_once_are_refused(champion: PolicyVersion, challenger: PolicyVersion) -> None:
    admin = a_user(Role.ADMIN)
    actions.start_rollout(challenger=challenger, weight=10, user=admin, how="web")
    with pytest.raises(Conflict, match="still out"):
        actions.start_rollout(challenger=challenger, weight=10, user=admin, how="web")
    with pytest.raises(IntegrityError), transaction.atomic():
        Rollout.objects.create(champion=champion, challenger=challenger, weight=1, salt="x", started_by=admin)


def test_the_champion_cannot_challenge_itself(champion: PolicyVersion) -> None:
    with pytest.raises(Conflict, match="champion already"):
        actions.start_rollout(challenger=champion, weight=10, user=a_user(Role.ADMIN), how="web")


def test_a_paused_rollout_gives_everything_to_the_champion(champion: PolicyVersion, challenger: PolicyVersion) -> None:
    admin = a_user(Role.ADMIN)
    rollout = actions.start_rollout(challenger=challenger, weight=100, user=admin, how="web")
    assert queries.assignment(1).policy == challenger
    actions.pause(rollout_id=rollout.pk, user=admin, how="web")
    assert queries.assignment(1).policy == champion
    actions.resume(rollout_id=rollout.pk, user=admin, how="web")
    assert queries.assignment(1).arm == "challenger"


def test_human_only_stops_every_policy(champion: PolicyVersion) -> None:
    admin = a_user(Role.ADMIN)
    actions.set_human_only(on=True, reason="incident", user=admin, how="web")
    assert queries.assignment(1).policy is None
    actions.set_human_only(on=False, reason="", user=admin, how="web")
    assert queries.assignment(1).policy == champion


def test_a_severity_one_label_rolls_back_once(champion: PolicyVersion, challenger: PolicyVersion) -> None:
    rollout = actions.start_rollout(challenger=challenger, weight=50, user=a_user(Role.ADMIN), how="web")
    reviewer = a_user(Role.REVIEWER)

    def label() -> bool:
        return actions.roll_back_for_label(session_id=3, rollout_id=rollout.pk, label_key="harm", user=reviewer)

    assert label() is True
    assert label() is False
    rollout.refresh_from_db()
    assert rollout.state == Rollout.State.ROLLED_BACK
    assert "harm on session 3" in rollout.reason


def test_a_session_counts_once_for_its_arm(champion: PolicyVersion, challenger: PolicyVersion) -> None:
    rollout = actions.start_rollout(challenger=challenger, weight=50, user=a_user(Role.ADMIN), how="web")

    def record() -> None:
        actions.record_result(
            rollout_id=rollout.pk,
            session_id=1,
            arm="challenger",
            outcome="verified",
            end_state="completed",
            steps=4,
            corrections=1,
            takeovers=0,
            ended_at=timezone.now(),
        )

    record()
    record()
    arm = queries.arms(rollout)["challenger"]
    assert (arm.tickets, arm.verified, arm.share, arm.corrections) == (1, 1, 1.0, 1)


@given(ticket=st.integers(1, 10**9), narrow=st.integers(0, 100), wide=st.integers(0, 100))
def test_widening_moves_no_ticket_out(ticket: int, narrow: int, wide: int) -> None:
    place = queries.fraction("salt", ticket)
    inside = [place < weight / 100 for weight in sorted((narrow, wide))]
    assert inside[1] or not inside[0]


def test_the_share_of_tickets_follows_the_weight() -> None:
    share = sum(queries.fraction("salt", ticket) < 0.3 for ticket in range(10_000)) / 10_000
    assert abs(share - 0.3) < 0.02
