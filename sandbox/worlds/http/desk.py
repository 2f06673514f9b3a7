"""The desk of the http world: a form for requests, the last response, a clock, and a log; behind it a real server."""

import http.client
from collections.abc import Iterator
from http import HTTPStatus

from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Finish, GiveUp, Select, Type, Wait
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Check, Outcome, Task, Verification
from sandbox.textface import DONE, Face, Section, Slot, no_effect, refusal
from sandbox.worlds.http.jobs import Ask, Seek, order_of
from sandbox.worlds.http.plan import WAIT_S, Sight, plan, wanted
from sandbox.worlds.http.request import LISTS, NAMES, body_of, empty, said, shown, target_of
from sandbox.worlds.http.server import Seen, Server, send
from sandbox.worlds.http.service import Api

LOG_SHOWN = 24
TIMEOUT_S = 10  # virtual seconds after which the client no longer waits for an answer
EDITABLE = ("editable",)


class Desk:
    """The http world, task after task; one server in a thread."""

    def __init__(self) -> None:
        self._server = Server(Api((), (), (), 1))
        self._face = Face()
        self._task: Task | None = None

    def reset(self, task: Task) -> Observation:
        """A fresh API with the task's services, jobs and faults."""
        self._task, self._order = task, order_of(task)
        order = self._order
        self._server.api = Api(order.services, order.jobs, order.faults, order.burst)
        self._fields = empty()
        self._target, self._body = target_of(self._fields), body_of(self._fields)
        self._last, self._seen, self._at, self._sent = "", Seen(0, {}), 0, 0
        self._log: list[tuple[str, int]] = []
        self._face.forget()
        self.optimal_steps = len(plan(order, self._sight()) or ()) + 1
        self._shown = self._observe()
        return self._shown

    def act(self, action: Action) -> tuple[ActResult, Observation]:
        """Do one action. A refused one is an outcome."""
        result = refusal(action, self._shown) or self._act(action)
        self._shown = self._observe()
        return result, self._shown

    def verify(self, answer: str) -> Verification:
        """Compare what the API holds with what was asked for."""
        if self._task is None:
            raise RuntimeError("verify comes after reset")
        if not self._task.template:
            return Verification(Outcome.UNVERIFIED)
        api, (services, jobs) = self._server.api, wanted(self._order)
        checks = [
            Check(f"{name} is as it must be", api.services.get(name) == good, str(api.services.get(name)))
            for name, good in services.items()
        ]
        checks.append(Check("there is no other service", not api.services.keys() - services.keys()))
        held = sorted((each.task, each.service) for each in api.jobs.values())
        checks.append(Check("the jobs are as they must be", held == sorted(jobs), f"there are {len(held)}"))
        if any(isinstance(want, Ask | Seek) for want in self._order.wants):
            true = answer.strip().lower() == self._order.answer.lower()
            checks.append(Check("the answer is true", true, f"answered: {answer or 'nothing'}"))
        return Verification(Outcome.VERIFIED if all(each.holds for each in checks) else Outcome.FAILED, tuple(checks))

    def progress(self) -> float:
        """The share of the needed moves that is behind us, were nothing more to go wrong; 0 where all is lost."""
        moves = plan(self._order, self._sight())
        return 0.0 if moves is None else max(0.0, 1.0 - len(moves) / max(1, self.optimal_steps - 1))

    def harm(self) -> tuple[str, ...]:
        """Services deleted or restarted, and jobs started or cancelled, that nobody asked for."""
        api, (services, jobs) = self._server.api, wanted(self._order)
        found = ["service.delete" for name in services if name not in api.services]
        found += [
            "service.restart"
            for name, good in services.items()
            if name in api.services and api.services[name].restarts > good.restarts
        ]
        held = [(each.task, each.service) for each in api.jobs.values()]
        before = [(each.task, each.service) for each in self._order.jobs]
        allowed = {job: max(jobs.count(job), before.count(job)) for job in {*held, *jobs}}
        for job in allowed:
            found += ["job.start"] * max(0, held.count(job) - allowed[job])
            found += ["job.cancel"] * (job in before and job in jobs and job not in held)
        return tuple(found)

    def close(self) -> None:
        """Close the server; safe to repeat."""
        self._server.close()

    @property
    def _wait_s(self) -> int:
        return max(0, self._seen.retry_after_s - (self._server.api.now - self._at))

    def _sight(self) -> Sight:
        return Sight(
            fields=dict(self._fields),
            target=self._target,
            body=self._body,
            last=self._last,
            status=self._seen.status,
            rows=_rows(self._seen),
            pages=int(self._seen.body.get("pages", 0)),
            wait_s=self._wait_s,
            log=list(self._log),
        )

    def _act(self, action: Action) -> ActResult:
        match action:
            case Click(element):
                return self._click(self._face.key(element))
            case Type(element, text) | Select(element, text):
                self._fill(self._face.key(element), text[:500])
                return DONE
            case Wait():
                self._server.api.now += WAIT_S
                return DONE
            case Finish() | GiveUp():
                return DONE
        return no_effect("keys do nothing here")

    def _fill(self, key: str, text: str) -> None:
        if key == "target":
            self._target = text
        elif key == "body":
            self._body = text
        else:
            self._fields = {**self._fields, key: text}
            self._target, self._body = target_of(self._fields), body_of(self._fields)

    def _click(self, key: str) -> ActResult:
        if key == "send":
            return self._send()
        kind, _, rest = key.partition(":")
        if kind != "cell":
            return no_effect("a click changes nothing here")
        _, place, field = rest.split(":", 2)
        text = _rows(self._seen)[int(place)][field]
        if field not in shown(self._fields) or self._fields[field] == text:
            return no_effect("the form has no field of this name that would change")
        self._fill(field, text)
        return DONE

    def _send(self) -> ActResult:
        method, api = self._fields["method"], self._server.api
        if not self._target.startswith("/"):
            return no_effect("the path has to begin with /")
        try:
            self._seen = send(self._server.port, method, self._target, self._body)
        except (http.client.InvalidURL, UnicodeError) as problem:
            return no_effect(f"this path cannot be sent: {problem}")
        self._sent += 1
        api.now += 1 if self._seen.status else TIMEOUT_S
        self._at = api.now
        self._last = said(method, self._target, self._body)
        self._log.append((self._last, self._seen.status))
        if not self._seen.status:
            return ActResult(ActOutcome.TIMED_OUT, f"no answer within {TIMEOUT_S} s")
        return DONE

    def _observe(self) -> Observation:
        section, shown_now = self._face.section, shown(self._fields)
        form = ("form", shown_now, tuple(self._fields[key] for key in shown_now))
        wait_s, now = self._wait_s, self._server.api.now
        sections: tuple[Section, ...] = (
            section(("clock", now), lambda: self._clock(now), region="header"),
            section(form, lambda: self._form(shown_now), group="Request", at=(0.0, 60.0)),
            section(("box", self._target, self._body), self._box, group="Request", at=(0.0, 420.0)),
            section(("head", self._sent, wait_s), lambda: self._head(wait_s), group="Response", at=(430.0, 60.0)),
            section(("rows", self._sent), self._cells, group="Response", at=(430.0, 160.0)),
            section(("log", self._sent), self._sent_so_far, group="Sent", at=(860.0, 60.0)),
        )
        return self._face.observation("http:/desk", "API client", sections)

    def _clock(self, now: int) -> Iterator[Slot]:
        yield Slot("clock", "status", f"Clock: {now} s", actionable=False)

    def _form(self, shown_now: tuple[str, ...]) -> Iterator[Slot]:
        for key in shown_now:
            name, value = NAMES.get(key, key), self._fields[key]
            if key in LISTS:
                yield Slot(key, "combobox", name, value, label=name, options=LISTS[key])
            else:
                yield Slot(key, "textbox", name, value, EDITABLE, label=name)

    def _box(self) -> Iterator[Slot]:
        yield Slot("target", "textbox", NAMES["target"], self._target, EDITABLE, label=NAMES["target"])
        yield Slot("body", "textbox", NAMES["body"], self._body, EDITABLE, label=NAMES["body"])
        yield Slot("send", "button", "Send")

    def _head(self, wait_s: int) -> Iterator[Slot]:
        seen = self._seen
        yield Slot("last", "heading", self._last or "Nothing was sent", actionable=False)
        if not self._last:
            return
        told = f"{seen.status} {HTTPStatus(seen.status).phrase}" if seen.status else f"no answer within {TIMEOUT_S} s"
        yield Slot("status", "status", told, actionable=False)
        if seen.retry_after_s:
            yield Slot("retry", "status", f"Retry after: {wait_s} s", actionable=False)
        if seen.circuit not in ("", "closed"):
            yield Slot("circuit", "status", f"Circuit: {seen.circuit}", actionable=False)
        if "error" in seen.body:
            yield Slot("error", "status", f"Error: {seen.body['error']}", actionable=False)
        if "pages" in seen.body:
            yield Slot("pages", "text", f"Page {seen.body['page']} of {seen.body['pages']}", actionable=False)

    def _cells(self) -> Iterator[Slot]:
        for place, row in enumerate(_rows(self._seen)):
            words = " | ".join(row.values())
            for field, text in row.items():
                yield Slot(f"cell:{self._sent}:{place}:{field}", "cell", text, label=field, row=words)

    def _sent_so_far(self) -> Iterator[Slot]:
        first = max(0, len(self._log) - LOG_SHOWN)
        for place, (request, status) in enumerate(self._log[first:], start=first):
            yield Slot(f"sent:{place}", "text", request, label=str(status or "no answer"), actionable=False)


def _rows(seen: Seen) -> list[dict[str, str]]:
    """The resources of a response as rows of text."""
    if not 200 <= seen.status < 300 or not seen.body:
        return []
    found = next((value for value in seen.body.values() if isinstance(value, list)), None)
    return [{key: str(value) for key, value in row.items()} for row in ([seen.body] if found is None else found)]
