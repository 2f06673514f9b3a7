"""What the console's server does with a request that writes: the one way in for both faces."""

import hashlib
from collections.abc import Mapping
from http import HTTPStatus

from msgspec import Struct

from sandbox.worlds.console.answers import FAILED, LOST
from sandbox.worlds.console.declare import Kind, Verb, request_path
from sandbox.worlds.console.records import Refused
from sandbox.worlds.console.variant import Variant
from sandbox.worlds.console.world import World

SEVERAL = "-"  # stands for the id where several objects are meant; they are named in the body


class Request(Struct, frozen=True):
    """A request that writes."""

    method: str
    path: str
    body: dict[str, str] = {}


class Reply(Struct, frozen=True):
    """The server's answer."""

    status: int
    message: str = ""
    errors: dict[str, str] = {}  # by field
    object_id: str = ""
    label: str = ""

    @property
    def is_ok(self) -> bool:
        """Whether it was done, and said so."""
        return self.status < HTTPStatus.BAD_REQUEST


class Server:
    """Answers requests for one world, now and then badly where the variant says so."""

    __slots__ = ("_tries", "variant", "world")

    def __init__(self, world: World, variant: Variant) -> None:
        self.world = world
        self.variant = variant
        self._tries: dict[str, int] = {}

    def answer(self, request: Request) -> Reply:
        """Do it, or say why not; never an exception."""
        fault = self._fault(request)
        if fault == "fail":
            return Reply(HTTPStatus.SERVICE_UNAVAILABLE.value, FAILED)
        try:
            reply = self._done(request)
        except Refused as refusal:
            reply = Reply(refusal.status.value, refusal.message, refusal.errors)
        if fault == "lost" and reply.is_ok:
            return Reply(HTTPStatus.GATEWAY_TIMEOUT.value, LOST)
        return reply

    def _fault(self, request: Request) -> str:
        """The same write fails at most twice in a row: by its path and how often it was tried."""
        if self.variant.faults == "none":
            return ""
        tries = self._tries[request.path] = self._tries.get(request.path, 0) + 1
        digest = hashlib.blake2b(f"{self.world.seed}:{request.path}:{tries}".encode(), digest_size=1).digest()
        return self.variant.faults if digest[0] < 128 and tries % 3 else ""

    def _done(self, request: Request) -> Reply:
        parts = request.path.split("/")[2:]
        kind = self.world.console.at(parts[0]) if parts else None
        if kind is None:
            return Reply(HTTPStatus.NOT_FOUND.value, "Not here.")
        if request.method == "POST" and len(parts) == 1:
            made = self.world.create(kind.name, request.body)
            return Reply(HTTPStatus.CREATED.value, "", {}, made.id, self.world.label(made))
        verb = verb_at(kind, request.method, request.path, parts[1]) if len(parts) > 1 else None
        if verb is None:
            return Reply(HTTPStatus.NOT_FOUND.value, "There is no such object any more.")
        if parts[1] == SEVERAL:
            return self._several(kind, verb, request.body.get("ids", "").split(","))
        it = self.world.get(parts[1])
        if it is None or it.kind != kind.name:
            return Reply(HTTPStatus.NOT_FOUND.value, "There is no such object any more.")
        label = self.world.label(it)
        given = {name: value for name, value in request.body.items() if name != "confirm"}
        self.world.do(it.id, verb.name, given, confirm=request.body.get("confirm", ""))
        return Reply(HTTPStatus.OK.value, "", {}, it.id, label)

    def _several(self, kind: Kind, verb: Verb, ids: list[str]) -> Reply:
        if not verb.bulk:
            return Reply(HTTPStatus.NOT_FOUND.value, f"{verb.title} is not done to several at once.")
        refused = []
        for object_id in ids:
            it = self.world.get(object_id)
            if it is None or it.kind != kind.name:
                refused.append(f"{object_id} is gone")
                continue
            label = self.world.label(it)
            try:
                self.world.do(it.id, verb.name, {})
            except Refused as refusal:
                refused.append(f"{label}: {refusal.message}")
        if refused:
            message = f"{len(refused)} of {len(ids)} refused. {refused[0]}"
            return Reply(HTTPStatus.CONFLICT.value, message[:200])
        return Reply(HTTPStatus.OK.value, "", {}, "", str(len(ids)))


def verb_at(kind: Kind, method: str, path: str, object_id: str) -> Verb | None:
    """The verb that a request asks for, or None."""
    for verb in kind.verbs:
        if (verb.method, request_path(kind, object_id, verb)) == (method, path):
            return verb
    return None


def create_request(kind: Kind, values: Mapping[str, str]) -> Request:
    """The request that makes an object."""
    return Request("POST", f"/api/{kind.path}", dict(values))


def verb_request(kind: Kind, verb: Verb, object_id: str, values: Mapping[str, str]) -> Request:
    """The request that does a verb."""
    return Request(verb.method, request_path(kind, object_id, verb), dict(values))
