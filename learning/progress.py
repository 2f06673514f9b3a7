"""How a training tells the world where it is."""

from msgspec import Struct


class Progress(Struct, frozen=True):
    """How far a job is; `values` are numbers for curves."""

    phase: str
    progress: float
    step: int
    values: dict[str, float]


class Stopped(RuntimeError):
    """Somebody asked the training to stop; its checkpoint is kept."""


def say(progress: Progress) -> None:
    """Print it, for a command line."""
    values = " ".join(f"{name}={value:.4f}" for name, value in progress.values.items())
    print(f"{progress.phase} step {progress.step} {values}", flush=True)
