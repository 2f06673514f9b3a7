"""The starter against a student of a quarter of its size: verified held-out tasks, the same for both.

The student learns the starter's whole distributions on the starter's own demonstrations, then also on the states that
it walks into itself. It is judged as it is kept: half precision, and an export that says the same within 1e-4.
"""

import math
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import Result
from learning import artefact, distill, jobs, starter
from learning.distill import Recipe
from learning.rollouts import Episode, play_all, verified
from sandbox.contracts import storage

BAR = 1.0  # points that the student may lose
STEPS, WALKS, EACH = 1000, 2, 5  # of training; episodes of each template that the student walks; tasks of each template
FROM = 6_000_000  # seeds of the split `test`


def run(*, quick: bool) -> Result:
    """Points of success that the student loses."""
    templates = starter.trained_templates("cloud")[:: 6 if quick else 1]
    steps, walks, tasks = (40, 1, 1) if quick else (STEPS, WALKS, EACH)
    contents = list(jobs.starter_trajectories())[:: 40 if quick else 2]
    known = distill.states_of(storage.unpack(each) for each in contents)
    teacher, recipe = artefact.load(jobs.STARTER), Recipe(steps=steps)
    with TemporaryDirectory() as folder:
        out, work = Path(folder) / "student", Path(folder) / "work"
        done = distill.distilled(known, teacher, recipe, templates=templates, walks=walks, work=work)
        distill.write(out, done, jobs.STARTER, recipe, examples=known[:: math.ceil(len(known) / 16)])
        spec, whole = artefact.spec_of(out), artefact.spec_of(jobs.STARTER)
        print(
            f"{spec['parameters']:,} parameters of {whole['parameters']:,}, {done.seconds:.0f} s of training,", end=""
        )
        print(f" {done.divergence:.4f} nats from the teacher, export within {spec['onnx_difference']:.1e}", flush=True)
        rates = {
            name: _rates(policy, templates, tasks) for name, policy in (("teacher", jobs.STARTER), ("student", out))
        }
    for name, right in rates.items():
        print(f"{name}: {sum(right)}/{len(right)} = {sum(right) / len(right):.1%}")
    lost = 100 * (sum(rates["teacher"]) - sum(rates["student"])) / len(rates["teacher"])
    only = [sum(a and not b for a, b in zip(rates[x], rates[y], strict=True)) for x, y in _BOTH]
    print(f"only the teacher did {only[0]}, only the student {only[1]}")
    return Result(value=round(lost, 2), unit="points lost", bar=f"<= {BAR}", holds=lost <= BAR, n=len(rates["student"]))


_BOTH = (("teacher", "student"), ("student", "teacher"))


def _rates(folder: Path, templates: list[str], each: int) -> list[bool]:
    asked = [Episode(name, FROM + n, "test", "try") for n in range(each) for name in templates]
    return [verified(played) for played in play_all(asked, policy_folder=folder, name=folder.name)]
