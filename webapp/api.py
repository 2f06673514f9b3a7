"""The HTTP API: assembles the routers and gives every error one shape."""

import logging
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, RequestDataTooBig
from django.db import DataError, connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.parser import Parser

from webapp import problems, texts
from webapp.accounts.api import router as accounts
from webapp.agent_sessions.api import router as agent_sessions
from webapp.audit.api import router as audit
from webapp.home import router as home
from webapp.rollouts.api import router as rollouts
from webapp.tickets.api import router as tickets
from webapp.training.api import router as training
from webapp.trajectories.api import router as trajectories

log = logging.getLogger(__name__)


class _Parser(Parser):
    """Refuses the one character that JSON and addresses can carry and PostgreSQL cannot."""

    def parse_body(self, request: HttpRequest) -> Any:
        body = super().parse_body(request)
        _refuse_nul(body)
        return body

    def parse_querydict(self, data: Any, list_fields: list[str], request: HttpRequest) -> Any:
        _refuse_nul({name: " ".join(values) for name, values in data.lists()})
        return super().parse_querydict(data, list_fields, request)


def _refuse_nul(given: Any) -> None:
    if held := texts.holding_nul(given):
        sentence = "This holds the character U+0000, which cannot be kept; take it out."
        raise problems.BadInput("Text cannot hold the character U+0000.", errors=dict.fromkeys(held, sentence))


api = NinjaAPI(title="Belay", version="1", docs_url="/docs", urls_namespace="api", parser=_Parser())

for router in (accounts, audit, tickets, agent_sessions, trajectories, training, rollouts, home):
    api.add_router("", router)


@api.get("/health", auth=None, tags=["health"], summary="Whether the web process and its database answer")
def health(request: HttpRequest) -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return {"status": "ok"}


def _answer(request: HttpRequest, problem: problems.Problem) -> HttpResponse:
    response = api.create_response(request, problem.body(), status=problem.status)
    response["Content-Type"] = "application/problem+json"
    return response


@api.exception_handler(problems.Problem)
def _problem(request: HttpRequest, problem: problems.Problem) -> HttpResponse:
    return _answer(request, problem)


@api.exception_handler(AuthenticationError)
def _not_signed_in(request: HttpRequest, _: AuthenticationError) -> HttpResponse:
    return _answer(request, problems.NotSignedIn("Sign in, or send a valid token."))


@api.exception_handler(Http404)
def _absent(request: HttpRequest, _: Http404) -> HttpResponse:
    return _answer(request, problems.NotFound("There is no such thing here."))


@api.exception_handler(ObjectDoesNotExist)
def _no_row(request: HttpRequest, _: ObjectDoesNotExist) -> HttpResponse:
    return _answer(request, problems.NotFound("There is no such thing here."))


@api.exception_handler(DataError)
def _cannot_be_kept(request: HttpRequest, problem: DataError) -> HttpResponse:
    """A number beyond what a column holds, or U+0000 in an address: whatever the schemas let through."""
    log.warning("%s %r: %s", request.method, request.path, problem)  # %r: a line break stays in its line
    return _answer(request, problems.BadInput("A number or a text in this request is nothing that can be kept."))


@api.exception_handler(ValidationError)
def _bad_input(request: HttpRequest, problem: ValidationError) -> HttpResponse:
    errors = {_field(error): str(error["msg"]) for error in problem.errors}
    return _answer(request, problems.BadInput("Some of what was sent cannot be taken.", errors=errors))


@api.exception_handler(HttpError)
def _http(request: HttpRequest, error: HttpError) -> HttpResponse:
    if isinstance(error.__cause__, problems.Problem):  # said by our parser: the framework's own words say less
        return _answer(request, error.__cause__)
    kinds: dict[int, type[problems.Problem]] = {kind.status: kind for kind in problems.Problem.__subclasses__()}
    kind = kinds.get(error.status_code, problems.BadInput)
    return _answer(request, kind(str(error)))


def no_csrf_token(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's answer to a write without the CSRF token; every write goes to the API."""
    return _answer(request, problems.Forbidden(f"{reason} Load the page again, or send the X-CSRFToken header."))


def no_such_address(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's answer to an address that leads nowhere."""
    return _answer(request, problems.NotFound("There is no such address."))


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's answer to what it does not read at all: too large, or asked of a host that is not ours."""
    if isinstance(exception, RequestDataTooBig):
        return _answer(request, problems.TooLarge("Too much was sent at once; send less."))
    return _answer(request, problems.BadInput("This request cannot be read; see ALLOWED_HOSTS if the host is right."))


def broken(request: HttpRequest) -> HttpResponse:
    """Django's answer to a fault of ours, whose traceback is in the log."""
    return _answer(request, problems.Problem("Something went wrong here; the server's log says what."))


def wrong_method(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: the router's bare refusal of a method becomes a problem document."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not isinstance(response, HttpResponseNotAllowed):
            return response
        answer = _answer(request, problems.MethodNotAllowed(f"Only {response['Allow']} can be asked for here."))
        answer["Allow"] = response["Allow"]
        return answer

    return respond


def _field(error: dict[str, Any]) -> str:
    """A field's name out of where the validator found it: ("body", "payload", "weight") -> "weight"."""
    return ".".join(str(part) for part in error["loc"][2:]) or str(error["loc"][-1])
