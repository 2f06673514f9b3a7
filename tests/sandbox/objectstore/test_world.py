"""The store behind the console: what the verifier lets pass, how it starts, is found again, and dies."""

import os
import signal
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.contracts.tasks import Outcome, Risk
from sandbox.env import Gym
from sandbox.registry import SessionLost, request_risk
from sandbox.sessions import bind, parameters_of
from sandbox.worlds.objectstore import server as serving
from sandbox.worlds.objectstore.requests import RULES
from sandbox.worlds.objectstore.server import StoreFailed
from sandbox.worlds.objectstore.store import Bucket, Store, User, first_state, last_state, shown_size, size
from sandbox.worlds.objectstore.world import ObjectStore, compare, is_true
from tests.sandbox.objectstore.conftest import NAMES, sample

Call = tuple[str, str, dict[str, object]]

GOOD: dict[str, Call] = {
    "create-bucket": ("POST", "/api/s3/buckets", {"name": "{bucket}", "quota_enabled": True}),
    "change-quota": ("PUT", "/api/s3/buckets/{bucket}/quota", {"quota_enabled": True}),
    "delete-bucket": ("DELETE", "/api/s3/buckets/{bucket}", {}),
    "create-user": (
        "POST",
        "/api/users",
        {"username": "{user}", "actions": ["{rights}:{bucket}"], "policy_names": [], "generate_key": True},
    ),
    "remove-user": ("DELETE", "/api/users/{user}", {}),
}

# What must not be forgiven beside the right deed; {other} is a bucket and {someone} a user of the first state.
BAD: list[Call] = [
    ("DELETE", "/api/s3/buckets/{other}", {}),
    ("PUT", "/api/s3/buckets/{other}/quota", {"quota_enabled": True, "quota_size": 5, "quota_unit": "MB"}),
    ("PUT", "/api/s3/buckets/{other}/owner", {"owner": "storage-root"}),
    ("POST", "/api/s3/buckets", {"name": "one-too-many", "quota_enabled": False}),
    ("DELETE", "/api/users/{someone}", {}),
    ("POST", "/api/users/{someone}/access-keys", {}),
    ("PUT", "/api/users/{someone}", {"email": "", "actions": ["Admin"], "policy_names": []}),
    ("POST", "/api/users", {"username": "mallory", "actions": ["Read"], "policy_names": [], "generate_key": False}),
]


def do(gym: Gym, store: ObjectStore, call: Call, names: dict[str, str]) -> None:
    """One request with names filled in."""
    method, path, body = call
    filled = {key: _fill(value, names) for key, value in body.items()}
    amount = names.get("quota", names.get("limit", "0"))
    extra = {"quota_size": int(amount), "quota_unit": names["unit"]} if "unit" in names else {}
    gym.run(store.api.call(method, path.format_map(names), extra | filled))


def _fill(value: object, names: dict[str, str]) -> object:
    if isinstance(value, list):
        return [each.format_map(names) for each in value]
    return value.format_map(names) if isinstance(value, str) else value


@pytest.mark.parametrize("name", GOOD)
def test_the_right_deed_alone_is_verified(gym: Gym, store: ObjectStore, name: str) -> None:
    task = sample(name, 11)
    gym.run(store.set_up(task))
    do(gym, store, GOOD[name], parameters_of(task))
    assert gym.run(store.verify(task, "")).outcome is Outcome.VERIFIED


@pytest.mark.parametrize("bad", BAD, ids=[f"{method} {path}" for method, path, _ in BAD])
def test_the_right_deed_with_a_wrong_one_beside_it_fails(gym: Gym, store: ObjectStore, bad: Call) -> None:
    task = sample("delete-bucket", 12)
    gym.run(store.set_up(task))
    do(gym, store, GOOD["delete-bucket"], parameters_of(task))
    left = last_state(task)
    do(gym, store, bad, {"other": min(left.buckets), "someone": min(left.users)})
    verification = gym.run(store.verify(task, ""))
    assert verification.outcome is Outcome.FAILED
    assert [check.name for check in verification.checks if not check.holds]


