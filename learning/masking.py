"""Secrets out of texts before they leave the house: names stand for them, and only goals get theirs back."""

import re
from collections.abc import Iterable, Mapping

from msgspec import structs

from sandbox.contracts.actions import Action, Finish, GiveUp, Select, Type
from sandbox.contracts.observations import Element
from sandbox.contracts.policies import Past
from sandbox.contracts.tasks import Goal

COVER = "•••"  # what a page's own mask shows
SHORTEST = 4  # characters; what is shorter would hide half of a text

_NAME = r"\[secret \d+\]"
_ANNOUNCED = re.compile(
    r"pass(?:word|phrase|wd|code)|secret|\btoken\b|private[ _-]?key|api[ _-]?key|access[ _-]?key|密码|密钥", re.I
)
_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abp])[-_][A-Za-z0-9_-]{16,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|\b[0-9a-fA-F]{40,}\b"
    r"|(?<![\w/+=-])(?=[A-Za-z0-9/+=_-]*[a-z])(?=[A-Za-z0-9/+=_-]*[A-Z])(?=[A-Za-z0-9/+=_-]*\d)"
    r"[A-Za-z0-9/+_-]{24,}={0,2}(?![\w/+=-])",
    re.DOTALL,
)
_SAID = re.compile(
    r"(?:pass(?:word|phrase|wd|code)|secret(?:[ _-]access)?(?:[ _-]key)?|api[ _-]?key|private[ _-]?key|token)"
    r"[\"']?\s*(?:[:=]|\bis\b|\bto\b)\s*[\"']?([^\s\"',;]+)",
    re.I,
)
_BEARER = re.compile(r"\bbearer\s+([\w.~+/=-]{8,})", re.I)
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s@:]+:([^/\s@]+)(?=@)")


class Mask:
    """Names for the secrets of one page, the same for as long as it lives: `[secret 1]`, `[secret 2]`.

    `known` are values that are secret whatever they look like. Only secrets that the goal itself told come back, and
    only into a field: a page cannot have one written anywhere by speaking of it. What was typed into a secret field is
    covered, but for what the goal tells.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._names: dict[str, str] = {}
        self._from_goal: dict[str, str] = {}
        self._told = ""  # what the goal tells, without its secrets
        for value in known:
            self._name(value)

    def text(self, text: str) -> str:
        """A text with whatever is secret in it replaced by its name."""
        for pattern, group in ((_SHAPES, 0), (_IN_ADDRESS, 1), (_SAID, 1), (_BEARER, 1)):
            for match in pattern.finditer(text):
                self._name(match[group].rstrip(".)"))
        return _replaced(text, self._names)

    def goal(self, goal: Goal) -> Goal:
        """A goal without its secrets; those come back by `action`."""
        for name, value in goal.fields:
            if _ANNOUNCED.search(name.replace("_", " ")):
                self._name(value)
        hidden = Goal(self.text(goal.text), tuple((name, self.text(value)) for name, value in goal.fields))
        self._told = "\n".join((hidden.text, *(value for _, value in hidden.fields)))
        self._from_goal |= {name: value for value, name in self._names.items() if name in self._told}
        return hidden

    def element(self, element: Element) -> Element:
        """An element without secrets: what a secret field holds is covered whole."""
        held = element.value
        if held and is_secret(element):
            held = COVER if "editable" in element.states else self._name(held)
        return structs.replace(
            element,
            name=self.text(element.name),
            value=self.text(held),
            row=self.text(element.row),
            label=self.text(element.label),
            group=self.text(element.group),
            options=tuple(map(self.text, element.options)),
        )

    def past(self, step: Past) -> Past:
        """A step taken, without secrets."""
        secret = bool(_ANNOUNCED.search(step.name))
        return structs.replace(
            step,
            action=self.hidden(step.action, secret=secret),
            name=self.text(step.name),
            value=COVER if secret and step.value else self.text(step.value),
            row=self.text(step.row),
            result=structs.replace(step.result, detail=self.text(step.result.detail)),
        )

    def hidden(self, action: Action, *, secret: bool = False) -> Action:
        """An action without secrets, as it is shown or taught; `secret` where it types into a field for one."""
        match action:
            case Type(element, text):
                said = self.text(text)
                return Type(element, COVER if secret and not self._tells(said) else said)
            case Select(element, option):
                return Select(element, self.text(option))
            case Finish(answer):
                return Finish(self.text(answer))
            case GiveUp(reason):
                return GiveUp(self.text(reason))
        return action

    def action(self, action: Action) -> Action:
        """An action as it is to be done: the goal's own secrets are typed, names of others stay names."""
        match action:
            case Type(element, text):
                return Type(element, _replaced(text, self._from_goal))
            case Select(element, option):  # one of those that the page itself offers
                return Select(element, _replaced(option, {name: value for value, name in self._names.items()}))
        return action

    def _tells(self, said: str) -> bool:
        """Whether the goal itself holds this, as whole words (Chinese has no spaces between them)."""
        return not said or re.search(rf"(?<!\w){re.escape(said)}(?!\w)", self._told, re.ASCII) is not None

    def _name(self, value: str) -> str:
        if len(value) < SHORTEST or value == COVER or value.startswith("[secret"):
            return value
        return self._names.setdefault(value, f"[secret {len(self._names) + 1}]")


def is_secret(element: Element) -> bool:
    """Whether what stands in this element is nobody's business: a field for passwords, or announced as a secret."""
    announced = _ANNOUNCED.search(f"{element.name} {element.label}") is not None
    return not element.options and ("password" in element.states or announced)


def _replaced(text: str, values: Mapping[str, str]) -> str:
    """Each of these replaced, in one go: what is put in is not looked at again, nor a name that stands there."""
    longest_first = sorted(values, key=len, reverse=True)
    found = re.compile("|".join((*map(re.escape, longest_first), _NAME)))
    return found.sub(lambda match: values.get(match[0], match[0]), text)
