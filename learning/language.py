"""Any language model behind an OpenAI-compatible endpoint as a policy: asked within limits, held to the page's actions.

httpx and not a vendor's client: it is here already, the protocol is one POST, and deadline, retries and budget are ours
to keep whatever server answers.
"""

import json
import math
import os
import re
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Literal, Self

import httpx
import msgspec
from msgspec import Struct

from learning import chat
from learning.failures import Hopeless, TeacherFailed
from learning.masking import Mask
from learning.thrift import Answers, Budget
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal

UNSAID = 0.5  # probability where a server tells none
LARGEST_BYTES = 1 << 20  # of an answer
LONGEST_PAUSE_S = 30.0
CHARACTERS_PER_TOKEN = 3  # few, so that a budget errs on the safe side
_KEY_NAME = re.compile(r"BELAY_LANGUAGE_([A-Z0-9]+_)*KEY")
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class Refused(TeacherFailed):
    """It would not answer."""


class Malformed(TeacherFailed):
    """What it answered, again and again, is no action on the page."""


class TooSlow(TeacherFailed):
    """It did not answer in time."""


class Unreachable(TeacherFailed, Hopeless):
    """Nobody answers at the address, or the server fails."""


class Rejected(TeacherFailed, Hopeless):
    """The server does not take the request: key, model name or a field that it does not know."""


class Endpoint(Struct, frozen=True):
    """Where a language model answers and how it is asked. The key itself is read from the environment when needed."""

    url: str  # up to and without /chat/completions
    model: str
    key_from: str = "BELAY_LANGUAGE_KEY"  # name of a variable; unset or empty: no key is sent
    timeout_s: float = 30.0  # of one try, first byte to last
    attempts: int = 3
    answer_tokens: int = 400
    output: Literal["json_schema", "json_object", "text"] = "json_schema"  # the strictest that the server knows
    explain: bool = True  # let it say why, before the action
    log_probabilities: bool = False  # ask how likely each token was
    temperature: float | None = 0.0  # None where a model takes none
    limit_as: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # what the server calls answer_tokens

    def __post_init__(self) -> None:
        address = httpx.URL(self.url)
        if address.scheme not in ("http", "https") or not address.host:
            raise ValueError(f"expected an address such as https://host/v1, found {address.host or self.url!r}")
        if address.userinfo or address.query:
            raise ValueError(f"put the key into the variable {self.key_from}, not into the address")
        if not _KEY_NAME.fullmatch(self.key_from):  # a policy's folder must not get at other secrets of this process
            raise ValueError(f"a key is read from a variable named BELAY_LANGUAGE_..._KEY, not from {self.key_from!r}")
        if self.attempts < 1 or self.timeout_s <= 0:
            raise ValueError("expected at least one attempt and a positive timeout")

    @classmethod
    def from_environment(cls) -> "Endpoint":
        """By BELAY_LANGUAGE_URL and BELAY_LANGUAGE_MODEL. Raises ValueError naming what is missing."""
        missing = [name for name in ("BELAY_LANGUAGE_URL", "BELAY_LANGUAGE_MODEL") if not os.environ.get(name)]
        if missing:
            raise ValueError(f"set {' and '.join(missing)} to the endpoint's address and its model's name")
        return cls(os.environ["BELAY_LANGUAGE_URL"], os.environ["BELAY_LANGUAGE_MODEL"])


class _Reply(Struct, frozen=True):
    """What a server answered, as far as it matters here."""

    text: str
    tokens: int  # used by question and answer, 0 where the server does not tell
    probability: float
    cut: bool  # it ran out of tokens


