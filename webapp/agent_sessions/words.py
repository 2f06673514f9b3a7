"""Actions in words, for people who decide."""

from typing import assert_never

from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Navigate, Press, Scroll, Select, Type, Wait
from sandbox.contracts.observations import Element, Observation
from webapp.texts import visible


def in_words(action: Action, observation: Observation) -> str:
    """One line that says what will be done, and to what; what draws nothing in the page's own words is written out."""
    return visible(_said(action, observation))


def _said(action: Action, observation: Observation) -> str:
    match action:
        case Click(element):
            return f"Click {_named(observation.element(element))}"
        case Type(element, text):
            return f"Type “{text}” into {_named(observation.element(element))}"
        case Select(element, option):
            return f"Choose “{option}” in {_named(observation.element(element))}"
        case Press(key):
            return f"Press {key}"
        case Scroll(direction):
            return f"Scroll {direction}"
        case Navigate(url):
            return f"Go to {url}"
        case Wait():
            return "Wait for the page"
        case Finish(answer):
            return f"Finish with the answer “{answer}”" if answer else "Finish"
        case GiveUp(reason):
            return f"Give up: {reason}" if reason else "Give up"
        case _:
            assert_never(action)


def _named(element: Element | None) -> str:
    if element is None:
        return "an element that is not on the page"
    name = element.name or element.label or element.value
    return f"“{name}” ({element.role})" if name else f"an unnamed {element.role}"
