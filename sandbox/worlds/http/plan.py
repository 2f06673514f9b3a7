"""The moves from what is shown to an order's end, were nothing more to go wrong: for the oracle and for progress."""

import json
import re
from typing import assert_never

import msgspec
from msgspec import Struct

from sandbox.worlds.http.jobs import Ask, Cancel, Delete, Order, Patch, Restart, Seek, Start, Want
from sandbox.worlds.http.request import Fields, body_of, empty, said, shown, target_of
from sandbox.worlds.http.service import PAGE, Job, Service

WAIT_S = 10  # virtual seconds of one Wait
EMPTY = empty()
_SERVICE = re.compile(r"/services/([^/?]+)(/restart)?")


class Sight(Struct):
    """What the planner goes by: the desk, or what a page shows of it."""

    fields: Fields
    target: str
    body: str
    last: str  # the request whose response is shown
    status: int  # 0 is none, or no answer
    rows: list[dict[str, str]]  # of the response
    pages: int  # of the list that is shown, 0 where none is
    wait_s: int  # what is left of Retry-After
    log: list[tuple[str, int]]  # every request sent, with its status


class Act(Struct, frozen=True):
    """One move: an element's key, and what to type or choose there."""

    key: str  # "wait" is to wait
    text: str = ""
    fills: bool = False


class Lost(Exception):
    """It cannot be done any more."""


def plan(order: Order, sight: Sight) -> list[Act] | None:
    """The moves left until only to finish is left; None where it cannot be done. `sight` is used up."""
    planner = _Planner(order, sight)
    try:
        planner.mend()
        for want in order.wants:
            planner.do(want)
    except Lost:
        return None
    return planner.moves


def wanted(order: Order) -> tuple[dict[str, Service], list[tuple[str, str]]]:
    """The services by name as they must be in the end, and the jobs as (task, service)."""
    services = {each.name: each for each in order.services}
    jobs = [(each.task, each.service) for each in order.jobs]
    for want in order.wants:
        match want:
            case Patch(name, field, value):
                services[name] = _patched(services[name], {field: int(value) if field == "replicas" else value})
            case Restart(name):
                services[name] = _restarted(services[name])
            case Delete(name):
                del services[name]
            case Start(task, service):
                jobs.append((task, service))
            case Cancel(task):
                jobs = [job for job in jobs if job[0] != task]
            case Ask() | Seek():
                pass
            case _:
                assert_never(want)
    return services, jobs


def _patched(service: Service, values: dict[str, object]) -> Service:
    return msgspec.structs.replace(service, **values)


def _restarted(service: Service) -> Service:
    return msgspec.structs.replace(service, restarts=service.restarts + 1)


