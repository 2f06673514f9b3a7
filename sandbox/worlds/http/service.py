"""The API itself: services and jobs, with the faults of a task, in virtual time; knows nothing of sockets."""

import json
import re
from http import HTTPStatus
from typing import Any, Literal

from msgspec import Struct

from sandbox.worlds.http.gateway import Breaker, Limiter

PAGE = 5  # services or jobs to a page
STATES = ("running", "stopped")
FaultKind = Literal["busy", "down", "late", "lost"]

_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
_SERVICE = re.compile(r"/services/([^/?]+)(/restart)?")
_JOB = re.compile(r"/jobs/([0-9]+)")
_FIELDS: dict[str, type] = {"replicas": int, "image": str, "team": str}


class Service(Struct, frozen=True, forbid_unknown_fields=True):
    """One service."""

    name: str
    team: str
    image: str
    replicas: int
    restarts: int = 0


class Job(Struct, frozen=True, forbid_unknown_fields=True):
    """One job that was started."""

    id: int
    task: str
    service: str


class Fault(Struct, frozen=True, forbid_unknown_fields=True):
    """What goes wrong with requests of one method whose path begins so.

    busy: the first `count` answer 503. down: all answer 503 until `until`. late: the first `count` take effect, but
    their answer does not come in time. lost: the first `count` get no answer and have no effect.
    """

    kind: FaultKind
    method: str
    path: str
    count: int = 0
    until: int = 0
    about: str = ""  # only requests whose body says this


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """What a request is answered with; None as status is no answer at all."""

    status: HTTPStatus | None
    body: dict[str, Any] = {}
    retry_after_s: int = 0
    circuit: str = "closed"


