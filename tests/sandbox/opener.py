"""A session host in small: opens a toy session, types a name, says its handle, and waits to be killed."""

import asyncio
import sys
from pathlib import Path

import tests.sandbox.toy  # registers the world
from sandbox import sessions
from sandbox.contracts.actions import Type
from sandbox.contracts.storage import to_json
from sandbox.contracts.tasks import Risk


async def main(folder: Path) -> None:
    task = sessions.free_task(tests.sandbox.toy.ENVIRONMENT.id, "Type something", seed=1)
    session = await sessions.open_session(task, folder=folder)
    seen = await session.observe()
    field = next(element for element in seen.elements if element.name == "Name")
    await session.act(Type(field.ref, "typed before the crash"), permit=Risk.REVERSIBLE)
    print(to_json(session.handle), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
