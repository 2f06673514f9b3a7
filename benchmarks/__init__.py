"""Measurements: one file a number, each with its bar; never run as tests."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Result:
    """What one benchmark measured. `holds` says whether `value` meets `bar`."""

    value: float
    unit: str
    bar: str  # in words, e.g. ">= 0.80"
    holds: bool
    n: int
