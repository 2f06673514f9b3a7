"""One running set of MiniWoB++ pages, behind the interface that all worlds share."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import msgspec

from sandbox import served
from sandbox.browser.processes import Process, end_group
from sandbox.contracts.tasks import Check, Goal, Outcome, Risk, Task, Verification
from sandbox.registry import RequestRule, SessionLost
from sandbox.worlds.miniwob.catalogue import names
from sandbox.worlds.miniwob.serve import STATE_FILE, Known, Reward
from sandbox.worlds.miniwob.tasks import ENVIRONMENT, goal, page_seed

if TYPE_CHECKING:
    from sandbox.browser.page import Page

SOLVED = 1.0  # raw reward, without time decay


class MiniWob:
    """The pages in a process of their own; the task's page is the start."""

    environment = ENVIRONMENT
    request_rules: tuple[RequestRule, ...] = (RequestRule("POST", "/reward", Risk.READ),)

    def __init__(self) -> None:
        self.start_url = ""
        self.origin = ""
        self.allow: tuple[str, ...] = ()
        self._process: Process | None = None
        self._known: Known | None = None
        self._client: httpx.AsyncClient | None = None

    async def start(self, folder: Path) -> dict[str, Any]:
        """Start the pages' process."""
        state = await served.start("sandbox.worlds.miniwob.serve", folder, tells=STATE_FILE)
        await self.resume(state)
        return state

    async def resume(self, state: dict[str, Any]) -> None:
        """Find the process again. Raises SessionLost."""
        self._process, told = served.find(state, tells=STATE_FILE)
        self._known = msgspec.json.decode(told, type=Known)
        self.origin = f"http://127.0.0.1:{self._known.port}"
        self.start_url = self.start_url or self.page_url(names()[0], 0)
        self.allow = (f"127.0.0.1:{self._known.port}",)

    def page_url(self, name: str, seed: int) -> str:
        """Where one task's page begins by itself."""
        return f"{self.origin}/miniwob/{name}.html?seed={seed}"

    async def set_up(self, task: Task) -> None:
        """The task's page with its seed is the start; what an earlier one earned is forgotten."""
        name = task.template.partition("/")[2] or names()[0]
        self.start_url = self.page_url(name, page_seed(task))
        await self._ask("DELETE")

    async def sign_in(self, page: "Page") -> None:
        """Nobody signs in; the start page is the first screen."""
        await page.goto(self.start_url)

    async def told(self, page: "Page") -> Goal:
        """What the page asks for, in its own words."""
        asked = await page.evaluate(
            "new Promise((tell) => { const look = () => {"
            " const {episode, utterance, fields} = document.documentElement.dataset;"
            " if (episode) tell([utterance ?? '', fields ?? '{}']); else setTimeout(look, 2); }; look(); })"
        )
        return goal(asked[0], msgspec.json.decode(asked[1], type=dict[str, str]))

    async def verify(self, task: Task, answer: str) -> Verification:
        """Whether the page reported the whole raw reward for this very seed."""
        if not task.template:
            return Verification(Outcome.UNVERIFIED)
        found = msgspec.json.decode(await self._ask("GET"), type=Reward | None)
        ended = found is not None and found.done and found.seed == page_seed(task)
        raw = found.raw if found is not None and ended else 0.0
        checks = (Check("the episode ended", ended), Check("raw reward is 1", raw == SOLVED, f"{raw:g}"))
        return Verification(Outcome.VERIFIED if all(each.holds for each in checks) else Outcome.FAILED, checks)

    async def stop(self) -> None:
        """End the process; safe to repeat."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()
        if self._process is not None:
            await end_group(self._process)

    async def _ask(self, method: str) -> bytes:
        if self._known is None:
            raise RuntimeError("the pages are neither started nor resumed")
        url = f"http://127.0.0.1:{self._known.control_port}/reward"
        headers = {"Authorization": f"Bearer {self._known.token}"}
        self._client = self._client or httpx.AsyncClient(trust_env=False)
        try:
            answer = await self._client.request(method, url, headers=headers)
        except httpx.TransportError as gone:
            raise SessionLost("the process of the MiniWoB++ pages is gone") from gone
        answer.raise_for_status()
        return answer.content
