"""What a language model is told and may answer; what is exported is just that, and can be read back."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from msgspec import structs

from learning import chat
from learning.chat import BadAnswer, Unsayable, View
from learning.masking import Mask
from learning.samples import taught
from sandbox.contracts import storage
from sandbox.contracts.actions import (
    Action,
    ActOutcome,
    Click,
    Finish,
    GiveUp,
    Navigate,
    Press,
    Scroll,
    Select,
    Type,
    Wait,
)
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past
from sandbox.contracts.tasks import Goal, Outcome, Verification
from tests.learning.pages import a_demonstration, a_form, a_goal, a_list, remembered


def _told(observation: Observation, goal: Goal, history: Sequence[Past]) -> dict[str, Any]:
    system, user = View(observation, goal, history, Mask()).messages()
    assert (system["role"], user["role"]) == ("system", "user")
    return dict(json.loads(user["content"]))


def test_a_state_is_told_as_it_is_and_nothing_empty_is_said() -> None:
    told = _told(a_form("5"), a_goal("logs-3", "50"), (remembered(a_list("logs-3"), Click(12)),))
    assert told["goal"] == "Change the quota of bucket logs-3 to 50 GB."
    assert told["fields"] == {"bucket": "logs-3", "quota": "50", "unit": "GB"}
    assert told["past"] == [{"did": {"kind": "click", "element": "button Quota"}, "came_of_it": "done"}]
    assert told["page"]["address"] == "/buckets"
    assert told["page"]["dialogs"] == ["Manage quota"]
    assert told["page"]["elements"][1] == {
        "element": 2, "role": "spinbutton", "name": "Quota size", "value": "5", "states": ["editable"], "in": "dialog",
    }  # fmt: skip


def test_what_failed_is_told_by_name() -> None:
    told = _told(a_list("logs-3"), a_goal(), (remembered(a_list("logs-3"), Click(12), ActOutcome.COVERED),))
    assert told["past"][0]["came_of_it"] == "covered"


@pytest.mark.parametrize(
    "action",
    [Click(73), Type(71, "50"), Select(72, "GB"), Press("Enter"), Scroll("down"), Wait(), Finish(), GiveUp("no")],
)
def test_every_action_of_a_page_is_allowed_and_read_back(action: Action) -> None:
    view = View(a_form(), a_goal(), (), Mask())
    said = view.answer(action)
    jsonschema.validate(json.loads(said), view.schema(explain=False))
    assert view.parse(said).action == action


@pytest.mark.parametrize(
    "said",
    [
        "click the button",
        '{"action": {"kind": "click", "element": 999}}',
        '{"action": {"kind": "type", "element": 4, "text": "x"}}',
        '{"action": {"kind": "select", "element": 3, "option": "PB"}}',
        '{"action": {"kind": "navigate", "url": "http://elsewhere/"}}',
        '{"action": {"kind": "hover", "element": 4}}',
        '{"kind": "wait"}',
        "[]",
        "",
    ],
)
def test_what_the_page_does_not_allow_is_no_answer(said: str) -> None:
    with pytest.raises(BadAnswer):
        View(a_form(), a_goal(), (), Mask()).parse(said)


def test_elements_are_counted_as_they_are_shown_whatever_the_page_calls_them() -> None:
    page = a_list("logs-3")
    page = structs.replace(page, elements=tuple(structs.replace(e, ref=e.ref + 10**9) for e in page.elements))
    view = View(page, a_goal(), (), Mask())
    assert view.answer(Click(10**9 + 12)) == '{"action":{"kind":"click","element":7}}'
    assert view.parse('{"action":{"kind":"click","element":7}}').action == Click(10**9 + 12)


@pytest.mark.parametrize("action", [Click(999), Navigate("http://elsewhere/")])
def test_what_cannot_be_said_is_not_taught(action: Action) -> None:
    with pytest.raises(Unsayable):
        View(a_form(), a_goal(), (), Mask()).answer(action)
    shown = a_demonstration(1)
    steps = (structs.replace(shown.steps[0], action=action), *shown.steps[1:])
    assert len(list(chat.lines(structs.replace(shown, steps=steps)))) == len(shown.steps) - 1


def test_the_schema_names_only_what_can_be_done_here() -> None:
    page = structs.replace(a_list("logs-3"), elements=a_list("logs-3").elements[:3])
    allowed = View(page, a_goal(), (), Mask()).schema(explain=True)
    ways = {way["properties"]["kind"]["enum"][0]: way for way in allowed["properties"]["action"]["anyOf"]}
    assert set(ways) == {"click", "press", "scroll", "wait", "finish", "give_up"}
    assert ways["click"]["properties"]["element"] == {"enum": [1, 2]}
    assert list(allowed["properties"]) == ["why", "action"]


def test_a_closed_schema_lets_only_the_goals_values_be_typed() -> None:
    allowed = View(a_form(), Goal("Call it “blue moon”."), (), Mask()).schema(explain=False, closed=True)
    jsonschema.validate({"action": {"kind": "type", "element": 2, "text": "blue moon"}}, allowed)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"action": {"kind": "type", "element": 2, "text": "anything"}}, allowed)


def test_fences_and_reasons_around_an_answer_are_taken() -> None:
    said = '```json\n{"why": "done", "action": {"kind": "finish"}}\n```'
    assert View(a_form(), a_goal(), (), Mask()).parse(said) == chat.Answer(Finish(), "done")


def test_chats_are_exported_one_for_each_step_that_teaches(tmp_path: Path) -> None:
    good = a_demonstration(1)
    failed = structs.replace(a_demonstration(2), verification=Verification(Outcome.FAILED))
    own = structs.replace(failed, steps=tuple(structs.replace(step, actor="policy") for step in failed.steps))
    paths = [tmp_path / "good.belay", tmp_path / "own.belay"]
    paths[0].write_bytes(storage.pack(good))
    paths[1].write_bytes(storage.pack(own))
    out = tmp_path / "chats.jsonl"
    assert chat.main([str(out), *map(str, paths)]) == 0
    chats = [json.loads(line)["messages"] for line in out.read_text().splitlines()]
    assert [each["role"] for each in chats[0]] == ["system", "user", "assistant"]
    actions = [
        View(step.observation, good.task.goal, (), Mask()).parse(messages[2]["content"]).action
        for messages, step in zip(chats, good.steps, strict=True)
    ]
    assert actions == [action for action, _ in taught(good)]
    receipt = json.loads((tmp_path / "chats.receipt.json").read_text())
    assert receipt["chats"] == len(good.steps)
    assert receipt["trajectories_sha256"] == [storage.address(path.read_bytes()) for path in paths]


def test_a_file_that_is_no_trajectory_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_bytes(b"?")
    assert chat.main([str(tmp_path / "out.jsonl"), str(tmp_path / "x")]) == 2
    assert "not a Belay trajectory file" in capsys.readouterr().err