class _Planner:
    """Goes by the log for what was done, and by the shown response for what can be read."""

    def __init__(self, order: Order, sight: Sight) -> None:
        self.order, self.now = order, sight
        self.moves: list[Act] = []
        self.services = {each.name: each for each in order.services}
        self.jobs = {each.id: each for each in order.jobs}
        self.unsure = False  # a wanted job was sent, and nobody knows whether it runs
        for request, status in sight.log:
            self._replay(request, status)
        self.good, self.wanted_jobs = wanted(order)

    def _replay(self, request: str, status: int) -> None:
        method, _, rest = request.partition(" ")
        target, _, body = rest.partition(" ")
        if (method, target, status) == ("POST", "/jobs", 0):
            self.unsure = True
        if not 200 <= status < 300 or method == "GET":
            return
        if target == "/jobs":
            given = json.loads(body)
            number = max(self.jobs, default=100) + 1
            self.jobs[number] = Job(number, given["task"], given["service"])
        elif target.startswith("/jobs/"):
            self.jobs.pop(int(target[6:]), None)
        elif found := _SERVICE.fullmatch(target):
            self._replay_service(method, found[1], body, restart=found[2] is not None)

    def _replay_service(self, method: str, name: str, body: str, *, restart: bool) -> None:
        service = self.services[name]
        if method == "DELETE":
            del self.services[name]
        else:
            self.services[name] = _restarted(service) if restart else _patched(service, json.loads(body))

    def mend(self) -> None:
        """Take back values that are wrong. Raises Lost for what cannot be taken back."""
        held = [(each.task, each.service) for each in self.jobs.values()]
        before = [(each.task, each.service) for each in self.order.jobs]
        canceled = {want.task for want in self.order.wants if isinstance(want, Cancel)}
        if any(held.count(job) > max(before.count(job), self.wanted_jobs.count(job)) for job in held):
            raise Lost
        if any(job not in held and job[0] not in canceled for job in before):
            raise Lost
        asked = {(want.name, want.field) for want in self.order.wants if isinstance(want, Patch)}
        for name, good in self.good.items():
            service = self.services.get(name)
            if service is None or service.restarts > good.restarts:
                raise Lost
            for field in ("replicas", "image", "team"):
                value = getattr(good, field)
                if getattr(service, field) != value and (name, field) not in asked:
                    self._send("PATCH", "/services/{name}", name=name, **{field: str(value)})
                    self.services[name] = _patched(self.services[name], {field: value})

    def do(self, want: Want) -> None:
        """Whatever is left to do for this."""
        match want:
            case Ask(name, field):
                if not (self.now.status == 200 and self.now.last == f"GET /services/{name}"):
                    self._send("GET", "/services/{name}", name=name)
            case Seek(image):
                names = sorted(each.name for each in self.order.services if each.image == image)
                self._turn("/services", "image", image, sorted(self.services).index(names[0]))
            case Patch(name, field, value, source):
                if str(getattr(self.services[name], field)) != value:
                    self._patch(name, field, value, source)
            case Restart(name):
                if self.services[name] != self.good[name]:
                    self._send("POST", "/services/{name}/restart", name=name)
            case Delete(name):
                if name in self.services:
                    self._send("DELETE", "/services/{name}", name=name)
            case Start(task, service):
                self._start(task, service)
            case Cancel(task):
                self._cancel(task)
            case _:
                assert_never(want)

    def _patch(self, name: str, field: str, value: str, source: str) -> None:
        held = self._form_is("PATCH", "/services/{name}") and self.now.fields[field] == value
        if source and not held and not (self.now.status == 200 and self.now.last == f"GET /services/{source}"):
            self._send("GET", "/services/{name}", name=source)
        self._send("PATCH", "/services/{name}", pick=field if source else "", name=name, **{field: value})

    def _start(self, task: str, service: str) -> None:
        if (task, service) in [(each.task, each.service) for each in self.jobs.values()]:
            return
        if self.unsure:
            if self._is_listed("task", task):
                return
            if not self._is_last_page():
                self._turn("/jobs", "task", task, len(self.jobs))
                return
        self._send("POST", "/jobs", task=task, service=service)

    def _cancel(self, task: str) -> None:
        found = [each.id for each in self.jobs.values() if each.task == task]
        if not found:
            return
        if not (self._form_is("DELETE", "/jobs/{id}") and self.now.fields["id"] == str(found[0])):
            self._turn("/jobs", "task", task, sorted(self.jobs).index(found[0]))
        self._send("DELETE", "/jobs/{id}", pick="id", id=str(found[0]))

    def _form_is(self, method: str, path: str) -> bool:
        return (self.now.fields["method"], self.now.fields["path"]) == (method, path)

    def _is_listed(self, field: str, value: str) -> bool:
        return self.now.status == 200 and any(row.get(field) == value for row in self.now.rows)

    def _page(self, path: str) -> int:
        """The page of this list that is shown; 0 where none is."""
        found = re.fullmatch(rf"GET {path}(?:\?page=([0-9]+))?", self.now.last)
        return int(found[1] or 1) if found and self.now.status == 200 else 0

    def _is_last_page(self) -> bool:
        return 0 < self._page("/jobs") == self.now.pages

    def _turn(self, path: str, field: str, value: str, place: int) -> None:
        """Page by page, until the row is shown that is at this place of the list."""
        if self._page(path) and self._is_listed(field, value):
            return
        page = self._page(path)
        last = place // PAGE + 1
        # From behind it, or from elsewhere, one begins with the first page.
        for number in range(page + 1 if 0 < page < last else 1, last + 1):
            self._send("GET", path, page=str(number))

    def _send(self, method: str, path: str, *, pick: str = "", **given: str) -> None:
        """Fill the form, the field `pick` from a cell of the response that is shown, and send."""
        now = self.now
        fields = {**now.fields, "method": method, "path": path, **given}
        for name in shown(fields)[2:]:
            if name not in given:
                fields[name] = EMPTY[name]
        target, body = target_of(fields), body_of(fields)
        if (now.fields["method"], now.target, now.body) != (method, target, body):
            self._fill(fields, pick)
            for key, text, holds in (("target", target, now.target), ("body", body, now.body)):
                if holds != text:
                    self.moves.append(Act(key, text, fills=True))
        self.moves += [Act("wait")] * -(-now.wait_s // WAIT_S)
        self.moves.append(Act("send"))
        now.target, now.body, now.wait_s = target, body, 0
        now.last, now.status, now.rows = said(method, target, body), 200, []

    def _fill(self, wanted: Fields, pick: str) -> None:
        now = self.now
        for key in ("method", "path", *shown(wanted)[2:]):
            if now.fields[key] != wanted[key]:
                picked = Act(f"cell:{key}:{wanted[key]}")
                self.moves.append(picked if key == pick else Act(key, wanted[key], fills=True))
                now.fields[key] = wanted[key]
                now.target, now.body = target_of(now.fields), body_of(now.fields)
