"""Whether an action can be meant on a page: a correction is checked before it is written."""

from typing import assert_never
from urllib.parse import urlsplit

from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Navigate, Press, Scroll, Select, Type, Wait
from sandbox.contracts.observations import Element, Observation
from webapp.texts import NO_CREDENTIALS, has_credentials


def objection(action: Action, observation: Observation) -> str:
    """Why this action makes no sense on this page, in a sentence; "" where it does."""
    match action:
        case Click(element):
            return _unusable(observation.element(element))
        case Type(element, text):
            found = observation.element(element)
            return _unusable(found) or _not_editable(found) or _telling(text)
        case Select(element, option):
            found = observation.element(element)
            return _unusable(found) or _lacks(found, option)
        case Navigate(url):
            return _unfit(url)
        case Press() | Scroll() | Wait() | Finish() | GiveUp():
            return ""
        case _:
            assert_never(action)


def _unfit(url: str) -> str:
    return _telling(url) if _is_address(url) else "That is no address."


def _telling(text: str) -> str:
    return NO_CREDENTIALS if has_credentials(text) else ""


def _is_address(url: str) -> bool:
    try:
        urlsplit(url)
    except ValueError:  # "http://["
        return False
    return url.startswith(("http://", "https://", "/"))


def _unusable(element: Element | None) -> str:
    if element is None:
        return "That element is not on the page."
    if not element.actionable:
        return "That element can only be read."
    return "That element cannot be used now." if "disabled" in element.states else ""


def _not_editable(element: Element | None) -> str:
    return "" if element is not None and "editable" in element.states else "That element takes no text."


def _lacks(element: Element | None, option: str) -> str:
    return "" if element is not None and option in element.options else "That list has no such option."
