"""What a create form holds before anybody has touched it, by variant."""

import zlib

from sandbox.worlds.console.declare import Field, Kind
from sandbox.worlds.console.variant import Variant


def starting_value(kind: Kind, field: Field, variant: Variant, seed: str) -> str:
    """The first value of a field of a create form: its default, nothing, or another that is allowed."""
    if not field.default or variant.defaults == "plain":
        return field.default
    if variant.defaults == "missing":
        return field.default if field.type == "boolean" else ""
    others = [value for value in _allowed(field) if value != field.default]
    return others[zlib.crc32(f"{seed}:{kind.name}:{field.name}".encode()) % len(others)] if others else field.default


def _allowed(field: Field) -> tuple[str, ...]:
    if field.type == "choice":
        return field.choices
    if field.type == "boolean":
        return ("yes", "no")
    if field.type == "integer":
        low = field.minimum if field.minimum is not None else 0
        high = field.maximum if field.maximum is not None else low + 100
        return tuple(str(number) for number in (low, (low + high) // 2, high))
    return ()
