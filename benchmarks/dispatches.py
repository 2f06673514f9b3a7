"""When the session host sent each step to the browser, as its log says."""

import re
from datetime import datetime
from pathlib import Path

from benchmarks.client import Person

_LINE = re.compile(r"^(\S+ \S+) INFO \S+ session (\d+): step (\d+) dispatched$", re.MULTILINE)


def dispatched(folder: Path) -> dict[tuple[int, int], list[float]]:
    """(session, step) -> the moments in seconds since the epoch at which it went to the browser."""
    found: dict[tuple[int, int], list[float]] = {}
    for path in sorted((folder / "logs").glob("session-host*.log")):
        for at, session, step in _LINE.findall(path.read_text(errors="replace")):
            moment = datetime.strptime(at, "%Y-%m-%d %H:%M:%S,%f").timestamp()  # logs are in local time
            found.setdefault((int(session), int(step)), []).append(moment)
    return found


def ask_everything(admin: Person, environment: str) -> None:
    """From now on every step of this environment is asked."""
    rows = admin.get("/api/environments")
    version = next(row["approval_policy"]["version"] for row in rows if row["id"] == environment)
    body = {"auto_approve_up_to": "nothing", "approval_timeout_s": 3600, "version": version}
    admin.put(f"/api/environments/{environment}/approval-policy", body)
