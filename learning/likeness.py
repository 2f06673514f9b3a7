"""How like made-up trajectories are to real ones, and whether a real value stands in them; pure."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import quote

from msgspec import structs

from learning.values import RUN, Finder
from sandbox.contracts.actions import Finish, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.trajectories import Step, Trajectory

LIMIT = 0.05  # bits per token between real and made-up ones, of every kind of token
SHORTEST = 4  # characters of a value that can be recognised; of "12" nobody knows whose it is
COVERED = "•"
_TOLD = frozenset(("link", "cell", "text"))
_CONTROLS = frozenset(
    ("button", "tab", "menuitem", "combobox", "textbox", "searchbox", "spinbutton", "checkbox", "radio")
)


@dataclass(frozen=True, slots=True)
class Report:
    """Jensen-Shannon divergence in bits per token, by kind of token (0 equal, 1 nothing in common), and leaks."""

    divergence: dict[str, float]
    leaks: tuple[str, ...]  # where a real value stands: trajectory and kind of text, never the value itself
    real: int
    synthetic: int

    @property
    def worst(self) -> float:
        """The largest divergence."""
        return max(self.divergence.values())

    @property
    def passes(self) -> bool:
        """Whether these may leave: near enough to teach, and nothing real is said."""
        return self.worst < LIMIT and not self.leaks


def report(
    real: Sequence[Trajectory], synthetic: Sequence[Trajectory], *, public: frozenset[str], private: frozenset[str]
) -> Report:
    """Compare them, and look for each private value in every text of the synthetic ones."""
    spoken = public - {run.lower() for value in private for run in runs(value)}
    divergence = {
        name: divergence_bits(Counter(_all(tokens, real)), Counter(_all(tokens, synthetic)))
        for name, tokens in _kinds(spoken).items()
    }
    return Report(divergence, tuple(leaks(private, synthetic)), len(real), len(synthetic))


def divergence_bits(one: Counter[str], other: Counter[str]) -> float:
    """Jensen-Shannon divergence of two counts, in bits; 1 where one of them is empty and the other is not."""
    sums = one.total(), other.total()
    if not all(sums):
        return float(any(sums))
    total = 0.0
    for token in one.keys() | other.keys():
        p, q = one[token] / sums[0], other[token] / sums[1]
        middle = (p + q) / 2
        total += sum(x * math.log2(x / middle) / 2 for x in (p, q) if x > 0)
    return max(0.0, total)


def leaks(private: Iterable[str], synthetic: Iterable[Trajectory]) -> Iterator[str]:
    """Every text of these in which a private value stands as whole words, by the trajectory's name."""
    finder = recognisable(private)
    for trajectory in synthetic:
        for number, text in enumerate(strings(trajectory)):
            if any(finder.find(text)):
                yield f"{trajectory.id} text {number}"


def recognisable(private: Iterable[str]) -> Finder:
    """Finds the values that are long enough to say whose they are, also as addresses say them."""
    known = [value for value in private if len(value) >= SHORTEST and COVERED not in value]
    return Finder([*known, *map(quote, known)])


def free_values(trajectory: Trajectory) -> set[str]:
    """What was asked for, typed, held by a field that can be typed into, or answered."""
    found = {value for _, value in trajectory.task.goal.fields} | {trajectory.answer}
    for step in trajectory.steps:
        actions = [step.action] + ([step.proposal.action] if step.proposal else [])
        for action in actions:
            match action:
                case Type(_, text) | Select(_, text) | Finish(text):
                    found.add(text)
        found |= {e.value for e in step.observation.elements if "editable" in e.states}
    return {value.strip() for value in found if RUN.search(value)}


def listed(trajectory: Trajectory) -> set[str]:
    """What stands in the rows of lists: names, and what is told of them."""
    found = {e.name for step in trajectory.steps for e in step.observation.elements if e.row and e.role in _TOLD}
    return {value.strip() for value in found if RUN.search(value)}


def named(trajectory: Trajectory) -> set[str]:
    """Names of things: links in rows, but for those that stand in several rows alike ("Edit")."""
    found: set[str] = set()
    for step in trajectory.steps:
        links = {(e.name, e.row) for e in step.observation.elements if e.row and e.role == "link"}
        often = Counter(name for name, _ in links)
        found |= {name.strip() for name, count in often.items() if count == 1 and RUN.search(name)}
    return found


def console_words(trajectory: Trajectory) -> set[str]:
    """Texts by which a console speaks of itself, in lower case: options, labels, names of controls."""
    found: set[str] = set()
    for step in trajectory.steps:
        for e in step.observation.elements:
            found.update((e.label, *e.options))
            if e.role in _CONTROLS:
                found.add(e.name)
    return {text.strip().lower() for text in found if text}


def strings(trajectory: Trajectory) -> Iterator[str]:
    """Every text that says something: goal, pages, actions, reasons, answers, what was checked."""
    yield trajectory.task.goal.text
    yield from (value for _, value in trajectory.task.goal.fields)
    yield trajectory.answer
    for check in trajectory.verification.checks:
        yield from (check.name, check.detail)  # "bucket payroll has a quota" names what is somebody's
    for step in trajectory.steps:
        yield from _seen(step.observation)
        proposal = step.proposal
        said = [step.action] + ([proposal.action, *(a.action for a in proposal.alternatives)] if proposal else [])
        for action in said:
            yield from (value for value in structs.asdict(action).values() if isinstance(value, str))
        yield step.result.detail
        yield proposal.why if proposal else ""


def _seen(page: Observation) -> Iterator[str]:
    yield from (page.url, page.title, *page.dialogs, *page.toasts)
    for e in page.elements:
        yield from (e.name, e.value, e.group, e.row, e.label, *e.options)


def runs(text: str) -> list[str]:
    """Letters and digits of a text, in runs."""
    return RUN.findall(text)


def shape(run: str) -> str:
    """A run without its letters: kind and length."""
    return f"{'9' if run.isdigit() else 'a' if run.isascii() else '字'}{min(len(run), 12)}"


def _kinds(public: frozenset[str]) -> dict[str, Callable[[Trajectory], Iterable[str]]]:
    def words(trajectory: Trajectory) -> Iterator[str]:
        for text in strings(trajectory):
            yield from (run.lower() if run.lower() in public else shape(run) for run in runs(text))

    def elements(trajectory: Trajectory) -> Iterator[str]:
        for step in trajectory.steps:
            yield from (f"{e.role} {e.region} {' '.join(e.states)}" for e in step.observation.elements)

    def signs(trajectory: Trajectory) -> Iterator[str]:
        for value in free_values(trajectory):
            yield from (re.sub(r"\d", "9", sign) for sign in value.lower())

    return {
        "actions": lambda each: map(_did, each.steps),
        "steps in a row": lambda each: (f"{_did(a)} > {_did(b)}" for a, b in pairwise(each.steps)),
        "elements": elements,
        "words": words,
        "signs of values": signs,
    }


def _did(step: Step) -> str:
    element = step.observation.element(getattr(step.action, "element", -1))
    return f"{type(step.action).__name__} {element.role if element else ''} {step.result.outcome} {step.decision}"


def _all(tokens: Callable[[Trajectory], Iterable[str]], trajectories: Iterable[Trajectory]) -> Iterator[str]:
    for each in trajectories:
        yield from tokens(each)
