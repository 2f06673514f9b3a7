"""MiniWoB++ from ten human demonstrations a task: cloned, then self-imitation round by round, then PPO in Chromium.

Greedy when judged, a raw reward of 1 counts. Two numbers, each with its bar: over all 56, which is the value, and over
the tasks of DOM-Q-Net's joint training that are among them. `--quick` lets the practised policy in the checkout play
and learn a little more.
"""

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import Result
from learning.progress import Progress

if TYPE_CHECKING:
    from learning.networks import ElementSetPolicy

BAR, JOINT_BAR = 0.93, 0.98  # of all tasks, and of DOM-Q-Net's
JOINT = (
    *("click-checkboxes", "click-option", "click-tab-2", "enter-password", "enter-text", "enter-text-dynamic"),
    *("login-user", "navigate-tree", "search-engine", "social-media"),
)
QUICK_TASKS = ("click-test-2", "click-option", "enter-text")
ROUNDS = 3
EPISODES = 50
QUICK_EPISODES = 4
CURVES = frozenset({"success", "length", "entropy", "kl", "leash_kl", "trial"})
LONGEST_S = 600.0  # of one training
PLAY_S = 4_500.0  # of PPO


def run(*, quick: bool) -> Result:
    """The mean over tasks of the share of solved episodes, after practice."""
    from learning import miniwob
    from sandbox.worlds.miniwob.catalogue import published

    began, busy = time.monotonic(), time.process_time()
    tasks = QUICK_TASKS if quick else published()
    with tempfile.TemporaryDirectory(prefix="belay-miniwob-ppo-") as folder:
        network = _a_little(tasks, Path(folder)) if quick else _whole(tasks, Path(folder))
    print(f"trained in {time.monotonic() - began:.0f} s, {time.process_time() - busy:.0f} s of it in this process")
    judged = miniwob.judge(network, tasks=tasks, episodes=QUICK_EPISODES if quick else EPISODES)
    for name, each in judged.items():
        print(f"{name:30} {sum(each):3}/{len(each):<3} {sum(each) / len(each):5.0%}")
    print(f"{time.monotonic() - began:.0f} s")
    return result(judged)


def result(judged: Mapping[str, Sequence[bool]]) -> Result:
    """The mean of all tasks, and whether both bars hold."""
    from learning import miniwob

    value, joint = miniwob.mean(judged), miniwob.mean({name: judged[name] for name in JOINT if name in judged})
    print(f"DOM-Q-Net's {joint:.3f}, all {value:.3f}")
    return Result(
        value=round(value, 4),
        unit="mean share",
        bar=f">= {BAR}; DOM-Q-Net's tasks >= {JOINT_BAR} ({joint:.3f})",
        holds=value >= BAR and joint >= JOINT_BAR,
        n=sum(map(len, judged.values())),
    )


def _whole(tasks: tuple[str, ...], work: Path) -> "ElementSetPolicy":
    from learning import miniwob, sentences
    from learning.frame_rollouts import Table
    from learning.samples import lessons

    rounds = list(miniwob.practised(work, rounds=ROUNDS, tasks=tasks, budget_s=LONGEST_S))
    for number, done in enumerate(rounds):
        print(f"round {number}: {done.played.episodes} episodes, {len(done.played.successes)} kept")
    shown = lessons(miniwob.demonstrations(), reading=sentences.scene).samples
    network, table = rounds[-1].network, Table(tasks)
    played = miniwob.improved(network, work / "play", table=table, shown=shown, budget_s=PLAY_S, report=_told)
    print(f"PPO: {played.updates} updates in {played.seconds:.0f} s, ended by {played.ended}")
    return network


def _a_little(tasks: tuple[str, ...], work: Path) -> "ElementSetPolicy":
    from learning import artefact, miniwob
    from learning.frame_rollouts import Table
    from learning.imitate import Plan, practise

    network = artefact.load(miniwob.PRACTISED)
    found = practise(network, tasks, Plan(episodes=2, more=2))
    print(f"{found.episodes} episodes, {len(found.successes)} kept")
    recipe = replace(miniwob.PLAY, updates=2, judge_every=0)
    miniwob.improved(network, work, table=Table(tasks, episodes=2), recipe=recipe, budget_s=PLAY_S, report=_told)
    return network


def _told(progress: Progress) -> None:
    shown = {name: round(value, 3) for name, value in progress.values.items() if name in CURVES}
    print(f"update {progress.step}: {shown}", flush=True)
