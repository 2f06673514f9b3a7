"""The workbench learnt by PPO from nothing, then held-out tickets done end to end: other words, layouts, operations.

The whole measurement trains for up to an hour in `.belay/workbench` (it goes on where it was stopped). `--quick` judges
the policy that was trained last there, or else the one in the checkout.
"""

import os
import shutil
import tempfile
import time
from pathlib import Path

from benchmarks import Result

ROOT = Path(__file__).resolve().parent.parent
CHECKOUT = ROOT / "learning" / "workbench_policy"

BAR, GOAL = 0.95, 0.99


def run(*, quick: bool) -> Result:
    """The share of held-out tasks verified, the likeliest action each time, with the loop guard."""
    from learning import devices, tickets, workbench

    devices.chosen()
    began = time.monotonic()
    work = Path(os.environ.get("BELAY_STATE_DIR") or ROOT / ".belay") / "workbench"
    if quick:
        kept = work / workbench.POLICY if (work / workbench.POLICY).is_dir() else CHECKOUT
        print(f"the policy in {kept}")
        with tempfile.TemporaryDirectory(prefix="belay-workbench-") as folder:
            copy = Path(folder) / "policy"  # judging writes into the folder
            shutil.copytree(kept, copy)
            ended = tickets.judged(copy, count=workbench.JUDGED)
    else:
        ended = workbench.make(workbench.Plan(), work)
    for name, (good, count) in tickets.shares(ended).items():
        print(f"{name:34} {good:3}/{count:<3} {good / count:5.0%}")
    good = sum(each.verified for each in ended)
    low, high = tickets.interval(ended)
    done = [each for each in ended if each.verified]
    longer = sum(each.steps for each in done) / max(1, sum(each.optimal for each in done))
    print(f"{good}/{len(ended)} verified [{low:.0%}, {high:.0%}], steps {longer:.2f} x optimal where done;", end="")
    print(f" {time.monotonic() - began:.0f} s")
    value = good / len(ended)
    return Result(value=round(value, 4), unit="share", bar=f">= {BAR} (goal {GOAL})", holds=value >= BAR, n=len(ended))
