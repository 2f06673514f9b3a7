"""A person at the wheel: their hands go to the browser in order, what they amount to becomes steps."""

from typing import TYPE_CHECKING

from sandbox.contracts.actions import Action, ActOutcome, ActResult, Finish
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import past
from sandbox.contracts.takeover import HandEvent, KeyStroke, Text
from sandbox.contracts.tasks import Risk
from webapp.accounts.models import User
from webapp.agent_sessions import leases, takeover

if TYPE_CHECKING:
    from webapp.agent_sessions.drive import Drive

_ENDS_TYPING = ("Enter", "Tab", "Escape")


class Wheel:
    """Typing is gathered by the sandbox; the page it began on is remembered here."""

    def __init__(self, drive: "Drive") -> None:
        self._drive = drive
        self._typing: tuple[User, Observation, str] | None = None

    async def serve(self) -> None:
        """Carry out everything that waits, then show the page."""
        while (taken := await self._drive.write(takeover.next_input)) is not None:
            user, event, permit = taken
            if isinstance(event, Finish):
                await self._finish(user, event)
                return
            await self._hand(user, event, permit)
        page, _ = await self._drive.look_again()
        await self._drive.write(leases.observed, observation=page)

    async def let_go(self) -> bool:
        """Write down typing that was still gathered when the wheel was given back; False where there was none."""
        if self._typing is None:
            return False
        await self._flush()
        return True

    async def _hand(self, user: User, event: HandEvent, permit: Risk) -> None:
        if isinstance(event, Text) or (isinstance(event, KeyStroke) and event.key not in _ENDS_TYPING):
            if self._typing is None:
                self._typing = (user, *await self._drive.look_again())
            action = await self._drive.live.hand(event, permit=permit)
            if action is not None:
                await self._record(*self._typing, action)
                self._typing = None
            return
        await self._flush()
        seen, before = await self._drive.look_again()
        action = await self._drive.live.hand(event, permit=permit)
        if action is not None:
            await self._record(user, seen, before, action, came=self._came())

    def _came(self) -> ActResult:
        """What came of the last event, by name."""
        live = self._drive.live
        if dialog := live.dialog():
            return ActResult(ActOutcome.NATIVE_DIALOG, dialog)
        if held := live.held_back():
            return ActResult(ActOutcome.BLOCKED_REQUEST, f"{held}. You filed this ticket: somebody else must do it.")
        return ActResult(ActOutcome.DONE)

    async def _flush(self) -> None:
        if self._typing is None:
            return
        typing, self._typing = self._typing, None
        while (action := await self._drive.live.flush_hand()) is not None:
            await self._record(*typing, action)

    async def _finish(self, user: User, finish: Finish) -> None:
        await self._flush()
        seen, before = await self._drive.look_again()
        await self._record(user, seen, before, finish)
        await self._drive.end_with(finish)

    async def _record(
        self, user: User, seen: Observation, before: str, action: Action, *, came: ActResult | None = None
    ) -> None:
        result = came or ActResult(ActOutcome.DONE)
        risk = Risk.READ if isinstance(action, Finish) else self._drive.live.risk(action, seen)
        now, after = await self._drive.look_again()
        await self._drive.write(
            takeover.record_demonstration,
            user=user,
            seen=seen,
            action=action,
            risk=risk,
            result=result,
            now=now,
            before=before,
            after=after,
        )
        self._drive.memory.append(past(seen, action, result))
