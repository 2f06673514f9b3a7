"""The starter policy on held-out tickets of the templates it learnt, in Chromium, nobody correcting."""

import math

from benchmarks import Result

BAR = 0.9
SEED = 3_000_000  # apart from the seeds that its own receipt was measured on
TICKETS = 100  # of each console, at least


def run(*, quick: bool) -> Result:
    """The share of verified tickets in the console where it is lower."""
    from learning import jobs, starter

    rates, count = [], 0
    for environment in starter.LEARNT:
        templates = starter.trained_templates(environment)
        episodes = 1 if quick else math.ceil(TICKETS / len(templates))
        found = jobs.evaluate(jobs.STARTER, templates=templates, episodes=episodes, seed=SEED, split="test")
        for name, each in found.templates.items():
            low, high = each.interval
            print(f"{name:34} {each.verified:3}/{each.episodes:<3} {each.rate:5.0%} [{low:.0%}, {high:.0%}]")
        low, high = found.overall.interval
        print(
            f"{environment:34} {found.overall.verified:3}/{found.overall.episodes:<3} {found.overall.rate:5.0%} ",
            end="",
        )
        print(
            f"[{low:.0%}, {high:.0%}], {found.lost} lost, {found.proposing_ms:.1f} ms a proposal, {found.seconds:.0f} s"
        )
        rates.append(found.overall.rate)
        count += found.overall.episodes
    return Result(value=min(rates), unit="verified share", bar=f">= {BAR}", holds=min(rates) >= BAR, n=count)
