"""What a store holds, as far as tickets are about it: the state a task begins in, and the one it must end in."""

import hashlib
import random

from msgspec import Struct
from msgspec.structs import replace

from sandbox.contracts.tasks import Split, Task
from sandbox.tasks import parameters_of
from sandbox.worlds.objectstore import names

ENVIRONMENT = "object-store"
OTHERS: Split = "train"  # what stands beside a ticket's bucket has names that no held-out ticket uses
UNITS = {"MB": 1024**2, "GB": 1024**3, "TB": 1024**4}
_LARGER = {"PB": 1024**5, "EB": 1024**6}  # the console shows them, though its forms do not offer them


class Bucket(Struct, frozen=True, forbid_unknown_fields=True):
    """One bucket."""

    quota: int = 0  # bytes; 0 is no quota
    owner: str = ""
    versioning: bool = False


class User(Struct, frozen=True, forbid_unknown_fields=True):
    """One S3 user."""

    rights: tuple[str, ...]  # sorted, as the console's API spells them: "Read:bucket", "Admin"
    keys: int = 1  # how many access keys


class Store(Struct, frozen=True, forbid_unknown_fields=True):
    """All buckets and users by name."""

    buckets: dict[str, Bucket]
    users: dict[str, User]


def size(quota: str, unit: str) -> int:
    """Bytes of a quota as a ticket gives it."""
    return int(quota) * UNITS[unit]


def shown_size(quota: int) -> str:
    """A quota as the console prints it: one decimal, in the largest unit that it fills."""
    for unit, factor in reversed((UNITS | _LARGER).items()):
        if quota >= factor:
            return f"{quota / factor:.1f} {unit}"
    return "No quota"


def access_key(user: str) -> str:
    """The id of a user's first key: made from the name, so that the same task shows the same page."""
    return "AK" + hashlib.sha256(user.encode()).hexdigest()[:18].upper()


def first_state(task: Task) -> Store:
    """What the store holds when work begins; depends on the task alone."""
    parameters = parameters_of(task)
    chance = random.Random(f"store:{task.template}:{task.seed}")  # noqa: S311  # has to be repeatable
    buckets = _buckets(chance, parameters.get("bucket", ""))
    users = _users(chance, parameters.get("user", ""), sorted(buckets))
    buckets = {name: replace(each, owner=chance.choice(["", *sorted(users)])) for name, each in buckets.items()}
    store = Store(buckets=buckets, users=users)
    match task.template.removeprefix(f"{ENVIRONMENT}/"):
        case "change-quota":
            wanted = size(parameters["limit"], parameters["unit"])
            return _with_bucket(store, parameters["bucket"], Bucket(quota=_another_quota(chance, wanted)))
        case "delete-bucket":
            return _with_bucket(store, parameters["bucket"], Bucket(quota=_quota(chance)))
        case "find-bucket-fact":
            owner = chance.choice(["", *sorted(users)])
            bucket = Bucket(_quota(chance, none=0.2), owner, versioning=chance.random() < 0.5)
            return _with_bucket(store, parameters["bucket"], bucket)
        case "create-user":
            return _with_bucket(store, parameters["bucket"], Bucket(quota=_quota(chance)))
        case "remove-user":
            rights = (f"{chance.choice(names.RIGHTS)}:{chance.choice(sorted(buckets))}",)
            return Store(buckets=store.buckets, users={**store.users, parameters["user"]: User(rights)})
    return store


def last_state(task: Task) -> Store:
    """What the store must hold when the work is done and nothing else was touched."""
    store, parameters = first_state(task), parameters_of(task)
    buckets, users = dict(store.buckets), dict(store.users)
    match task.template.removeprefix(f"{ENVIRONMENT}/"):
        case "create-bucket":
            buckets[parameters["bucket"]] = Bucket(quota=size(parameters["quota"], parameters["unit"]))
        case "change-quota":
            old = buckets[parameters["bucket"]]
            buckets[parameters["bucket"]] = replace(old, quota=size(parameters["limit"], parameters["unit"]))
        case "delete-bucket":
            del buckets[parameters["bucket"]]
        case "create-user":
            users[parameters["user"]] = User((f"{parameters['rights']}:{parameters['bucket']}",))
        case "remove-user":
            del users[parameters["user"]]
    return Store(buckets=buckets, users=users)


def _with_bucket(store: Store, name: str, bucket: Bucket) -> Store:
    return replace(store, buckets={**store.buckets, name: bucket})


def _buckets(chance: random.Random, bucket: str) -> dict[str, Bucket]:
    """Others that stand beside the one a ticket is about; one looks alike."""
    found: dict[str, Bucket] = {}
    if bucket:
        alike = f"{bucket[:50].rstrip('.-')}-{chance.choice(names.LOOK_ALIKE)}"
        found[alike] = Bucket(_quota(chance, none=0.3), versioning=chance.random() < 0.2)
    wanted = len(found) + chance.choice((2, 3))
    while len(found) < wanted:
        found[names.bucket(chance, OTHERS)] = Bucket(_quota(chance, none=0.3))
    found.pop(bucket, None)
    return found


def _users(chance: random.Random, user: str, buckets: list[str]) -> dict[str, User]:
    found: dict[str, User] = {}
    wanted = chance.choice((2, 3))
    while len(found) < wanted:
        name = names.user(chance, OTHERS)
        if name != user:
            found[name] = User((f"{chance.choice(names.RIGHTS)}:{chance.choice(buckets)}",))
    return found


def _quota(chance: random.Random, *, none: float = 0.0) -> int:
    if chance.random() < none:
        return 0
    quota, unit = names.quota(chance, OTHERS)
    return size(quota, unit)


def _another_quota(chance: random.Random, wanted: int) -> int:
    """None, or one that a person can tell from the wanted one: the console shows no more than a decimal."""
    found = wanted
    while shown_size(found) == shown_size(wanted):
        found = _quota(chance, none=0.3)
    return found
