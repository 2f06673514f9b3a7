"""Trajectories for data that may not leave production: the structure of accepted ones, every value drawn anew.

Run: python -m learning.synthetic OUT_FOLDER TRAJECTORY... [--count 200]; prints the distance report, 1 on a leak.

What is kept: pages, roles, words of the console itself, steps, decisions, outcomes. What is drawn anew, alike in one
trajectory wherever it stands: every value that was asked for, typed, held by a field, answered or listed in a row, and
every word that fewer than `anonymity` trajectories know. A text is the console's own where it is an option, a label or
the name of a control in as many trajectories. Screenshots are left out, and identifiers and fingerprints are made up.
"""

import argparse
import hashlib
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from learning.likeness import Report, console_words, free_values, listed, named, recognisable, report, runs, strings
from learning.values import MIXED, RUN, Finder, Letters, core, drawn, recased, redrawn
from sandbox.arguments import count, whole
from sandbox.contracts import storage
from sandbox.contracts.trajectories import Trajectory

ANONYMITY = 3
_TEXTS = frozenset(
    ("text", "name", "value", "group", "row", "label", "title", "why", "detail", "answer", "option", "reason")
)
_LISTS = frozenset(("options", "dialogs", "toasts"))


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is known of some accepted trajectories; holds them, so it may not leave production either."""

    real: tuple[Trajectory, ...]
    public: frozenset[str]  # words and numbers that enough trajectories know
    private: frozenset[str]  # values that must not be said
    own: frozenset[str]  # mixed tokens ("ed25519") that the console's own texts hold; all others are identifiers
    letters: Letters
    finder: Finder  # of the private values by which anybody could be recognised


def fit(trajectories: Sequence[Trajectory], *, anonymity: int = ANONYMITY) -> Fitted:
    """Learn which words are the console's own, and how values are spelt. Raises ValueError where there is nothing."""
    if not trajectories:
        raise ValueError("there is nothing to fit a generator on: name some accepted trajectories")
    known: Counter[str] = Counter()
    offered: Counter[str] = Counter()
    values, names = set[str](), set[str]()
    for each in trajectories:
        known.update({run.lower() for text in strings(each) for run in runs(text)})
        offered.update(console_words(each))
        values |= free_values(each) | listed(each)
        names |= named(each)
    own = {text for text, count in offered.items() if count >= anonymity}
    private = frozenset(value for value in values if value.lower() not in own) | names
    public = frozenset(word for word, count in known.items() if count >= anonymity)
    spelt = [run for value in private for run in runs(value)] + [word for word in known if word not in public]
    mixed = frozenset(token for text in own for token in MIXED.findall(text))
    return Fitted(tuple(trajectories), public, private, mixed, Letters.of(spelt), recognisable(private))


def generate(fitted: Fitted, *, count: int, seed: int) -> list[Trajectory]:
    """That many trajectories; the same seed gives the same ones."""
    order = list(range(len(fitted.real)))
    random.Random(f"synthetic:{seed}").shuffle(order)  # noqa: S311  # not a secret
    return [_redrawn(fitted, fitted.real[order[n % len(order)]], f"{seed}-{n}") for n in range(count)]


def _redrawn(fitted: Fitted, real: Trajectory, name: str) -> Trajectory:
    rng = random.Random(f"synthetic:{name}")  # noqa: S311  # not a secret
    said = {run.lower() for text in strings(real) for run in runs(text)}
    values = [value for value in sorted(fitted.private) if all(run.lower() in said for run in runs(value))]
    speech = _Speech(fitted, values, rng)  # also values of others: whose pages showed them is nobody's business
    data: dict[str, Any] = msgspec.to_builtins(real)
    written = _walk(data, speech)
    written["id"] = f"synthetic-{name}"
    written["task"]["seed"] = rng.randrange(2**31)
    written["task"]["goal"]["fields"] = [[field, speech.of(value)] for field, value in real.task.goal.fields]
    for step in written["steps"]:
        step["before"] = step["after"] = ""
        page = step["observation"]
        page["fingerprint"] = hashlib.sha256(f"{name}:{page['fingerprint']}".encode()).hexdigest()
    return msgspec.convert(written, Trajectory)


