"""Every kind of training that can be asked for makes a whole policy, within its time, and can be stopped."""

import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec import structs

from learning import artefact, bc, cloning, distill, improve, jobs, midtrain, trainings
from learning.networks import ElementSetPolicy, Shape
from learning.progress import Progress, Stopped
from learning.requests import Kind
from learning.rollouts import Episode, play
from learning.samples import FREE, lessons
from sandbox.contracts import storage
from sandbox.contracts.tasks import Outcome, Verification
from sandbox.contracts.trajectories import Trajectory
from sandbox.env import player
from tests.learning.pages import a_demonstration, a_form, a_goal

TEMPLATES = ("cloud/start-instance", "cloud/stop-instance")
KINDS: tuple[Kind, ...] = ("midtrain", "offline", "distill")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Demonstrations in the cloud, and one of a console that has no simulator."""
    folder, simulator = tmp_path_factory.mktemp("files"), player("cloud")
    shown = [play(simulator, Episode(each, 0, "train", "demonstrate"), None) for each in TEMPLATES]
    simulator.close()
    return [_written(folder / f"{number}.belay", each) for number, each in enumerate([*shown, a_demonstration(3)])]


def _written(path: Path, trajectory: Trajectory) -> Path:
    path.write_bytes(storage.pack(trajectory))
    return path


def _request(kind: Kind, files: list[Path], folder: Path, parent: Path | None = jobs.STARTER) -> jobs.ImproveRequest:
    bad = structs.replace(a_demonstration(4), id="bad", verification=Verification(Outcome.FAILED), verdict="bad")
    left = structs.replace(bad, id="left", steps=())
    rejected = [_written(folder / "bad.belay", bad), _written(folder / "left.belay", left)]
    return jobs.ImproveRequest(
        parent, files, folder / "out", folder / "work", 1, 1.5, {"dataset": 1}, kind=kind, rejected=rejected, share=0.25
    )


@dataclass(frozen=True)
class Made:
    """A policy of each kind, and what was heard of its making."""

    kind: Kind
    improved: jobs.Improved
    heard: list[Progress]


@pytest.fixture(scope="module", params=KINDS)
def made(request: pytest.FixtureRequest, files: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Made:
    """With less free play than a real training has."""
    heard: list[Progress] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainings, "WANDERED", 1)
        patch.setattr(trainings, "WALKS", 1)
        wanted = _request(request.param, files, tmp_path_factory.mktemp(request.param))
        improved = jobs.improve(wanted, report=heard.append, should_stop=lambda: False)
    return Made(request.param, improved, heard)


def test_each_kind_makes_a_whole_policy_that_says_how(made: Made) -> None:
    assert sorted(each.name for each in made.improved.folder.iterdir()) == sorted(artefact.FILES)
    assert made.improved.evaluation[made.kind]
    assert f"- kind: `{made.kind}`" in made.improved.card
    assert f"- steps: `{made.improved.evaluation['steps']}`" in made.improved.card
    assert jobs.load_policy(made.improved.folder, name="v2").act(a_form(), a_goal(), ()).action


def test_each_kind_says_how_far_it_is(made: Made) -> None:
    assert made.kind in [each.phase for each in made.heard]
    assert ("wander" in [each.phase for each in made.heard]) == (made.kind == "midtrain")
    assert {name for each in made.heard if each.phase == made.kind for name in each.values}
    assert all(0 <= each.progress <= 1 for each in made.heard)


@pytest.mark.parametrize("made", ["offline"], indirect=True)
def test_what_people_rejected_is_learnt_from_by_its_rewards(made: Made) -> None:
    found = made.improved.evaluation["offline"]
    assert found["actions"] > found["rejected_actions"] == len(a_demonstration(4).steps)
    assert found["unpriced"] == 1  # what ended before its first step


@pytest.mark.parametrize("made", ["distill"], indirect=True)
def test_a_student_is_as_small_as_asked(made: Made) -> None:
    teacher = artefact.spec_of(jobs.STARTER)["parameters"]
    assert 0.2 * teacher < made.improved.spec["parameters"] <= 0.25 * teacher
    assert made.improved.evaluation["distill"]["teacher_parameters"] == teacher


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_stops_when_it_is_told_to(kind: Kind, files: list[Path], tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        jobs.improve(_request(kind, files, tmp_path), report=lambda _: None, should_stop=lambda: True)


def test_a_student_without_a_teacher_is_told_what_to_choose(files: list[Path], tmp_path: Path) -> None:
    request = _request("distill", files, tmp_path, parent=None)
    with pytest.raises(ValueError, match="needs a teacher: choose the policy version"):
        jobs.improve(request, report=lambda _: None, should_stop=lambda: False)


@pytest.mark.parametrize("share", [0.5, 0.25, 0.125])
def test_smaller_shapes_have_their_share(share: float) -> None:
    whole, small = (ElementSetPolicy(each) for each in (Shape(), distill.smaller(Shape(), share=share)))
    sizes = [sum(each.numel() for each in network.parameters()) for network in (whole, small)]
    assert 0.85 * share * sizes[0] < sizes[1] <= share * sizes[0]


def test_a_share_that_nothing_fits_in_is_refused() -> None:
    with pytest.raises(ValueError, match="choose a larger share"):
        distill.smaller(Shape(), share=0.001)


def test_every_kind_of_the_request_is_known() -> None:
    assert set(trainings.KINDS) == set(KINDS)


@pytest.mark.parametrize(
    ("main", "arguments", "sentence"),
    [
        (distill.main, ["--teacher", "no-such-folder", "--out", "x"], "no teacher"),
        (distill.main, ["--templates", "cloud/unheard-of", "--out", "x"], "there is no template"),
        (midtrain.main, ["--templates", "cloud/unheard-of", "--out", "x"], "there is no template"),
        (midtrain.main, ["--templates", "nowhere/unheard-of", "--out", "x"], "there is no"),
    ],
)
def test_a_mistake_on_the_command_line_is_a_sentence(
    main: object, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)  # type: ignore[operator]  # functions of the table
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


def test_reading_takes_from_the_minutes_but_leaves_half_of_them() -> None:
    now = time.monotonic()
    assert cloning.left_of(60.0, now - 10) == pytest.approx(50.0, abs=5.0)
    assert cloning.left_of(60.0, now - 1_000) == 30.0


def test_what_is_cloned_beside_the_dataset_is_learnt_from_and_not_counted_in_it(tmp_path: Path) -> None:
    request = _request("midtrain", [], tmp_path, parent=None)
    network, recipe = bc.fresh(Shape(width=16, layers=1, heads=2, word_width=4), seed=1), bc.Recipe(steps=1, batch=2)
    taught = cloning.cloned(
        request, [a_demonstration(1)], network, recipe, lambda _: None, lambda: False, beside=[a_demonstration(2)]
    )
    assert {each.trajectory for each in taught.found.samples} == {a_demonstration(1).id, a_demonstration(2).id}
    assert [each.id for each in taught.learnt_from] == [a_demonstration(1).id]


def test_what_is_held_out_to_judge_by_is_neither_imitated_while_it_plays_nor_a_way_to_begin_on() -> None:
    simulator = player("cloud")
    shown = [play(simulator, Episode(TEMPLATES[0], seed, "train", "demonstrate"), None) for seed in range(4)]
    free = structs.replace(shown[0], id="free", policy=FREE)
    found = lessons([*shown, free])
    away = cloning.away(found, one_in=2)
    taught = cloning.Taught(_TRAINED, found, shown, {}, {}, 2)
    imitated, ways = improve.beside_play(taught)
    left = [each for each in shown if each.id not in away]
    assert 0 < len(left) < 4
    assert {each.trajectory for each in imitated} == {each.id for each in left}
    assert [way.level.seed for way in ways] == [each.task.seed for each in left]


_TRAINED = bc.Trained(bc.fresh(Shape(width=16, layers=1, heads=2, word_width=4), seed=1), 1, 0.0, {}, 1, 0, 0.0)
