"""The policy of `console` in Chromium instead of the tree: the same held-out episodes in both faces."""

from collections.abc import Sequence

from benchmarks import Result, console
from learning.rollouts import Played, verified

BAR = 0.02
KIND = "layout"  # what is drawn otherwise is where the faces could differ


def run(*, quick: bool) -> Result:
    """Points that are lost in Chromium, of verified shares."""
    folder = console.policy()
    kept = console.HELD_OUT[KIND]
    episodes = console.asked(kept, quick=quick)
    without = console.tell("without a browser", console.judged(folder, kept, quick=quick))
    shown = console.judged(folder, kept, quick=quick, in_browser=True)
    console.tell("in Chromium", shown)
    died = sum(bool(each.lost) for each in shown)
    print(f"{died} episodes died in Chromium, and count as failed there")
    lost = without - done(shown)
    return Result(
        value=round(lost, 3), unit="share lost", bar=f"<= {BAR}", holds=round(lost, 3) <= BAR, n=len(episodes)
    )


def done(played: Sequence[Played]) -> float:
    """The verified share of all episodes, those among them whose console died."""
    return sum(map(verified, played)) / len(played)
