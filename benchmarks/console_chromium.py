"""The policy of `console` in Chromium instead of the tree: the same held-out episodes in both faces."""

from benchmarks import Result, console

BAR = 0.02
KIND = "layout"  # what is drawn otherwise is where the faces could differ


def run(*, quick: bool) -> Result:
    """Points that are lost in Chromium, of verified shares."""
    folder = console.policy()
    kept = console.HELD_OUT[KIND]
    episodes = console.asked(kept, quick=quick)
    shares = [
        console.tell(
            "in Chromium" if in_browser else "without a browser",
            console.judged(folder, kept, quick=quick, in_browser=in_browser),
        )
        for in_browser in (False, True)
    ]
    lost = shares[0] - shares[1]
    return Result(
        value=round(lost, 3), unit="share lost", bar=f"<= {BAR}", holds=round(lost, 3) <= BAR, n=len(episodes)
    )
