"""The console's process: who may talk to it, what it answers, and that it outlives who started it."""

import json
import stat
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from sandbox import sessions
from sandbox.registry import SessionLost
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.instance import ConsoleWorld
from sandbox.worlds.console.serve import SECRETS_FILE, Secrets
from sandbox.worlds.console.tasks import ENVIRONMENT

TASK = sessions.sample("cloud/stop-instance", seed=1, split="train")


@pytest.fixture
async def started(tmp_path: Path) -> AsyncIterator[tuple[ConsoleWorld, dict[str, Any]]]:
    """A running console and the state by which it is found again."""
    world = ConsoleWorld(ENVIRONMENT, CLOUD)
    state = await world.start(tmp_path / "world")
    yield world, state
    await world.stop()


@pytest.fixture
async def console(started: tuple[ConsoleWorld, dict[str, Any]]) -> ConsoleWorld:
    """A running console, set up for a task."""
    await started[0].set_up(TASK)
    return started[0]


def secrets_of(folder: Path) -> Secrets:
    """What only the owner may read."""
    return msgspec.json.decode((folder / "world" / SECRETS_FILE).read_bytes(), type=Secrets)


@pytest.fixture
async def browser(console: ConsoleWorld, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody signed in, without a browser."""
    known = secrets_of(tmp_path)
    async with httpx.AsyncClient(base_url=console.start_url, trust_env=False) as client:
        answer = await client.post("/sign-in", data={"user": known.user, "password": known.password})
        assert answer.status_code == HTTPStatus.SEE_OTHER
        yield client


async def test_who_is_not_signed_in_sees_only_the_sign_in_page(console: ConsoleWorld) -> None:
    async with httpx.AsyncClient(base_url=console.start_url, trust_env=False) as client:
        assert (await client.get("/")).headers["location"] == "/sign-in"
        assert (await client.get("/sign-in")).status_code == HTTPStatus.OK
        assert (await client.post("/api/instances", json={})).status_code == HTTPStatus.UNAUTHORIZED
        wrong = await client.post("/sign-in", data={"user": "operator", "password": "guess"})
        assert wrong.status_code == HTTPStatus.UNAUTHORIZED
        assert "set-cookie" not in wrong.headers


async def test_the_control_port_wants_its_token(console: ConsoleWorld, tmp_path: Path) -> None:
    known = secrets_of(tmp_path)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{known.control_port}", trust_env=False) as client:
        assert (await client.get("/snapshot")).status_code == HTTPStatus.UNAUTHORIZED
        bearer = {"Authorization": f"Bearer {known.control_token}"}
        assert (await client.get("/snapshot", headers=bearer)).status_code == HTTPStatus.OK
        assert (await client.get("/elsewhere", headers=bearer)).status_code == HTTPStatus.NOT_FOUND
    assert console.allow == (f"127.0.0.1:{known.port}",)


async def test_secrets_lie_in_a_private_file_and_nowhere_else(
    started: tuple[ConsoleWorld, dict[str, Any]], tmp_path: Path
) -> None:
    known = secrets_of(tmp_path)
    file = tmp_path / "world" / SECRETS_FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    state = json.dumps(started[1])
    assert known.password not in state
    assert known.control_token not in state


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/disks", '{"name": "data-77"}', HTTPStatus.CREATED),
        ("POST", "/api/disks", '{"name": "X"}', HTTPStatus.UNPROCESSABLE_ENTITY),
        ("POST", "/api/disks", "[1]", HTTPStatus.BAD_REQUEST),
        ("POST", "/api/disks", '{"name": 3}', HTTPStatus.BAD_REQUEST),
        ("POST", "/api/cups", "{}", HTTPStatus.NOT_FOUND),
        ("DELETE", "/api/disks/d-0", "{}", HTTPStatus.NOT_FOUND),
        ("POST", "/api/disks/d-0/fly", "{}", HTTPStatus.NOT_FOUND),
        ("PUT", "/disks", "{}", HTTPStatus.METHOD_NOT_ALLOWED),
        ("GET", "/rules", "", HTTPStatus.NOT_FOUND),
        ("GET", "/disks/d-0", "", HTTPStatus.NOT_FOUND),
        ("GET", "/disks?page=99&sort=nothing&q=%3Cb%3E", "", HTTPStatus.OK),
        ("GET", "/static/../serve.py", "", HTTPStatus.NOT_FOUND),
    ],
)
async def test_answers(browser: httpx.AsyncClient, method: str, path: str, body: str, status: HTTPStatus) -> None:
    assert (await browser.request(method, path, content=body)).status_code == status


@pytest.mark.parametrize(
    ("event", "status"),
    [
        ('{"kind": "click", "key": "submit"}', HTTPStatus.OK),
        ('{"kind": "click", "key": "verb:terminate:i-0"}', HTTPStatus.OK),
        ('{"kind": "input", "key": "field:name", "value": "x"}', HTTPStatus.OK),
        ('{"kind": "answered"}', HTTPStatus.OK),
        ('{"kind": "fly"}', HTTPStatus.BAD_REQUEST),
        ("[]", HTTPStatus.BAD_REQUEST),
    ],
)
async def test_what_is_not_on_the_page_cannot_be_done(
    browser: httpx.AsyncClient, console: ConsoleWorld, event: str, status: HTTPStatus
) -> None:
    await browser.get("/instances")
    before = (await console.world(TASK)).snapshot()
    answer = await browser.post("/ui/event", content=event)
    assert answer.status_code == status
    assert answer.json().get("request") is None
    assert (await console.world(TASK)).snapshot().audit == before.audit


async def test_an_event_is_answered_with_the_page_and_never_writes(
    browser: httpx.AsyncClient, console: ConsoleWorld
) -> None:
    await browser.get("/security-groups/new")
    name = {"kind": "input", "key": "field:name", "value": "made-by-hand"}
    assert "made-by-hand" in (await browser.post("/ui/event", json=name)).json()["html"]
    answer = (await browser.post("/ui/event", json={"kind": "click", "key": "submit"})).json()
    assert answer["request"]["method"] == "POST"
    assert answer["request"]["path"] == "/api/security-groups"
    assert (await console.world(TASK)).find("security_group", "made-by-hand") is None
    await browser.request("POST", answer["request"]["path"], json=answer["request"]["body"])
    after = (await browser.post("/ui/event", json={"kind": "answered"})).json()
    assert "made-by-hand was created" in after["html"]
    assert (await console.world(TASK)).find("security_group", "made-by-hand") is not None


async def test_a_request_that_was_stopped_on_its_way_is_told_on_the_page(browser: httpx.AsyncClient) -> None:
    await browser.get("/security-groups/new")
    await browser.post("/ui/event", json={"kind": "input", "key": "field:name", "value": "made-by-hand"})
    await browser.post("/ui/event", json={"kind": "click", "key": "submit"})
    after = (await browser.post("/ui/event", json={"kind": "answered"})).json()
    assert "The request did not reach the server." in after["html"]


async def test_an_object_of_another_kind_is_not_there(browser: httpx.AsyncClient, console: ConsoleWorld) -> None:
    disk = (await console.world(TASK)).of_kind("disk")[0]
    answer = await browser.request("DELETE", f"/api/instances/{disk.id}", json={"confirm": disk.values[0]})
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert disk.id in (await console.world(TASK)).objects


async def test_a_snapshot_brings_everything_back(browser: httpx.AsyncClient, console: ConsoleWorld) -> None:
    before = (await console.world(TASK)).snapshot()
    await browser.post("/api/disks", json={"name": "data-77"})
    assert (await console.world(TASK)).snapshot() != before
    await console.restore(before)
    assert (await console.world(TASK)).snapshot() == before


async def test_it_is_found_again_by_its_state(
    console: ConsoleWorld, started: tuple[ConsoleWorld, dict[str, Any]]
) -> None:
    again = ConsoleWorld(ENVIRONMENT, CLOUD)
    await again.resume(started[1])
    assert (await again.world(TASK)).snapshot() == (await console.world(TASK)).snapshot()
    await again.stop()
    await again.stop()
    with pytest.raises(SessionLost):
        await ConsoleWorld(ENVIRONMENT, CLOUD).resume(started[1])
    with pytest.raises(SessionLost):
        await console.world(TASK)
