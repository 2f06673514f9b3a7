"""Makes the starter policy from nothing: demonstrate, learn, advise, learn again, judge, ship.

Run: python -m learning.starter --work .belay/starter [--quick]; goes on where it was stopped.
"""

import argparse
import json
import logging
import lzma
import math
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from learning import artefact, filed, jobs, plans
from learning.bc import Recipe
from learning.evaluate import Evaluation, evaluate
from learning.improve import improve
from learning.progress import Progress
from learning.rollouts import Episode, Mode
from sandbox.arguments import count, whole
from sandbox.contracts import storage

log = logging.getLogger("learning.starter")  # the same when run as a program

LEFT_OUT = ("object-store/change-quota",)  # on purpose: this one is learnt from people's corrections
# What the starter learns: what is asked for every day, and the same ways of working on a few of the other kinds, so
# that it stays small, and its demonstrations too. `learning/console_policy` has learnt every template of the cloud.
_CLOUD = (
    *("create-instance", "start-instance", "stop-instance", "resize-instance", "terminate-instance"),
    *("find-instance-fact", "reboot-instance"),
    *("create-security-group", "open-port", "remove-rule"),
    *("create-disk", "attach-disk", "enlarge-disk", "detach-disk", "delete-disk", "find-disk-fact", "delete-snapshot"),
    *("start-database", "stop-database", "delete-database", "find-database-fact"),
    *("suspend-user", "reinstate-user", "find-user-fact"),
)
_OBJECT_STORE = ("create-bucket", "delete-bucket", "create-user", "remove-user", "find-bucket-fact")
LEARNT = {"cloud": _CLOUD, "object-store": _OBJECT_STORE}
LARGEST_BYTES = 5 * 1024 * 1024
ADVICE_SEEDS, TEST_SEEDS = 100_000, 1_000_000
SLIPS = 0.1


class Plan(msgspec.Struct, frozen=True):
    """How much of everything."""

    demonstrations: int = 30  # of each template
    advised: int = 10  # episodes of each template in each round
    rounds: int = 0  # of advice; what is demonstrated with slips is enough for the worlds there are
    steps: int = 1200
    judged: int = 9  # held-out tasks of each template
    seed: int = 7

    @property
    def command(self) -> str:
        """What makes this starter again."""
        numbers = f"--demonstrations {self.demonstrations} --advised {self.advised} --rounds {self.rounds}"
        return f"python -m learning.starter {numbers} --steps {self.steps} --judged {self.judged}"


QUICK = Plan(demonstrations=4, advised=2, rounds=1, steps=200, judged=1)


def make(plan: Plan, *, work: Path, out: Path, templates: Sequence[str], workers: int) -> Evaluation:
    """Everything from nothing to a folder that can be shipped."""
    began = time.monotonic()
    plans.settle(plan, work)
    demonstrated = collect("demonstrate", templates, range(plan.demonstrations), work / "demonstrations", None, workers)
    parent: Path | None = None
    files = list(demonstrated)
    for number in range(plan.rounds + 1):
        folder = work / f"policy-{number}"
        if not (folder / "receipt.json").is_file():
            learn(plan, number, files, parent, folder, work / f"checkpoints-{number}")
        parent = folder
        if number < plan.rounds:
            first = ADVICE_SEEDS * (number + 1)
            seeds = range(first, first + plan.advised)
            files += collect("advise", templates, seeds, work / f"advice-{number}", folder, workers)
    assert parent is not None
    judged = judge(parent, plan, templates, workers)
    ship(parent, judged, files, out, plan, seconds=time.monotonic() - began)
    return judged


def collect(
    mode: Mode,
    templates: Sequence[str],
    seeds: range,
    folder: Path,
    policy: Path | None,
    workers: int,
) -> list[Path]:
    """Play what is not yet in the folder; returns the files of what teaches something."""
    slips = SLIPS if mode == "demonstrate" else 0.0
    episodes = [Episode(each, seed, "train", mode, slips) for seed in seeds for each in templates]
    found = filed.played_into(folder, episodes, workers=workers, policy=policy, name=policy.name if policy else "")
    log.info("%s: %d episodes, %d lost", mode, len(episodes), len(episodes) - len(found))
    return found if mode == "advise" else filed.verified(found)


