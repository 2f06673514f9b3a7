"""Named points at which a test may end or stall a process; they do nothing anywhere else."""

import logging
import os
import signal

log = logging.getLogger(__name__)


def reach(name: str) -> None:
    """Die (`BELAY_CRASH_AT`) or stop (`BELAY_STALL_AT`) here if a test says so in this process's environment.

    Honoured only beside BELAY_TESTING=1, which nothing but the tests sets.
    """
    if os.environ.get("BELAY_TESTING") != "1":
        return
    if os.environ.get("BELAY_CRASH_AT") == name:
        log.warning("crash point %s", name)
        os.kill(os.getpid(), signal.SIGKILL)
    if os.environ.get("BELAY_STALL_AT") == name:
        del os.environ["BELAY_STALL_AT"]  # once: it goes on when continued
        log.warning("stall point %s", name)
        os.kill(os.getpid(), signal.SIGSTOP)