class Api:
    """Everything the server holds. `ask` is the only way in for a client; the clock is moved from outside."""

    def __init__(self, services: tuple[Service, ...], jobs: tuple[Job, ...], faults: tuple[Fault, ...], burst: int):
        self.services = {each.name: each for each in services}
        self.jobs = {each.id: each for each in jobs}
        self.faults = faults
        self.now = 0  # virtual seconds
        self._met: dict[Fault, int] = {}
        self._limiter = Limiter(burst=burst, refill_s=20)
        self._breaker = Breaker()

    def ask(self, method: str, target: str, body: bytes) -> Answer:
        """Answer one request."""
        circuit = self._breaker.state(self.now)
        wait = self._limiter.wait_s(self.now) if method != "GET" else 0
        if wait:
            return Answer(HTTPStatus.TOO_MANY_REQUESTS, {"error": "too many requests"}, wait, circuit)
        wait = self._breaker.wait_s(self.now)
        if wait:
            return Answer(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "the circuit is open"}, wait, circuit)
        fault = self._fault(method, target, body.decode(errors="replace"))
        if fault is not None and fault.kind in ("busy", "down", "lost"):
            self._breaker.tell(self.now, failed=True)
            if fault.kind == "lost":
                return Answer(None, circuit=circuit)
            return Answer(
                HTTPStatus.SERVICE_UNAVAILABLE, {"error": "the upstream failed"}, 0, self._breaker.state(self.now)
            )
        self._breaker.tell(self.now, failed=False)
        answer = self._do(method, target, body)
        return Answer(None) if fault is not None and fault.kind == "late" else answer

    def _fault(self, method: str, target: str, body: str) -> Fault | None:
        for fault in self.faults:
            if fault.method != method or not target.startswith(fault.path) or fault.about not in body:
                continue
            if fault.kind == "down":
                return fault if self.now < fault.until else None
            met = self._met.get(fault, 0)
            if met < fault.count:
                self._met[fault] = met + 1
                return fault
        return None

    def _do(self, method: str, target: str, body: bytes) -> Answer:
        path, _, query = target.partition("?")
        try:
            given = json.loads(body) if body else {}
        except ValueError:
            return _refused(HTTPStatus.BAD_REQUEST, "the body is not JSON")
        if not isinstance(given, dict):
            return _refused(HTTPStatus.BAD_REQUEST, "the body is not a JSON object")
        if path == "/services":
            return self._list_services(query) if method == "GET" else self._no(method)
        if path == "/jobs":
            return self._jobs(method, query, given)
        if found := _SERVICE.fullmatch(path):
            return self._service(method, found[1], given, restart=found[2] is not None)
        if found := _JOB.fullmatch(path):
            return self._job(method, int(found[1]))
        return _refused(HTTPStatus.NOT_FOUND, f"there is no {path}")

    def _no(self, method: str) -> Answer:
        return _refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{method} is not possible here")

    def _list_services(self, query: str) -> Answer:
        found = [self.services[name] for name in sorted(self.services)]
        return _page("services", [_service(each) for each in found], query)

    def _jobs(self, method: str, query: str, given: dict[str, Any]) -> Answer:
        if method == "GET":
            return _page("jobs", [_job(each) for each in self.jobs.values()], query)
        if method != "POST":
            return self._no(method)
        task, service = given.get("task"), given.get("service")
        if not isinstance(task, str) or not _NAME.fullmatch(task) or service not in self.services:
            return _refused(HTTPStatus.UNPROCESSABLE_ENTITY, "task has to be a name, and service one that there is")
        job = Job(max(self.jobs, default=100) + 1, task, str(service))
        self.jobs[job.id] = job
        return Answer(HTTPStatus.CREATED, _job(job))

    def _service(self, method: str, name: str, given: dict[str, Any], *, restart: bool) -> Answer:
        service = self.services.get(name)
        if service is None:
            return _refused(HTTPStatus.NOT_FOUND, f"there is no service {name}")
        if restart:
            if method != "POST":
                return self._no(method)
            changed = Service(service.name, service.team, service.image, service.replicas, service.restarts + 1)
        elif method == "GET":
            return Answer(HTTPStatus.OK, _service(service))
        elif method == "DELETE":
            del self.services[name]
            return Answer(HTTPStatus.NO_CONTENT)
        elif method == "PATCH":
            wrong = [key for key, value in given.items() if not _fits(key, value)]
            if wrong or not given:
                said = f"these cannot be set so: {', '.join(wrong)}" if wrong else "nothing to change was given"
                return _refused(HTTPStatus.UNPROCESSABLE_ENTITY, said)
            values = {"team": service.team, "image": service.image, "replicas": service.replicas, **given}
            changed = Service(service.name, values["team"], values["image"], values["replicas"], service.restarts)
        else:
            return self._no(method)
        self.services[name] = changed
        return Answer(HTTPStatus.OK, _service(changed))

    def _job(self, method: str, number: int) -> Answer:
        if number not in self.jobs:
            return _refused(HTTPStatus.NOT_FOUND, f"there is no job {number}")
        if method == "DELETE":
            del self.jobs[number]
            return Answer(HTTPStatus.NO_CONTENT)
        return Answer(HTTPStatus.OK, _job(self.jobs[number])) if method == "GET" else self._no(method)


def _fits(key: str, value: object) -> bool:
    wanted = _FIELDS.get(key)
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 99_999
    return wanted is str and isinstance(value, str) and 0 < len(value) <= 80


def _service(service: Service) -> dict[str, Any]:
    return {
        "name": service.name,
        "team": service.team,
        "image": service.image,
        "replicas": service.replicas,
        "restarts": service.restarts,
    }


def _job(job: Job) -> dict[str, Any]:
    return {"id": job.id, "task": job.task, "service": job.service}


def _page(kind: str, found: list[dict[str, Any]], query: str) -> Answer:
    asked = re.fullmatch(r"page=([1-9][0-9]{0,3})", query)
    if query and asked is None:
        return _refused(HTTPStatus.BAD_REQUEST, "the query may only say page=1 and so on")
    page = int(asked[1]) if asked else 1
    last = max(1, -(-len(found) // PAGE))
    body: dict[str, Any] = {kind: found[(page - 1) * PAGE : page * PAGE], "page": page, "pages": last}
    return Answer(HTTPStatus.OK, body)


def _refused(status: HTTPStatus, error: str) -> Answer:
    return Answer(status, {"error": error})
