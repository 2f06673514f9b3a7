"""Share of draws that go to cold variants when demand is skewed: by heat, and by taking what is offered in turn."""

import random
from itertools import accumulate

from benchmarks import Result
from sandbox.heat import Heat

VARIANTS = 1_000
OFFERS = 16  # candidates of one draw, as sandbox.levels.Deck takes them
SKEW = 1.2  # the nth variant is wanted n^-1.2 times as much as the first
DRAWS, QUICK_DRAWS = 200_000, 20_000


def run(quick: bool) -> Result:
    """Cold are the less wanted half of all variants, which demand alone would hardly meet."""
    draws = QUICK_DRAWS if quick else DRAWS
    names = [f"cloud?variant={n}" for n in range(VARIANTS)]
    cold = frozenset(names[VARIANTS // 2 :])
    mass = list(accumulate((n + 1) ** -SKEW for n in range(VARIANTS)))
    rng = random.Random(1)  # noqa: S311  # not a secret
    heat = Heat()
    by_heat = in_turn = 0
    met_by_heat: set[str] = set()
    met_in_turn: set[str] = set()
    for number in range(draws):
        offers = rng.choices(names, cum_weights=mass, k=OFFERS)
        coldest, next_one = heat.coldest(offers, rng), offers[number % OFFERS]
        heat.draw(coldest)
        by_heat += coldest in cold
        in_turn += next_one in cold
        met_by_heat.add(coldest)
        met_in_turn.add(next_one)
    share, other = by_heat / draws, in_turn / draws
    print(f"by heat      {share:.1%} of {draws} draws to the colder half, {len(met_by_heat)} variants met")
    print(f"round robin  {other:.1%} of {draws} draws to the colder half, {len(met_in_turn)} variants met")
    return Result(
        value=round(share, 4),
        unit="of draws to cold variants",
        bar=">= 0.28, round robin < 0.05",
        holds=share >= 0.28 and other < 0.05,
        n=draws,
    )
