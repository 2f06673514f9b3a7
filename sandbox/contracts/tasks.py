"""What is to be done, how a request for it looks, and what counts as done."""

from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct

ParameterKind: TypeAlias = Literal["text", "integer", "choice"]
Split: TypeAlias = Literal["train", "validation", "test"]


class Risk(StrEnum):
    """What an action may cost, in rising order but for UNKNOWN, which always asks."""

    READ = "read"
    REVERSIBLE = "reversible"
    COST = "cost"
    CREDENTIAL = "credential"
    DESTRUCTIVE = "destructive"
    UNKNOWN = "unknown"

    @property
    def rank(self) -> int:
        """0 (read) to 5 (unknown)."""
        return list(Risk).index(self)


class Parameter(Struct, frozen=True, forbid_unknown_fields=True):
    """One typed blank of a template. `pattern` is a full-match regular expression."""

    name: str
    title: str
    kind: ParameterKind = "text"
    help: str = ""
    pattern: str = ""
    pattern_help: str = ""  # the pattern in words, shown when it refuses
    minimum: int | None = None
    maximum: int | None = None
    max_length: int = 200
    choices: tuple[str, ...] = ()
    unit: str = ""
    example: str = ""


class Template(Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of ticket. Its id is `<environment>/<name>`; `phrases` are goal texts with {parameter} blanks.

    `phrases_zh` are the same in Chinese; a variant whose recipe says `goal=zh` is told one of these.
    """

    id: str
    environment: str
    title: str
    summary: str
    parameters: tuple[Parameter, ...]
    phrases: tuple[str, ...]
    risk: Risk  # the riskiest step it needs
    answers: bool = False  # True: finishes with an answer to a question
    max_steps: int = 30
    phrases_zh: tuple[str, ...] = ()


class Environment(Struct, frozen=True, forbid_unknown_fields=True):
    """A console or another world that tasks are worked in."""

    id: str
    title: str
    summary: str
    real: bool  # a product somebody runs, as opposed to a simulated one
    protected: bool = False
    practice: bool = False  # for training and measuring alone: no tickets can be filed for it


class Goal(Struct, frozen=True, forbid_unknown_fields=True):
    """What the policy is told: words, and typed fields as (name, text) pairs in template order (none for free text)."""

    text: str
    fields: tuple[tuple[str, str], ...] = ()


class Task(Struct, frozen=True, forbid_unknown_fields=True):
    """One ticket's work, complete: the same task gives the same first screen everywhere."""

    environment: str  # id with its recipe: "cloud", "cloud?locale=zh&theme=dark" (sandbox.variants)
    template: str  # "" for free text
    goal: Goal
    seed: int
    max_steps: int = 30


class Outcome(StrEnum):
    """What the console's own state says; never what the page or the agent says."""

    VERIFIED = "verified"
    FAILED = "failed"
    UNVERIFIED = "unverified"  # nothing can check it (free text), or the console could not be asked


class Check(Struct, frozen=True, forbid_unknown_fields=True):
    """One fact that a verifier asked for."""

    name: str
    holds: bool
    detail: str = ""


class Verification(Struct, frozen=True, forbid_unknown_fields=True):
    """A verifier's finding."""

    outcome: Outcome
    checks: tuple[Check, ...] = ()
