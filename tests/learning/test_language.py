"""A language model as a policy, against a server that speaks the protocol well, badly, slowly, or not at all."""

import json
import logging
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from learning.language import (
    UNSAID,
    Endpoint,
    LanguagePolicy,
    Malformed,
    Refused,
    Rejected,
    TooSlow,
    Unreachable,
)
from learning.thrift import Answers, Budget, OverBudget, Spent
from sandbox.contracts.actions import Click, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Goal
from tests.learning.endpoint import Asked, Handler, Script, fails, says, says_text, serving
from tests.learning.pages import a_goal, a_list

CLICK = {"kind": "click", "element": 7}  # as the seventh is shown: ref 12
KEY = "sk-not-a-real-key-0123456789"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELAY_LANGUAGE_KEY", KEY)


def _policy(script: Script, **more: Any) -> LanguagePolicy:
    limits: dict[str, Any] = {
        name: more.pop(name) for name in ("budget", "answers", "known_secrets", "name", "pause") if name in more
    }
    endpoint = Endpoint(script.url, "a-model", **({"timeout_s": 5.0} | more))
    return LanguagePolicy(endpoint, **({"pause": lambda seconds: None} | limits))


def _act(policy: LanguagePolicy) -> Any:
    with policy:
        return policy.act(a_list("logs-3"), a_goal(), ())


def test_it_proposes_what_the_model_answers_and_says_why() -> None:
    with serving(says(CLICK)) as script:
        proposal = _act(_policy(script, name="big"))
    assert proposal.action == Click(12)
    assert (proposal.policy, proposal.why, proposal.probability) == ("big", "it fits the goal", UNSAID)
    assert script.headers[0]["authorization"] == f"Bearer {KEY}"


def test_its_answer_is_held_to_a_schema_of_this_page() -> None:
    with serving(says(CLICK)) as script:
        _act(_policy(script))
    form = script.asked[0]["response_format"]
    assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
    jsonschema.validate({"why": "", "action": CLICK}, form["json_schema"]["schema"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"why": "", "action": CLICK | {"element": 99}}, form["json_schema"]["schema"])


def test_how_sure_it_is_comes_from_its_tokens() -> None:
    with serving(says(CLICK, logprobs=[-0.1, -0.3])) as script:
        assert _act(_policy(script, log_probabilities=True)).probability == pytest.approx(0.6703, abs=1e-4)
    assert script.asked[0]["logprobs"] is True


