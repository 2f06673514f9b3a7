"""The sentences in which a console answers, with their blanks: what a page of another language says anew."""

import re
from functools import lru_cache

# The more special first: each sentence is taken for the first that fits.
TEMPLATES = (
    "The service did not answer. Nothing was changed; try again.",
    "No answer came in time. Look whether it was done before trying again.",
    "The request did not reach the server.",
    "There is no such object any more.",
    "This cannot be set here.",
    "The same tag stands twice.",
    "Enter a whole number.",
    "Enter a date, such as 2027-06-30.",
    "Enter an e-mail address, such as ops@example.org.",
    "Enter a network in CIDR form, such as 10.0.0.0/8.",
    "Enter a network in CIDR form, such as 10.0.0.0/8 ({why}).",
    "Choose yes or no.",
    "Choose one of: {choices}.",
    "Use at most {count} characters.",
    "Enter a date after {day}.",
    "Enter more than {before}: it can grow, never shrink.",
    "Enter {minimum} or more.",
    "Enter {maximum} or less.",
    "{tag} is no tag: use up to 30 lower-case letters, digits and hyphens.",
    "{refused} of {count} refused. {label}: {why}",
    "{refused} of {count} refused. {label} is gone",
    "There is already {one} named {name}.",
    "There is no {kind} named {name}.",
    "{name} is in {there}, not in {here}.",
    "Quota exceeded: at most {limit} {what}.",
    "It is in use by {user}.",
    "{verb} is not possible while it is {state}.",
    "Type {label} to confirm.",
    "{title} is required.",
    "Use {rule}.",
)
FAILED, LOST, UNREACHED = TEMPLATES[:3]
SAID_ANEW = frozenset(
    ("kind", "one", "title", "what", "state", "verb", "rule", "why")
)  # other blanks are names, numbers


def one(title: str) -> str:
    """One of a kind, within a sentence: "a disk", "an instance"."""
    return f"{'an' if re.match('(?!us|uni)[aeiou]', title, re.IGNORECASE) else 'a'} {title.lower()}"


@lru_cache(maxsize=512)
def shape(template: str) -> re.Pattern[str]:
    """What every sentence of a template looks like; its blanks are groups."""
    parts = re.split(r"{(\w+)}", template)
    written = "".join(f"(?P<{part}>.+?)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
    return re.compile(written, re.DOTALL)


@lru_cache(maxsize=4096)
def taken_apart(sentence: str) -> tuple[str, dict[str, str]] | None:
    """The template of a sentence and what stands in its blanks; None for what is no answer."""
    for template in TEMPLATES:
        found = shape(template).fullmatch(sentence)
        if found:
            return template, found.groupdict()
    return None
