"""A proposal over the WebSocket on one core, with champion, challenger and shadow loaded: there and back."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from websockets.sync.client import ClientConnection, connect

from benchmarks import Result
from sandbox import sessions
from sandbox.contracts.actions import Finish, GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Goal
from sandbox.registry import find_environment

BAR_MS = 5.0
STATES, QUICK_STATES = 1_000, 100
SEED = 4_000_000

State = tuple[Observation, Goal, tuple[Past, ...]]


def run(*, quick: bool) -> Result:
    """The median of the champion's answers, the shadow asked beside it."""
    asked = list(states(QUICK_STATES if quick else STATES))
    with server() as url, connect(url, compression=None, max_size=None) as client:
        for state in asked[:20]:
            answers(client, 0, state)
        times = [answers(client, number, state) for number, state in enumerate(asked, start=1)]
    champion = sorted(there_and_back for there_and_back, _, _ in times)
    proposing = statistics.median(own for _, own, _ in times)
    both = statistics.median(whole for _, _, whole in times)
    elements = statistics.median(len(state[0].elements) for state in asked)
    median = statistics.median(champion)
    print(f"{len(asked)} states of held-out tasks, median {elements:.0f} elements, server on one core")
    print(f"champion there and back: median {median:.2f} ms, 95 % {champion[int(0.95 * len(champion))]:.2f} ms")
    print(f"of these, proposing: median {proposing:.2f} ms; until the shadow has answered too: {both:.2f} ms")
    return Result(value=median, unit="ms", bar=f"<= {BAR_MS}", holds=median <= BAR_MS, n=len(asked))


def states(count: int) -> Iterator[State]:
    """States on the oracle's way through held-out tasks of everything that the starter has learnt."""
    from learning import starter

    simulator = find_environment("cloud").simulator()
    templates = starter.trained_templates("cloud")
    seed = SEED
    while count > 0:
        task = sessions.sample(templates[seed % len(templates)], seed=seed, split="test")
        oracle, seen, history, action = sessions.oracle(task), simulator.reset(task), list[Past](), None
        while count > 0 and len(history) < task.max_steps and not isinstance(action, Finish | GiveUp):
            yield seen, task.goal, tuple(history)
            count -= 1
            action = oracle.act(seen, task.goal, history).action
            result, after = simulator.act(action)
            history.append(past(seen, action, result))
            seen = after
        seed += 1
    simulator.close()


def answers(client: ClientConnection, number: int, state: State) -> tuple[float, float, float]:
    """Milliseconds: until the champion's answer is here, of its proposing, and until the shadow's is here too."""
    from learning.serve import Ask, Told

    observation, goal, history = state
    began = time.perf_counter()
    client.send(msgspec.json.encode(Ask(number, observation, goal, history, ("champion", "shadow"))).decode())
    champion = msgspec.json.decode(client.recv(30), type=Told)
    first = time.perf_counter()
    shadow = msgspec.json.decode(client.recv(30), type=Told)
    assert (champion.role, shadow.role) == ("champion", "shadow"), (champion.message, shadow.message)
    return (first - began) * 1e3, champion.ms, (time.perf_counter() - began) * 1e3


@contextmanager
def server() -> Iterator[str]:
    """The server as a program with three versions, held to the last core."""
    from learning import jobs

    versions = [f"{role}={jobs.STARTER}" for role in ("champion", "challenger", "shadow")]
    command = [sys.executable, "-m", "learning.serve", *versions, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        os.sched_setaffinity(program.pid, {max(os.sched_getaffinity(0))})
        try:
            yield program.stdout.readline().split()[0]
        finally:
            program.terminate()
            program.wait(20)
