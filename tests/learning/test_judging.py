"""A judgement by hand-worked numbers, then whole: played, measured, compared, and written for people to read."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec import structs

from learning import consistency, jobs, judging, report
from learning.consistency import Question, between_variants, between_versions, side_by_side, walk
from learning.evaluate import Ended
from learning.judging import Plan, judge
from learning.measures import causes, conduct, ground, share
from learning.pairing import pair, sign_test
from learning.progress import Progress, Stopped
from learning.replays import page, words
from learning.rollouts import Episode, Player
from sandbox import sessions
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Finish, GiveUp, Press, Scroll, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal, Outcome, Verification
from sandbox.contracts.trajectories import Trajectory
from sandbox.registry import find_environment
from tests.learning.pages import a_demonstration, a_form, a_goal, a_list


def _ends(*outcomes: str) -> list[Ended]:
    return [Ended("a/b", seed, outcome, 3) for seed, outcome in enumerate(outcomes)]


def test_the_exact_test_by_hand() -> None:
    assert sign_test(0, 0) == 1.0
    assert sign_test(5, 5) == 1.0
    assert sign_test(0, 5) == pytest.approx(2 / 32)
    assert sign_test(1, 7) == pytest.approx(2 * 9 / 256)
    assert sign_test(7, 1) == sign_test(1, 7)
    assert sign_test(955, 1_045) == pytest.approx(0.0466, abs=1e-3)  # by the normal approximation
    assert sign_test(0, 2_000) == 0.0


def test_pairs_are_of_the_same_task_in_the_same_look() -> None:
    one = [*_ends("verified", "failed", "lost"), Ended("a/b", 0, "verified", 3, variant="a?theme=dark")]
    other = [*_ends("failed", "failed", "verified"), Ended("a/b", 0, "verified", 3, variant="a?theme=light")]
    found = pair(one, other)
    assert (found.tasks, found.both, found.only_one, found.only_other, found.neither) == (2, 0, 1, 0, 1)
    assert found.p_value == 1.0


def _with(trajectory: Trajectory, *outcomes: ActOutcome) -> Trajectory:
    first = zip(trajectory.steps, outcomes, strict=False)
    steps = [structs.replace(step, result=ActResult(each)) for step, each in first]
    return structs.replace(trajectory, steps=(*steps, *trajectory.steps[len(steps) :]))


def test_conduct_by_hand() -> None:
    good = _with(a_demonstration(1), ActOutcome.COVERED, ActOutcome.NO_EFFECT)
    steps = len(good.steps)
    ended = structs.replace(
        good, id="gave-up", steps=(structs.replace(good.steps[0], action=GiveUp(), result=ActResult(ActOutcome.DONE)),)
    )
    found = conduct([good, ended], {good.id: steps - 2})
    assert found.invalid_actions == share(1, steps + 1)
    assert found.idle_actions == share(1, steps + 1)
    assert found.gave_up == share(1, 2)
    assert found.over_optimal == pytest.approx(steps / (steps - 2))
    assert found.approvals["nothing"] == pytest.approx((steps + 1) / 2)
    levels = list(found.approvals.values())
    assert levels == sorted(levels, reverse=True)
    assert list(found.approvals) == ["nothing", "read", "reversible", "cost"]


def test_where_no_best_is_known_none_is_said() -> None:
    assert conduct([a_demonstration(1)], {}).over_optimal is None


class Script:
    """A policy that follows the oracle, but for some kinds of action."""

    def __init__(self, *wrong: type[Action], instead: Action | None = None) -> None:
        self.wrong = wrong
        self.instead = instead or GiveUp()
        self.oracle: Any = None

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose."""
        found: Proposal = self.oracle.act(observation, goal, history)
        return Proposal(self.instead, 1.0) if isinstance(found.action, self.wrong) else found


def _question(right: Action, page: Observation) -> Question:
    return Question(page, a_goal("logs-3", "50", "GB"), (), right)


def test_two_ways_are_laid_side_by_side_by_what_they_ask() -> None:
    short = [_question(each, a_form()) for each in (Type(71, "50"), Select(72, "GB"), Click(73), Finish())]
    detour = [_question(each, a_list("logs-3")) for each in (Click(1), Type(9, "50"), Select(8, "GB"), Finish())]
    found = [(one.about, other.about) for one, other in side_by_side(short, detour)]
    assert found == [(("Type", "quota"),) * 2, (("Select", "unit"),) * 2, (("Finish", ""),) * 2]


