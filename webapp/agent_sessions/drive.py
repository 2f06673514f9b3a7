"""One session in a host: observe, propose, wait for people, act, until it ends; every wait is for a row."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import redis.asyncio as redis

from sandbox import sessions as sandbox
from sandbox.contracts import storage
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Finish, GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Policy, Proposal, past
from sandbox.contracts.tasks import Risk, Task, Verification
from sandbox.risk import riskier
from webapp import crashpoints
from webapp.agent_sessions import actions, frames, leases, proposals, situation, takeover
from webapp.agent_sessions.choosing import MAYBE_DONE, STOPPED, again, choose
from webapp.agent_sessions.models import Step
from webapp.agent_sessions.pictures import Pictures
from webapp.agent_sessions.policies import CannotRun
from webapp.agent_sessions.rows import Rows
from webapp.agent_sessions.session_row import Interrupted, LeaseLost
from webapp.agent_sessions.situation import Situation
from webapp.agent_sessions.states import ENDED, Control, SessionState, StepState
from webapp.agent_sessions.wheel import Wheel
from webapp.rollouts.models import PolicyVersion

log = logging.getLogger(__name__)

POLL_S = 2.0  # a notification may be lost; the rows are not
TRY_ANEW = "Re-run the ticket to begin in a new browser."
PAGE_WATCH_S = 1.0  # how often the page under an open question is looked at
T = TypeVar("T")


class PolicySource(Protocol):
    """Where a host gets its policies from."""

    async def get(self, version: PolicyVersion, task: Task) -> Policy: ...


class Drive:
    """What a host knows about a session it holds; all of it can be read again from rows and browser."""

    def __init__(
        self,
        *,
        claim: leases.Claim,
        live: sandbox.LiveSession,
        task: Task,
        policies: PolicySource,
        rows: Rows,
        valkey: "redis.Redis",
    ) -> None:
        self.session_id = claim.session_id
        self.fence = claim.fence
        self.live = live
        self.task = task
        self.policies = policies
        self.rows = rows
        self.valkey = valkey
        self.woken = asyncio.Event()
        self.is_leaving = False
        self.fresh_until = time.monotonic() + leases.LEASE_S
        self.pictures = Pictures()
        self.memory: list[Past] = []
        self.page: Observation | None = None
        self.jpeg = ""  # content address of the picture of `page`
        self.wheel = Wheel(self)

    async def run(self) -> None:
        """Until the session has ended, or the host leaves it to another. Raises LeaseLost, SessionLost."""
        self.memory = await self.read(situation.history, self.session_id)
        await self._settle_uncertain()
        while not self.is_leaving:
            self.woken.clear()
            now = await self.read(situation.situation, self.session_id)
            if now.fence != self.fence:
                raise LeaseLost(f"session {self.session_id}")
            if now.state in ENDED:
                return
            try:
                await self._turn(now)
            except Interrupted:
                continue  # a person was faster; the rows say how
            except sandbox.PageHangs:
                await self._revive()

    async def _revive(self) -> None:
        """A page that hung is looked at, which loads it again; one that hangs for good ends the session, in words."""
        self.page = None
        try:
            page = await self.live.observe()
            await self.write(leases.observed, observation=page)
        except sandbox.PageHangs as hang:
            await self._end(SessionState.FAILED, f"{hang} {TRY_ANEW}")

    async def read(self, fn: Callable[..., T], *args: Any) -> T:
        """A query on this session's own connection."""
        return await self.rows.call(fn, *args)

    async def write(self, fn: Callable[..., T], **fields: Any) -> T:
        """A verb on this session, as the host that holds it."""
        return await self.rows.call(fn, session_id=self.session_id, fence=self.fence, **fields)

    async def _turn(self, now: Situation) -> None:
        if now.has_inputs or now.control == Control.USER:
            await self.wheel.serve()
            if not now.has_inputs:
                await self._wait()
        elif now.control == Control.USER_PENDING:
            await self.write(takeover.grant_control)
        elif await self.wheel.let_go():
            return
        elif now.state == SessionState.PAUSED:
            await self._wait()
        elif now.human_only or now.policy is None:
            await self.write(actions.pause_held, reason="only people may act: take over to work on it")
        elif now.step is not None and now.step.state == StepState.PROPOSED:
            await self._wait_for_decision(now.step)
        elif now.step is not None:
            # What the policy allowed by itself was seen a moment ago; an answer may have taken its time.
            is_fresh = now.step.source != "user"
            if is_fresh or await self._is_same_page(now.step, await self.live.observe()):
                await self._carry_out(now.step)
        elif isinstance(now.last_action, Finish | GiveUp):
            await self.end_with(now.last_action)
        elif now.steps_taken >= now.max_steps:
            await self._end(SessionState.TIMED_OUT, f"not done after {now.max_steps} steps")
        else:
            await self._propose(now)

    async def _wait(self, timeout_s: float = POLL_S) -> bool:
        try:
            await asyncio.wait_for(self.woken.wait(), timeout_s)
        except TimeoutError:
            return False
        return True

    async def _propose(self, now: Situation) -> None:
        assert now.policy is not None
        page = await self._look()
        if now.stopped is not None and (once_more := _once_more(now.stopped, page)) is not None:
            await self._ask(page, once_more, ask=now.ask_next)
            return
        try:
            policy = await self.policies.get(now.policy, self.task)
        except CannotRun as problem:
            await self.write(actions.pause_held, reason=f"{problem} Until then people can take over.")
            return
        wanted = await asyncio.to_thread(policy.act, page, self.task.goal, tuple(self.memory))
        refused = await self.read(situation.refused, self.session_id, page.fingerprint)
        proposal = choose(wanted, refused)
        if proposal is None:
            await self.write(actions.pause_refused)
            return
        await self._ask(page, proposal, ask=now.ask_next)

    async def _ask(self, page: Observation, proposal: Proposal, *, ask: bool) -> None:
        learnt = await self.read(situation.learnt_risk, self.session_id, proposal.action, page)
        risk = riskier(self.live.risk(proposal.action, page), learnt)
        await self.write(proposals.propose, observation=page, proposal=proposal, risk=risk, before=self.jpeg, ask=ask)
        crashpoints.reach("after_proposal")

    async def _wait_for_decision(self, step: Step) -> None:
        crashpoints.reach("while_waiting")
        if not await self._wait(PAGE_WATCH_S):
            await self._is_same_page(step, await self.live.observe())
            return
        # Somebody waits for what they pressed: read the answer and look at the page at the same time.
        self.woken.clear()
        decided, page = await asyncio.gather(self.read(situation.decided, step.pk), self.live.observe())
        if decided is not None and await self._is_same_page(decided, page):
            await self._carry_out(decided)

    async def _is_same_page(self, step: Step, page: Observation) -> bool:
        if page.fingerprint == step.fingerprint:
            return True
        self.page = None
        await self.write(proposals.supersede, step_id=step.pk, observation=page)
        return False

    async def _carry_out(self, step: Step) -> None:
        crashpoints.reach("before_intent")
        intended = await self.write(proposals.begin_intent, step_id=step.pk)
        crashpoints.reach("after_intent")
        action: Action = storage.from_builtins(intended.action, Action)
        if time.monotonic() > self.fresh_until:
            raise LeaseLost(f"session {self.session_id}: the lease ran out before the act")
        seen: Observation = storage.from_builtins(intended.observation, Observation)
        crashpoints.reach("before_act")
        log.info("session %s: step %s dispatched", self.session_id, intended.index)
        result = await self._act(action, Risk(intended.risk))
        crashpoints.reach("after_act")
        self.memory.append(past(seen, action, result))
        self.page = None
        try:
            page, picture = await self.look_again()
        except sandbox.PageHangs:  # it was done, whatever the page says
            await self.write(proposals.finish_act, step_id=step.pk, result=result, observation=seen, after="")
            raise
        await self.write(proposals.finish_act, step_id=step.pk, result=result, observation=page, after=picture)
        crashpoints.reach("after_finish")

    async def _act(self, action: Action, permit: Risk) -> ActResult:
        if isinstance(action, Finish | GiveUp):
            return ActResult(ActOutcome.DONE)
        return await self.live.act(action, permit=permit)

    async def _look(self) -> Observation:
        """The page now, with a picture of it; both are kept while the page stays the same."""
        page = await self.live.observe()
        if self.page is None or page.fingerprint != self.page.fingerprint:
            jpeg = await self.live.picture()
            self.jpeg = self.pictures.keep(jpeg)
            await frames.publish(self.valkey, self.session_id, jpeg)
        self.page = page
        return page

    async def look_again(self) -> tuple[Observation, str]:
        """The page and the address of its picture, for a person's steps."""
        page = await self._look()
        return page, self.jpeg

    async def end_with(self, action: Finish | GiveUp) -> None:
        """The last step was the end: ask the console how it went."""
        if isinstance(action, Finish):
            await self._end(SessionState.COMPLETED, "finished", answer=action.answer)
        else:
            await self._end(SessionState.FAILED, f"gave up: {action.reason}" if action.reason else "gave up")

    async def _end(self, state: SessionState, reason: str, *, answer: str = "") -> None:
        found: Verification = await self.live.verify(answer)
        await self.write(actions.end_held, state=state, reason=reason, verification=found, answer=answer)

    async def _settle_uncertain(self) -> None:
        """A step that the last host began: done if the page moved on, else a person decides on it again."""
        step_id = await self.write(proposals.mark_uncertain)
        if step_id is None:
            return
        step, belongs_here = await self.read(situation.uncertain, self.session_id, step_id)
        action: Action = storage.from_builtins(step.action, Action)
        page = await self._look()
        changed = page.fingerprint != step.fingerprint or isinstance(action, Finish | GiveUp)
        happened = belongs_here and changed
        await self.write(proposals.settle, step_id=step_id, happened=happened, observation=page)
        if happened:
            self.memory = await self.read(situation.history, self.session_id)
            return
        now = await self.read(situation.situation, self.session_id)
        if belongs_here and now.state == SessionState.RUNNING and now.control == Control.AGENT and not now.human_only:
            old = None if step.proposal is None else storage.from_builtins(step.proposal, Proposal)
            await self._ask(page, again(old, action, why=MAYBE_DONE), ask=True)


def _once_more(stopped: Step, page: Observation) -> Proposal | None:
    """The step whose request was stopped, as far as its element is still there."""
    action: Action = storage.from_builtins(stopped.action, Action)
    then: Observation = storage.from_builtins(stopped.observation, Observation)
    ref = getattr(action, "element", -1)
    was, is_ = then.element(ref), page.element(ref)
    if (was is None) != (is_ is None) or (was and is_ and (was.role, was.name) != (is_.role, is_.name)):
        return None
    old = None if stopped.proposal is None else storage.from_builtins(stopped.proposal, Proposal)
    return again(old, action, why=STOPPED)
