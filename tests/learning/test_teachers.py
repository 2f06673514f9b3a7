"""Teachers of every kind answer alike, and what they say becomes the lesson of the state they said it of."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from learning import kinds, teachers
from learning.language import Endpoint, LanguagePolicy, Malformed
from learning.policy import BadPolicy
from learning.remote import RemotePolicy
from learning.samples import CORRECTION_WEIGHT, is_session, lessons, taught
from learning.teachers import Model, NothingToSay, Oracle, Person, teach
from sandbox import sessions
from sandbox.contracts import storage
from sandbox.contracts.actions import Action, Click, Finish, GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal, Outcome, Verification
from sandbox.contracts.trajectories import Trajectory
from tests.learning.endpoint import says, serving
from tests.learning.pages import Knows, a_demonstration, a_goal, a_list, right


def _attempt(seed: int = 1) -> Trajectory:
    """A policy's own failed try: it gave up in every state."""
    found = a_demonstration(seed)
    steps = tuple(
        structs.replace(step, actor="policy", decision="approved", action=GiveUp(), proposal=Proposal(GiveUp(), 0.9))
        for step in found.steps
    )
    return structs.replace(found, steps=steps, verification=Verification(Outcome.FAILED))


def _lesson(trajectory: Trajectory) -> list[Action | None]:
    return [action for action, _ in taught(trajectory)]


def _answers(trajectory: Trajectory) -> list[Action]:
    return [right(step.observation, trajectory.task.goal) for step in trajectory.steps]


def test_of_a_failed_try_there_is_nothing_to_learn_until_it_is_taught() -> None:
    attempt = _attempt()
    assert _lesson(attempt) == [None] * len(attempt.steps)
    found = teach(attempt, Model(Knows(), name="big"))
    assert _lesson(found.trajectory) == _answers(attempt)
    assert (found.opinions, found.silent) == (len(attempt.steps), 0)
    assert not is_session(found.trajectory)
    assert len(lessons([found.trajectory]).samples) == len(attempt.steps)


def test_the_oracle_teaches_by_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "oracle", lambda task: Knows())
    found = teach(_attempt(), Oracle()).trajectory
    assert {step.proposal.policy for step in found.steps if step.proposal} == {"oracle"}
    assert _lesson(found) == _answers(found)


def test_an_oracle_has_nothing_to_say_of_free_text() -> None:
    attempt = _attempt()
    free = structs.replace(attempt, task=structs.replace(attempt.task, template=""))
    with pytest.raises(NothingToSay, match="free text"):
        teach(free, Oracle())


def test_what_a_person_chose_is_not_overruled() -> None:
    attempt = _attempt()
    first = structs.replace(attempt.steps[0], decision="corrected", action=Click(1))
    found = teach(structs.replace(attempt, steps=(first, *attempt.steps[1:])), Model(Knows(), name="big")).trajectory
    assert taught(found)[0] == (Click(1), CORRECTION_WEIGHT)
    assert _lesson(found)[1:] == _answers(found)[1:]


def test_a_person_teaches_what_they_chose_on_the_same_page_and_goal() -> None:
    demonstrated = a_demonstration(1)
    by_hand = structs.replace(
        demonstrated, steps=tuple(structs.replace(step, actor="operator") for step in demonstrated.steps)
    )
    person = Person([by_hand])
    found = teach(_attempt(1), person)
    assert _lesson(found.trajectory) == _answers(demonstrated)
    assert teach(_attempt(2), person).opinions == 0


def test_a_person_can_be_asked() -> None:
    asked: list[Goal] = []

    def ask(observation: Observation, goal: Goal, history: Sequence[Past]) -> Action | None:
        asked.append(goal)
        return right(observation, goal)

    found = teach(_attempt(), Person(ask=ask))
    assert _lesson(found.trajectory) == _answers(found.trajectory)
    assert len(asked) == len(found.trajectory.steps)


def test_a_trained_network_teaches(folder: Path) -> None:
    found = teach(_attempt(600), teachers.named(str(folder)))
    agreed = [one == other for one, other in zip(_lesson(found.trajectory), _answers(_attempt(600)), strict=True)]
    assert sum(agreed) >= len(agreed) - 1