def _walk(value: Any, speech: "_Speech", key: str = "") -> Any:
    """Plain data with every text said anew; what is no text (roles, states) stays."""
    if isinstance(value, dict):
        return {name: _walk(each, speech, name) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [speech.of(each) if key in _LISTS else _walk(each, speech, key) for each in value]
    if key == "url" and isinstance(value, str):
        scheme, mark, rest = value.rpartition("://")
        return f"{scheme}{mark}{speech.of(rest)}"
    return speech.of(value) if key in _TEXTS and isinstance(value, str) else value


class _Speech:
    """Says the texts of one trajectory with other values, the same for the same."""

    def __init__(self, fitted: Fitted, values: Sequence[str], rng: random.Random) -> None:
        self._fitted = fitted
        self._rng = rng
        self._words: dict[str, str] = {}
        self._said: dict[str, str] = {}
        self._values = {core(value).lower(): self._fresh(core(value)) for value in values}
        self._values |= {quote(old).lower(): quote(new) for old, new in self._values.items()}  # as addresses say it
        self._finder = Finder(self._values)

    def of(self, text: str) -> str:
        """One text."""
        if text not in self._said:
            self._said[text] = self._anew(text)
        return self._said[text]

    def _anew(self, text: str) -> str:
        said = self._replaced(text, self._finder)
        for _ in range(3):  # a made-up word may be somebody else's by chance
            chance = {value for _, _, value in self._fitted.finder.find(said)}
            if not chance:
                break
            for value in chance - self._values.keys():
                self._values[value] = self._fresh(value)
            said = self._replaced(said, self._fitted.finder, words=False)
        return said

    def _replaced(self, text: str, finder: Finder, *, words: bool = True) -> str:
        """With other values in the place of those that are found, and other words in the rest."""
        parts, last = [], 0
        for start, end, value in finder.find(text):
            rest = text[last:start]
            parts += [self._reworded(rest) if words else rest, self._values[value]]
            last = end
        rest = text[last:]
        return "".join((*parts, self._reworded(rest) if words else rest))

    def _reworded(self, text: str) -> str:
        """What is left of a text: identifiers in full, and words that too few trajectories know."""
        parts, last = [], 0
        for found in MIXED.finditer(text):
            if found[0].lower() not in self._fitted.own:
                parts += [RUN.sub(self._word, text[last : found.start()]), RUN.sub(self._other_word, found[0])]
                last = found.end()
        return "".join((*parts, RUN.sub(self._word, text[last:])))

    def _word(self, found: re.Match[str]) -> str:
        return found[0] if found[0].lower() in self._fitted.public else self._other(found[0])

    def _other_word(self, found: re.Match[str]) -> str:
        return self._other(found[0])

    def _other(self, run: str) -> str:
        """Another word for this one, alike wherever it stands in the trajectory, capitals kept."""
        low = run.lower()
        if low not in self._words:
            self._words[low] = drawn(run, self._fitted.letters, self._rng)
        return recased(self._words[low], run)

    def _fresh(self, value: str) -> str:
        """Another value: by its form where it has one, else run by run; never a real one, where there is room."""
        found = value
        for _ in range(20):
            whole = redrawn(value, self._fitted.letters, self._rng)
            found = whole or RUN.sub(lambda run: self._fresh_run(run[0]), value)
            if found not in self._fitted.private:
                break
        return found

    def _fresh_run(self, run: str) -> str:
        return recased(drawn(run, self._fitted.letters, self._rng), run)


def compared(fitted: Fitted, synthetic: Sequence[Trajectory]) -> Report:
    """The distance to the real ones, and the leaks."""
    return report(fitted.real, synthetic, public=fitted.public, private=fitted.private)


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="Make trajectories like real ones, with every value drawn anew.")
    parser.add_argument("out", type=Path)
    parser.add_argument("trajectories", type=Path, nargs="+", help="packed files of accepted trajectories")
    parser.add_argument("--count", type=count, default=200)
    parser.add_argument("--seed", type=whole, default=0)
    parser.add_argument(
        "--anonymity", type=count, default=ANONYMITY, help="trajectories that must know a word to keep it"
    )
    asked = parser.parse_args(arguments)
    try:
        real = [each for _, each in storage.read(asked.trajectories)]
    except (OSError, storage.BadTrajectory) as problem:
        parser.error(str(problem))
    fitted = fit(real, anonymity=asked.anonymity)
    made = generate(fitted, count=asked.count, seed=asked.seed)
    found = compared(fitted, made)
    for name, bits in found.divergence.items():
        print(f"{name:16} {bits:.4f} bits a token")
    print(f"{len(found.leaks)} texts in which a real value stands; {found.synthetic} made from {found.real}")
    if not found.passes:
        print("nothing was written: fit on more trajectories, make more (--count), or raise --anonymity")
        return 1
    asked.out.mkdir(parents=True, exist_ok=True)
    for each in made:
        content = storage.pack(each)
        (asked.out / f"{storage.address(content)}.belay").write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
