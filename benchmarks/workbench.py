"""The workbench learnt by PPO from nothing, then held-out tickets done end to end: other words, layouts, operations.

The whole measurement trains for up to an hour in `.belay/workbench` (it goes on where it was stopped). `--quick` plays
fewer tickets with the policy that is kept there; where there is none, it trains for 20 seconds and says so.
"""

import os
import tempfile
import time
from pathlib import Path

from benchmarks import Result

ROOT = Path(__file__).resolve().parent.parent

BAR, GOAL = 0.95, 0.99
QUICK_TASKS, QUICK_S = 306, 20.0


def run(*, quick: bool) -> Result:
    """The share of held-out tasks verified, the likeliest action each time, with the loop guard."""
    from learning import devices, tickets, workbench

    devices.chosen()
    began = time.monotonic()
    work = Path(os.environ.get("BELAY_STATE_DIR") or ROOT / ".belay") / "workbench"
    kept = work / workbench.POLICY
    if not quick:
        ended = workbench.make(workbench.Plan(), work)
    elif kept.is_dir():
        print(f"the policy kept in {kept}")
        ended = tickets.judged(kept, count=QUICK_TASKS)
    else:
        print(f"no policy in {kept}: one that learnt for {QUICK_S:.0f} s")
        with tempfile.TemporaryDirectory(prefix="belay-workbench-") as folder:
            plan = workbench.Plan(budget_s=QUICK_S)
            ended = workbench.make(plan, Path(folder), count=QUICK_TASKS // 2)
    for name, (good, count) in tickets.shares(ended).items():
        print(f"{name:34} {good:3}/{count:<3} {good / count:5.0%}")
    good = sum(each.verified for each in ended)
    low, high = tickets.interval(ended)
    done = [each for each in ended if each.verified]
    longer = sum(each.steps for each in done) / max(1, sum(each.optimal for each in done))
    print(f"{good}/{len(ended)} verified [{low:.0%}, {high:.0%}], steps {longer:.2f} x optimal where done;", end="")
    print(f" {time.monotonic() - began:.0f} s")
    value = good / len(ended)
    return Result(value=round(value, 4), unit="share", bar=f">= {BAR}", holds=value >= BAR, n=len(ended))
