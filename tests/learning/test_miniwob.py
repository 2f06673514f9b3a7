"""People's recordings become demonstrations, and a network plays the real pages, each episode to its end."""

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learning import bc, frames, miniwob, sentences
from learning.candidates import Candidate
from learning.frames import Seat
from learning.networks import Shape
from sandbox.contracts.actions import ActOutcome, ActResult, Click
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Goal, Outcome, Risk
from sandbox.contracts.trajectories import Step

SMALL = Shape(width=16, layers=1, heads=2, word_width=4, sentences=1, relations=1)
BODY, ONE, TWO = 1, 2, 3


def _node(tag: str, ref: int, top: float, **more: Any) -> dict[str, Any]:
    return {"tag": tag, "ref": ref, "left": 2, "top": top, "width": 100, "height": 20, "children": [], **more}


def _recording(reward: float) -> dict[str, Any]:
    """Somebody presses the upper one of two buttons."""
    buttons = [_node("BUTTON", ONE, 60, text="ONE"), _node("BUTTON", TWO, 90, text="TWO")]
    dom = _node("BODY", BODY, 0, children=buttons) | {"width": 160, "height": 210}
    events = [
        {"time": 0, "dom": dom, "action": {"type": kind, "timing": 1, "x": 10, "y": 65}}
        for kind in ("mousedown", "mouseup", "click")
    ]
    states = [{"time": 0, "dom": dom, "action": None}, *events]
    return {"taskName": "click-test-2", "utterance": "Click button ONE.", "states": states, "rawReward": reward}


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A folder with one recording that was solved, one that was not, and one that is damaged."""
    with lzma.open(tmp_path / "click-test-2.jsonl.xz", "wt") as file:
        file.write("\n".join((json.dumps(_recording(1)), json.dumps(_recording(-1)), "{")))
    return tmp_path


def test_only_what_people_solved_is_learnt_from(recorded: Path) -> None:
    [found] = miniwob.demonstrations(recorded)
    assert found.steps[0].action == Click(ONE)
    assert found.verification.outcome is Outcome.VERIFIED


def test_a_folder_without_recordings_says_where_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(miniwob.NoDemonstrations, match="miniwob-plusplus-demos"):
        miniwob.demonstrations(tmp_path)


def test_what_is_learnt_is_the_same_for_the_same_seed(recorded: Path, tmp_path: Path) -> None:
    shown = miniwob.demonstrations(recorded)
    recipe = bc.Recipe(steps=5, batch=4, renamed=0.8)
    one, other = (
        miniwob.learn(shown, seed=4, work=tmp_path / part, shape=SMALL, recipe=recipe).network for part in ("a", "b")
    )
    assert all(map(np.array_equal, *([p.detach().numpy() for p in each.parameters()] for each in (one, other))))


def test_every_episode_of_every_page_is_played_to_its_end() -> None:
    network = bc.fresh(SMALL, seed=1)
    seats = [Seat("click-test", [7, 8]), Seat("click-button", [7])]
    played = list(frames.play(network, seats, name="untaught"))
    assert sorted((each.task.template, each.task.seed) for each in played) == [
        ("miniwob/click-button", 7),
        ("miniwob/click-test", 7),
        ("miniwob/click-test", 8),
    ]
    only_one_thing_to_press = [each for each in played if each.task.template == "miniwob/click-test"]
    assert {each.verification.outcome for each in only_one_thing_to_press} == {Outcome.VERIFIED}
    assert all(step.proposal is not None for each in played for step in each.steps)


def test_every_task_is_played_with_every_seed_in_as_many_frames_as_there_is_room_for() -> None:
    found = frames.seats_of(["a", "b"], range(5), most=7)
    assert [(seat.task, seat.seeds) for seat in found] == [
        *(("a", seeds) for seeds in ([0, 3], [1, 4], [2])),
        *(("b", seeds) for seeds in ([0, 3], [1, 4], [2])),
    ]
    assert [seat.seeds for seat in frames.seats_of(["a", "b", "c"], range(2), most=1)] == [[0, 1]] * 3


def test_what_led_back_to_the_same_page_is_not_done_again_but_its_namesake_may_be() -> None:
    alike = Element(1, "button", "color red"), Element(2, "button", "color red")
    page = Observation("", "", alike, fingerprint="same")
    seen = sentences.scene(page, Goal("Click red."), ())
    [logits] = frames.logits_of(bc.fresh(SMALL, seed=1), [seen])
    done = Step(page, None, "policy", None, None, Risk.READ, Click(1), ActResult(ActOutcome.DONE))
    assert Click(1) in [each.action for each in frames.possible(seen, logits, page, [])]
    after = [each.action for each in frames.possible(seen, logits, page, [done])]
    assert Click(1) not in after
    assert Click(2) in after


def test_drawn_choices_follow_their_probabilities() -> None:
    found = [Candidate(Click(ref), float(np.log(chance))) for ref, chance in ((1, 0.9), (2, 0.1))]
    choose = frames.sampled(np.random.default_rng(0), temperature=1.0)
    drawn = [choose(found).action for _ in range(500)]
    assert drawn.count(Click(1)) / 500 == pytest.approx(0.9, abs=0.05)
    assert frames.likeliest(found) is found[0]


def test_practice_adds_what_was_solved_and_learns_on(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(miniwob, "SHAPE", SMALL)
    recipe = bc.Recipe(steps=3, batch=4)
    [only] = miniwob.practised(
        tmp_path / "work", rounds=1, tasks=["click-test"], budget_s=60, demos=recorded, recipe=recipe, again=recipe
    )
    assert only.played.shares == {"click-test": 1.0}
    assert len(only.played.successes) == only.played.episodes == 8
    assert miniwob.mean(miniwob.judge(only.network, tasks=["click-test"], episodes=2)) == 1.0