def learn(plan: Plan, number: int, files: Sequence[Path], parent: Path | None, out: Path, work: Path) -> None:
    """One training over everything collected so far, from the parent's weights on."""
    partial = out.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    again = parent is not None
    request = jobs.ImproveRequest(
        parent=parent,
        trajectories=files,
        out=partial,
        work=work,
        seed=plan.seed + number,
        budget_s=math.inf,
        lineage={"title": "Starter policy", "parent": None, "algorithm": "bc", "seed": plan.seed, "round": number},
    )
    improve(
        request,
        report=_say,
        should_stop=lambda: False,
        recipe=Recipe(
            steps=plan.steps // 2 if again else plan.steps,
            learning_rate=5e-4 if again else 1e-3,
            judge_every=max(50, plan.steps // 10),
        ),
    )
    partial.rename(out)


def _say(progress: Progress) -> None:
    values = " ".join(f"{name}={value:.3f}" for name, value in progress.values.items())
    log.info("%s %3.0f %% step %d %s", progress.phase, 100 * progress.progress, progress.step, values)


def judge(folder: Path, plan: Plan, templates: Sequence[str], workers: int) -> Evaluation:
    """Held-out names and numbers, in Chromium, nobody corrects."""

    def told(done: int, of: int, verified: int) -> None:
        if done % 20 == 0 or done == of:
            log.info("judged %d of %d: %d verified", done, of, verified)

    return evaluate(
        folder,
        templates=templates,
        episodes=plan.judged,
        seed=TEST_SEEDS,
        workers=workers,
        name="starter",
        report=told,
    )


def ship(folder: Path, judged: Evaluation, files: Sequence[Path], out: Path, plan: Plan, *, seconds: float) -> None:
    """Copy the policy with its demonstrations, card and receipt to where the application finds it."""
    out.mkdir(parents=True, exist_ok=True)
    for name in artefact.FILES:
        shutil.copyfile(folder / name, out / name)
    bodies = [msgspec.msgpack.encode(each, order="deterministic") for _, each in storage.read(files)]
    packed = lzma.compress(msgspec.msgpack.encode(bodies), preset=9 | lzma.PRESET_EXTREME)
    (out / jobs.DEMONSTRATIONS).write_bytes(packed)
    evaluation = json.loads((folder / "evaluation.json").read_text()) | {"live": judged.as_data()}
    receipt = json.loads((folder / "receipt.json").read_text())
    receipt |= {
        "command": plan.command,
        "plan": msgspec.to_builtins(plan),
        "left_out": list(LEFT_OUT),
        "test_seeds": f"{TEST_SEEDS}-{TEST_SEEDS + plan.judged - 1}",
        "total_seconds": round(seconds),
    }
    artefact.rewrite(out, evaluation=evaluation, receipt=receipt, title="Starter policy")
    size = sum(path.stat().st_size for path in out.iterdir())
    if size > LARGEST_BYTES:
        raise RuntimeError(f"the starter takes {size} bytes, more than {LARGEST_BYTES}: ship fewer demonstrations")
    log.info("shipped %d bytes to %s", size, out)


def trained_templates(*consoles: str) -> list[str]:
    """Every template that the starter learns, of these consoles or of all that it learns."""
    return [f"{one}/{name}" for one in consoles or LEARNT for name in LEARNT[one]]


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, help="where all on the way is kept; .belay/starter or starter-quick")
    parser.add_argument("--out", type=Path, help="the starter that comes with Belay; with --quick, WORK/shipped")
    parser.add_argument("--workers", type=whole, default=0, help="Ray actors; 0 = in this process")
    parser.add_argument("--quick", action="store_true", help="the same on little, to see that it runs")
    parser.add_argument("--demonstrations", type=count, default=Plan().demonstrations)
    parser.add_argument("--advised", type=whole, default=Plan().advised)
    parser.add_argument("--rounds", type=whole, default=Plan().rounds)
    parser.add_argument("--steps", type=count, default=Plan().steps)
    parser.add_argument("--judged", type=count, default=Plan().judged)
    asked = parser.parse_args(arguments)
    plan = QUICK if asked.quick else Plan(asked.demonstrations, asked.advised, asked.rounds, asked.steps, asked.judged)
    work: Path = asked.work or Path(".belay/starter-quick" if asked.quick else ".belay/starter")
    out: Path = asked.out or (work / "shipped" if asked.quick else jobs.STARTER)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    logging.getLogger("learning").setLevel(logging.INFO)  # others would drown it
    try:
        judged = make(plan, work=work, out=out, templates=trained_templates(), workers=asked.workers)
    except plans.AnotherPlan as problem:
        parser.error(str(problem))
    for name, each in judged.templates.items():
        low, high = each.interval
        print(f"{name}: {each.verified}/{each.episodes} = {each.rate:.0%} [{low:.0%}, {high:.0%}]")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
