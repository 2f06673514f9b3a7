"""A network plays many MiniWoB++ pages at once, as frames of one page in Chromium, one forward pass for all."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from learning import batches, sentences
from learning.arrays import OUTPUTS
from learning.candidates import Candidate, Logits, ranked
from learning.features import Scene
from learning.networks import ElementSetPolicy, run, tensors
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Finish, GiveUp, Scroll, Wait
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal, past
from sandbox.contracts.tasks import Check, Goal, Outcome, Risk, Task, Verification
from sandbox.contracts.trajectories import Step, Trajectory
from sandbox.worlds.miniwob.batch import Batch, Begin, Frame
from sandbox.worlds.miniwob.tasks import ENVIRONMENT
from sandbox.worlds.miniwob.world import SOLVED

LONGEST = 20  # steps of an episode
FRAMES = 64  # of one page
QUIET_MS, REST_LIMIT_MS = 40, 130  # a page that has not changed for so long is at rest; in a frame 330 ms take 33
_NEVER = (Finish, GiveUp, Wait, Scroll)  # a page ends by itself, at what it asks for

Chooser = Callable[[Sequence[Candidate]], Candidate]


@dataclass(slots=True)
class Seat:
    """One frame that plays one task, episode after episode."""

    task: str
    seeds: list[int]  # still to be played, the one being played first
    history: list[Past] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    begun: bool = True  # the frame shows the page of seeds[0]


def seats_of(tasks: Sequence[str], seeds: Sequence[int], *, most: int = FRAMES) -> list[Seat]:
    """Seats for every task with every seed: as many frames of each task as there is room for, at least one."""
    each = max(1, min(len(seeds), most // max(1, len(tasks))))
    return [Seat(task, list(seeds[at::each])) for task in tasks for at in range(each)]


Turn: TypeAlias = tuple[Seat, Frame]
Decider: TypeAlias = Callable[[Sequence[Turn]], Sequence[Action]]


@torch.no_grad()
def logits_of(network: ElementSetPolicy, scenes: Sequence[Scene]) -> list[Logits]:
    """What a network says of several scenes, each without padding."""
    outputs = run(network, tensors(batches.inputs_of([each.arrays for each in scenes])))
    found: list[Logits] = []
    for row, seen in enumerate(scenes):
        elements, goals, options = len(seen.elements), len(seen.texts), len(seen.options)
        sizes: dict[str, tuple[int, ...]] = dict.fromkeys(("click", "type", "answer", "change"), (elements,))
        sizes |= {"source": (elements, goals), "option": (options,)}
        cut: dict[str, NDArray[np.float32]] = {
            name: outputs[name][row].numpy()[tuple(slice(size) for size in sizes.get(name, ()))] for name in OUTPUTS
        }
        found.append(cut)
    return found


def likeliest(found: Sequence[Candidate]) -> Candidate:
    """The greedy choice."""
    return found[0]


def sampled(rng: np.random.Generator, *, temperature: float) -> Chooser:
    """Choices drawn by their probabilities."""

    def choose(found: Sequence[Candidate]) -> Candidate:
        scores = np.array([each.log_probability for each in found]) / temperature
        chances = np.exp(scores - scores.max())
        return found[int(rng.choice(len(found), p=chances / chances.sum()))]

    return choose


def possible(seen: Scene, logits: Logits, observation: Observation, steps: Sequence[Step]) -> list[Candidate]:
    """Actions, the likeliest first: none that stops short of the page's own end, nor one that led back to this page.

    What is called alike may be many things here (shades, arrows), so an action is told by its element, not by its name.
    """
    every = [each for each in ranked(seen, logits) if not isinstance(each.action, _NEVER)]
    done = [step.action for step in steps if step.observation.fingerprint == observation.fingerprint]
    return [each for each in every if each.action not in done] or every or ranked(seen, logits)


def play(
    network: ElementSetPolicy, seats: Sequence[Seat], *, choose: Chooser = likeliest, name: str = ""
) -> Iterator[Trajectory]:
    """Every episode of every seat as it ends; verified where the page's raw reward is 1."""
    network.eval()

    def decide(turns: Sequence[Turn]) -> list[Action]:
        scenes = [sentences.scene(frame.observation, frame.goal, seat.history) for seat, frame in turns]
        found = zip(turns, scenes, logits_of(network, scenes), strict=True)
        return [
            choose(possible(seen, logits, frame.observation, seat.steps)).action
            for (seat, frame), seen, logits in found
        ]

    return played(decide, seats, name=name)


