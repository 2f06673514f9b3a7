"""Typed readers of environment variables, which fail on nonsense and say what to do."""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


class Environ:
    """Reads variables from the process, then from the file that `make up` writes in the state folder."""

    def __init__(self, variables: Mapping[str, str], embedded: Mapping[str, str]) -> None:
        self._variables = variables
        self._embedded = embedded

    @property
    def is_embedded(self) -> bool:
        """Whether `make up` (or a test run) prepared servers and secrets on this machine."""
        return bool(self._embedded) or self._variables.get("BELAY_EMBEDDED") == "1"

    def get(self, name: str) -> str | None:
        """The raw value, or None; an empty value counts as absent."""
        return self._variables.get(name) or self._embedded.get(name) or None

    def text(self, name: str, default: str | None = None) -> str:
        """A string; without a default it must be set."""
        value = self.get(name)
        if value is None:
            if default is None:
                raise ImproperlyConfigured(
                    f"{name} is not set. Run `make up` for the embedded servers, or set it (see docs/configuration.md)."
                )
            return default
        return value

    def secret(self, name: str, *, min_length: int = 32) -> str:
        """A secret with no default and a least length."""
        value = self.text(name)
        if len(value) < min_length:
            raise ImproperlyConfigured(f"{name} must have at least {min_length} characters.")
        return value

    def integer(self, name: str, default: int, *, minimum: int | None = None, maximum: int | None = None) -> int:
        """A whole number within bounds."""
        value = self.get(name)
        if value is None:
            return default
        try:
            number = int(value)
        except ValueError:
            raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from None
        if (minimum is not None and number < minimum) or (maximum is not None and number > maximum):
            raise ImproperlyConfigured(f"{name} must be between {minimum} and {maximum}, not {number}.")
        return number

    def flag(self, name: str, default: bool) -> bool:
        """1/true/yes/on or 0/false/no/off."""
        value = self.get(name)
        if value is None:
            return default
        match value.strip().lower():
            case "1" | "true" | "yes" | "on":
                return True
            case "0" | "false" | "no" | "off":
                return False
            case _:
                raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")

    def words(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """A comma-separated list."""
        value = self.get(name)
        return [word.strip() for word in value.split(",") if word.strip()] if value else list(default)

    def url(self, name: str, schemes: tuple[str, ...]) -> str:
        """A URL with one of these schemes and a host."""
        value = self.text(name)
        parts = urlsplit(value)
        if parts.scheme not in schemes or not parts.hostname:
            raise ImproperlyConfigured(f"{name} must look like {schemes[0]}://host:port/..., but has another form.")
        return value

    def database(self, name: str, *, pool: int = 0) -> dict[str, object]:
        """A postgresql:// URL as Django's DATABASES entry; its threads share `pool` connections, 0: none."""
        parts = urlsplit(self.url(name, ("postgresql", "postgres")))
        if not parts.path.strip("/"):
            raise ImproperlyConfigured(f"{name} lacks the database's name after the host.")
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.strip("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": parts.hostname or "",
            "PORT": str(parts.port or 5432),
            "CONN_HEALTH_CHECKS": bool(pool),  # a pooled connection may have outlived its server
            "OPTIONS": {"pool": {"min_size": 1, "max_size": pool}} if pool else {},
        }


def read_embedded(path: Path) -> dict[str, str]:
    """KEY=value lines written by `make up`; {} where the file is absent."""
    if not path.exists():
        return {}
    lines = path.read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def load(base: Path) -> Environ:
    """The reader for this process. BELAY_STATE_DIR (default `.belay` beside manage.py) holds the embedded file."""
    state = Path(os.environ.get("BELAY_STATE_DIR") or base / ".belay")
    return Environ(os.environ, read_embedded(state / "embedded.env"))


def commit(base: Path) -> str:
    """The git commit this runs from, read from `.git` without starting git; "" outside a checkout."""
    head = base / ".git" / "HEAD"
    if not head.is_file():
        return ""
    text = head.read_text().strip()
    if not text.startswith("ref: "):
        return text
    name = text.removeprefix("ref: ")
    loose = base / ".git" / name
    if loose.is_file():
        return loose.read_text().strip()
    packed = base / ".git" / "packed-refs"
    lines = packed.read_text().splitlines() if packed.is_file() else []
    return next((line.split(" ")[0] for line in lines if line.endswith(f" {name}")), "")