class InOneLookOnly:
    """Right on forms whose field is number 71, lost on others."""

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose."""
        found = observation.element(71)
        return Proposal(Type(71, "50") if found else GiveUp(), 1.0)


def test_right_in_one_look_and_wrong_in_the_other_is_not_alike() -> None:
    here = _question(Type(71, "50"), a_form())
    there = _question(Type(12, "50"), a_list("logs-3"))
    assert not consistency._alike(InOneLookOnly(), here, there)
    assert consistency._alike(InOneLookOnly(), here, here)
    assert consistency._alike(InOneLookOnly(), there, there)  # wrong alike


@pytest.fixture
def oracle_follows(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A way to let scripted policies ask the oracle of the task at hand."""
    real = sessions.oracle

    def follow(policy: Script) -> Script:
        def oracle(task: Any) -> Any:
            policy.oracle = real(task)
            return policy.oracle

        monkeypatch.setattr(sessions, "oracle", oracle)
        return policy

    return follow


def test_who_is_always_right_is_alike_in_every_look() -> None:
    templates = ["cloud/create-disk", "cloud/find-disk-fact"]
    simulator = find_environment("cloud").simulator()
    first = next(walk(simulator, sessions.sample(templates[0], seed=1, split="test")))
    simulator.close()
    assert first.history == ()

    class Right:
        def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
            return Proposal(GiveUp(), 1.0)

    found = between_variants(Right(), templates=templates, tasks=2, seed=1)
    assert found.overall.rate == 1.0  # always the same answer, if a wrong one
    assert found.overall.of == sum(each.of for each in found.templates.values())
    assert min(each.of for each in found.templates.values()) >= 4


def test_two_versions_are_alike_where_they_propose_the_same(oracle_follows: Any) -> None:
    right, other = oracle_follows(Script()), Script(Finish)
    simulator = find_environment("workbench").simulator()
    template = sorted(find_environment("workbench").templates)[0]
    length = len(list(walk(simulator, sessions.sample(template, seed=1, split="test"))))
    other.oracle = right.oracle
    found = between_versions(right, _Beside(right, other), templates=[template], tasks=1, seed=1)
    assert (found.overall.count, found.overall.of) == (length - 1, length)


