"""Rules and trails: `python -m sandbox.semantics explain FILE` says which rule spoke at each step, and why."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

from sandbox.contracts.storage import BadTrajectory, from_json, to_json, unpack
from sandbox.contracts.trajectories import Trajectory
from sandbox.documents import BadDocument
from sandbox.semantics import thesaurus
from sandbox.semantics.rules import (
    Adapter,
    NoAdapter,
    TwoAdapters,
    TwoMeanings,
    adapter_for,
    load,
    shipped,
    together,
    vocabulary,
)
from sandbox.semantics.trails import moments


def main(arguments: list[str] | None = None) -> int:
    """The command line; 0 where all is well, 1 where a file cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.semantics", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    explain = commands.add_parser("explain", help="every step of a trajectory in tokens, with the rules that spoke")
    explain.add_argument("file", type=Path, help="a trajectory: a file of a dataset, or the same as JSON")
    explain.add_argument("--rules", type=Path, help="a rule file to use instead of the shipped one")
    check = commands.add_parser("check", help="read rule files and say what is wrong with them")
    check.add_argument("files", type=Path, nargs="*", help="rule files; none: the shipped ones")
    commands.add_parser("tokens", help="the shared tokens and what they mean")
    words = commands.add_parser("words", help="read thesauri and say what is wrong with them; a text is read aloud")
    words.add_argument("files", type=Path, nargs="*", help="thesauri; none: the shipped one")
    words.add_argument("--text", default="", help="a text to be read in shared words")
    given = parser.parse_args(arguments)
    try:
        match given.command:
            case "explain":
                told: Iterable[str] = explained(read_trajectory(given.file), load(given.rules) if given.rules else None)
            case "check":
                told = [f"{each.name}: {len(each.rules)} rules, {_said(each)} tokens" for each in _checked(given.files)]
            case "words":
                told = _read_aloud(given.files or [thesaurus.SHIPPED], given.text)
            case _:
                told = [f"{token:18} {meaning}" for token, meaning in sorted(vocabulary().items())]
        print("\n".join(told))
    except (BadDocument, TwoMeanings, TwoAdapters, NoAdapter, BadTrajectory) as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def _read_aloud(files: Iterable[Path], text: str) -> Iterable[str]:
    for file in files:
        words = thesaurus.load(file)
        yield words.shared(text) if text else f"{file.name}: {words.phrases} phrases of {words.concepts} concepts"


def read_trajectory(path: Path) -> Trajectory:
    """A trajectory from a file, packed or JSON. Raises BadTrajectory."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise BadTrajectory(f"{path}: expected a readable file: {problem.strerror}") from None
    try:
        if content.lstrip().startswith(b"{"):
            found: Trajectory = from_json(content, Trajectory)
            return found
        return unpack(content)
    except (msgspec.DecodeError, BadTrajectory) as problem:
        raise BadTrajectory(f"{path}: expected a trajectory, packed or as JSON: {problem}") from None


def explained(trajectory: Trajectory, adapter: Adapter | None = None) -> Iterable[str]:
    """One block of lines for each step."""
    rules = adapter or adapter_for(trajectory.task.environment)
    yield f"{trajectory.task.template or 'free text'}: {trajectory.task.goal.text}"
    yield f"adapter {rules.name} ({rules.title}); outcome {trajectory.verification.outcome.value}"
    for number, moment in enumerate(moments(trajectory)):
        action = "first screen" if moment.action is None else to_json(moment.action)
        yield f"\n{number}. {action}"
        fired = rules.explain(moment)
        for each in fired:
            yield f"   {each.token:18} {each.because}  [{each.rule}]"
            yield from (f"   {'':18}   {reason}" for reason in each.evidence)
        if not fired:
            yield "   no rule spoke"


def _checked(files: list[Path]) -> Iterable[Adapter]:
    return together([*files]) if files else shipped()


def _said(adapter: Adapter) -> int:
    return len({rule.token for rule in adapter.rules})


if __name__ == "__main__":
    sys.exit(main())
