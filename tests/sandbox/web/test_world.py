"""Commands and credentials of a console from a file, with a small console of the test's own."""

import sys
from pathlib import Path

import pytest

from sandbox.contracts.storage import to_json
from sandbox.contracts.tasks import Goal, Outcome, Task
from sandbox.registry import SessionLost
from sandbox.worlds.web.commands import CommandFailed
from sandbox.worlds.web.credentials import NoCredential
from sandbox.worlds.web.spec import Command, Console, Kind
from sandbox.worlds.web.world import ConsoleFailed, WebConsole

TASK = Task("mine", "mine/do", Goal("do"), seed=1)
SERVE = Command((sys.executable, "-m", "http.server", "{port.web}", "--bind", "127.0.0.1"), limit_s=20)


def python(code: str) -> Command:
    return Command((sys.executable, "-c", code), limit_s=3)


def a_console(*, verify: str = "", reset: str = "", serve: Command | None = SERVE, **more: object) -> Console:
    given = {
        "console": "mine",
        "title": "Mine",
        "summary": "Mine.",
        "url": "http://127.0.0.1:{port.web}/",
        "allow": ("127.0.0.1:{port.web}",),
        "templates": (Kind("do", "Do", "Do.", ("do",), risk="read"),),  # type: ignore[arg-type]  # as it stands in a file
        "verify": python(verify),
        "reset": python(reset),
        "serve": serve,
        "ports": ("web",),
        "credentials": {"password": {"random": 20}},
        "here": str(Path(__file__).parent),
    }
    return Console(**{**given, **more})  # type: ignore[arg-type]  # each of its own type


async def test_it_is_found_again_by_a_state_without_secrets_and_gone_when_it_is_stopped(tmp_path: Path) -> None:
    first, again = WebConsole(a_console()), WebConsole(a_console())
    state = await first.start(tmp_path / "world")
    (password,) = first.secrets
    assert len(password) == 20
    assert password not in to_json(state)
    await again.resume(state)
    assert (again.start_url, again.allow, again.secrets) == (first.start_url, first.allow, first.secrets)
    await again.stop()
    await again.stop()
    assert not (tmp_path / "world").exists()
    with pytest.raises(SessionLost):
        await first.resume(state)


@pytest.mark.parametrize(
    ("code", "outcome", "said"),
    [
        ('print(\'{"checks": [{"name": "it holds", "holds": true}]}\')', Outcome.VERIFIED, "it holds"),
        ('print(\'{"checks": [{"name": "no", "holds": false}]}\'); exit(1)', Outcome.FAILED, "no"),
        ("exit('the console is gone')", Outcome.UNVERIFIED, "ended with 1: the console is gone"),
        ("import os; os._exit(3)", Outcome.UNVERIFIED, "ended with 3: it said nothing"),
        ("print('not JSON')", Outcome.UNVERIFIED, "JSON is malformed"),
        ("import os; exit(os.environ['BELAY_CREDENTIAL_PASSWORD'])", Outcome.UNVERIFIED, "ended with 1: ***"),
        ("import time; time.sleep(60)", Outcome.UNVERIFIED, "took longer than 3 s"),
    ],
)
async def test_a_verifier_speaks_by_its_status_and_its_json(
    tmp_path: Path, code: str, outcome: Outcome, said: str
) -> None:
    world = WebConsole(a_console(verify=code, serve=None))
    await world.start(tmp_path)
    found = await world.verify(TASK, "")
    assert found.outcome is outcome
    assert said in "".join(check.name + check.detail for check in found.checks)


async def test_commands_are_told_the_task_and_the_answer_and_nothing_of_our_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOMEBODY_ELSES_SECRET", "x")
    code = (
        "import json, os, sys; said = json.load(sys.stdin); "
        "good = said['task']['template'] == 'mine/do' and said['answer'] == '42' and 'BELAY_PORT_WEB' in os.environ; "
        "print(json.dumps({'checks': [{'name': 'told', 'holds': good}]})); "
        "sys.exit(0 if good and 'SOMEBODY_ELSES_SECRET' not in os.environ else 1)"
    )
    world = WebConsole(a_console(verify=code, serve=None))
    await world.start(tmp_path)
    assert (await world.verify(TASK, "42")).outcome is Outcome.VERIFIED
    assert (await world.verify(TASK, "41")).outcome is Outcome.FAILED


async def test_a_reset_that_fails_is_an_error_with_its_last_words(tmp_path: Path) -> None:
    world = WebConsole(a_console(reset="exit('no such tenant')", serve=None))
    await world.start(tmp_path)
    with pytest.raises(CommandFailed, match="ended with 1"):
        await world.set_up(TASK)


async def test_a_console_that_does_not_start_says_why(tmp_path: Path) -> None:
    world = WebConsole(a_console(serve=python("exit('the licence is missing')")))
    with pytest.raises(ConsoleFailed, match=r"ended while it started.*the licence is missing"):
        await world.start(tmp_path)
    await world.stop()


@pytest.mark.parametrize("reference", [{"env": "BELAY_NOT_THERE"}, {"file": "/nowhere/password"}])
async def test_a_credential_that_is_not_there_is_named_by_its_place(tmp_path: Path, reference: dict[str, str]) -> None:
    world = WebConsole(a_console(credentials={"password": reference}))
    with pytest.raises(NoCredential, match=next(iter(reference.values()))):
        await world.start(tmp_path)


async def test_credentials_come_from_variables_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE_USER", "anna")
    (tmp_path / "password").write_text("correct horse\n")
    given = {"user": {"env": "MINE_USER"}, "password": {"file": str(tmp_path / "password")}}
    world = WebConsole(a_console(credentials=given, serve=None))
    await world.start(tmp_path / "world")
    assert world.secrets == ("anna", "correct horse")


async def test_free_text_is_not_judged(tmp_path: Path) -> None:
    world = WebConsole(a_console(serve=None))
    await world.start(tmp_path)
    assert (await world.verify(Task("mine", "", Goal("whatever"), seed=1), "")).outcome is Outcome.UNVERIFIED
