"""PostgreSQL, Valkey and SeaweedFS of one state folder, started together and found again."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from webapp.embedded import postgres, processes, seaweedfs, valkey
from webapp.embedded.state import State, prepare, secret

HEADER = "# Written by `make up`; read by webapp/environ.py. Secrets of this machine only.\n"


def start(folder: Path, *, durable: bool = True, given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Start what is not running and is not given from outside; the variables that webapp/settings.py reads.

    `given` are variables that point to servers of the user's own: for those nothing is started.
    """
    outside = given or {}
    state = prepare(folder)
    wanted: dict[str, Callable[[], dict[str, str]]] = {
        "DATABASE_URL": lambda: {"DATABASE_URL": postgres.start(state, durable=durable)},
        "VALKEY_URL": lambda: {"VALKEY_URL": valkey.start(state, durable=durable)},
        "S3_ENDPOINT_URL": lambda: seaweedfs.start(state),
    }
    with processes.locked(state.lock), ThreadPoolExecutor() as side_by_side:
        variables = {"SECRET_KEY": secret(state, "django")}
        starts = [side_by_side.submit(start_one) for name, start_one in wanted.items() if not outside.get(name)]
        for started in starts:
            variables |= started.result()
        lines = "".join(f"{name}={value}\n" for name, value in variables.items())
        processes.write_private(state.env_file, HEADER + lines)
    return variables


def stop(folder: Path, *, now: bool = False) -> None:
    """Stop whatever of them runs from this folder, also what a killed starter left; `now` lets S3 write no more."""
    if not folder.exists():
        return
    state = State(folder.resolve())
    (state.folder / "pids").mkdir(exist_ok=True)
    with processes.locked(state.lock):
        seaweedfs.stop(state, now=now)
        valkey.stop(state)
        postgres.stop(state)


def are_in_use(folder: Path) -> bool:
    """Whether a test run that works with these servers is still alive."""
    return any(processes.read(State(run).pidfile("pytest")) is not None for run in folder.glob("run-*"))


def recorded(folder: Path) -> dict[str, str]:
    """The variables that the last start wrote."""
    path = State(folder).env_file
    lines = path.read_text().splitlines() if path.exists() else []
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def names(variables: Mapping[str, str]) -> list[str]:
    """The servers that these variables speak of."""
    known = {"DATABASE_URL": postgres.NAME, "VALKEY_URL": valkey.NAME, "S3_ENDPOINT_URL": seaweedfs.NAME}
    return [name for variable, name in known.items() if variable in variables]


def are_alive(folder: Path, variables: Mapping[str, str]) -> bool:
    """Whether every one of them still runs."""
    state = State(folder)
    return all(processes.read(state.pidfile(name)) is not None for name in names(variables))
