"""Environment ids carry their whole recipe."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.contracts.tasks import Split
from sandbox.variants import SPLITS, BadEnvironmentId, Dimension, VariantGenerator, environment_id, parse

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
    drawn = {split: {GENERATOR.draw(random.Random(n), split) for n in range(60)} for split in SPLITS}
    assert not any("locale" in each for each in drawn["train"])
    assert all("locale=de" in each for each in drawn["test"])
    assert all("locale=zh" in each for each in drawn["validation"])
    assert GENERATOR.split_of("cloud?locale=de") == "test"
    assert GENERATOR.split_of("cloud?theme=dark") == "train"
    assert set(GENERATOR.ids("train")) == {"cloud", "cloud?theme=dark"}


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4),
    st.sampled_from(SPLITS),
    st.integers(),
    st.none() | st.integers(1, 4),
)
def test_what_a_split_lists_counts_and_draws_is_its_own(
    shapes: list[tuple[int, int, int]], split: Split, seed: int, changed: int | None
) -> None:
    generator = VariantGenerator("x", [_dimension(n, *shape) for n, shape in enumerate(shapes)])
    listed = list(generator.ids(split))
    assert generator.count(split) == len(listed) == len(set(listed))
    drawn = generator.draw(random.Random(seed), split, changed=changed)
    assert drawn in listed
    assert len(parse(drawn)[1]) <= (changed or len(shapes))
    assert generator.canonical(drawn) == drawn
    assert generator.split_of(drawn) == {True: split, False: "train"}[generator.holds_out(split)]


def test_an_id_with_plain_values_written_out_has_one_canonical_form() -> None:
    assert GENERATOR.canonical("cloud?theme=light&locale=zh") == "cloud?locale=zh"


@pytest.mark.parametrize(
    ("dimensions", "told"),
    [
        ([Dimension("d", ("a", "b"), test=("a",))], "its plain value 'a' cannot be held out"),
        ([Dimension("d", ("a", "b"), test=("c",))], "each held-out value must be one of its values"),
        ([Dimension("d", ("a", "a"))], "expected values, each given once"),
        ([Dimension("d", ())], "expected values, each given once"),
        ([Dimension("D", ("a", "b"))], "expected a name of a-z, 0-9, _ and -, .* found D=a"),
        ([Dimension("d", ("a", "b&c"))], "values of letters, digits, _, . and -, found d=b&c"),
        ([Dimension("d", ("a",)), Dimension("d", ("b",))], "x: dimension d is declared twice"),
    ],
)
def test_a_dimension_that_contradicts_itself_is_refused(dimensions: list[Dimension], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        VariantGenerator("x", dimensions)


def _dimension(number: int, shared: int, validation: int, test: int) -> Dimension:
    values = {
        split: tuple(f"{split[:2]}{n}" for n in range(count))
        for split, count in zip(SPLITS, (shared, validation, test), strict=True)
    }
    every = (*values["train"], *values["validation"], *values["test"])
    return Dimension(f"d{number}", every, validation=values["validation"], test=values["test"])