def test_a_language_model_teaches_and_where_it_fails_is_named() -> None:
    with serving(says({"kind": "click", "element": 1})) as script:
        endpoint = Endpoint(script.url, "m", attempts=1)
        with LanguagePolicy(endpoint, pause=lambda seconds: None) as policy:
            found = teach(_attempt(), Model(policy, name="m"))
    assert _lesson(found.trajectory)[0] == Click(1)
    dialog = [n for n, step in enumerate(found.trajectory.steps) if step.observation.dialogs]
    assert len(found.failed) == len(dialog)  # the first element of a dialog is its heading
    assert found.failed[0].startswith(f"step {dialog[0]}: {Malformed.__name__}")
    assert found.opinions + found.silent == len(found.trajectory.steps)


def test_a_teacher_that_is_served_and_does_not_answer_is_named() -> None:
    found = teach(_attempt(), Model(RemotePolicy("ws://127.0.0.1:9"), name="far"))
    assert found.opinions == 0
    assert len(found.failed) == len(found.trajectory.steps)
    assert found.failed[0].startswith("step 0: ServingFailed: ws://127.0.0.1:9 does not answer")


def test_trajectories_are_taught_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "oracle", lambda task: Knows())
    (tmp_path / "one.belay").write_bytes(storage.pack(_attempt()))
    assert teachers.main(["oracle", str(tmp_path / "out"), str(tmp_path / "one.belay")]) == 0
    found = storage.unpack((tmp_path / "out" / "one.belay").read_bytes())
    assert _lesson(found) == _answers(found)


def test_free_text_among_them_is_left_as_it_is_and_the_others_are_taught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = sessions.oracle
    monkeypatch.setattr(sessions, "oracle", lambda task: Knows() if task.template else known(task))
    attempt = _attempt()
    free = structs.replace(attempt, task=structs.replace(attempt.task, template=""))
    (tmp_path / "a-free.belay").write_bytes(storage.pack(free))
    (tmp_path / "b-known.belay").write_bytes(storage.pack(attempt))
    assert teachers.main(["oracle", str(tmp_path / "out"), str(tmp_path)]) == 0
    assert storage.unpack((tmp_path / "out" / "a-free.belay").read_bytes()) == free
    assert _lesson(storage.unpack((tmp_path / "out" / "b-known.belay").read_bytes())) == _answers(attempt)
    assert f"a-free.belay: 0 opinions, {len(free.steps)} states without one" in capsys.readouterr().out


def test_two_files_of_one_name_are_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, name in enumerate(("one", "two")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.belay").write_bytes(storage.pack(_attempt(number)))
    assert teachers.main(["oracle", str(tmp_path / "out"), str(tmp_path / "one"), str(tmp_path / "two")]) == 2
    assert "would both be written as same.belay" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_teacher_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert teachers.main([str(tmp_path / "nobody"), str(tmp_path / "out"), "x.belay"]) == 2
    assert "nobody has no spec.json" in capsys.readouterr().err


def _spec(folder: Path, spec: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "spec.json").write_text(json.dumps(spec))
    return folder


def test_a_folder_that_names_an_endpoint_is_a_policy(tmp_path: Path) -> None:
    with serving(says({"kind": "finish", "answer": "42"})) as script:
        spec = {"kind": "language", "endpoint": {"url": script.url, "model": "m"}, "budget": {"calls": 1}}
        policy = kinds.open_policy(_spec(tmp_path / "far", spec), name="far")
        for _ in range(2):  # the second is remembered: the budget has but one call
            proposal = policy.act(a_list("logs-3"), a_goal(), ())
    assert (proposal.action, proposal.policy) == (Finish("42"), "far")


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ({"kind": "oracle"}, "known are bench, element-set, language, lora, remote"),
        ({"kind": "language"}, "does not name an endpoint"),
        ({"kind": "language", "endpoint": {"url": "ftp://h", "model": "m"}}, "does not name an endpoint"),
        ({"kind": "language", "endpoint": {"url": "http://h/v1", "model": "m"}, "budget": {"euros": 1}}, "endpoint"),
    ],
)
def test_a_folder_that_cannot_be_opened_says_why(tmp_path: Path, spec: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadPolicy, match=complaint):
        kinds.open_policy(_spec(tmp_path, spec), name="x")
