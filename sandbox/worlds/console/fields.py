"""Whether a value may stand in a declared field; the same sentences for pages and server."""

import ipaddress
import re
from datetime import date
from functools import lru_cache

from sandbox.worlds.console.declare import Field


def problem(field: Field, value: str, *, before: str = "", today: str = "") -> str:
    """What is wrong with the value, as one sentence; "" where nothing is. References are the world's to judge."""
    if not value:
        return f"{field.title} is required." if field.required else ""
    if field.type == "integer":
        return _integer_problem(field, value, before)
    if field.type == "choice" and value not in field.choices:
        return f"Choose one of: {', '.join(field.choices)}."
    if field.type == "boolean" and value not in ("yes", "no"):
        return "Choose yes or no."
    if field.type == "date":
        return _date_problem(field, value, today)
    if field.type == "tags":
        return _tags_problem(value)
    if len(value) > field.max_length:
        return f"Use at most {field.max_length} characters."
    if field.pattern and not re.fullmatch(field.pattern, value):
        return f"Use {field.pattern_help}." if field.pattern_help else f"This must match {field.pattern}."
    if field.check == "cidr":
        return _cidr_problem(value)
    if field.check == "email" and not re.fullmatch(r"[^@\s]+@[a-z0-9-]+(\.[a-z0-9-]+)+", value):
        return "Enter an e-mail address, such as ops@example.org."
    return ""


def _date_problem(field: Field, value: str, today: str) -> str:
    try:
        date.fromisoformat(value)
    except ValueError:
        return "Enter a date, such as 2027-06-30."
    if field.check == "future" and value <= today:
        return f"Enter a date after {today}."
    return ""


def _tags_problem(value: str) -> str:
    for tag in value.split(","):
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,29}", tag):
            return f"{tag[:40]} is no tag: use up to 30 lower-case letters, digits and hyphens."
    return "" if len(set(value.split(","))) == value.count(",") + 1 else "The same tag stands twice."


def _integer_problem(field: Field, value: str, before: str) -> str:
    if not re.fullmatch(r"-?[0-9]{1,12}", value):
        return "Enter a whole number."
    number = int(value)
    if field.minimum is not None and number < field.minimum:
        return f"Enter {field.minimum} or more."
    if field.maximum is not None and number > field.maximum:
        return f"Enter {field.maximum} or less."
    if field.check == "grows" and before and number <= int(before):
        return f"Enter more than {before}: it can grow, never shrink."
    return ""


@lru_cache(maxsize=4096)
def _cidr_problem(value: str) -> str:
    if "/" not in value:
        return "Enter a network in CIDR form, such as 10.0.0.0/8."
    try:
        ipaddress.ip_network(value, strict=False)
    except ValueError as refusal:
        return f"Enter a network in CIDR form, such as 10.0.0.0/8 ({refusal})."
    return ""


def generated(field: Field, digest: bytes, number: int, today: str) -> str:
    """A value that the server makes: the number keeps those of one console apart, the digest those of others."""
    match field.generated:
        case "private_ip":
            return f"10.{digest[4] % 64}.{number % 256}.{2 + digest[5] % 250}"
        case "public_ip":
            return f"203.0.{digest[6]}.{number % 256}"
        case "key_id":
            return f"ak{number}-{digest.hex()[8:18]}"
        case "hostname":
            return f"h{number}-{digest.hex()[8:14]}.cloud.example"
        case _:
            return today
