"""Environment ids carry their whole recipe."""

import random

import pytest

from sandbox.variants import BadEnvironmentId, Dimension, VariantGenerator, environment_id, parse

GENERATOR = VariantGenerator(
    "cloud",
    (
        Dimension("locale", ("en", "zh", "de"), validation=("zh",), test=("de",)),
        Dimension("theme", ("light", "dark")),
    ),
)


def test_an_id_is_its_recipe_and_back() -> None:
    recipe = {"theme": "dark", "locale": "zh"}
    assert environment_id("cloud", recipe) == "cloud?locale=zh&theme=dark"
    assert parse("cloud?locale=zh&theme=dark") == ("cloud", recipe)
    assert GENERATOR.recipe("cloud") == {"locale": "en", "theme": "light"}


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        ("Cloud", "expected a name"),
        ("cloud?", "found nothing"),
        ("cloud?locale", "expected name=value, found 'locale'"),
        ("cloud?locale=zh&locale=en", "given twice"),
        ("cloud?size=9", "has no dimension 'size'"),
        ("cloud?locale=fr", "expected one of en, zh, de"),
        ("other?locale=zh", "not a variant of cloud"),
    ],
)
def test_a_broken_id_says_what_was_expected(broken: str, expected: str) -> None:
    with pytest.raises(BadEnvironmentId, match=expected):
        GENERATOR.recipe(broken)


def test_splits_do_not_meet_each_others_values() -> None:
    drawn = {split: {GENERATOR.draw(random.Random(n), split) for n in range(60)} for split in ("train", "test")}
    assert not any("locale" in each for each in drawn["train"])
    assert any("locale=de" in each for each in drawn["test"])
    assert not any("locale=zh" in each for each in drawn["test"])
    assert GENERATOR.split_of("cloud?locale=de") == "test"
    assert GENERATOR.split_of("cloud?theme=dark") == "train"
    assert set(GENERATOR.ids("train")) == {"cloud", "cloud?theme=dark"}
    assert GENERATOR.count("test") == 4