def played(decide: Decider, seats: Sequence[Seat], *, name: str = "") -> Iterator[Trajectory]:
    """The same by whoever decides, asked for all frames at once."""
    torch.set_num_threads(1)
    batch = Batch([(seat.task, seat.seeds[0]) for seat in seats])
    try:
        batch.look()
        frames = batch.step([Begin(seat.seeds[0]) for seat in seats])  # the pages' images are there by now
        while any(seat.seeds for seat in seats):
            yield from _ended(seats, frames, name)
            steps = _decided(decide, seats, frames)
            before, after = frames, batch.step(steps)
            for seat, action, seen, frame in zip(seats, steps, before, after, strict=True):
                if action is not None and not isinstance(action, Begin):
                    _remember(seat, seen.observation, action, ActResult(frame.outcome), name)
            _come_to_rest(batch, [number for number, step in enumerate(steps) if step is not None])
            frames = batch.look()
    finally:
        batch.close()


def _come_to_rest(batch: Batch, numbers: Sequence[int]) -> None:
    """People look when what they did is over: lists that drop down, sections that unfold, suggestions that come."""
    frames = f"[...document.querySelectorAll('iframe')].filter((_, n) => {json.dumps(list(numbers))}.includes(n))"
    rest = f"{frames}.map((each) => each.contentWindow.belay.rest({QUIET_MS}, {REST_LIMIT_MS}))"
    batch.run(batch.page.tab.ask(f"Promise.all({rest}).then(() => 1)", limit_s=60.0))


def _remember(seat: Seat, seen: Observation, action: Action, result: ActResult, name: str) -> None:
    seat.history.append(past(seen, action, result))
    proposal = Proposal(action, 1.0, policy=name)
    seat.steps.append(Step(seen, proposal, "policy", "approved", "auto_policy", Risk.REVERSIBLE, action, result))


def _ended(seats: Sequence[Seat], frames: Sequence[Frame], name: str) -> Iterator[Trajectory]:
    for seat, frame in zip(seats, frames, strict=True):
        if not seat.seeds or not (frame.done or len(seat.steps) >= LONGEST):
            continue
        seed = seat.seeds.pop(0)
        solved = frame.done and frame.raw == SOLVED
        if frame.done:
            _remember(seat, frame.observation, Finish(), ActResult(ActOutcome.DONE), name)
        yield Trajectory(
            id=f"{name}-{seat.task}-{seed}",
            task=Task(ENVIRONMENT.id, f"miniwob/{seat.task}", Goal(frame.goal.text, frame.goal.fields), seed, LONGEST),
            steps=tuple(seat.steps),
            verification=Verification(
                Outcome.VERIFIED if solved else Outcome.FAILED, (Check("raw reward is 1", solved, f"{frame.raw:g}"),)
            ),
            policy=name,
        )
        seat.history.clear()
        seat.steps.clear()
        seat.begun = False


def _decided(decide: Decider, seats: Sequence[Seat], frames: Sequence[Frame]) -> list[Action | Begin | None]:
    """What each frame does next; where an episode has ended, the next one is begun."""
    steps: list[Action | Begin | None] = [None] * len(seats)
    playing = []
    for number, seat in enumerate(seats):
        if seat.seeds and not seat.begun:
            steps[number], seat.begun = Begin(seat.seeds[0]), True
        elif seat.seeds:
            playing.append(number)
    if playing:
        turns = [(seats[number], frames[number]) for number in playing]
        for number, action in zip(playing, decide(turns), strict=True):
            steps[number] = action
    return steps
