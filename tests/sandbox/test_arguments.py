"""Arguments that cannot be meant are refused before any work, in a sentence."""

import argparse

import pytest

from sandbox.arguments import amount, environment_name, positive, template_name, whole


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "soon"])
def test_a_length_of_time_is_a_number_from_0(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected a number from 0, found"):
        amount(text)
    assert amount("0") == 0
    assert amount("1.5") == 1.5


@pytest.mark.parametrize("text", ["-1", "0", "nan", "inf"])
def test_a_budget_is_more_than_nothing(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected a number above 0, found"):
        positive(text)
    assert positive("0.5") == 0.5


@pytest.mark.parametrize("text", ["-2", "1.5", "many"])
def test_a_number_of_things_is_whole(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected a whole number from 0, found"):
        whole(text)
    assert whole("0") == 0


def test_environments_and_templates_are_those_that_there_are() -> None:
    assert (environment_name("cloud"), template_name("cloud/create-disk")) == ("cloud", "cloud/create-disk")
    with pytest.raises(argparse.ArgumentTypeError, match="there is no environment 'nowhere'"):
        environment_name("nowhere")
    with pytest.raises(argparse.ArgumentTypeError, match="there is no template 'cloud/nope'"):
        template_name("cloud/nope")