def test_a_malformed_answer_is_asked_again_with_what_was_wrong() -> None:
    with serving(says_text("I would click it."), says(CLICK | {"element": 99}), says(CLICK)) as script:
        assert _act(_policy(script)).action == Click(12)
    assert [each["role"] for each in script.asked[2]["messages"]] == [
        "system", "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    assert "there is no element 99" in script.asked[2]["messages"][-1]["content"]


def test_answers_that_stay_malformed_fail_by_name() -> None:
    with serving(says_text("{}")) as script, pytest.raises(Malformed, match="no usable action in 3 tries"):
        _act(_policy(script))
    assert len(script.asked) == 3


def test_an_answer_cut_short_is_not_taken_for_an_action() -> None:
    cut = says_text('{"action": {"kind": "fin', finish_reason="length")
    with serving(cut, says(CLICK)) as script:
        assert _act(_policy(script)).action == Click(12)
    assert "be brief" in script.asked[1]["messages"][-1]["content"]


def test_a_refusal_is_final() -> None:
    with serving(says_text(None, refusal="I cannot help with that.")) as script, pytest.raises(Refused, match="cannot"):
        _act(_policy(script))
    with serving(says_text("", finish_reason="content_filter")) as script, pytest.raises(Refused, match="filter"):
        _act(_policy(script))
    assert len(script.asked) == 1


def _trickles(handler: Handler, asked: Asked) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(200):
        try:
            handler.wfile.write(b" ")
            handler.wfile.flush()
        except OSError:
            return
        time.sleep(0.02)  # a slow server is what is tested


def test_an_answer_that_trickles_for_ever_is_too_slow() -> None:
    began = time.monotonic()
    with serving(_trickles) as script, pytest.raises(TooSlow, match=r"within 0\.2 s"):
        _act(_policy(script, timeout_s=0.2, attempts=2))
    assert len(script.asked) == 2
    assert time.monotonic() - began < 3


def test_a_busy_server_is_asked_again_when_it_says() -> None:
    pauses: list[float] = []
    with serving(fails(429, retry_after="7"), fails(503), says(CLICK)) as script:
        assert _act(_policy(script, pause=pauses.append)).action == Click(12)
    assert pauses == [7.0, 1.0]


def test_a_server_that_stays_down_is_unreachable() -> None:
    with serving(fails(500)) as script, pytest.raises(Unreachable, match="answered 500"):
        _act(_policy(script))
    with pytest.raises(Unreachable, match="cannot be reached: ConnectError"):
        _act(_policy(script))


def test_a_wrong_key_is_said_once_and_the_key_never() -> None:
    with serving(fails(401, f"Incorrect API key: {KEY}")) as script, pytest.raises(Rejected) as caught:
        _act(_policy(script))
    assert "BELAY_LANGUAGE_KEY" in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(script.asked) == 1


def test_a_server_that_sends_another_way_is_not_followed() -> None:
    with serving(fails(307, location="http://127.0.0.1:1/")) as script, pytest.raises(Rejected, match="307"):
        _act(_policy(script))


def test_an_answer_without_end_is_not_read_to_its_end() -> None:
    with serving(says_text("x" * (1 << 21))) as script, pytest.raises(Malformed, match="bytes"):
        _act(_policy(script))


def test_what_is_not_the_protocol_is_asked_again_and_then_named() -> None:
    with serving(fails(200, "<html>hello</html>")) as script, pytest.raises(Malformed, match="does not speak"):
        _act(_policy(script))
    assert len(script.asked) == 3


def test_nothing_is_sent_beyond_the_budget() -> None:
    budget = Budget(calls=2)
    with serving(says(CLICK)) as script:
        policy = _policy(script, budget=budget)
        policy.act(a_list("logs-3"), a_goal(), ())
        policy.act(a_list("logs-3", "web-1"), a_goal(), ())
        with pytest.raises(OverBudget, match="all 2 calls"):
            policy.act(a_list("logs-3"), a_goal(), ())
        policy.close()
    assert len(script.asked) == 2
    assert budget.spent == Spent(2, 200)


def test_a_call_that_could_cost_more_than_is_left_is_not_made() -> None:
    with serving(says(CLICK)) as script, pytest.raises(OverBudget, match="300 of 300 tokens are left"):
        _act(_policy(script, budget=Budget(tokens=300)))
    assert script.asked == []


def test_the_same_state_is_paid_for_once(tmp_path: Path) -> None:
    with serving(says(CLICK)) as script:
        first = _act(_policy(script, answers=Answers(tmp_path)))
        again = _act(_policy(script, answers=Answers(tmp_path)))
    assert first == again
    assert len(script.asked) == 1


def test_an_answer_that_was_no_action_is_paid_for_once_too(tmp_path: Path) -> None:
    with serving(says_text("hm"), says(CLICK)) as script:
        first = _act(_policy(script, answers=Answers(tmp_path)))
        again = _act(_policy(script, answers=Answers(tmp_path), budget=Budget(calls=0)))
    assert first == again
    assert len(script.asked) == 2


def test_no_secret_is_sent_kept_or_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    goal = Goal("Set the password of bob to hunter2x.", (("user", "bob"), ("password", "hunter2x")))
    field = Element(7, "textbox", "New password", value="old-one-77", states=("editable", "password"))
    page = Observation("http://u:pw-in-address@127.0.0.1/users", "Users", (field,), toasts=("Token: tok-99-abc",))
    turn = says({"kind": "type", "element": 1, "text": "[secret 2]"})
    known = ["tok-99-abc"]
    with serving(turn) as script, _policy(script, answers=Answers(tmp_path), known_secrets=known) as policy:
        proposal = policy.act(page, goal, ())
    everything = json.dumps(script.asked) + caplog.text + "".join(each.read_text() for each in tmp_path.iterdir())
    assert proposal.action == Type(7, "hunter2x")
    assert [word for word in ("hunter2x", "old-one-77", "pw-in-address", "tok-99-abc", KEY) if word in everything] == []


def test_a_policys_folder_cannot_have_another_secret_sent() -> None:
    with pytest.raises(ValueError, match="a key is read from a variable"):
        Endpoint("https://host/v1", "m", key_from="DATABASE_URL")
    assert Endpoint("https://host/v1", "m", key_from="BELAY_LANGUAGE_BIG_KEY").key_from == "BELAY_LANGUAGE_BIG_KEY"


def test_a_server_is_asked_in_its_own_words() -> None:
    with serving(says(CLICK)) as script:
        _act(_policy(script, temperature=None, limit_as="max_completion_tokens", output="json_object"))
        _act(_policy(script))
    other, usual = script.asked
    assert (other["max_completion_tokens"], other["response_format"]) == (400, {"type": "json_object"})
    assert "temperature" not in other
    assert (usual["max_tokens"], usual["temperature"]) == (400, 0.0)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [("ftp://host/v1", "https://host/v1"), ("https://bob:pw@host/v1", "BELAY_LANGUAGE_KEY"), ("nowhere", "https://")],
)
def test_an_address_that_cannot_be_right_is_refused_without_repeating_a_secret(url: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as caught:
        Endpoint(url, "m")
    assert "pw" not in str(caught.value)


def test_what_is_missing_in_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BELAY_LANGUAGE_URL", raising=False)
    monkeypatch.setenv("BELAY_LANGUAGE_MODEL", "m")
    with pytest.raises(ValueError, match="set BELAY_LANGUAGE_URL to"):
        Endpoint.from_environment()
    monkeypatch.setenv("BELAY_LANGUAGE_URL", "http://127.0.0.1:9/v1")
    assert Endpoint.from_environment() == Endpoint("http://127.0.0.1:9/v1", "m")
