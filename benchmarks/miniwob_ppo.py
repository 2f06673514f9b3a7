"""MiniWoB++: the cloned policy plays, what it solved joins the demonstrations, and all is learnt again, round by round.

Real Chromium, greedy when judged, a raw reward of 1 counts. Two numbers: over the tasks of DOM-Q-Net's joint training
that are among the 56, and over all 56, which is the value. `--quick` lets the policy in the checkout play a little.
"""

import tempfile
import time
from pathlib import Path

from benchmarks import Result
from learning.imitate import Plan, practise

BAR, GOAL = 0.93, 0.98
JOINT = (
    *("click-checkboxes", "click-option", "click-tab-2", "enter-password", "enter-text", "enter-text-dynamic"),
    *("login-user", "navigate-tree", "search-engine", "social-media"),
)
QUICK_TASKS = ("click-test-2", "click-option", "enter-text")
ROUNDS = 3
EPISODES = 50
QUICK_EPISODES = 4
LONGEST_S = 600.0  # of one training


def run(*, quick: bool) -> Result:
    """The mean over tasks of the share of solved episodes, after practice."""
    from learning import artefact, miniwob
    from sandbox.worlds.miniwob.catalogue import published

    began = time.monotonic()
    tasks = QUICK_TASKS if quick else published()
    with tempfile.TemporaryDirectory(prefix="belay-miniwob-ppo-") as work:
        network = artefact.load(miniwob.SHIPPED)
        if not quick:
            rounds = miniwob.practised(Path(work), rounds=ROUNDS, tasks=tasks, budget_s=LONGEST_S)
            for number, done in enumerate(rounds):
                print(f"round {number}: {done.played.episodes} episodes, {len(done.played.successes)} kept")
                network = done.network
        else:
            found = practise(network, tasks, Plan(episodes=2, more=2))
            print(f"{found.episodes} episodes, {len(found.successes)} kept")
    judged = miniwob.judge(network, tasks=tasks, episodes=QUICK_EPISODES if quick else EPISODES)
    for name, each in judged.items():
        print(f"{name:30} {sum(each):3}/{len(each):<3} {sum(each) / len(each):5.0%}")
    value, joint = miniwob.mean(judged), miniwob.mean({name: judged[name] for name in JOINT if name in judged})
    print(f"DOM-Q-Net's {joint:.3f}, all {value:.3f}; {time.monotonic() - began:.0f} s")
    count = sum(map(len, judged.values()))
    return Result(value=round(value, 4), unit="mean share", bar=f">= {BAR}", holds=value >= BAR, n=count)
