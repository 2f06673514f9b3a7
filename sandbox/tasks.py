"""From a template and what a person typed to a task, every field checked by its type."""

import random
import re
from collections.abc import Mapping

from sandbox.contracts.tasks import Goal, Parameter, Task, Template
from sandbox.variants import Dimension, environment_id

GOAL = Dimension("goal", ("en", "zh"))  # the language that a ticket is told in


class BadParameters(ValueError):
    """Some parameters are wrong; `errors` has one sentence for each field."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {sentence}" for field, sentence in errors.items()))
        self.errors = dict(errors)


class _Refused(ValueError):
    """One value is wrong; the message is the sentence for people."""


_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")


def bind(
    template: Template, parameters: Mapping[str, object], *, seed: int, recipe: Mapping[str, str] | None = None
) -> Task:
    """A task of this template; fields in template order, the phrase chosen by the seed. Raises BadParameters.

    `recipe` names the variant of the environment (sandbox.variants); with `goal=zh` the goal is told in Chinese.
    """
    known = {parameter.name for parameter in template.parameters}
    errors = {name: "This template has no such parameter." for name in parameters if name not in known}
    fields: list[tuple[str, str]] = []
    for parameter in template.parameters:
        try:
            fields.append((parameter.name, _checked(parameter, parameters.get(parameter.name))))
        except _Refused as refusal:
            errors[parameter.name] = str(refusal)
    if errors:
        raise BadParameters(errors)
    recipe = recipe or {}
    phrases = template.phrases_zh if recipe.get(GOAL.name) == "zh" and template.phrases_zh else template.phrases
    phrase = random.Random(f"phrase:{template.id}:{seed}").choice(phrases)  # noqa: S311  # not a secret
    return Task(
        environment=environment_id(template.environment, recipe),
        template=template.id,
        goal=Goal(text=phrase.format_map(dict(fields)), fields=tuple(fields)),
        seed=seed,
        max_steps=template.max_steps,
    )


def parameters_of(task: Task) -> dict[str, str]:
    """The parameters a task was bound with."""
    return dict(task.goal.fields)


def _checked(parameter: Parameter, value: object) -> str:
    if value is None or (isinstance(value, str) and not value.strip()):
        raise _Refused("This field is required.")
    if parameter.kind == "integer":
        return _integer(parameter, value)
    if not isinstance(value, str):
        raise _Refused("Enter text.")
    if parameter.kind == "choice":
        if value not in parameter.choices:
            raise _Refused(f"Choose one of: {', '.join(parameter.choices)}.")
        return value
    return _text(parameter, value)


def _integer(parameter: Parameter, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str) or not _INTEGER.fullmatch(str(value).strip()):
        raise _Refused("Enter a whole number.")
    number = int(value)
    if parameter.minimum is not None and number < parameter.minimum:
        raise _Refused(f"Enter {parameter.minimum} or more.")
    if parameter.maximum is not None and number > parameter.maximum:
        raise _Refused(f"Enter {parameter.maximum} or less.")
    return str(number)


def _text(parameter: Parameter, value: str) -> str:
    text = value.strip()
    if len(text) > parameter.max_length:
        raise _Refused(f"Use at most {parameter.max_length} characters.")
    if _CONTROL.search(text):
        raise _Refused("Line breaks and control characters are not allowed here.")
    if parameter.pattern and not re.fullmatch(parameter.pattern, text):
        raise _Refused(parameter.pattern_help or f"This must match {parameter.pattern}.")
    return text
