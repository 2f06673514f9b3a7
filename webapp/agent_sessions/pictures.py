"""Masked pictures of steps on their way to object storage, off the path of acting."""

import asyncio
import hashlib
import logging

from webapp import storage

log = logging.getLogger(__name__)


class Pictures:
    """Names pictures by content at once and uploads them meanwhile."""

    def __init__(self) -> None:
        self._uploads: set[asyncio.Task[None]] = set()

    def keep(self, jpeg: bytes) -> str:
        """Start the upload; returns the content address."""
        content_hash = hashlib.sha256(jpeg).hexdigest()
        upload = asyncio.create_task(asyncio.to_thread(storage.put, f"frames/{content_hash}.jpg", jpeg, "image/jpeg"))
        self._uploads.add(upload)
        upload.add_done_callback(self._done)
        return content_hash

    async def uploaded(self) -> None:
        """Wait until nothing is on its way any more."""
        await asyncio.gather(*self._uploads, return_exceptions=True)

    def _done(self, upload: "asyncio.Task[None]") -> None:
        self._uploads.discard(upload)
        if not upload.cancelled() and (problem := upload.exception()):
            # A picture is for people; the step it shows is in its row.
            log.warning("a picture was not stored: %s", type(problem).__name__)
