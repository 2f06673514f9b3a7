"""SeaweedFS for its console: `serve` runs one, `reset` and `verify` are those of the object store's own world."""

import asyncio
import json
import os
import secrets
import sys
from pathlib import Path
from typing import Any

import msgspec

from sandbox import seaweedfs
from sandbox.browser.processes import Process, started_at, write_private
from sandbox.contracts.tasks import Outcome, Task, Verification
from sandbox.worlds.objectstore import server as serving
from sandbox.worlds.objectstore.store import ENVIRONMENT
from sandbox.worlds.objectstore.world import ObjectStore

FOLDER = Path(os.environ["BELAY_FOLDER"])
PASSWORD, SECRET_KEY = os.environ["BELAY_CREDENTIAL_PASSWORD"], os.environ["BELAY_CREDENTIAL_KEY"]
SERVER = FOLDER / "store.json"


def serve() -> None:
    """Become SeaweedFS; what finds it again lies beside its data."""
    data = FOLDER / "store"
    data.mkdir(mode=0o700, exist_ok=True)
    identities = data / "s3.json"
    write_private(identities, json.dumps(seaweedfs.identities(serving.ROOT, SECRET_KEY)).encode())
    ports = {name: int(os.environ[f"BELAY_PORT_{name.upper().replace('.', '_')}"]) for name in seaweedfs.PORTS}
    me = Process(os.getpid(), started_at(os.getpid()))
    server = serving.Server(me, str(FOLDER), ports, PASSWORD, SECRET_KEY)
    write_private(SERVER, msgspec.json.encode(server))
    argv = seaweedfs.command(serving.binary(), folder=data, identities=identities, ports=ports, options=serving.OPTIONS)
    keys = [secrets.token_hex(16) for _ in range(3)]
    env = seaweedfs.environment(
        home=data, password=PASSWORD, write_key=keys[0], filer_write_key=keys[1], filer_read_key=keys[2]
    )
    os.chdir(data)
    os.execve(argv[0], argv, env)  # noqa: S606  # in place of this process, which is the one that is written down


def own(task: dict[str, Any]) -> Task:
    """The same task as the object store's own world knows it."""
    name = task["template"].partition("/")[2]
    return msgspec.convert({**task, "environment": ENVIRONMENT, "template": f"{ENVIRONMENT}/{name}"}, Task)


async def reset(task: Task) -> None:
    """Bring the store into the task's first state."""
    store = ObjectStore()
    await store.resume({"folder": str(FOLDER)})
    try:
        await store.set_up(task)
    finally:
        await store.api.close()


async def verify(task: Task, answer: str) -> Verification:
    """Ask the store."""
    store = ObjectStore()
    await store.resume({"folder": str(FOLDER)})
    try:
        return await store.verify(task, answer)
    finally:
        await store.api.close()


def main() -> int:
    """The command line."""
    if sys.argv[1] == "serve":
        serve()
    said = json.load(sys.stdin)
    if sys.argv[1] == "reset":
        asyncio.run(reset(own(said["task"])))
        return 0
    found = asyncio.run(verify(own(said["task"]), said["answer"]))
    print(json.dumps({"checks": msgspec.to_builtins(found.checks)}))
    return {Outcome.VERIFIED: 0, Outcome.FAILED: 1, Outcome.UNVERIFIED: 2}[found.outcome]


if __name__ == "__main__":
    sys.exit(main())
