"""The commands of a console's file: what they are told, how long they may take, and what they answer."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from sandbox.contracts.tasks import Check, Outcome, Task, Verification
from sandbox.worlds.web.spec import Command, filled

ROOT = Path(__file__).resolve().parents[3]
_LAST_WORDS = 1_000  # characters of what a failed command said


class CommandFailed(RuntimeError):
    """A command of the file did not do its work; the message has its last words, without credentials."""


class Place(Struct, frozen=True):
    """Where a console is, for its commands."""

    url: str
    folder: str
    here: str
    ports: dict[str, int]
    credentials: dict[str, str]  # by name; they reach a command by its environment and nothing else

    @property
    def holes(self) -> dict[str, str]:
        """What fills the holes of the file."""
        ports = {f"port.{name}": str(port) for name, port in self.ports.items()}
        return {"python": sys.executable, "here": self.here, "folder": self.folder, "url": self.url, **ports}

    def words(self, command: Command) -> list[str]:
        """The words of a command, filled in."""
        return [filled(word, self.holes) for word in command.command]

    def environment(self) -> dict[str, str]:
        """The environment of a command: not ours, which holds the secrets of others."""
        named = {f"BELAY_CREDENTIAL_{name.upper()}": value for name, value in self.credentials.items()}
        ports = {f"BELAY_PORT_{name.upper().replace('.', '_')}": str(port) for name, port in self.ports.items()}
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": self.folder,
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(ROOT),
            "BELAY_FOLDER": self.folder,
            "BELAY_URL": self.url,
            **ports,
            **named,
        }

    def without_credentials(self, text: str) -> str:
        """A text that may be shown."""
        for value in sorted(self.credentials.values(), key=len, reverse=True):
            text = text.replace(value, "***") if value else text
        return text


class Finding(Struct, frozen=True):
    """What a verifier command prints."""

    checks: tuple[Check, ...] = ()


class Ended(Struct, frozen=True):
    """How a command ended."""

    status: int
    out: str
    last_words: str  # without credentials


async def run(command: Command, place: Place, said: Mapping[str, object]) -> Ended:
    """Run a command with this JSON on its standard input. Raises CommandFailed where it cannot be run or takes long."""
    words = place.words(command)
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=place.here,
            env=place.environment(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as problem:
        raise CommandFailed(f"{words[0]} cannot be run: {problem}") from problem
    try:
        async with asyncio.timeout(command.limit_s):
            out, err = await process.communicate(json.dumps(said).encode())
    except TimeoutError:
        raise CommandFailed(f"{' '.join(words)} took longer than {command.limit_s:g} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    text = out.decode(errors="replace")
    last = (err.decode(errors="replace").strip() or text.strip())[-_LAST_WORDS:]
    return Ended(process.returncode or 0, text, place.without_credentials(last) or "it said nothing")


async def reset(command: Command, place: Place, task: Task) -> None:
    """Bring the console into the task's first state. Raises CommandFailed."""
    ended = await run(command, place, {"task": msgspec.to_builtins(task)})
    if ended.status:
        raise CommandFailed(f"the reset command ended with {ended.status}: {ended.last_words}")


async def verify(command: Command, place: Place, task: Task, answer: str) -> Verification:
    """Exit status 0 is verified, 1 with checks as JSON is failed; anything else leaves it unverified."""
    try:
        ended = await run(command, place, {"task": msgspec.to_builtins(task), "answer": answer})
        finding = msgspec.json.decode(ended.out or "{}", type=Finding)
    except (CommandFailed, msgspec.DecodeError) as problem:
        return _unverified(str(problem))
    # A program that crashes ends with 1 too: without its checks nothing was found.
    if ended.status > 1 or ended.status < 0 or (ended.status and not finding.checks):
        return _unverified(f"it ended with {ended.status}: {ended.last_words}")
    return Verification(Outcome.FAILED if ended.status else Outcome.VERIFIED, finding.checks)


def _unverified(detail: str) -> Verification:
    check = Check("the verifier command answers", holds=False, detail=detail[:_LAST_WORDS])
    return Verification(Outcome.UNVERIFIED, (check,))
