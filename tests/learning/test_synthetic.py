"""Made-up trajectories: values drawn anew, alike wherever they stand; near to the real ones; nothing real in them."""

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from learning import likeness, synthetic
from learning.samples import lessons
from learning.synthetic import Fitted
from learning.values import Finder, Letters, core, drawn, recased, redrawn
from sandbox.contracts import storage
from sandbox.contracts.actions import Type
from sandbox.contracts.tasks import Check, Goal, Outcome, Verification
from sandbox.contracts.trajectories import Trajectory
from tests.learning.pages import a_demonstration


@pytest.fixture(scope="module")
def real() -> list[Trajectory]:
    """Accepted work on buckets of somebody's."""
    return [a_demonstration(seed) for seed in range(12)]


@pytest.fixture(scope="module")
def fitted(real: list[Trajectory]) -> Fitted:
    """What is known of it."""
    return synthetic.fit(real)


@pytest.fixture(scope="module")
def made(fitted: Fitted) -> list[Trajectory]:
    """As many made-up ones."""
    return synthetic.generate(fitted, count=24, seed=1)


def test_what_is_made_up_is_near_to_what_is_real_and_says_nothing_real(fitted: Fitted, made: list[Trajectory]) -> None:
    found = synthetic.compared(fitted, made)
    assert found.leaks == ()
    assert found.worst < likeness.LIMIT
    assert found.passes


def test_the_real_ones_themselves_would_not_pass(fitted: Fitted, real: list[Trajectory]) -> None:
    found = synthetic.compared(fitted, real)
    assert found.worst == pytest.approx(0.0)
    assert len(found.leaks) > len(real)
    assert not found.passes


def test_a_value_is_the_same_new_value_in_goal_page_and_action(real: list[Trajectory], made: list[Trajectory]) -> None:
    known = {value for each in real for _, value in each.task.goal.fields[:2]}
    for each in made:
        bucket, size = (value for _, value in each.task.goal.fields[:2])
        assert not {bucket} & known
        assert bucket in each.task.goal.text
        assert bucket in {element.name for element in each.steps[0].observation.elements}
        assert [step.action.text for step in each.steps if isinstance(step.action, Type)] == [size]


def test_the_consoles_own_words_stay(made: list[Trajectory]) -> None:
    names = {element.name for each in made for step in each.steps for element in step.observation.elements}
    assert {"Buckets", "Create bucket", "Quota", "Update quota", "Cancel"} <= names
    assert {each.task.goal.fields[2][1] for each in made} <= {"GB", "TB"}


def test_they_teach_the_same_actions(real: list[Trajectory], made: list[Trajectory]) -> None:
    kinds = [Counter(sample.label.kind for sample in lessons(each).samples) for each in (real, made)]
    assert Counter({kind: 2 * count for kind, count in kinds[0].items()}) == kinds[1]
    assert lessons(made).unsayable == {}


def test_the_same_seed_makes_the_same_ones(fitted: Fitted, made: list[Trajectory]) -> None:
    assert synthetic.generate(fitted, count=3, seed=1) == made[:3]
    assert synthetic.generate(fitted, count=3, seed=2) != made[:3]


def test_no_identifier_screenshot_or_fingerprint_is_kept(real: list[Trajectory], made: list[Trajectory]) -> None:
    prints = {step.observation.fingerprint for each in real for step in each.steps}
    assert not prints & {step.observation.fingerprint for each in made for step in each.steps}
    assert not {each.id for each in real} & {each.id for each in made}
    assert {(step.before, step.after) for each in made for step in each.steps} == {("", "")}


def test_values_are_also_drawn_anew_within_addresses(real: list[Trajectory]) -> None:
    secret = structs.replace(real[0].task, goal=Goal("Open Tax Returns 2025.", (("folder", "Tax Returns 2025"),)))
    page = structs.replace(real[0].steps[0].observation, url="http://files/Tax%20Returns%202025")
    first = structs.replace(real[0].steps[0], observation=page)
    telling = structs.replace(real[0], task=secret, steps=(first, *real[0].steps[1:]))
    fitted = synthetic.fit([telling, *real[1:]])
    [one] = synthetic.generate(_like_this_only(fitted, telling), count=1, seed=3)
    assert one.steps[0].observation.url.startswith("http://")
    assert "returns" not in one.steps[0].observation.url.lower()
    assert not list(likeness.leaks(fitted.private, [one]))


