"""`make up` on a Belay that already runs: what has changed is started anew, and no page ever names a missing file."""

import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from webapp.embedded import marks, processes, supervisor
from webapp.embedded.__main__ import wait_for_pages
from webapp.embedded.failures import SetUpFailed
from webapp.embedded.state import State, free_port, prepare

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = re.compile(r'src="(/static/[^"]+)"')


class Copy:
    """Belay's code in a folder of its own, with pages of one script."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "belay"
        self.root.mkdir()
        unwanted = shutil.ignore_patterns("frontend", "__pycache__")
        for name in ("sandbox", "learning", "webapp"):
            shutil.copytree(ROOT / name, self.root / name, ignore=unwanted)
        for name in ("manage.py", "requirements.lock"):
            shutil.copy(ROOT / name, self.root / name)
        self.port = free_port(avoid=set())
        self.state = State(folder / "state")
        self.show("one.js")

    def show(self, script: str) -> None:
        """Build other pages, as `make up` does before all else; the old script goes."""
        dist = self.root / "webapp" / "frontend" / "dist"
        shutil.rmtree(dist, ignore_errors=True)
        dist.mkdir(parents=True)
        (dist / script).write_text("1;")
        (dist / "index.html").write_text(f'<!doctype html><script src="/static/{script}"></script>')

    def run(self, command: str) -> str:
        """`make up` or `make down`, without the set-up before it."""
        env = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        env |= {"BELAY_STATE_DIR": str(self.state.folder), "PORT": str(self.port)}
        argv = [sys.executable, "-m", "webapp.embedded", command]
        done = subprocess.run(argv, cwd=self.root, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def pids(self) -> dict[str, int]:
        """Who runs."""
        found = {name: processes.read(self.state.pidfile(name)) for name in supervisor.commands(0)}
        return {name: identity.pid for name, identity in found.items() if identity is not None}

    def script(self) -> str:
        """The script that the page names."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/tickets", timeout=5) as answer:
            return str(SCRIPT.findall(answer.read().decode())[0])


class Looker(threading.Thread):
    """Somebody who reloads the page all the time, and counts the blank ones."""

    def __init__(self, copy: Copy) -> None:
        super().__init__()
        self.copy, self.blank, self.whole = copy, 0, 0
        self.enough = threading.Event()

    def run(self) -> None:
        while not self.enough.wait(0.02):
            try:
                script = f"http://127.0.0.1:{self.copy.port}{self.copy.script()}"
                urllib.request.urlopen(script, timeout=5).close()
                self.whole += 1
            except urllib.error.HTTPError:
                self.blank += 1
            except (OSError, urllib.error.URLError):
                continue  # the web server is being started anew


@pytest.fixture
def copy(tmp_path: Path) -> Iterator[Copy]:
    made = Copy(tmp_path)
    yield made
    made.run("down")


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_only_what_has_changed_is_started_anew(copy: Copy) -> None:
    copy.run("up")
    first = copy.pids()
    assert set(first) == set(supervisor.commands(0))
    assert "Ready" in copy.run("up")
    assert copy.pids() == first
    copy.show("two.js")
    looker = Looker(copy)
    looker.start()
    copy.run("up")
    looker.enough.set()
    looker.join()
    assert copy.script() == "/static/two.js"
    assert (looker.blank, looker.whole > 0) == (0, True)
    second = copy.pids()
    assert {name for name in second if second[name] != first[name]} == {"web"}
    with (copy.root / "sandbox" / "risk.py").open("a") as file:
        file.write("\n# changed\n")
    assert "The code has changed" in copy.run("up")
    assert set(copy.pids()) == set(first)
    assert set(copy.pids().values()).isdisjoint(second.values())
    copy.run("down")
    assert copy.pids() == {}


def test_marks_tell_code_from_pages_and_do_not_mind_what_is_made_from_code(tmp_path: Path) -> None:
    dist = tmp_path / "webapp" / "frontend" / "dist"
    dist.mkdir(parents=True)
    for file in (tmp_path / "requirements.lock", tmp_path / "webapp" / "some.py", dist / "index.html"):
        file.write_text("first")
    first = marks.now(tmp_path)
    (tmp_path / "webapp" / "__pycache__").mkdir()
    (tmp_path / "webapp" / "__pycache__" / "some.pyc").write_text("made")
    (tmp_path / "webapp" / "frontend" / "source.ts").write_text("source")
    assert marks.now(tmp_path) == first
    (dist / "index.html").write_text("second")
    pages = marks.now(tmp_path)
    assert (pages.code == first.code, pages.pages == first.pages) == (True, False)
    (tmp_path / "webapp" / "some.py").write_text("second")
    code = marks.now(tmp_path)
    assert (code.code == first.code, code.pages == pages.pages) == (False, True)


def test_marks_are_kept_and_nonsense_counts_as_none(tmp_path: Path) -> None:
    state = prepare(tmp_path)
    assert marks.read(state) is None
    marks.write(state, marks.Marks(code="a", pages="b"))
    assert marks.read(state) == marks.Marks(code="a", pages="b")
    (tmp_path / "started-from.json").write_text('{"other": 1}')
    assert marks.read(state) is None


def test_a_web_server_that_falls_again_and_again_is_not_waited_for(tmp_path: Path) -> None:
    state = prepare(tmp_path)
    state.log("web").write_text("ImportError: no such thing\n")
    lines = "2999-01-01 00:00:00 web ended with code 1; starting it again in 0.5 s\n"
    state.log(supervisor.NAME).write_text("2001" + lines[4:] + lines * 3)
    with pytest.raises(SetUpFailed, match=r"ends again and again[\s\S]*no such thing"):
        wait_for_pages(state, free_port(avoid=set()))
