"""People's recordings become trajectories that show what a live page shows, or a reason why not."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sandbox import sessions
from sandbox.contracts.actions import Click, Finish, Press, Select, Type
from sandbox.contracts.observations import Element
from sandbox.contracts.storage import unpack
from sandbox.contracts.tasks import Outcome
from sandbox.contracts.trajectories import Trajectory
from sandbox.env import Gym
from sandbox.worlds.miniwob.demos import convert
from sandbox.worlds.miniwob.recorded import Moment, Node

BODY, FIELD, BUTTON, LIST, OPTION = 1, 2, 3, 4, 5


def node(tag: str, ref: int, top: float, **more: Any) -> dict[str, Any]:
    place = {"left": 2, "top": top, "width": 100, "height": 20, "children": [], "id": "", "classes": ""}
    return {"tag": tag, "ref": ref, **place, **more}


def page(*children: dict[str, Any]) -> dict[str, Any]:
    return node("BODY", BODY, 0, height=210, width=160, children=list(children))


def form(text: str = "", **more: Any) -> dict[str, Any]:
    return page(node("INPUT_text", FIELD, 60, id="tt", value=text, **more), node("BUTTON", BUTTON, 90, text="Submit"))


def clicked(dom: dict[str, Any], y: float) -> list[dict[str, Any]]:
    return [
        {"time": 0, "dom": dom, "action": {"type": kind, "timing": timing, "x": 10, "y": y}}
        for kind in ("mousedown", "mouseup", "click")
        for timing in (1, 3)
    ]


def key(dom: dict[str, Any], code: int) -> dict[str, Any]:
    return {"time": 0, "dom": dom, "action": {"type": "keydown", "timing": 1, "keyCode": code, "charCode": 0}}


def recording(*states: dict[str, Any], reward: float = 1, utterance: str = 'Enter "ab".') -> dict[str, Any]:
    listed = [{"time": 0, "dom": states[0]["dom"], "action": None}, *states]
    return {"taskName": "enter-text", "utterance": utterance, "states": listed, "reward": 0.3, "rawReward": reward}


def converted(folder: Path, *lines: Any, task: str = "enter-text") -> tuple[dict[str, Any], list[Trajectory]]:
    (folder / f"{task}.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    report = convert(folder, folder / "out")
    return report, [unpack(file.read_bytes()) for file in sorted((folder / "out").iterdir())]


def test_keys_in_a_field_become_one_text_and_the_click_into_it_goes_with_them(tmp_path: Path) -> None:
    typed = recording(
        *clicked(form(), 65), key(form(focused=True), 65), key(form("a", focused=True), 66), *clicked(form("ab"), 95)
    )
    report, (found,) = converted(tmp_path, typed)
    assert [step.action for step in found.steps] == [Type(FIELD, "ab"), Click(BUTTON), Finish()]
    assert [step.observation.element(FIELD).value for step in found.steps] == ["", "ab", "ab"]  # type: ignore[union-attr]
    assert {step.actor for step in found.steps} == {"operator"}
    assert found.task.goal.fields == (("quoted 1", "ab"),)
    assert found.verification.outcome is Outcome.VERIFIED
    assert report["converted"] == report["solved"] == 1


def test_a_named_key_ends_the_text(tmp_path: Path) -> None:
    typed = recording(key(form(focused=True), 65), key(form("a", focused=True), 13))
    _, (found,) = converted(tmp_path, typed)
    assert [step.action for step in found.steps] == [Type(FIELD, "a"), Press("Enter"), Finish()]


def test_an_option_of_an_open_list_is_chosen_by_its_text_and_of_a_closed_one_is_not_told(tmp_path: Path) -> None:
    open_ = page(node("SELECT", LIST, 60, height=40, children=[node("OPTION", OPTION, 60, text="Ada")]))
    closed = page(node("SELECT", LIST, 60))
    report, (found,) = converted(tmp_path, recording(*clicked(open_, 65)), recording(*clicked(closed, 65)))
    assert [step.action for step in found.steps] == [Select(LIST, "Ada"), Finish()]
    (reason,) = report["tasks"]["enter-text"]["not_mapped"]
    assert "closed list" in reason


def test_a_press_on_nothing_is_left_out_unless_the_page_changed_by_it(tmp_path: Path) -> None:
    idle = recording(*clicked(form(), 200), *clicked(form(), 95))
    changed = recording(*clicked(form(), 200), *clicked(form("new"), 95))
    report, (found,) = converted(tmp_path, idle, changed)
    assert [step.action for step in found.steps] == [Click(BUTTON), Finish()]
    assert report["tasks"]["enter-text"]["not_mapped"] == {"a press on what no observation shows": 1}


def test_a_failed_recording_is_kept_as_failed(tmp_path: Path) -> None:
    report, (found,) = converted(tmp_path, recording(*clicked(form(), 95), reward=-1))
    assert found.verification.outcome is Outcome.FAILED
    assert (report["converted"], report["solved"]) == (1, 0)


def test_what_is_no_recording_is_named_by_file_and_line_and_the_others_go_on(tmp_path: Path) -> None:
    report, found = converted(tmp_path, {"utterance": "x"}, recording(*clicked(form(), 95)))
    assert len(found) == 1
    (reason,) = report["tasks"]["enter-text"]["not_mapped"]
    assert "enter-text.jsonl, line 1" in reason
    assert "states" in reason


def test_a_task_that_the_pages_lack_and_an_empty_folder_are_said(tmp_path: Path) -> None:
    report, found = converted(tmp_path, recording(*clicked(form(), 95)), task="no-such-task")
    assert (report["converted"], found) == (0, [])
    with pytest.raises(FileNotFoundError, match=r"no \.jsonl"):
        convert(tmp_path / "out", tmp_path / "more")


def facts(elements: tuple[Element, ...]) -> list[tuple[Any, ...]]:
    return [(e.role, e.name, e.value, e.states, e.label, e.row, e.group, e.options, e.region) for e in elements]


@pytest.fixture(scope="module")
def gym() -> Any:
    gym = Gym("miniwob")
    yield gym
    gym.close()


@pytest.mark.parametrize(
    "name",
    ["login-user", "click-checkboxes", "click-tab-2", "social-media", "email-inbox", "click-color", "multi-orderings"],
)
def test_a_recorded_page_shows_what_the_live_page_shows(gym: Gym, name: str) -> None:
    live = gym.reset(sessions.sample(f"miniwob/{name}", seed=1, split="train"))
    dom = msgspec.convert(gym.run(gym.page.evaluate("core.getDOMInfo()")), type=Node)
    assert facts(Moment(dom, name, gym.task.goal.text).elements) == facts(live.elements)