class LanguagePolicy:
    """Proposes by asking a language model. Raises the subclasses of TeacherFailed, and OverBudget; never guesses.

    `known_secrets` are hidden wherever they stand. `pause` waits between tries.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        name: str = "",
        budget: Budget | None = None,
        answers: Answers | None = None,
        known_secrets: Sequence[str] = (),
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name or endpoint.model
        self.budget = budget or Budget()
        self._endpoint = endpoint
        self._answers = answers
        self._known = tuple(known_secrets)
        self._pause = pause
        self._client = httpx.Client(timeout=endpoint.timeout_s, follow_redirects=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of connections; safe to repeat."""
        self._client.close()

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """The action that it answers, checked against the page; a wrong answer is told what was wrong with it."""
        view = chat.View(observation, goal, history, Mask(self._known))
        told = view.messages()
        wrong = ""
        for _ in range(self._endpoint.attempts):
            reply = self._kept(self._request(told, view))
            try:
                if reply.cut:
                    raise chat.BadAnswer("the answer was cut short: be brief")
                found = view.parse(reply.text)
            except chat.BadAnswer as problem:
                wrong = str(problem)
                told = [*told, {"role": "assistant", "content": reply.text}]
                told.append({"role": "user", "content": f"That cannot be used: {wrong}. Answer again."})
                continue
            return Proposal(found.action, reply.probability, policy=self.name, why=found.why[:200])
        raise Malformed(f"{self.name} gave no usable action in {self._endpoint.attempts} tries; the last: {wrong}")

    def _request(self, told: list[chat.Message], view: chat.View) -> dict[str, Any]:
        to = self._endpoint
        asked: dict[str, Any] = {"model": to.model, "messages": told, to.limit_as: to.answer_tokens}
        if to.temperature is not None:
            asked["temperature"] = to.temperature
        if to.output == "json_schema":
            allowed = view.schema(explain=to.explain)
            asked["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "next_action", "strict": True, "schema": allowed},
            }
        elif to.output == "json_object":
            asked["response_format"] = {"type": "json_object"}
        return asked | ({"logprobs": True} if to.log_probabilities else {})

    def _kept(self, asked: dict[str, Any]) -> _Reply:
        """The answer from the cache, or by asking; a wrong one is kept too, for it leads to what was asked next."""
        if self._answers is None:
            return self._ask(asked)
        said = self._answers.get(asked)
        if said is not None:
            return msgspec.json.decode(said, type=_Reply)
        reply = self._ask(asked)
        self._answers.put(asked, msgspec.json.encode(reply).decode())
        return reply

    def _ask(self, asked: dict[str, Any]) -> _Reply:
        """Ask until somebody answers, as often as allowed; each try is paid for."""
        body = json.dumps(asked, ensure_ascii=False).encode()
        may_cost = len(body) // CHARACTERS_PER_TOKEN + self._endpoint.answer_tokens
        problem: TeacherFailed = Unreachable("")
        for attempt in range(self._endpoint.attempts):
            self.budget.reserve(may_cost)
            try:
                reply = self._post(body)
            except _Again as again:
                problem = again.problem
                if isinstance(problem, Unreachable):  # else it may well have been worked on, and be charged for
                    self.budget.settle(reserved=may_cost, used=0)
                if attempt + 1 < self._endpoint.attempts:
                    self._pause(min(again.after_s or 0.5 * 2**attempt, LONGEST_PAUSE_S))
                continue
            except Rejected:
                self.budget.settle(reserved=may_cost, used=0)
                raise
            self.budget.settle(reserved=may_cost, used=reply.tokens or may_cost)
            return reply
        raise problem

    def _post(self, body: bytes) -> _Reply:
        """One try. Raises _Again where another one may help, else TeacherFailed."""
        key = os.environ.get(self._endpoint.key_from, "")
        headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {key}"} if key else {})
        url = self._endpoint.url.rstrip("/") + "/chat/completions"
        deadline = time.monotonic() + self._endpoint.timeout_s
        content = b""
        try:
            with self._client.stream("POST", url, content=body, headers=headers) as response:
                for chunk in response.iter_bytes():
                    content += chunk
                    if time.monotonic() > deadline:
                        raise httpx.ReadTimeout("the answer trickles")
                    if len(content) > LARGEST_BYTES:
                        raise Malformed(f"{self.name} answered more than {LARGEST_BYTES} bytes")
        except httpx.TimeoutException as problem:
            slow = TooSlow(f"{self.name} did not answer within {self._endpoint.timeout_s:g} s")
            raise _Again(slow, 0.0) from problem
        except httpx.HTTPError as problem:
            raise _Again(Unreachable(f"{url} cannot be reached: {type(problem).__name__}"), 0.0) from problem
        if response.status_code in _AGAIN:
            failed = Unreachable(f"{url} answered {response.status_code}, the last of {self._endpoint.attempts} tries")
            raise _Again(failed, _pause_asked_for(response))
        if response.status_code != 200:
            said = content[:300].decode(errors="replace").replace(key or "\0", "•••")
            advice = f"; the variable {self._endpoint.key_from} holds the key" if response.status_code == 401 else ""
            raise Rejected(f"{url} answered {response.status_code}: {said}{advice}")
        return self._read(content)

    def _read(self, content: bytes) -> _Reply:
        """A server's JSON. Raises Refused, or _Again where it is not what the protocol says."""
        try:
            found = msgspec.json.decode(content, type=_Completion)
            choice = found.choices[0]
        except (msgspec.DecodeError, IndexError) as problem:
            raise _Again(Malformed(f"{self.name} does not speak the protocol: {problem}"), 0.0) from problem
        if choice.message.refusal or choice.finish_reason == "content_filter":
            raise Refused(f"{self.name} will not answer: {choice.message.refusal or 'its filter stopped it'}")
        tokens = found.usage.total_tokens if found.usage else 0
        text = choice.message.content or ""
        return _Reply(text, tokens, _probability(choice.logprobs), choice.finish_reason == "length")


class _Again(Exception):
    """A try that failed in a way that another one may not."""

    def __init__(self, problem: TeacherFailed, after_s: float) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.after_s = after_s


class _Said(Struct, frozen=True):
    content: str | None = None
    refusal: str | None = None


class _Token(Struct, frozen=True):
    logprob: float


class _LogProbabilities(Struct, frozen=True):
    content: list[_Token] | None = None


class _Choice(Struct, frozen=True):
    message: _Said
    finish_reason: str | None = None
    logprobs: _LogProbabilities | None = None


class _Usage(Struct, frozen=True):
    total_tokens: int = 0


class _Completion(Struct, frozen=True):
    choices: list[_Choice]
    usage: _Usage | None = None


def _probability(told: _LogProbabilities | None) -> float:
    """Of the whole answer, which is at most that of its action."""
    if told is None or not told.content:
        return UNSAID
    return min(1.0, math.exp(sum(each.logprob for each in told.content)))


def _pause_asked_for(response: httpx.Response) -> float:
    """Seconds of Retry-After; 0 where it says none, or a date."""
    said = response.headers.get("retry-after", "")
    return float(said) if said.isascii() and said.isdecimal() else 0.0
