"""How near made-up trajectories are to the real ones they are made from, and whether anything real stands in them."""

from collections.abc import Sequence

from benchmarks import Result
from benchmarks.tree_tasks import SMALL, cloned
from learning import bc, jobs, synthetic
from learning.likeness import LIMIT
from learning.samples import Sample, lessons
from sandbox.contracts import storage

EVERY, STEPS = 5, 150  # of the starter's demonstrations one in so many; steps of cloning


def run(*, quick: bool) -> Result:
    """The largest divergence in bits a token; holds where it is small and no private value is said."""
    known = [storage.unpack(content) for content in jobs.starter_trajectories()]
    known = [each for each in known if each.task.environment.startswith("cloud")]
    real = known[:: EVERY * 8 if quick else EVERY]
    fitted = synthetic.fit(real)
    made = synthetic.generate(fitted, count=len(real), seed=1)
    found = synthetic.compared(fitted, made)
    for name, bits in found.divergence.items():
        print(f"{name:16} {bits:.4f} bits a token")
    print(f"{len(found.leaks)} texts with one of {len(fitted.private)} private values, {len(made)} trajectories")
    if not quick:
        judged = lessons(known[1 :: EVERY * 4]).samples
        for name, source in (("real", real), ("made up", made)):
            print(f"cloned from {name} ones: {_accuracy(lessons(source).samples, judged):.1%} of real actions right")
    return Result(
        value=round(found.worst, 4),
        unit="bits a token",
        bar=f"< {LIMIT}, no leak",
        holds=found.passes,
        n=len(made),
    )


def _accuracy(samples: Sequence[Sample], judged: Sequence[Sample]) -> float:
    network = cloned(samples, bc.fresh(SMALL, seed=0), steps=STEPS, seed=0)
    found = bc.accuracy(network, judged)
    return sum(right for right, _ in found.values()) / len(judged)
