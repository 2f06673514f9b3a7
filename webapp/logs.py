"""What keeps a log readable: a flood of refusals becomes a line now and then, without their tracebacks."""

import logging
import time


class Sparse(logging.Filter):
    """Lets so many records of a logger through in a minute; the next one says how many were left out."""

    def __init__(self, most: int = 10) -> None:
        super().__init__()
        self._most = most
        self._began = float("-inf")
        self._seen = 0

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno >= logging.ERROR and not record.name.startswith("django.security"):
            return True  # a fault of ours, with its traceback
        record.exc_info = record.exc_text = None  # somebody else's fault: what it is about says enough
        now = time.monotonic()
        left_out = 0
        if now - self._began >= 60.0:
            left_out, self._began, self._seen = max(0, self._seen - self._most), now, 0
        self._seen += 1
        if self._seen > self._most:
            return False
        if left_out:
            record.msg, record.args = f"{record.getMessage()} (and {left_out} others in the minute before)", ()
        return True