class _Beside:
    """Asks the oracle that another policy asks."""

    def __init__(self, leader: Script, own: Script) -> None:
        self.leader, self.own = leader, own

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose."""
        self.own.oracle = self.leader.oracle
        return self.own.act(observation, goal, history)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[judging.Judgement, Path]:
    """The shipped starter on two of its templates, in the simulator, against itself; written down."""
    folder = tmp_path_factory.mktemp("judged")
    plan = Plan(templates=("cloud/create-disk", "cloud/find-disk-fact"), episodes=2, in_browser=False, consistency=1)
    found, trajectories = judge(jobs.STARTER, plan, against=jobs.STARTER)
    failed = Verification(Outcome.FAILED)
    bad = [structs.replace(each, verification=failed, id=f"bad-{each.id}") for each in trajectories]
    worse = Ended("cloud/create-disk", 9, "failed", 3, "<b>a check</b>", trajectory=bad[0].id)
    first = structs.replace(found.evaluations[0], episodes=(*found.evaluations[0].episodes, worse))
    found = structs.replace(found, evaluations=(first,), causes=causes(bad))
    report.write(found, [*trajectories, *bad], folder)
    return found, folder


def test_a_policy_against_itself_is_a_draw(judged: tuple[judging.Judgement, Path]) -> None:
    found, _ = judged
    assert found.against is not None
    assert found.against.same_actions is not None
    assert (found.against.pairing.only_one, found.against.pairing.only_other) == (0, 0)
    assert found.against.p_value == 1.0
    assert found.against.same_actions.overall.rate == 1.0


def test_everything_asked_for_is_measured(judged: tuple[judging.Judgement, Path]) -> None:
    found, _ = judged
    assert found.evaluations[0].overall.episodes == 4
    assert set(found.ground.met) == {"cloud/create-disk", "cloud/find-disk-fact"}
    assert 0 < found.ground.share["cloud"] < 1
    assert found.ground.met["cloud/create-disk"]["FORM_OPEN"] > 0
    assert found.variants is not None
    assert found.variants.overall.of >= 4
    assert found.causes
    assert found.receipt["plan"]["seed"] == judging.SEED


def test_steps_of_verified_work_are_held_against_the_oracles(judged: tuple[judging.Judgement, Path]) -> None:
    over = judged[0].conduct.over_optimal
    assert over is not None
    assert 0.9 <= over < 3


def test_it_is_read_back_as_it_was_written(judged: tuple[judging.Judgement, Path]) -> None:
    found, folder = judged
    assert report.read(folder / "report.json").evaluations == found.evaluations
    assert json.loads((folder / "report.json").read_text())["policy"] == "starter"


def test_stored_reports_are_compared(
    judged: tuple[judging.Judgement, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, folder = judged
    path = str(folder / "report.json")
    assert report.main([path, path]) == 0
    assert "| all | 5 | 4 | 0 | 0 | 1 | 1.000 |" in capsys.readouterr().out
    assert report.main([path, str(tmp_path / "none.json")]) == 2
    assert "no report to compare" in capsys.readouterr().err


def test_the_page_is_whole_and_its_links_lead_somewhere(judged: tuple[judging.Judgement, Path]) -> None:
    _, folder = judged
    page_text = (folder / "report.html").read_text()
    links = [part.split('"')[0] for part in page_text.split('href="')[1:]]
    assert "replays/bad-" in "".join(links)
    assert [each for each in links if each.startswith("replays/") and not (folder / each).is_file()] == []
    assert page_text.count("<figure>") == 2
    assert "<b>a check</b>" not in page_text
    assert "<script" not in page_text
    assert [each for each in ("src=", "url(", "@import", "<link") if each in page_text] == []
    for svg in page_text.split("<figure>")[1:]:
        ElementTree.fromstring(svg.split("</figure>")[0])  # noqa: S314  # our own drawing


def test_the_words_have_the_same_numbers(judged: tuple[judging.Judgement, Path]) -> None:
    found, folder = judged
    said = (folder / "report.md").read_text()
    overall = found.evaluations[0].overall
    assert f"{overall.verified}/{overall.episodes} = {overall.rate:.0%}" in said
    assert "## Conduct" in said
    assert "## Against starter" in said
    assert "(replays/bad-" in said
    assert "&lt;b&gt;a check&lt;/b&gt;" in said
    assert "<" not in said


def test_an_episode_that_was_lost_says_by_what(judged: tuple[judging.Judgement, Path]) -> None:
    found, _ = judged
    lost = Ended("cloud/create-disk", 8, "lost", 0, "SessionLost: the browser is gone")
    evaluation = structs.replace(found.evaluations[0], episodes=(lost,))
    said = report.markdown(structs.replace(found, evaluations=(evaluation,)))
    assert "- cloud/create-disk seed 8 (test): lost, SessionLost: the browser is gone\n" in said


def test_a_replay_shows_what_was_done_where() -> None:
    shown = a_demonstration(3)
    text = page(structs.replace(shown, task=structs.replace(shown.task, goal=Goal("a <b>goal</b>"))))
    assert text.count("<section") == len(shown.steps)
    assert text.count('class="acted"') == len(shown.steps) - 1  # to finish acts on nothing
    assert "a &lt;b&gt;goal" in text


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (Click(73), "click button “Update quota”"),
        (Type(71, "5"), "type “5” into spinbutton “Quota size”"),
        (Select(72, "GB"), "choose “GB” of combobox “Unit”"),
        (Click(999), "click element 999, which is not there"),
        (Press("Enter"), "press Enter"),
        (Scroll("up"), "scroll up"),
        (Finish("42"), "finish with “42”"),
        (Finish(), "finish"),
        (GiveUp("no way"), "give up: no way"),
    ],
)
def test_actions_in_words(action: Action, said: str) -> None:
    assert words(action, a_form()) == said


def test_ground_and_causes_by_hand() -> None:
    done, idle = a_demonstration(1), a_demonstration(2)
    idle = structs.replace(idle, steps=idle.steps[-1:], verification=Verification(Outcome.FAILED))
    found = ground([done, idle])
    assert found.met["hand/change-quota"]["FINISHED"] == 1.0
    assert found.met["hand/change-quota"]["FIELD_FILLED"] == 0.5
    assert "FIELD_FILLED" not in found.unmet["hand"]
    [cause] = causes([done, idle])
    assert (cause.environment, cause.cause, cause.share, cause.trajectories) == (
        "hand",
        "stopped_early",
        1.0,
        (idle.id,),
    )


def test_oracles_play_what_was_verified_again_and_only_while_there_is_time() -> None:
    player = Player()
    one, two = (player.play(Episode("cloud/create-disk", seed, "test", "demonstrate")) for seed in (1, 2))
    player.close()
    assert one.trajectory is not None
    failed = structs.replace(
        two,
        trajectory=structs.replace(one.trajectory, id="failed", verification=Verification(Outcome.FAILED)),
    )
    assert judging.optimal([failed, one]) == {one.trajectory.id: len(one.trajectory.steps)}
    assert set(judging.optimal([one, two], go_on=lambda: False)) == {one.trajectory.id}


def test_what_is_asked_for_twice_is_judged_once() -> None:
    plan = Plan(templates=("cloud/create-disk",) * 2, splits=("test",) * 2, episodes=1, in_browser=False, consistency=0)
    found, trajectories = judge(jobs.STARTER, plan)
    assert [each.overall.episodes for each in found.evaluations] == [1]
    assert len(trajectories) == 1


def test_of_what_a_policy_has_learnt_that_is_tried_which_can_be_asked_for(tmp_path: Path) -> None:
    learnt = dict.fromkeys(("", "cloud/create-disk", "cloud/of-another-time", "gone/create-disk"), 1)
    (tmp_path / "spec.json").write_text(json.dumps({"templates": learnt}))
    assert judging._learnt(tmp_path) == ["cloud/create-disk"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--templates", "cloud/no-such"], "there is no template"),
        (["--environments", "nowhere"], "there is no environment"),
        ([], "no spec.json"),
    ],
)
def test_a_mistake_on_the_command_line_is_a_sentence(
    arguments: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judging.main([str(tmp_path), "--out", str(tmp_path / "out"), *arguments]) == 2
    assert complaint in capsys.readouterr().err


def test_the_command_line_writes_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--templates", "workbench/" + sorted(find_environment("workbench").templates)[0].partition("/")[2]]
    arguments += ["--no-browser", "--episodes", "1", "--consistency", "0", "--variants", "1"]
    assert judging.main([str(jobs.STARTER), "--out", str(tmp_path), *arguments]) == 0
    assert "The report is" in capsys.readouterr().out
    assert (tmp_path / "report.html").is_file()


def test_a_judgement_keeps_to_its_minutes_and_pairs_what_both_had_time_for(tmp_path: Path) -> None:
    heard: list[Progress] = []
    jobs.judge(
        jobs.STARTER,
        name="v2",
        out=tmp_path,
        templates=("cloud/create-disk", "object-store/create-bucket"),  # the second has no simulator
        splits=("validation", "test"),
        seed=1,
        minutes=1e-4,
        against=("v1", jobs.STARTER),
        report=heard.append,
    )
    found = report.read(tmp_path / "report.json")
    assert [(each.split, each.overall.episodes) for each in found.evaluations] == [("validation", 1), ("test", 1)]
    assert found.against is not None
    assert (found.policy, found.against.policy, found.against.pairing.tasks) == ("v2", "v1", 2)
    assert set(found.evaluations[0].templates) == {"cloud/create-disk"}
    assert [(each.phase, each.step) for each in heard] == [("evaluate", number) for number in range(1, 5)]
    assert all(each.progress <= 1 for each in heard)


def test_a_judgement_stops_when_it_is_told_to_and_needs_something_to_try(tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        jobs.judge(
            jobs.STARTER,
            name="v1",
            out=tmp_path,
            templates=("cloud/create-disk",),
            seed=1,
            minutes=1,
            should_stop=lambda: True,
        )
    with pytest.raises(ValueError, match="can be tried in no simulator: none has object-store/create-bucket"):
        jobs.judge(jobs.STARTER, name="v1", out=tmp_path, templates=("object-store/create-bucket",), seed=1, minutes=1)
