"""What stands before a busy API: a limiter of requests and a circuit breaker, both in virtual seconds."""

from msgspec import Struct

BREAKS_AFTER, OPEN_S = 3, 30


class Limiter(Struct):
    """A bucket of requests that fills up again: `burst` at once, then one every `refill_s`."""

    burst: int
    refill_s: int
    used: int = 0
    since: int = 0  # when the bucket last gained one

    def wait_s(self, now: int) -> int:
        """0 and one request taken; or the seconds until there is room for one."""
        gained = (now - self.since) // self.refill_s
        if gained:
            self.used = max(0, self.used - gained)
            self.since += gained * self.refill_s
        if not self.used:
            self.since = now
        if self.used < self.burst:
            self.used += 1
            return 0
        return self.since + self.refill_s - now


class Breaker(Struct):
    """Closed until three failures in a row; then open; after a while one trial decides."""

    failures: int = 0
    opened_at: int = -1  # -1 is closed

    def state(self, now: int) -> str:
        """closed, open or half-open."""
        if self.opened_at < 0:
            return "closed"
        return "half-open" if now - self.opened_at >= OPEN_S else "open"

    def wait_s(self, now: int) -> int:
        """Seconds until a request is let through; 0 where it is."""
        return self.opened_at + OPEN_S - now if self.state(now) == "open" else 0

    def tell(self, now: int, *, failed: bool) -> None:
        """How a request went that was let through."""
        if not failed:
            self.failures, self.opened_at = 0, -1
            return
        self.failures += 1
        if self.failures >= BREAKS_AFTER or self.opened_at >= 0:
            self.opened_at = now
