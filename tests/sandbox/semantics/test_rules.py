"""Rule files: what they say of pages, why, and what is told when they are broken."""

from pathlib import Path

import pytest

from sandbox.contracts.actions import ActOutcome, ActResult, Click, Finish, Type
from sandbox.contracts.observations import Element
from sandbox.contracts.storage import pack, to_json
from sandbox.contracts.tasks import Split
from sandbox.documents import BadDocument
from sandbox.registry import find_environment
from sandbox.semantics import __main__ as command
from sandbox.semantics.conditions import Moment
from sandbox.semantics.rules import (
    NoAdapter,
    TwoAdapters,
    TwoMeanings,
    adapter_for,
    agreed,
    load,
    shipped,
    together,
    vocabulary,
)
from sandbox.semantics.trails import Tracker
from sandbox.tasks import bind
from tests.sandbox.semantics.pages import DONE, NAME, SAVE, failures, page, text

RULES = """adapter: mine
title: Mine
environments: [mine]
tokens:
  - {token: SHINY, meaning: something glitters}
rules:
  - token: SHINY
    because: it glitters
    when: {after: {role: [text], name: glitter}}
  - token: CREATED
    because: a notice says so
    when:
      action: {kind: [click], name: ^save$}
      appears: {toast: created}
"""


@pytest.fixture
def rule_file(tmp_path: Path) -> Path:
    """A rule file of one's own."""
    file = tmp_path / "mine.yaml"
    file.write_text(RULES)
    return file


def test_there_are_shared_tokens_and_an_adapter_for_each_kind_of_world() -> None:
    assert len(vocabulary()) >= 17
    assert {each.name for each in shipped()} == {"console", "web", "sql", "http", "workbench"}
    for adapter in shipped():
        assert len({rule.token for rule in adapter.rules}) >= 17
        assert {rule.token for rule in adapter.rules} <= vocabulary().keys()


def test_no_two_meanings_share_a_token_and_no_two_tokens_a_meaning() -> None:
    with pytest.raises(TwoMeanings, match="CREATED means 'something is new', and also 'a page is old'"):
        agreed([("CREATED", "Something is new."), ("CREATED", "a page is old")])
    with pytest.raises(TwoMeanings, match="MADE and CREATED both mean 'something is new': use one of them"):
        agreed([("CREATED", "something is new"), ("MADE", "something  is new")])