@pytest.mark.parametrize(("quota", "unit", "enabled"), [(7, "GB", True), (8, "MB", True), (8, "GB", False)])
def test_only_the_wanted_quota_is_verified(gym: Gym, store: ObjectStore, quota: int, unit: str, enabled: bool) -> None:
    task = bind("object-store/change-quota", {"bucket": "mine", "limit": 8, "unit": "GB"}, seed=1)
    gym.run(store.set_up(task))
    body = {"quota_enabled": enabled, "quota_size": quota, "quota_unit": unit}
    gym.run(store.api.call("PUT", "/api/s3/buckets/mine/quota", body))
    assert gym.run(store.verify(task, "")).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("bucket", "fact", "answer", "true"),
    [
        (Bucket(quota=5 * 1024**3), "quota", "5.0 GB", True),
        (Bucket(quota=5 * 1024**3), "quota", "5 GB", True),
        (Bucket(quota=5 * 1024**3), "quota", "5120 MB", True),
        (Bucket(quota=5 * 1024**3), "quota", "5 MB", False),
        (Bucket(quota=5 * 1024**3), "quota", "", False),
        (Bucket(), "quota", "No quota", True),
        (Bucket(), "quota", "0.0 GB", False),
        (Bucket(owner="anna"), "owner", "anna", True),
        (Bucket(owner="anna"), "owner", "No owner", False),
        (Bucket(), "owner", "No owner", True),
        (Bucket(), "owner", "", False),
        (Bucket(versioning=True), "versioning", "Enabled", True),
        (Bucket(versioning=True), "versioning", "Not configured", False),
        (Bucket(), "versioning", "Not configured", True),
        (Bucket(), "versioning", "", False),
    ],
)
def test_answers(bucket: Bucket, fact: str, answer: str, true: bool) -> None:
    assert is_true(bucket, fact, answer) is true


def test_sizes_are_shown_as_the_console_shows_them() -> None:
    assert [shown_size(each * 1024**2) for each in (0, 1, 512, 1024, 1536, 3 * 1024**2)] == [
        "No quota",
        "1.0 MB",
        "512.0 MB",
        "1.0 GB",
        "1.5 GB",
        "3.0 TB",
    ]


def test_the_console_shows_sizes_so(gym: Gym, store: ObjectStore) -> None:
    sizes = ["1 MB", "1023 MB", "1100 MB", "1 GB", "1023 GB", "1 TB", "1023 TB", "2000 TB", "1000000 TB"]
    wanted = {f"size-{index}": Bucket(size(*each.split())) for index, each in enumerate(sizes)}
    gym.run(store.api.become(Store(buckets=wanted, users={})))
    gym.run(gym.page.goto(f"http://{store.server.console}/object-store/buckets"))
    seen = gym.run(gym.page.observe()).elements
    shown = [element.name for element in seen if (element.role, element.label) == ("status", "Quota")]
    assert shown == [shown_size(size(*each.split())) for each in sizes]


@pytest.mark.parametrize("name", NAMES)
def test_a_first_state_has_others_beside_the_one_it_is_about(name: str) -> None:
    for seed in range(30):
        first, last = first_state(sample(name, seed)), last_state(sample(name, seed))
        assert first == first_state(sample(name, seed))
        assert len(first.buckets.keys() & last.buckets.keys()) >= 2
        assert len(first.users.keys() & last.users.keys()) >= 2


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("delete-bucket", {"bucket": f"{'x' * 49}.{'y' * 13}"}),
        ("delete-bucket", {"bucket": "abc"}),
        ("create-user", {"user": "a_b-c.d", "bucket": "abc", "rights": "Read"}),
        ("remove-user", {"user": "x" * 40}),
        ("change-quota", {"bucket": "abc", "limit": "1000000", "unit": "TB"}),
    ],
)
def test_every_name_that_a_ticket_may_give_can_be_set_up(
    gym: Gym, store: ObjectStore, name: str, parameters: dict[str, str]
) -> None:
    task = bind(f"object-store/{name}", parameters, seed=1)
    gym.run(store.set_up(task))
    assert gym.run(store.api.read()) == first_state(task)


def test_a_comparison_names_what_is_missing_and_what_is_too_much() -> None:
    task = sample("create-user", 5)
    first = first_state(task)
    user = parameters_of(task)["user"]
    failed = [check for check in compare(last_state(task), first) if not check.holds]
    assert [(check.name.split()[1], check.detail) for check in failed] == [(user, "it is not there")]
    first.users["mallory"] = User(rights=("Admin",))
    failed = [check for check in compare(last_state(task), first) if not check.holds]
    assert [check.detail for check in failed] == ["it is not there", "mallory"]


