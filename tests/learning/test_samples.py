"""What a session teaches: corrections first, detours never."""

from typing import Any

import pytest
from msgspec import structs

from learning.arrays import KINDS
from learning.samples import CORRECTION_WEIGHT, EXCURSION_WEIGHT, FREE, held_out, is_session, lessons, taught
from sandbox.contracts.actions import ActOutcome, ActResult, Click, Finish, Navigate, Type
from sandbox.contracts.policies import Proposal
from sandbox.contracts.tasks import Outcome, Risk, Verification
from sandbox.contracts.trajectories import Step, Trajectory
from tests.learning.pages import DONE, a_demonstration, a_form, a_list, a_task

LIST, FORM = a_list("logs-3"), a_form()


def _step(observation: Any, action: Any, actor: str = "policy", decision: str | None = "approved", **more: Any) -> Step:
    return Step(observation, more.get("proposal"), actor, decision, "user", Risk.READ, action, more.get("result", DONE))  # type: ignore[arg-type]  # literals at every call


def _session(*steps: Step, outcome: Outcome = Outcome.VERIFIED, verdict: str = "good") -> Trajectory:
    return Trajectory("s1", a_task(1), steps, Verification(outcome), policy="v1", verdict=verdict)


def test_a_correction_is_the_label_of_the_agents_own_state() -> None:
    wrong = Proposal(Click(13), 0.9, policy="v1")
    session = _session(_step(LIST, Click(12), decision="corrected", proposal=wrong), _step(FORM, Finish()))
    assert taught(session) == [(Click(12), CORRECTION_WEIGHT), (Finish(), 1.0)]


def test_what_a_person_did_by_hand_counts_like_a_correction() -> None:
    session = _session(_step(LIST, Click(12), actor="operator", decision=None), _step(FORM, Finish()))
    assert taught(session)[0] == (Click(12), CORRECTION_WEIGHT)


def test_an_oracles_opinion_labels_a_state_that_somebody_else_walked_into() -> None:
    opinion = Proposal(Click(12), 1.0, policy="oracle")
    session = _session(_step(LIST, Click(13), decision=None, proposal=opinion), outcome=Outcome.FAILED)
    assert taught(session) == [(Click(12), 1.0)]
    assert not is_session(session)


def test_the_way_to_a_bad_end_is_not_learnt_but_its_corrections_are() -> None:
    steps = (_step(LIST, Click(13)), _step(FORM, Type(71, "5"), decision="corrected"))
    assert taught(_session(*steps, outcome=Outcome.FAILED)) == [(None, 0.0), (Type(71, "5"), CORRECTION_WEIGHT)]
    assert taught(_session(*steps, verdict="bad"))[0] == (None, 0.0)


def test_a_detour_that_came_back_to_the_same_page_is_left_out() -> None:
    session = _session(_step(LIST, Click(13)), _step(FORM, Click(74)), _step(LIST, Click(12)), _step(FORM, Finish()))
    actions = [action for action, _ in taught(session)]
    assert actions == [None, None, None, Finish()]


def test_what_had_no_effect_is_left_out() -> None:
    session = _session(_step(LIST, Click(13), result=ActResult(ActOutcome.NO_EFFECT)), _step(FORM, Finish()))
    assert taught(session)[0] == (None, 0.0)


def test_an_approved_step_that_a_person_had_to_mend_counts_little() -> None:
    session = _session(_step(LIST, Click(13)), _step(FORM, Click(74), decision="corrected"))
    assert taught(session)[0] == (Click(13), EXCURSION_WEIGHT)


def test_actions_that_the_network_cannot_say_are_counted_and_left_out() -> None:
    found = lessons([_session(_step(LIST, Navigate("/x"), actor="oracle", decision=None), _step(FORM, Finish()))])
    assert [KINDS[sample.label.kind] for sample in found.samples] == ["finish"]
    assert found.unsayable == {"hand/change-quota navigate": 1}


def test_what_came_of_a_step_is_told() -> None:
    first, *_ = lessons([a_demonstration(1)]).samples
    assert first.changed == (1.0, 1.0, 0.0)
    assert first.succeeded == 1.0


@pytest.mark.parametrize(("sessions", "kept"), [(9, False), (60, True)])
def test_few_sessions_are_all_learnt_from(sessions: int, kept: bool) -> None:
    each = lessons([_session(_step(LIST, Click(12)))]).samples[0]
    samples = [structs_replace(each, str(number)) for number in range(sessions)]
    assert bool(held_out(samples, one_in=3).any()) is kept


def structs_replace(sample: Any, trajectory: str) -> Any:
    """The same sample, of another session."""
    return type(sample)(**{name: getattr(sample, name) for name in sample.__slots__} | {"trajectory": trajectory})


def test_a_trajectory_is_held_out_whole() -> None:
    samples = lessons(structs.replace(a_demonstration(seed), id=f"t{seed}") for seed in range(12)).samples
    kept = held_out(samples, one_in=3)
    by_trajectory = {
        name: {bool(k) for s, k in zip(samples, kept, strict=True) if s.trajectory == name}
        for name in {s.trajectory for s in samples}
    }
    assert all(len(values) == 1 for values in by_trajectory.values())
    assert 0 < kept.sum() < len(samples)


def test_free_play_is_no_session_and_none_of_it_is_held_out() -> None:
    real = structs.replace(_session(_step(LIST, Click(12)), _step(FORM, Finish())), id="one")
    free = structs.replace(real, policy=FREE)
    samples = lessons([real, free]).samples
    assert [(each.session, each.free) for each in samples] == [(True, False)] * 2 + [(False, True)] * 2
    assert held_out(samples, one_in=1, few=1).tolist() == [True, True, False, False]
