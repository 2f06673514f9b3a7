"""Files that describe consoles: the shipped ones are right, and what is wrong with others is told by line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from sandbox import sessions
from sandbox.contracts.tasks import Risk
from sandbox.documents import BadDocument
from sandbox.registry import find_environment, request_risk
from sandbox.variants import SPLITS
from sandbox.worlds import web
from sandbox.worlds.web.spec import SCHEMA, load

GOOD = """\
console: mine
title: Mine
summary: A console of mine.
url: http://console.example/start
allow: ["console.example:80"]
credentials:
  password: {env: MINE_PASSWORD}
login:
  - open: /login
  - type: {into: Password, credential: password}
verify:
  command: [/usr/local/bin/verify-mine]
templates:
  - name: restart
    title: Restart
    summary: Restarts a thing.
    risk: cost
    parameters:
      - {name: thing, title: Thing, pattern: "[a-z]+"}
    phrases: ["Restart {thing}."]
    draw:
      thing: {train: [one], validation: [two], test: [three]}
    solution:
      - click: {role: button, name: Restart, row: "{thing}"}
"""

WRONG = [
    ("title: Mine", "titel: Mine", 2, "unknown key 'titel' \\(did you mean 'title'\\?\\)"),
    ("console: mine", "console: Mine!", 1, "console: expected an id of lowercase letters"),
    ("summary: A console of mine.\n", "", 1, "expected the key 'summary'"),
    ("url: http://console.example/start", "url: https://console.example", 4, "url: expected an http address"),
    ("http://console.example/start", "http://me:pw@console.example/", 4, "url: expected an http address"),
    ("console.example:80", "other.example:80", 5, "allow: expected console.example:80 in it"),
    ("http://console.example/start", "http://console.example/{port.web}", 4, "{port.web} is not known"),
    ("{env: MINE_PASSWORD}", "hunter2", 7, "credentials.password: expected one of {env: NAME}"),
    ("credential: password", "credential: pass", 10, "there is no credential 'pass'; there is: password"),
    ("[/usr/local/bin/verify-mine]", "verify-mine", 12, "verify.command: expected a list, found"),
    ("[/usr/local/bin/verify-mine]", '["{hier}/x"]', 12, "{hier} is not known; expected one of folder, here"),
    (
        "train: [one], validation: [two]",
        "train: [one], validation: [one]",
        22,
        "'one' is for train already: each split",
    ),
    ("train: [one]", "train: [One]", 22, "expected a text that matches .a-z.., found 'One'"),
    ("risk: cost", "risk: costs", 17, "templates\\[0\\].risk: expected one of read, reversible, cost"),
    ('"[a-z]+"', '"[a-z"', 19, "parameters\\[0\\].pattern: expected a regular expression"),
    ('"Restart {thing}."', '"Restart {think}."', 20, "there is no parameter 'think'; there is: thing"),
    ('"Restart {thing}."', '"Restart {thing."', 20, "expected blanks such as {name}"),
    ("thing: {train", "think: {train", 21, "expected words for the parameter thing"),
    (", test: [three]", "", 22, "expected the key 'test'"),
    ('row: "{thing}"', 'row: "{think}"', 24, "there is no parameter 'think'"),
    ("click: {role: button, name: Restart", "push: {role: button, name: Restart", 24, "unknown key 'push'"),
    ("title: Mine", "title: [Mine", 3, "expected YAML or JSON"),
]


def written(folder: Path, text: str) -> Path:
    path = folder / "console.yaml"
    path.write_text(text)
    return path


def test_a_file_is_read_into_plain_values(tmp_path: Path) -> None:
    console = load(written(tmp_path, GOOD))
    template = console.templates[0].template("mine")
    assert (template.id, template.environment, template.risk) == ("mine/restart", "mine", Risk.COST)
    assert console.environment.real
    assert not console.environment.practice
    assert console.here == str(tmp_path)


@pytest.mark.parametrize(("old", "new", "line", "said"), WRONG, ids=[new.strip() or "none" for _, new, _, _ in WRONG])
def test_what_is_wrong_is_told_by_file_line_and_what_was_expected(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    assert GOOD.count(old) == 1
    path = written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(BadDocument, match=said) as problem:
        load(path)
    assert str(problem.value).startswith(f"{path}:{line}: ")


def test_two_templates_of_one_name_are_refused(tmp_path: Path) -> None:
    again = GOOD[GOOD.index("  - name: restart") :]
    with pytest.raises(BadDocument, match="there are two templates 'restart'"):
        load(written(tmp_path, GOOD + again))


def test_a_name_that_a_world_of_ours_has_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD.replace("console: mine", "console: cloud"))
    checked = subprocess.run(
        [sys.executable, "-m", "sandbox.worlds.web", str(path)], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr.strip()) == (
        1,
        f"{path}:1: console: 'Cloud console (simulated)' is called 'cloud' already: take another name",
    )
    ask = [sys.executable, "-c", "import sandbox.registry as known; known.registered()"]
    named = {**os.environ, "BELAY_CONSOLES": str(path)}
    started = subprocess.run(ask, capture_output=True, text=True, check=False, env=named)
    assert f"{path}:1: console: two environments are called 'cloud'" in started.stderr


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(SCHEMA.read_text()))


@pytest.mark.parametrize("name", ["supervisor", "seaweedfs"])
def test_shipped_consoles_are_known_for_practice_and_can_be_drawn(name: str) -> None:
    found = find_environment(name)
    assert found.environment.practice
    assert found.world().environment == found.environment
    for template in found.templates:
        drawn = [sessions.parameters_of(sessions.sample(template, seed=1, split=split)) for split in SPLITS]
        assert len({tuple(sorted(each.items())) for each in drawn}) == 3


@pytest.mark.parametrize(
    ("method", "path", "risk"),
    [
        ("GET", "/", Risk.READ),
        ("GET", "/index.html?action=refresh", Risk.READ),
        ("GET", "/index.html?processname=a&action=stop", Risk.COST),
        ("GET", "/index.html?action=restartall", Risk.COST),
        ("GET", "/index.html?processname=a&action=clearlog", Risk.DESTRUCTIVE),
        ("GET", "/index.html?processname=a&action=new", Risk.UNKNOWN),
        ("POST", "/RPC2", Risk.UNKNOWN),
    ],
)
def test_a_console_that_writes_by_get_is_judged_by_its_queries(method: str, path: str, risk: Risk) -> None:
    assert request_risk(find_environment("supervisor").world().request_rules, method, path) is risk


def test_files_are_found_through_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = written(tmp_path, GOOD)
    (tmp_path / "more" / "other").mkdir(parents=True)
    two = written(tmp_path / "more" / "other", GOOD.replace("console: mine", "console: other"))
    monkeypatch.setenv("BELAY_CONSOLES", f"{one}{os.pathsep}{tmp_path / 'more'}")
    assert list(web.files())[-2:] == [one, two]


def test_the_command_line_names_what_is_wrong(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "sandbox.worlds.web", str(written(tmp_path, GOOD.replace("cost", "costs")))]
    answer = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert f"{tmp_path}/console.yaml:17: " in answer.stderr
    written(tmp_path, GOOD)
    assert subprocess.run(argv, capture_output=True, text=True, check=False).stdout.endswith("mine, 1 template(s)\n")