@pytest.mark.parametrize(
    ("method", "path", "risk"),
    [
        ("GET", "/object-store/buckets", Risk.READ),
        ("GET", "/api/users", Risk.READ),
        ("GET", "/logout", Risk.REVERSIBLE),
        ("POST", "/api/s3/buckets", Risk.COST),
        ("PUT", "/api/s3/buckets/a-b.c/quota", Risk.REVERSIBLE),
        ("PUT", "/api/s3/buckets/a/owner", Risk.REVERSIBLE),
        ("PUT", "/api/s3/buckets/a/policy", Risk.CREDENTIAL),
        ("PUT", "/api/s3/buckets/a/lifecycle", Risk.DESTRUCTIVE),
        ("DELETE", "/api/s3/buckets/a", Risk.DESTRUCTIVE),
        ("DELETE", "/api/users/a/access-keys/b", Risk.DESTRUCTIVE),
        ("GET", "/api/users/anna", Risk.CREDENTIAL),
        ("POST", "/api/users", Risk.CREDENTIAL),
        ("PUT", "/api/users/anna.b", Risk.CREDENTIAL),
        ("POST", "/api/users/anna/access-keys", Risk.CREDENTIAL),
        ("PUT", "/api/users/anna/access-keys/x/status", Risk.CREDENTIAL),
        ("POST", "/api/groups", Risk.CREDENTIAL),
        ("POST", "/api/object-store/policies/validate", Risk.READ),
        ("POST", "/api/object-store/policies", Risk.CREDENTIAL),
        ("POST", "/api/files/delete-multiple", Risk.DESTRUCTIVE),
        ("POST", "/api/plugin/jobs/run", Risk.UNKNOWN),
    ],
)
def test_what_requests_cost(method: str, path: str, risk: Risk) -> None:
    assert request_risk(RULES, method, path) is risk


@pytest_asyncio.fixture
async def fresh(tmp_path: Path) -> AsyncIterator[ObjectStore]:
    """A store of its own, to be killed."""
    store = ObjectStore()
    await store.start(tmp_path)
    yield store
    await store.stop()


async def test_a_store_is_found_again_by_its_state(tmp_path: Path) -> None:
    first, again = ObjectStore(), ObjectStore()
    state = await first.start(tmp_path)
    await first.set_up(sample("create-bucket", 1))
    await again.resume(state)
    assert (await again.api.read()) == first_state(sample("create-bucket", 1))
    assert again.start_url == first.start_url
    await again.stop()
    with pytest.raises(SessionLost):
        await first.resume(state)
    await first.stop()
    assert os.listdir(tmp_path) == []


async def test_a_killed_store_is_a_clear_error(fresh: ObjectStore) -> None:
    task = sample("create-bucket", 1)
    await fresh.set_up(task)
    os.killpg(fresh.server.process.pid, signal.SIGKILL)
    with pytest.raises(StoreFailed, match="does not answer"):
        await fresh.set_up(task)
    verification = await fresh.verify(task, "")
    assert verification.outcome is Outcome.UNVERIFIED
    assert "does not answer" in verification.checks[0].detail


async def test_an_ended_store_leaves_no_zombie(tmp_path: Path) -> None:
    store = ObjectStore()
    await store.start(tmp_path)
    pid = store.server.process.pid
    await store.stop()
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)  # noqa: ASYNC222  # WNOHANG does not wait


async def test_nothing_is_given_to_strangers(fresh: ObjectStore) -> None:
    await fresh.set_up(sample("create-bucket", 1))
    answers = {}
    for part, path in (("admin", "/api/users"), ("filer", "/buckets/"), ("s3", "/")):
        answers[part] = _asked(f"http://127.0.0.1:{fresh.server.ports[part]}{path}")
    assert "access_key" not in answers["admin"]
    assert "FullPath" not in answers["filer"]
    assert "<Bucket>" not in answers["s3"]


def _asked(url: str) -> str:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310  # our own server
            return str(answer.read(), errors="replace")
    except urllib.error.HTTPError as refusal:
        return refusal.read().decode(errors="replace")


async def test_a_store_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "binary", lambda: "/bin/false")
    with pytest.raises(StoreFailed, match="ended while it started"):
        await serving.start(tmp_path)
