"""Through the real page: every oracle brings its task to the verified end, from the start and from astray."""

import pytest

from sandbox.contracts.actions import Action, Click, Select, Type
from sandbox.contracts.storage import to_json
from sandbox.contracts.tasks import Outcome
from sandbox.env import Gym
from sandbox.tasks import parameters_of
from sandbox.worlds.objectstore.world import ObjectStore
from tests.sandbox.objectstore.conftest import NAMES, Play, sample

FEW, MANY = range(2), range(50)


@pytest.mark.parametrize("seed", FEW)
@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_scores_one(gym: Gym, name: str, seed: int) -> None:
    assert Play(gym, sample(name, seed)).finish().outcome is Outcome.VERIFIED


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_scores_one_on_fifty_seeds(gym: Gym, name: str) -> None:
    missed = [seed for seed in MANY if Play(gym, sample(name, seed)).finish().outcome is not Outcome.VERIFIED]
    assert missed == []


@pytest.mark.parametrize("name", NAMES)
def test_doing_nothing_scores_zero(gym: Gym, store: ObjectStore, name: str) -> None:
    for seed in FEW:
        gym.run(store.set_up(sample(name, seed)))
        assert gym.run(store.verify(sample(name, seed), "")).outcome is Outcome.FAILED


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", NAMES)
def test_doing_nothing_scores_zero_on_fifty_seeds(gym: Gym, store: ObjectStore, name: str) -> None:
    for seed in MANY:
        gym.run(store.set_up(sample(name, seed)))
        assert gym.run(store.verify(sample(name, seed), "")).outcome is Outcome.FAILED


def test_the_same_task_begins_on_the_same_screen(gym: Gym, store: ObjectStore) -> None:
    task, other = sample("change-quota", 7), sample("create-user", 8)
    first, held = gym.reset(task), gym.run(store.api.read())
    Play(gym, other).finish()
    again = gym.reset(task)
    assert again.fingerprint == first.fingerprint
    assert [element.box for element in again.elements] == [element.box for element in first.elements]
    assert gym.run(store.api.read()) == held


Stray = tuple[type[Action], str, str, str, str]  # action, role, name, word of the row, text or option

ASTRAY: list[tuple[str, list[Stray]]] = [
    ("create-bucket", [(Click, "link", "Users", "", "")]),
    (
        "create-bucket",
        [
            (Click, "link", "Buckets", "", ""),
            (Click, "button", "Create Bucket", "", ""),
            (Type, "textbox", "Bucket Name", "", "something-else"),
            (Click, "checkbox", "Enable Object Lock", "", ""),
            (Click, "checkbox", "Enable Storage Quota", "", ""),
            (Type, "spinbutton", "Quota Size", "", "7"),
            (Select, "combobox", "Unit", "", "TB"),
        ],
    ),
    (
        "create-bucket",  # with too short a name: the browser itself refuses to send it
        [
            (Click, "link", "Buckets", "", ""),
            (Click, "button", "Create Bucket", "", ""),
            (Type, "textbox", "Bucket Name", "", "x"),
            (Click, "button", "Create Bucket", "", ""),
        ],
    ),
    (
        "change-quota",  # the dialog of the wrong bucket
        [(Click, "link", "Buckets", "", ""), (Click, "button", "Manage Quota", "{alike}", "")],
    ),
    (
        "change-quota",  # the wrong number, sent
        [
            (Click, "link", "Buckets", "", ""),
            (Click, "button", "Manage Quota", "{bucket} |", ""),
            (Type, "spinbutton", "Quota Size", "", "4"),
            (Click, "button", "Update Quota", "", ""),
        ],
    ),
    (
        "delete-bucket",  # the wrong bucket's dialog: cancelled, it leaves an invisible backdrop over the page
        [(Click, "link", "Buckets", "", ""), (Click, "button", "Delete Bucket", "{alike}", "")],
    ),
    (
        "delete-bucket",
        [(Click, "link", "Buckets", "", ""), (Click, "button", "Lifecycle Rules", "{bucket} |", "")],
    ),
    (
        "create-user",  # no right picked: refused by a dialog over the form
        [
            (Click, "link", "Users", "", ""),
            (Click, "button", "Create User", "", ""),
            (Type, "textbox", "Username", "", "nobody"),
            (Click, "button", "Create User", "", ""),
        ],
    ),
    (
        "create-user",  # a right too many, and no key
        [
            (Click, "link", "Users", "", ""),
            (Click, "button", "Create User", "", ""),
            (Select, "combobox", "Permissions", "", "Admin (Full Access)"),
            (Click, "checkbox", "Generate access key", "", ""),
        ],
    ),
    (
        "remove-user",
        [(Click, "link", "Users", "", ""), (Click, "button", "trash", "{other}", "")],
    ),
    (
        "remove-user",
        [(Click, "link", "Users", "", ""), (Click, "button", "key", "{user} ", "")],
    ),
    (
        "find-bucket-fact",
        [(Click, "link", "Buckets", "", ""), (Click, "button", "View Details", "{alike}", "")],
    ),
]


@pytest.mark.parametrize(("name", "strays"), ASTRAY, ids=[f"{i}-{name}" for i, (name, _) in enumerate(ASTRAY)])
def test_the_oracle_finds_back_from_astray(gym: Gym, store: ObjectStore, name: str, strays: list[Stray]) -> None:
    task = sample(name, 3)
    play = Play(gym, task)
    names = parameters_of(task)
    names["alike"] = f"{names.get('bucket', '')}-"
    names["other"] = next(user for user in gym.run(store.api.read()).users if user != names.get("user"))
    for action, role, element, row, text in strays:
        found = play.find(role, element, row.format_map(names))
        play.act(action(*((found.ref, text) if text else (found.ref,))))
    assert play.finish().outcome is Outcome.VERIFIED


def test_no_secret_is_ever_seen(gym: Gym, store: ObjectStore) -> None:
    task = sample("create-user", 4)
    play = Play(gym, task)
    assert play.finish().outcome is Outcome.VERIFIED
    user = parameters_of(task)["user"]
    secret = gym.run(store.api.call("GET", f"/api/users/{user}"))["access_keys"][0]["secret_key"]
    texts = [to_json(observation) for observation in play.seen]
    assert len(secret) > 20
    assert any("New Access Key Created" in text for text in texts)
    assert [text for text in texts if secret in text or store.server.password in text] == []


def test_a_browser_that_was_signed_out_is_signed_in_again(gym: Gym, store: ObjectStore) -> None:
    gym.run(gym.page.goto(f"http://{store.server.console}/logout"))
    seen = gym.reset(sample("create-bucket", 1))
    assert seen.url == store.start_url
    assert store.server.password not in to_json(seen)
