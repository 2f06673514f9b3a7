"""Serving: every role answers for itself, nobody unknown is let in, and a bad version never replaces a good one."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs
from onnxruntime.capi import onnxruntime_pybind11_state as onnx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from learning import jobs, kinds, proving, serve
from learning.policy import BadPolicy
from learning.remote import RemotePolicy, ServingFailed
from learning.serve import Ask, Told, Versions
from sandbox.contracts.policies import Policy, Proposal
from tests.learning.pages import a_form, a_goal, a_list, remembered

PAGE, GOAL = a_list("web-1", "logs-3"), a_goal()


@pytest.fixture
def versions(folder: Path, tmp_path: Path) -> Versions:
    """The same policy under three roles, each in a folder of its own name."""
    for name in ("v1", "v2", "v3"):
        shutil.copytree(folder, tmp_path / name)
    found = Versions({"champion": tmp_path / "v1", "challenger": tmp_path / "v2", "shadow": tmp_path / "v3"})
    assert found.load() == {}
    return found


@pytest.fixture
async def url(versions: Versions) -> AsyncIterator[str]:
    server, answering = await serve.open_desk(versions, port=0)
    yield f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
    answering.cancel()
    server.close()
    await server.wait_closed()


@pytest.fixture
async def client(url: str) -> AsyncIterator[ClientConnection]:
    async with connect(url) as connection:
        yield connection


async def _ask(client: ClientConnection, ask: Ask) -> None:
    await client.send(msgspec.json.encode(ask).decode())


async def _hear(client: ClientConnection) -> Told:
    return msgspec.json.decode(await client.recv(), type=Told)


async def test_a_role_proposes_what_its_policy_proposes(client: ClientConnection, folder: Path) -> None:
    history = (remembered(PAGE, jobs.load_policy(folder, name="v1").act(PAGE, GOAL, ()).action),)
    await _ask(client, Ask(5, a_form(), GOAL, history))
    told = await _hear(client)
    assert (told.id, told.role, told.policy) == (5, "champion", "v1")
    assert told.proposal == jobs.load_policy(folder, name="v1").act(a_form(), GOAL, history)
    assert told.ms > 0


async def test_shadows_are_answered_after_all_others(client: ClientConnection) -> None:
    for number in range(3):
        await _ask(client, Ask(number, PAGE, GOAL, roles=("shadow", "champion", "challenger")))
    heard = [await _hear(client) for _ in range(9)]
    assert {(each.id, each.role, each.policy) for each in heard[-2:]} == {(1, "shadow", "v3"), (2, "shadow", "v3")}
    assert sorted(each.policy for each in heard) == ["v1"] * 3 + ["v2"] * 3 + ["v3"] * 3


@pytest.mark.parametrize("frame", ["?", "{}", '{"id": 1, "observation": 3, "goal": {"text": ""}}'])
async def test_what_is_no_question_is_told_so_and_the_next_one_answered(client: ClientConnection, frame: str) -> None:
    await client.send(frame)
    assert (await _hear(client)).error == "bad_request"
    await _ask(client, Ask(2, PAGE, GOAL))
    assert (await _hear(client)).id == 2


async def test_a_role_that_nobody_has_is_named_with_those_there_are(client: ClientConnection) -> None:
    await _ask(client, Ask(3, PAGE, GOAL, roles=("king",)))
    told = await _hear(client)
    assert (told.id, told.error, told.message) == (3, "unknown_role", "roles are challenger, champion, shadow")


class Stumbles:
    """A policy that has no answer."""

    def __init__(self, problem: Exception) -> None:
        self._problem = problem

    def act(self, observation: Any, goal: Any, history: Any) -> Proposal:
        """Fail by name."""
        raise self._problem


@pytest.mark.parametrize(
    "problem",
    [RuntimeError("no idea"), onnx.Fail("no idea"), onnx.InvalidArgument("no idea"), LookupError("no idea")],
    ids=lambda problem: type(problem).__name__,
)
async def test_a_policy_that_fails_costs_its_own_answer_only(
    problem: Exception, client: ClientConnection, versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(versions._open, "challenger", Stumbles(problem))
    await _ask(client, Ask(4, PAGE, GOAL, roles=("challenger", "champion")))
    first, second = await _hear(client), await _hear(client)
    assert (first.error, first.message) == ("cannot_propose", f"{type(problem).__name__}: no idea")
    assert second.policy == "v1"


async def test_a_page_without_extent_costs_its_own_answer_only(client: ClientConnection) -> None:
    await _ask(client, Ask(5, structs.replace(PAGE, viewport=(0, 0)), GOAL))
    await _ask(client, Ask(6, PAGE, GOAL))
    first, second = await _hear(client), await _hear(client)
    assert (first.error, first.message) == ("cannot_propose", "ZeroDivisionError: float division by zero")
    assert (second.id, second.policy) == (6, "v1")


async def test_too_many_questions_are_refused_and_not_kept(versions: Versions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "MOST_WAITING", 2)
    server, answering = await serve.open_desk(versions, port=0)
    answering.cancel()  # nobody answers
    async with connect(f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}") as client:
        for number in range(3):
            await _ask(client, Ask(number, PAGE, GOAL))
        told = await _hear(client)
    server.close()
    assert (told.id, told.error) == (2, "busy")


async def test_a_browser_is_not_let_in(url: str) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        await connect(url, origin="http://evil.example")  # type: ignore[arg-type]  # Origin is a NewType of str


async def test_a_token_once_set_is_asked_for(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELAY_SERVE_TOKEN", "a-token-for-tests")
    with pytest.raises(InvalidStatus, match="401"):
        await connect(url, additional_headers={"Authorization": "Bearer wrong"})
    remote = RemotePolicy(url)
    proposal = await asyncio.to_thread(remote.act, PAGE, GOAL, ())
    await asyncio.to_thread(remote.close)
    assert proposal.policy == "v1"


async def test_a_new_version_takes_over_and_a_broken_one_does_not(
    client: ClientConnection, versions: Versions, tmp_path: Path
) -> None:
    (tmp_path / "v1").rename(tmp_path / "v9")
    (tmp_path / "v1").symlink_to(tmp_path / "v9")
    (tmp_path / "v2" / "policy.onnx").write_bytes(b"broken")
    assert list(versions.load()) == ["challenger"]
    await _ask(client, Ask(1, PAGE, GOAL, roles=("champion", "challenger")))
    assert [(await _hear(client)).policy for _ in range(2)] == ["v9", "v2"]


async def test_questions_are_answered_while_the_folders_are_opened_anew(
    client: ClientConnection, versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, answered, in_time, real = threading.Event(), threading.Event(), list[bool](), jobs.load_policy

    def slowly(folder: Path, *, name: str) -> Policy:
        began.set()
        in_time.append(answered.wait(10))
        return real(folder, name=name)

    monkeypatch.setattr(jobs, "load_policy", slowly)
    with serve.reloading(versions):
        os.kill(os.getpid(), signal.SIGHUP)
        assert await asyncio.to_thread(began.wait, 10)
        await _ask(client, Ask(7, PAGE, GOAL))
        assert (await _hear(client)).policy == "v1"
        answered.set()
    assert in_time == [True, True, True]


async def test_a_served_policy_is_a_policy(url: str, tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text(json.dumps({"kind": "remote", "url": url, "role": "challenger"}))
    remote = kinds.open_policy(tmp_path, name="far")
    assert (await asyncio.to_thread(remote.act, PAGE, GOAL, ())).policy == "v2"
    nobody = RemotePolicy(url, role="king")
    with pytest.raises(ServingFailed, match="unknown_role: roles are"):
        await asyncio.to_thread(nobody.act, PAGE, GOAL, ())
    (tmp_path / "spec.json").write_text(json.dumps({"kind": "remote", "url": "http://x"}))
    with pytest.raises(BadPolicy, match="names no url"):
        kinds.open_policy(tmp_path, name="far")


def test_a_server_that_is_gone_is_said() -> None:
    with pytest.raises(ServingFailed, match="does not answer: ConnectionRefusedError"):
        RemotePolicy("ws://127.0.0.1:9").act(PAGE, GOAL, ())


def test_it_serves_reloads_and_stops_as_a_program(folder: Path) -> None:
    command = [sys.executable, "-m", "learning.serve", f"champion={folder}", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        address = program.stdout.readline().split()[0]
        remote = RemotePolicy(address)
        assert remote.act(PAGE, GOAL, ()).policy == folder.name
        program.send_signal(signal.SIGHUP)
        assert remote.act(PAGE, GOAL, ()).policy == folder.name
        program.send_signal(signal.SIGTERM)
        assert program.wait(20) == 0
        remote.close()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (lambda folder: ["champion"], "say which folder is which"),
        (lambda folder: [f"champion={folder}", "--host", "192.0.2.7"], "set BELAY_SERVE_TOKEN"),
    ],
)
def test_a_mistake_on_the_command_line_is_a_sentence(
    folder: Path,
    arguments: Callable[[Path], list[str]],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("BELAY_SERVE_TOKEN", raising=False)
    with pytest.raises(SystemExit, match="2"):
        serve.main(arguments(folder))
    assert complaint in capsys.readouterr().err


def test_a_folder_without_a_policy_does_not_start_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert serve.main([f"champion={tmp_path}"]) == 2
    assert "champion: " in capsys.readouterr().err


def test_an_error_without_a_message_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def silently(folder: Path, *, name: str) -> Policy:
        raise OSError

    monkeypatch.setattr(proving, "open_policy", silently)
    with pytest.raises(BadPolicy, match="v1 cannot be run: OSError: it says no more"):
        jobs.load_policy(tmp_path, name="v1")
