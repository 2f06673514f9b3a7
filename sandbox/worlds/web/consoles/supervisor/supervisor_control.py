"""Supervisor for its console: `serve` runs one, `reset` lays out programs, `verify` asks it by XML-RPC."""

import json
import os
import sys
import time
import xmlrpc.client
from pathlib import Path
from typing import Any, cast

FOLDER = Path(os.environ["BELAY_FOLDER"])
USER, PASSWORD = os.environ["BELAY_CREDENTIAL_USER"], os.environ["BELAY_CREDENTIAL_PASSWORD"]
PORT = os.environ["BELAY_PORT_WEB"]
PROGRAMS, BASELINE = FOLDER / "programs", FOLDER / "baseline.json"
OTHERS = ("alerting", "ingest", "scheduler")
LIMIT_S = 20.0

_CONFIG = """
[inet_http_server]
port = 127.0.0.1:{port}
username = {user}
password = {password}
[supervisord]
nodaemon = true
minfds = 256
logfile = {folder}/supervisord.log
pidfile = {folder}/supervisord.pid
childlogdir = {folder}
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[include]
files = {folder}/programs/*.conf
"""
# Each waits for the end of its input, which comes when Supervisor ends: none outlives it.
_PROGRAM = """
[program:{name}]
command = /bin/sh -c "echo ready; exec cat > /dev/null"
autostart = {autostart}
autorestart = false
startsecs = 0
stopsignal = KILL
redirect_stderr = true
stdout_logfile = {folder}/log-{name}
"""


def serve() -> None:
    """Become Supervisor."""
    PROGRAMS.mkdir(exist_ok=True)
    config = FOLDER / "supervisord.conf"
    config.touch(mode=0o600)
    config.write_text(_CONFIG.format(port=PORT, user=USER, password=PASSWORD, folder=FOLDER))
    argv = [sys.executable, "-m", "supervisor.supervisord", "-n", "-c", str(config)]
    os.execv(sys.executable, argv)  # noqa: S606  # in place of this process, which is the one that is written down


def supervisor() -> Any:
    """Its XML-RPC interface."""
    proxy = xmlrpc.client.ServerProxy(f"http://{USER}:{PASSWORD}@127.0.0.1:{PORT}/RPC2")
    return proxy.supervisor


def reset(task: dict[str, Any]) -> None:
    """The task's program, one that looks like it, and others; all of them new."""
    rpc = supervisor()
    rpc.stopAllProcesses()  # it answers once a second: one question for all
    for group in {each["group"] for each in rpc.getAllProcessInfo()}:
        rpc.removeProcessGroup(group)
    for old in [*PROGRAMS.glob("*.conf"), *FOLDER.glob("log-*")]:
        old.unlink()
    wanted = first_states(task)
    for name, state in wanted.items():
        text = _PROGRAM.format(name=name, autostart=str(state == "RUNNING").lower(), folder=FOLDER)
        (PROGRAMS / f"{name}.conf").write_text(text)
    rpc.reloadConfig()
    for name in wanted:
        rpc.addProcessGroup(name)
    deadline = time.monotonic() + LIMIT_S
    while not _is_laid_out(wanted):
        if time.monotonic() > deadline:
            sys.exit(f"the programs did not come up within {LIMIT_S:g} s: {states(rpc)}")
        time.sleep(0.01)
    BASELINE.write_text(json.dumps(states(rpc)))


def _is_laid_out(wanted: dict[str, str]) -> bool:
    now = states(supervisor())
    return {name: each["state"] for name, each in now.items()} == wanted and all(
        now[name]["logged"] for name, state in wanted.items() if state == "RUNNING"
    )


def first_states(task: dict[str, Any]) -> dict[str, str]:
    """The state of every program at first, by name; depends on the task alone."""
    program = dict(task["goal"]["fields"]).get("program", "spare")
    seed = int(task["seed"])
    kind = task["template"].partition("/")[2]
    first = {"start-program": "STOPPED", "state-of-program": ("RUNNING", "STOPPED")[seed % 2]}.get(kind, "RUNNING")
    names = [program, f"{program}-old", *(name for name in OTHERS if name != program)]
    found = {name: ("RUNNING", "STOPPED")[(seed + place) % 3 == 0] for place, name in enumerate(names)}
    return {**found, f"{program}-old": first, program: first}


def states(rpc: Any) -> dict[str, dict[str, Any]]:
    """What there is to know of each program."""
    return {
        each["name"]: {"state": each["statename"], "pid": each["pid"], "logged": _size(each["name"])}
        for each in cast(list[dict[str, Any]], rpc.getAllProcessInfo())
    }


def _size(name: str) -> int:
    log = FOLDER / f"log-{name}"
    return log.stat().st_size if log.exists() else 0


def verify(task: dict[str, Any], answer: str) -> bool:
    """Print the checks; whether all of them hold."""
    program = dict(task["goal"]["fields"]).get("program", "")
    before, now = json.loads(BASELINE.read_text()), states(supervisor())
    kind = task["template"].partition("/")[2]
    was, found = before.get(program), now.get(program)
    checks = [(f"{name} was left alone", now.get(name) == old) for name, old in before.items() if name != program]
    checks.append(("there is no other program", now.keys() == before.keys()))
    checks.append(_wanted(kind, program, was, found, answer))
    named = [{"name": name, "holds": holds, "detail": ""} for name, holds in checks]
    print(json.dumps({"checks": named}))
    return all(holds for _, holds in checks)


def _wanted(kind: str, program: str, was: Any, found: Any, answer: str) -> tuple[str, bool]:
    if was is None or found is None:
        return f"{program} is there", False
    match kind:
        case "start-program":
            return f"{program} runs", found["state"] == "RUNNING"
        case "stop-program":
            return f"{program} is stopped", found["state"] == "STOPPED"
        case "restart-program":
            return f"{program} runs anew", found["state"] == "RUNNING" and found["pid"] != was["pid"]
        case "clear-log":
            return f"the log of {program} is empty", found["logged"] == 0 and found["pid"] == was["pid"]
    return f"{program} is {was['state']}, as answered", found == was and answer.strip().upper() == was["state"]


def main() -> int:
    """The command line."""
    if sys.argv[1] == "serve":
        serve()
    said = json.load(sys.stdin)
    if sys.argv[1] == "reset":
        reset(said["task"])
        return 0
    return 0 if verify(said["task"], said["answer"]) else 1


if __name__ == "__main__":
    sys.exit(main())
