"""`python -m webapp.embedded up|down|status`: all of Belay on this machine."""

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

from sandbox import sessions
from webapp.embedded import marks, processes, servers, supervisor
from webapp.embedded.failures import SetUpFailed
from webapp.embedded.state import HOST, State, free_port, is_free, passwords, prepare, remember_port, remembered_port

ROOT = supervisor.ROOT
USUAL_PORT = 8000
PATIENCE_S = 90.0
FALLS = 3  # of the web server while it is waited for: it will not come up

_began = time.monotonic()


def main() -> int:
    """The command line; a failure is a sentence on stderr."""
    parser = argparse.ArgumentParser(prog="python -m webapp.embedded", description=__doc__)
    parser.add_argument("command", choices=["up", "down", "status", "supervise"])
    parser.add_argument("--port", default="", help="of the pages (default: PORT, else 8000 or the next free)")
    parser.add_argument(
        "--only", nargs="+", choices=sorted(supervisor.commands(0)), help="of the processes, these alone"
    )
    parser.add_argument("--now", action="store_true", help="go down at once; what is being written may be lost")
    given = parser.parse_args()
    folder = Path(os.environ.get("BELAY_STATE_DIR") or ROOT / ".belay").resolve()
    try:
        match given.command:
            case "up":
                up(folder, port=wanted_port(given.port or os.environ.get("PORT") or "0"), only=given.only)
            case "down":
                down(folder, now=given.now)
            case "status":
                return status(folder)
            case "supervise":
                state = prepare(folder)
                children = supervisor.commands(wanted_port(given.port or "0"), only=given.only)
                supervisor.Supervisor(state, children, env=os.environ).run()
    except SetUpFailed as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 1
    return 0


def up(folder: Path, *, port: int, only: Sequence[str] | None = None) -> None:
    """Start what does not run, start anew what has changed, wait until the pages answer, and say where they are."""
    state = prepare(folder)
    say("Starting PostgreSQL, Valkey and S3 storage")
    servers.start(folder, given=os.environ)
    env = {**os.environ, "BELAY_STATE_DIR": str(state.folder), "BELAY_EMBEDDED": "1", "PYTHONUNBUFFERED": "1"}
    runs, was, is_ = processes.read(state.pidfile(supervisor.NAME)), marks.read(state), marks.now(ROOT)
    if runs is not None:
        chosen = remembered_port(state) or USUAL_PORT
        if port not in {0, chosen}:
            raise SetUpFailed(f"Belay already runs on port {chosen}. Run `make down` first to move it to {port}.")
        if was is None or was.code != is_.code:
            say("The code has changed: stopping the processes that run it; live sessions go on afterwards")
            processes.end(state.pidfile(supervisor.NAME), patience_s=supervisor.PATIENCE_S + 5)
            runs = None
    if runs is None:
        chosen = start(state, port, env, only)
    elif was is not None and was.pages != is_.pages:
        show_new_pages(state, chosen, env)
    wait_for_pages(state, chosen)
    marks.write(state, is_)
    say("Ready")
    print(f"\n  Belay is at http://{HOST}:{chosen}\n")
    print("".join(f"  {name:10} {password}\n" for name, password in passwords(state).items()))
    print(f"  First passwords, kept in {state.folder / 'passwords.txt'}. `make down` stops everything.")


def start(state: State, port: int, env: Mapping[str, str], only: Sequence[str] | None) -> int:
    """Bring database and files up to date and start every process; the port of the pages."""
    supervisor.end_children(state)  # of a killed supervisor: they may hold the port
    chosen = choose_port(state, port)
    say("Preparing the database")
    seeds = {f"SEED_PASSWORD_{name.upper()}": password for name, password in passwords(state).items()}
    take_first_steps(state, {**seeds, **env})
    say("Starting the web server, workers and session host")
    argv = [sys.executable, "-m", "webapp.embedded", "supervise", "--port", str(chosen)]
    argv += ["--only", *only] if only else []
    log = state.log(supervisor.NAME)
    child = processes.spawn(argv, pidfile=state.pidfile(supervisor.NAME), log=log, env=env, cwd=ROOT)
    child.returncode = 0  # it outlives us: nobody will wait for it
    return chosen


