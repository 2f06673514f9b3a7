"""The world of SeaweedFS's own admin console: one disposable store, set up, signed in to and judged."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sandbox.contracts.actions import Click
from sandbox.contracts.tasks import Check, Environment, Outcome, Task, Verification
from sandbox.registry import RequestRule, SessionLost
from sandbox.seaweedfs import ADMIN
from sandbox.tasks import parameters_of
from sandbox.worlds.objectstore import server as serving
from sandbox.worlds.objectstore.api import Api
from sandbox.worlds.objectstore.requests import RULES
from sandbox.worlds.objectstore.server import Server, StoreFailed
from sandbox.worlds.objectstore.store import (
    ENVIRONMENT,
    UNITS,
    Bucket,
    Store,
    User,
    first_state,
    last_state,
    shown_size,
)

if TYPE_CHECKING:
    from sandbox.browser.page import Page

OBJECT_STORE = Environment(
    id=ENVIRONMENT,
    title="Object store (SeaweedFS console)",
    summary="Buckets, quotas, users and access keys in the admin console of SeaweedFS; a store of its own for each.",
    real=True,
)
# The first screen shows nothing that differs between two stores: no clock, no port, no free disk space.
START_PATH = "/object-store/groups"

_SIGN_IN = "document.getElementById({id}).value = {value}"

Thing = TypeVar("Thing", Bucket, User)


class ObjectStore:
    """One running store with its console. `start` or `resume` comes first."""

    environment = OBJECT_STORE
    request_rules: tuple[RequestRule, ...] = RULES

    def __init__(self) -> None:
        self.start_url = ""
        # The console alone: the S3, filer and master ports of the same store stay out of reach.
        self.allow: tuple[str, ...] = ()
        self._server: Server | None = None
        self._api: Api | None = None

    @property
    def server(self) -> Server:
        """The running server. Raises SessionLost before `start`."""
        if self._server is None:
            raise SessionLost("this object store was never started")
        return self._server

    @property
    def api(self) -> Api:
        """The store as its API shows it."""
        if self._api is None:
            self._api = Api(self.server)
        return self._api

    async def start(self, folder: Path) -> dict[str, Any]:
        """Start a store; what is returned finds it again. Its passwords lie in the folder. Raises StoreFailed."""
        self._hold(await serving.start(folder))
        return serving.state(self.server)

    async def resume(self, state: dict[str, Any]) -> None:
        """Find the store again. Raises SessionLost."""
        self._hold(serving.resume(state))

    def _hold(self, server: Server) -> None:
        self._server = server
        self.start_url = f"http://{server.console}{START_PATH}"
        self.allow = (server.console,)

    async def set_up(self, task: Task) -> None:
        """Bring the store into the task's first state, from any state. Raises StoreFailed."""
        await self.api.become(first_state(task))

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be shown."""
        return (self.server.password, self.server.secret_key)

    async def sign_in(self, page: "Page") -> None:
        """Through the console's own form where it asks, and on to the first screen."""
        await page.goto(self.start_url)
        if await page.evaluate("location.pathname") != "/login":
            return
        await page.keep_secret(*self.secrets)
        for field, value in (("username", ADMIN), ("password", self.server.password)):
            await page.evaluate(_SIGN_IN.format(id=json.dumps(field), value=json.dumps(value)))
        form = await page.observe()
        button = next(each for each in form.elements if (each.role, each.name) == ("button", "Sign In"))
        await page.act(Click(button.ref))
        await page.goto(self.start_url)
        if await page.evaluate("location.pathname") != START_PATH:
            raise StoreFailed("the console did not let the browser in")

    async def verify(self, task: Task, answer: str) -> Verification:
        """Ask the store's own state by two ways that the browser has not."""
        if not task.template:
            return Verification(Outcome.UNVERIFIED)
        try:
            now, names = await self.api.read(), await self.api.s3_buckets()
        except StoreFailed as failure:
            return Verification(Outcome.UNVERIFIED, (Check("the store answers", holds=False, detail=str(failure)),))
        checks = (*compare(last_state(task), now), _same_buckets(now, names), *answered(task, answer))
        return Verification(Outcome.VERIFIED if all(each.holds for each in checks) else Outcome.FAILED, checks)

    async def stop(self) -> None:
        """End the store and remove what it held; safe to repeat."""
        if self._api is not None:
            await self._api.close()
            self._api = None
        if self._server is not None:
            await serving.stop(self._server)


def compare(wanted: Store, now: Store) -> tuple[Check, ...]:
    """One check for each bucket and user that should be there, and one that there are no others."""
    return (
        *_compared("bucket", wanted.buckets, now.buckets),
        *_compared("user", wanted.users, now.users),
    )


def _compared(kind: str, wanted: Mapping[str, Thing], now: Mapping[str, Thing]) -> Iterable[Check]:
    for name, thing in sorted(wanted.items()):
        found = now.get(name)
        detail = "it is not there" if found is None else "" if found == thing else f"it {_in_words(found)}"
        yield Check(f"{kind} {name} {_in_words(thing)}", found == thing, detail)
    others = sorted(now.keys() - wanted.keys())
    yield Check(f"there is no other {kind}", not others, ", ".join(others))


def _in_words(thing: Bucket | User) -> str:
    if isinstance(thing, User):
        keys = f"{thing.keys} access {'key' if thing.keys == 1 else 'keys'}"
        return f"may {', '.join(thing.rights) or 'do nothing'} with {keys}"
    quota = f"a quota of {shown_size(thing.quota)}" if thing.quota else "no quota"
    owner = f"the owner {thing.owner}" if thing.owner else "no owner"
    return f"has {quota}, {owner}, and versioning {'on' if thing.versioning else 'off'}"


def _same_buckets(now: Store, names: list[str]) -> Check:
    known = sorted(now.buckets)
    return Check("the S3 API names the same buckets", names == known, "" if names == known else ", ".join(names))


def answered(task: Task, answer: str) -> tuple[Check, ...]:
    """Whether a question's answer is true; nothing for other tasks."""
    parameters = parameters_of(task)
    if "fact" not in parameters:
        return ()
    bucket, fact = last_state(task).buckets[parameters["bucket"]], parameters["fact"]
    holds = is_true(bucket, fact, answer)
    return (Check(f"the answer names the {fact}", holds, f"answered: {answer or 'nothing'}"),)


def is_true(bucket: Bucket, fact: str, answer: str) -> bool:
    """Whether an answer states this fact of a bucket, in the console's words or plain ones."""
    said = " ".join(answer.lower().split())
    if fact == "owner":
        return said == bucket.owner if bucket.owner else said in ("no owner", "none", "nobody")
    if fact == "versioning":
        return said in (("enabled", "on", "yes") if bucket.versioning else ("not configured", "disabled", "off", "no"))
    if not bucket.quota:
        return said in ("no quota", "none", "unlimited")
    return said in _ways_to_say(bucket.quota)


def _ways_to_say(quota: int) -> set[str]:
    ways = {shown_size(quota).lower()}
    for unit, factor in UNITS.items():
        if quota % factor == 0:
            ways |= {f"{quota // factor} {unit.lower()}", f"{quota // factor}.0 {unit.lower()}"}
    return ways | {each.replace(" ", "") for each in ways}
