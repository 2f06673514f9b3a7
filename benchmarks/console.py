"""The simulated console: 20 demonstrations of each template are cloned, then PPO plays; at most an hour on 2 cores.

Judged on names of the test split, in the plain console, in layouts, words and a language that no demonstration shows:
greedily, without a browser. What the words mean is in the thesaurus that the policy reads by. The training goes on
where it was stopped (`.belay/console`, or the folder in BELAY_CONSOLE_WORK); `--quick` judges what is there, or the
policy that comes with Belay, on less.
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
QUICK_EVERY = 6  # templates of which one is judged
SEED = 4_000_000


def work() -> Path:
    """Where the training is kept."""
    return Path(os.environ.get("BELAY_CONSOLE_WORK", ".belay/console"))


def run(*, quick: bool) -> Result:
    """Verified share of the practised policy over all held-out variants; the cloned one is printed beside it."""
    if not quick:
        practice.main(["--work", str(work())])
    folders = {name: work() / name for name in BARS if (work() / name).is_dir()}
    shares, count = {}, 0
    for name, folder in (folders if "practised" in folders else {"practised": practice.SHIPPED}).items():
        found = {kind: judged(folder, kept, quick=quick) for kind, kept in HELD_OUT.items()}
        for kind, played in found.items():
            tell(f"{name}, {kind}", played)
        everything = [each for played in found.values() for each in played]
        shares[name] = tell(f"{name}, all", everything)
        count = len(everything)
    bar = ", ".join(f"{name} >= {bar}" for name, bar in BARS.items() if name in shares)
    if "cloned" in shares:
        bar += f" ({shares['cloned']:.3f})"
    holds = all(share >= BARS[name] for name, share in shares.items())
    return Result(value=round(shares["practised"], 3), unit="verified share", bar=bar, holds=holds, n=count)


def policy() -> Path:
    """The practised policy that was trained here, or else the one that comes with Belay."""
    here = work() / "practised"
    return here if here.is_dir() else practice.SHIPPED


def judged(folder: Path, kept: dict[str, str], *, quick: bool, in_browser: bool = False) -> list[Played]:
    """Held-out episodes by one policy."""
    episodes = asked(kept, quick=quick, in_browser=in_browser)
    return play_all(episodes, policy_folder=folder, name=folder.name)


def asked(kept: dict[str, str], *, quick: bool, in_browser: bool = False) -> list[Episode]:
    """The episodes: the same for every policy and both faces."""
    every = practice.judged(1, SEED, ("cloud",), kept=kept, in_browser=in_browser)
    return every[::QUICK_EVERY] if quick else every


def tell(what: str, played: Sequence[Played]) -> float:
    """Print a share with its interval; episodes whose console died are not counted."""
    ended = [each for each in played if not each.lost]
    good = sum(verified(each) for each in ended)
    low, high = wilson(good, len(ended))
    share = good / max(1, len(ended))
    print(f"{what:20} {good:4}/{len(ended):<4} {share:6.1%} [{low:.1%}, {high:.1%}]", flush=True)
    return share