def show_new_pages(state: State, port: int, env: Mapping[str, str]) -> None:
    """Files first, then a web process that knows them, and last the page that names them: never a page without them."""
    say("The pages have changed: starting the web server anew")
    take_first_steps(state, env, "--files-alone")
    web = processes.read(state.pidfile("web"))
    if web is not None:
        os.kill(web.pid, signal.SIGTERM)  # and the supervisor starts it again
        processes.wait_until(lambda: not web.is_alive, timeout_s=supervisor.PATIENCE_S)
    wait_for_pages(state, port)
    take_first_steps(state, env, "--page")


def down(folder: Path, *, now: bool = False) -> None:
    """Stop everything of this folder, also what a killed supervisor or test run left; `now` asks nobody."""
    if not folder.exists():
        asyncio.run(sessions.clear_strays(folder / "sessions"))  # what outlives its hosts may outlive this, too
        return
    state = prepare(folder)
    if now:
        processes.end(state.pidfile(supervisor.NAME), sign=signal.SIGKILL)
    processes.end(state.pidfile(supervisor.NAME), patience_s=supervisor.PATIENCE_S + 5)
    supervisor.end_children(state, sign=signal.SIGKILL if now else signal.SIGTERM)
    asyncio.run(end_sessions(state))
    servers.stop(folder, now=now)
    if servers.are_in_use(folder / "test"):
        say("Stopped; the test servers stay, as a test run is using them")
        return
    servers.stop(folder / "test")
    say("Everything is stopped")


async def end_sessions(state: State) -> None:
    """End the browsers and consoles of live sessions, which outlive their hosts on purpose, and what training left."""
    for folder in (state.folder / "sessions").glob("*-*"):  # local
        await sessions.clear_away(folder)
    await sessions.clear_strays(state.folder / "sessions")  # whose folders somebody has removed
    await sessions.clear_orphans()


def status(folder: Path) -> int:
    """Say what runs; 0 if all of it does."""
    state = State(folder)
    names = [*servers.names(servers.recorded(folder)), supervisor.NAME, *supervisor.commands(0)]
    running = {name: processes.read(state.pidfile(name)) for name in names}
    for name, identity in running.items():
        print(f"{name:14} {'runs, pid ' + str(identity.pid) if identity else 'does not run'}")
    return 0 if all(running.values()) else 1


def wanted_port(text: str) -> int:
    """The port that was asked for; 0 for whichever is free."""
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65535:
        raise SetUpFailed(f"The port must be a number between 1 and 65535, not {text[:40]!r}.")
    return int(text)


def choose_port(state: State, port: int) -> int:
    """The port asked for, or last time's, or 8000, or the next free one."""
    if port and not is_free(port):
        raise SetUpFailed(f"Port {port} is taken by another program. Stop it, or run `make up PORT=` with a free one.")
    usual = remembered_port(state) or USUAL_PORT
    chosen = port or (usual if is_free(usual) else 0) or next(filter(is_free, range(USUAL_PORT, USUAL_PORT + 100)), 0)
    chosen = chosen or free_port(avoid=set())
    if chosen != (port or usual):
        say(f"Port {usual} is in use by another program; the pages are on port {chosen} this time")
    remember_port(state, chosen)
    return chosen


def take_first_steps(state: State, env: Mapping[str, str], *options: str) -> None:
    """Migrations, first rows and static files, in a process of their own: this one stays free of Django."""
    argv = [sys.executable, "-m", "webapp.embedded.first_steps", *options]
    answer = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    state.log("first-steps").write_text(answer.stdout + answer.stderr)
    if answer.returncode != 0:
        raise SetUpFailed(f"The database could not be prepared:\n{processes.tail(state.log('first-steps'))}")


def wait_for_pages(state: State, port: int) -> None:
    """Until the web process says that it and what it needs are well, or has fallen again and again."""
    began = time.time()
    log = state.log("web")

    def is_decided() -> bool:
        return is_healthy(port) or supervisor.falls(state, "web", since=began) >= FALLS

    if not processes.wait_until(is_decided, timeout_s=PATIENCE_S):
        raise SetUpFailed(f"The pages did not answer within {PATIENCE_S:.0f} s. From {log}:\n{processes.tail(log)}")
    if not is_healthy(port):
        raise SetUpFailed(f"The web server ends again and again. From {log}:\n{processes.tail(log)}")


def is_healthy(port: int) -> bool:
    """One question to the health address."""
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/api/health", timeout=5) as answer:
            return answer.status == 200 and isinstance(json.load(answer), dict)
    except (OSError, ValueError):
        return False


def say(sentence: str) -> None:
    """One line of progress."""
    print(f"[{time.monotonic() - _began:5.1f} s] {sentence}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
