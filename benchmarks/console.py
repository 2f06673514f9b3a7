"""The simulated console: 20 demonstrations of each template are cloned, then PPO plays; at most an hour on 2 cores.

Judged on names of the test split, in the plain console, in layouts and in a language that no training has seen:
greedily, without a browser. The training goes on where it was stopped (`.belay/console`, or the folder in
BELAY_CONSOLE_WORK); `--quick` judges what is there on less.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks import Result
from learning import practice
from learning.intervals import wilson
from learning.rollouts import Episode, Played, play_all, verified

HELD_OUT = {
    "names": {},
    "layout": {"list": "cards", "order": "reversed", "nav": "top"},
    "words": {"words": "second"},
    "locale": {"locale": "de"},
}
BARS = {"cloned": 0.70, "practised": 0.95}
EPISODES, QUICK_EPISODES = 2, 1  # of each template and kind of held-out variant
QUICK_EVERY = 6  # templates of which one is judged
SEED = 4_000_000


def work() -> Path:
    """Where the training is kept."""
    return Path(os.environ.get("BELAY_CONSOLE_WORK", ".belay/console"))


def run(*, quick: bool) -> Result:
    """Verified share of the practised policy over all held-out variants; the cloned one is printed beside it."""
    if quick and not (work() / "practised").is_dir():
        raise RuntimeError(f"{work()} holds no practised policy: run `python -m benchmarks console`, or train in parts")
    practice.main(["--work", str(work())])
    shares, count = {}, 0
    for name in BARS:
        found = {kind: judged(work() / name, kept, quick=quick) for kind, kept in HELD_OUT.items()}
        for kind, played in found.items():
            tell(f"{name}, {kind}", played)
        everything = [each for played in found.values() for each in played]
        shares[name] = tell(f"{name}, all", everything)
        count = len(everything)
    holds = all(shares[name] >= bar for name, bar in BARS.items())
    bar = f">= {BARS['practised']} practised and >= {BARS['cloned']} cloned ({shares['cloned']:.3f})"
    return Result(value=round(shares["practised"], 3), unit="verified share", bar=bar, holds=holds, n=count)


def judged(folder: Path, kept: dict[str, str], *, quick: bool, in_browser: bool = False) -> list[Played]:
    """Held-out episodes by one policy."""
    episodes = asked(kept, quick=quick, in_browser=in_browser)
    return play_all(episodes, policy_folder=folder, name=folder.name)


def asked(kept: dict[str, str], *, quick: bool, in_browser: bool = False) -> list[Episode]:
    """The episodes: the same for every policy and both faces."""
    every = practice.judged(QUICK_EPISODES if quick else EPISODES, SEED, ("cloud",), kept=kept, in_browser=in_browser)
    return every[::QUICK_EVERY] if quick else every


def tell(what: str, played: Sequence[Played]) -> float:
    """Print a share with its interval; episodes whose console died are not counted."""
    ended = [each for each in played if not each.lost]
    good = sum(verified(each) for each in ended)
    low, high = wilson(good, len(ended))
    share = good / max(1, len(ended))
    print(f"{what:20} {good:4}/{len(ended):<4} {share:6.1%} [{low:.1%}, {high:.1%}]", flush=True)
    return share
