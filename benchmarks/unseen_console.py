"""The policy of `console` in consoles that no training has seen: made from public API documents, nothing shown."""

import tempfile
from pathlib import Path

from benchmarks import Result, console, openapi
from learning.rollouts import Episode, play_all
from sandbox.worlds.console.openapi.convert import console_from
from sandbox.worlds.console.openapi.files import save
from sandbox.worlds.generated import entered

BAR = 0.60
SEEDS = 2  # of each template
SEED = 5_000_000


def run(*, quick: bool) -> Result:
    """Verified share over all templates of all documents."""
    folder = console.work() / "practised"
    if not folder.is_dir():
        raise RuntimeError(f"{console.work()} holds no practised policy: run `python -m benchmarks console` first")
    everything = []
    with tempfile.TemporaryDirectory() as held:
        for file in openapi.documents(Path(held), quick=quick):
            save(console_from(file)[0], Path(held))
        for registered in entered(Path(held)):
            names = sorted(registered.templates)[:: 8 if quick else 1]
            seeds = range(SEED, SEED + (1 if quick else SEEDS))
            episodes = [Episode(name, seed, "test", "try") for seed in seeds for name in names]
            played = play_all(episodes, policy_folder=folder, name="practised")
            console.tell(registered.environment.id[:20], played)
            everything += played
    share = console.tell("all", everything)
    return Result(value=round(share, 3), unit="verified share", bar=f">= {BAR}", holds=share >= BAR, n=len(everything))
