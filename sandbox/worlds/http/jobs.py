"""Each kind of ticket as a job: what the API holds at first, what goes wrong on the way, and what is wanted."""

import random
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

import msgspec
from msgspec import Struct

from sandbox.contracts.tasks import Task
from sandbox.tasks import BadParameters, parameters_of
from sandbox.variants import parse
from sandbox.worlds.http import names
from sandbox.worlds.http.service import PAGE, Fault, Job, Service

NAME = "http"
DEFAULTS = {"faults": "some", "services": "few"}
_OTHERS = {"few": 3, "many": 14}
_TIMES = {"none": 0, "some": 1, "many": 2}


class Ask(Struct, frozen=True):
    """A fact of a service is asked for."""

    name: str
    field: str


class Seek(Struct, frozen=True):
    """The name of the service with this image is asked for."""

    image: str


class Patch(Struct, frozen=True):
    """A service shall have this value; `source` names the service to read it from first."""

    name: str
    field: str
    value: str
    source: str = ""


class Restart(Struct, frozen=True):
    """A service shall be restarted, once."""

    name: str


class Delete(Struct, frozen=True):
    """A service shall be gone."""

    name: str


class Start(Struct, frozen=True):
    """A job shall be started, once."""

    task: str
    service: str


class Cancel(Struct, frozen=True):
    """A job shall be gone; its number has to be found."""

    task: str


Want: TypeAlias = Ask | Seek | Patch | Restart | Delete | Start | Cancel
Blanks = Mapping[str, str]


class Order(Struct, frozen=True):
    """One task made concrete."""

    services: tuple[Service, ...]
    jobs: tuple[Job, ...]
    faults: tuple[Fault, ...]
    burst: int
    wants: tuple[Want, ...]
    answer: str = ""


class _Made:
    """What the API holds, being laid out."""

    def __init__(self, seed: str, recipe: Mapping[str, str], spoken_of: Iterable[str]) -> None:
        self.chance = random.Random(seed)  # noqa: S311  # has to be repeatable
        self._spoken_of = frozenset(spoken_of)  # what the ticket names is laid out once, by its own words
        self.services: dict[str, Service] = {}
        self.jobs: list[Job] = []
        self.faults: list[Fault] = []
        self.burst = 8
        self._others = _OTHERS[recipe["services"]]
        self._times = _TIMES[recipe["faults"]]

    def service(self, name: str, *, but: str = "") -> Service:
        """A service; none of its facts is `but`."""
        chance = self.chance
        while True:
            made = Service(
                name,
                names.team(chance, "train"),
                names.image(chance, "train"),
                chance.randint(2, 20),
                chance.choice((0, 1)),
            )
            if but not in (made.team, made.image, str(made.replicas)):
                self.services[name] = made
                return made

    def fault(self, kind: str, method: str, path: str, *, about: str = "") -> None:
        """Something that goes wrong; nothing where the variant has no faults, twice as much where it has many."""
        if self._times:
            count = self.chance.randint(1, 2) if kind == "busy" else 1
            until = self.chance.randint(3, 6) * 10
            given = {"kind": kind, "method": method, "path": path, "about": about}
            self.faults.append(
                msgspec.convert({**given, "count": min(2, count * self._times), "until": until * self._times}, Fault)
            )

    def surround(self, name: str = "", *, but: str = "") -> None:
        """Other services, one of them looking like this one, and jobs."""
        if name:
            self.service(f"{name}-old", but=but)
        wanted = len(self.services) + self._others
        while len(self.services) < wanted:
            other = names.service(self.chance, "train")
            if other not in self.services and other not in self._spoken_of:
                self.service(other, but=but)
        for _ in range(self.chance.randint(2, PAGE + 2)):
            self.job(names.task(self.chance, "train"))

    def job(self, task: str) -> None:
        """A job of some service; tasks differ, and none is one that the ticket speaks of."""
        service = self.chance.choice(sorted(self.services))
        if task not in self._spoken_of and all(each.task != task for each in self.jobs):
            self.jobs.append(Job(101 + len(self.jobs), task, service))

    def order(self, *wants: Want, answer: str = "") -> Order:
        """All of it, with what is wanted."""
        services = tuple(self.services[name] for name in sorted(self.services))
        return Order(services, tuple(self.jobs), tuple(self.faults), self.burst, wants, answer)