def test_two_rule_files_must_agree_on_what_a_token_means(rule_file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(RULES.replace("something glitters", "a lamp is on").replace("mine", "other"))
    with pytest.raises(TwoMeanings, match="SHINY means 'something glitters', and also 'a lamp is on'"):
        together([rule_file, other])


def test_an_environment_has_one_adapter(rule_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(RULES.replace("adapter: mine", "adapter: other"))
    with pytest.raises(TwoAdapters, match=r"other\.yaml: 'mine' has an adapter already, in .*mine\.yaml: keep one"):
        together([rule_file, other])
    assert command.main(["check", str(rule_file), str(other)]) == 1
    assert "keep one" in capsys.readouterr().err


def test_rules_speak_of_what_changed_and_say_why(rule_file: Path) -> None:
    adapter = load(rule_file)
    moment = Moment(page(text("It glitters"), toasts=("Disk created",)), page(), SAVE, DONE)
    assert adapter.tokens(moment) == {"SHINY", "CREATED"}
    shiny, created = adapter.explain(moment)
    assert (shiny.rule, shiny.because) == ("mine.yaml:7", "it glitters")
    assert "first 'It glitters'" in shiny.evidence[0]
    assert created.evidence == (
        "the action was click on button 'Save'",
        "seen now and not before: toast 'Disk created'",
    )
    again = Moment(moment.after, moment.after, SAVE, DONE)
    assert adapter.tokens(again) == {"SHINY"}


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("adapter: mine\n", "", 1, "expected the key 'adapter'"),
        ("because: it glitters", "becuase: it glitters", 8, "unknown key 'becuase' (did you mean 'because'?)"),
        ("token: CREATED", "token: MADE_UP", 10, "MADE_UP has no meaning: declare it under 'tokens', or use one of"),
        ("token: CREATED", "token: created", 10, 'expected a token in capitals such as FORM_OPEN, found "created"'),
        ("name: glitter", "name: '['", 9, "expected a regular expression: unterminated character set"),
        ("kind: [click]", "kind: [clack]", 13, "expected one of click, type, select"),
        ("appears: {toast: created}", "appears: {}", 14, "expected at least 1 entry"),
        ("environments: [mine]", "environments: []", 3, "expected at least 1 entry"),
        ("title: Mine", "title: ''", 2, 'expected a text of at least 1 character, found ""'),
        ("something glitters", "something new exists in the world", 5, "use one of them"),
    ],
)
def test_a_broken_rule_file_is_told_by_line(tmp_path: Path, old: str, new: str, line: int, sentence: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(RULES.replace(old, new))
    with pytest.raises(BadDocument) as told:
        load(file)
    assert str(told.value).startswith(f"{file}:{line}: ")
    assert sentence in str(told.value)


def test_an_environment_has_its_own_adapter_or_the_one_for_any_console(rule_file: Path) -> None:
    assert adapter_for("cloud?locale=zh").name == "console"
    assert adapter_for("object-store").name == "web"
    assert adapter_for("orchard-api?theme=dark").name == "console"
    with pytest.raises(NoAdapter, match="no adapter is for 'cloud'"):
        adapter_for("cloud", [load(rule_file)])


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        (Moment(page()), set()),
        (Moment(page(), page(), Type(NAME, "x"), DONE), {"FIELD_FILLED"}),
        (Moment(page(url="http://c/b"), page(), SAVE, DONE), {"SCREEN_CHANGED"}),
        (Moment(page(text("Name is required")), page(), SAVE, DONE), {"REFUSED_INPUT"}),
        (Moment(page(toasts=("Bucket logs deleted.",)), page(), SAVE, DONE), {"DELETED"}),
        (Moment(page(), page(), SAVE, ActResult(ActOutcome.NO_EFFECT)), {"NOTHING_HAPPENED"}),
        (Moment(page(), page(), SAVE, ActResult(ActOutcome.COVERED)), {"UNUSABLE"}),
        (Moment(page(pending=2), page(), SAVE, DONE), {"LOADING"}),
        (Moment(page(), page(), Finish(), DONE), {"FINISHED"}),
        (
            Moment(page(text("This cannot be undone", region="dialog")), page(), Click(1), DONE),
            {"DIALOG_OPEN", "CONFIRM_ASKED"},
        ),
        (Moment(page(), page(text("Sure?", region="dialog")), Click(1), DONE), {"DIALOG_CLOSED"}),
        (
            Moment(
                page(Element(5, "textbox", "Password", states=("editable", "password")), Element(6, "button", "Log in"))
            ),
            {"SIGNED_OUT", "FORM_OPEN"},
        ),
    ],
)
def test_what_any_web_console_shows_is_said_in_tokens(moment: Moment, said: set[str]) -> None:
    assert adapter_for("web").tokens(moment) == said


@pytest.mark.parametrize("environment", ["workbench", "http", "sql"])
@pytest.mark.parametrize("split", ["train", "test"])
def test_oracles_leave_no_step_unsaid_and_end_with_finished(environment: str, split: Split) -> None:
    registered = find_environment(environment)
    simulator = registered.simulator()
    for template in list(registered.templates.values())[:5]:
        task = bind(template.template, template.sample(5, split), seed=5)
        tracker, oracle = Tracker(adapter_for(environment)), template.oracle(task)
        observation = simulator.reset(task)
        treads = [tracker.first(observation)]
        for _ in range(task.max_steps):
            action = oracle.act(observation, task.goal, ()).action
            result, observation = simulator.act(action)
            treads.append(tracker.step(action, result, observation))
        assert all(tread.tokens for tread in treads)
        assert any("FINISHED" in tread.tokens for tread in treads)
    simulator.close()


def test_the_command_explains_a_trajectory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (trajectory,) = failures("wrong_target", 1)
    packed, plain = tmp_path / "a.bin", tmp_path / "a.json"
    packed.write_bytes(pack(trajectory))
    plain.write_text(to_json(trajectory))
    assert command.main(["explain", str(packed)]) == 0
    told = capsys.readouterr().out
    assert "DELETED            a notice says so  [web.yaml:" in told
    assert "seen now and not before: toast 'Disk d1 deleted'" in told
    assert command.main(["explain", str(plain)]) == 0
    assert capsys.readouterr().out == told


def test_the_command_checks_rule_files_and_names_what_is_wrong(
    rule_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["check"]) == 0
    assert "workbench: " in capsys.readouterr().out
    assert command.main(["check", str(rule_file)]) == 0
    assert capsys.readouterr().out == "mine: 2 rules, 2 tokens\n"
    rule_file.write_text(RULES.replace("name: glitter", "nane: glitter"))
    assert command.main(["check", str(rule_file)]) == 1
    assert f"{rule_file}:9: " in capsys.readouterr().err
    assert command.main(["explain", str(tmp_path / "none")]) == 1
    assert "expected a readable file" in capsys.readouterr().err
