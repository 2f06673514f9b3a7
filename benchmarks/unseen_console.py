"""The policy of `console` in consoles that no training has seen: made from public API documents, nothing shown."""

import tempfile
from pathlib import Path

from benchmarks import Result, console, openapi
from learning.rollouts import Episode, play_all
from sandbox.worlds.console.openapi.convert import console_from
from sandbox.worlds.console.openapi.files import save
from sandbox.worlds.generated import entered

BAR = 0.60
MOST, QUICK_MOST = 64, 12  # templates of a document, one episode each; evenly chosen where it has more
SEED = 5_000_000


def run(*, quick: bool) -> Result:
    """Verified share over templates of all documents."""
    folder = console.policy()
    everything = []
    with tempfile.TemporaryDirectory() as held:
        for file in openapi.documents(Path(held), quick=quick):
            save(console_from(file)[0], Path(held))
        for registered in entered(Path(held)):
            every = sorted(registered.templates)
            names = every[:: -(-len(every) // (QUICK_MOST if quick else MOST))]
            episodes = [Episode(name, SEED, "test", "try") for name in names]
            played = play_all(episodes, policy_folder=folder, name="practised")
            console.tell(registered.environment.id[:20], played)
            everything += played
    share = console.tell("all", everything)
    return Result(value=round(share, 3), unit="verified share", bar=f">= {BAR}", holds=share >= BAR, n=len(everything))