def recipe(task: Task) -> dict[str, str]:
    """How this task's variant differs, plain values included."""
    return {**DEFAULTS, **parse(task.environment)[1]}


def order_of(task: Task) -> Order:
    """The order of a task; the same task gives the same one. A free text wants nothing.

    Raises BadParameters where what was filled in contradicts itself.
    """
    blanks = parameters_of(task)
    made = _Made(f"api:{task.template}:{task.seed}:{sorted(blanks.items())}", recipe(task), blanks.values())
    if not task.template:
        made.surround()
        return made.order()
    return _LAID[task.template.removeprefix(f"{NAME}/")](made, blanks)


def _find_fact(made: _Made, blanks: Blanks) -> Order:
    service = made.service(blanks["service"])
    made.surround(service.name)
    made.fault("busy", "GET", f"/services/{service.name}")
    return made.order(Ask(service.name, blanks["fact"]), answer=str(getattr(service, blanks["fact"])))


def _seek_image(made: _Made, blanks: Blanks) -> Order:
    made.surround(but=blanks["image"])
    made.surround(but=blanks["image"])
    service = made.service(made.chance.choice(sorted(made.services)))
    made.services[service.name] = msgspec.structs.replace(service, image=blanks["image"])
    made.fault("busy", "GET", "/services?page=2")
    return made.order(Seek(blanks["image"]), answer=service.name)


def _scale(made: _Made, blanks: Blanks) -> Order:
    service = made.service(blanks["service"], but=blanks["replicas"])
    made.surround(service.name)
    made.fault("busy", "PATCH", f"/services/{service.name}")
    return made.order(Patch(service.name, "replicas", blanks["replicas"]))


def _scale_many(made: _Made, blanks: Blanks) -> Order:
    wanted = [blanks["first"], blanks["second"], blanks["third"]]
    for name in wanted:
        made.service(name, but=blanks["replicas"])
    made.surround(wanted[0])
    made.burst = 1
    return made.order(*(Patch(name, "replicas", blanks["replicas"]) for name in wanted))


def _copy_image(made: _Made, blanks: Blanks) -> Order:
    if blanks["source"] == blanks["service"]:
        raise BadParameters({"service": "Name another service than the source."})
    source = made.service(blanks["source"])
    made.service(blanks["service"], but=source.image)
    made.surround(blanks["service"], but=source.image)
    made.fault("busy", "GET", f"/services/{source.name}")
    return made.order(Patch(blanks["service"], "image", source.image, source.name))


def _restart(made: _Made, blanks: Blanks) -> Order:
    made.service(blanks["service"])
    made.surround(blanks["service"])
    made.fault("down", "POST", f"/services/{blanks['service']}/restart")
    return made.order(Restart(blanks["service"]))


def _delete(made: _Made, blanks: Blanks) -> Order:
    made.service(blanks["service"])
    made.surround(blanks["service"])
    made.fault("busy", "DELETE", f"/services/{blanks['service']}")
    return made.order(Delete(blanks["service"]))


def _start_job(made: _Made, blanks: Blanks) -> Order:
    made.service(blanks["service"])
    made.surround(blanks["service"])
    made.fault(made.chance.choice(("late", "lost")), "POST", "/jobs", about=blanks["task"])
    return made.order(Start(blanks["task"], blanks["service"]))


def _cancel_job(made: _Made, blanks: Blanks) -> Order:
    made.surround()
    made.jobs.insert(made.chance.randint(0, len(made.jobs)), Job(0, blanks["task"], min(made.services)))
    made.jobs = [Job(101 + place, each.task, each.service) for place, each in enumerate(made.jobs)]
    made.fault("busy", "DELETE", "/jobs/")
    return made.order(Cancel(blanks["task"]))


_LAID: Mapping[str, Callable[[_Made, Blanks], Order]] = {
    "find-fact": _find_fact,
    "seek-image": _seek_image,
    "scale": _scale,
    "scale-many": _scale_many,
    "copy-image": _copy_image,
    "restart": _restart,
    "delete": _delete,
    "start-job": _start_job,
    "cancel-job": _cancel_job,
}