def test_values_are_also_drawn_anew_within_the_names_of_checks(real: list[Trajectory]) -> None:
    checked = [structs.replace(each, verification=_checked(each)) for each in real]
    fitted = synthetic.fit(checked)
    made = synthetic.generate(fitted, count=12, seed=4)
    for each in made:
        assert each.verification.checks[0].name == f"bucket {dict(each.task.goal.fields)['bucket']} has its quota"
    assert synthetic.compared(fitted, made).leaks == ()


def test_a_value_in_the_name_of_a_check_is_a_leak(fitted: Fitted, real: list[Trajectory]) -> None:
    [one] = synthetic.generate(fitted, count=1, seed=5)
    telling = structs.replace(one, verification=_checked(real[0]))
    assert list(likeness.leaks(fitted.private, [one])) == []
    assert len(list(likeness.leaks(fitted.private, [telling]))) == 1


def _checked(trajectory: Trajectory) -> Verification:
    """A verifier's finding that names the bucket."""
    bucket = dict(trajectory.task.goal.fields)["bucket"]
    return Verification(Outcome.VERIFIED, (Check(f"bucket {bucket} has its quota", holds=True),))


def _like_this_only(fitted: Fitted, only: Trajectory) -> Fitted:
    """The same knowledge, to make up trajectories like this one only."""
    return Fitted((only,), fitted.public, fitted.private, fitted.own, fitted.letters, fitted.finder)


def test_what_is_too_far_from_the_real_ones_is_not_written(real: list[Trajectory], tmp_path: Path) -> None:
    files = []
    for number, each in enumerate(real):
        files.append(str(tmp_path / f"{number}.belay"))
        Path(files[-1]).write_bytes(storage.pack(each))
    assert synthetic.main([str(tmp_path / "out"), *files, "--count", "5"]) == 0
    assert len(list((tmp_path / "out").iterdir())) == 5
    assert synthetic.main([str(tmp_path / "far"), *files[:1], "--count", "1"]) == 1  # one alone is like nothing else
    assert not (tmp_path / "far").exists()


def test_divergence_is_nothing_for_equals_and_one_bit_for_strangers() -> None:
    assert likeness.divergence_bits(Counter("aab"), Counter("aabaab")) == pytest.approx(0.0)
    assert likeness.divergence_bits(Counter("aa"), Counter("bb")) == pytest.approx(1.0)
    # p = (1, 0), q = (1/2, 1/2), m = (3/4, 1/4): (log2(4/3) + log2(2/3) / 2 + log2(2) / 2) / 2
    assert likeness.divergence_bits(Counter("a"), Counter("ab")) == pytest.approx(0.3112781)


@given(
    st.text(alphabet="abcXYZ019 -_.é中", max_size=30), st.lists(st.text(alphabet="abcX01- 中", max_size=6), max_size=5)
)
def test_what_is_found_stands_there_as_whole_words(text: str, values: list[str]) -> None:
    last = 0
    for start, end, value in Finder(values).find(text):
        assert start >= last
        assert text[start:end].lower() == value
        assert value in {core(each).lower() for each in values}
        last = end


@given(st.from_regex(r"[a-z]{1,8}|[A-Z][a-z]{1,8}|[1-9][0-9]{0,6}", fullmatch=True), st.integers(0, 99))
def test_another_word_has_the_same_length_kind_and_capitals(word: str, seed: int) -> None:
    other = recased(drawn(word, Letters.of(["payroll", "ledger", "audit"]), random.Random(seed)), word)
    assert len(other) == len(word)
    assert (other.isdigit(), other[0].isupper()) == (word.isdigit(), word[0].isupper())


def test_addresses_and_dates_stay_addresses_and_dates() -> None:
    letters, rng = Letters.of([]), random.Random(1)
    address = redrawn("10.20.0.0/16", letters, rng)
    assert address is not None
    assert address.startswith("10.")
    assert address.endswith("/16")
    assert all(0 < int(part) < 255 for part in address.removesuffix("/16").split("."))
    assert redrawn("2025-11-30", letters, rng) != "2025-11-30"
    assert redrawn("astro-7", letters, rng) is None
