"""What can be asked of the object store: blanks, refusals, words, and splits without common names."""

import pytest

from sandbox import sessions
from sandbox.contracts.tasks import Split
from sandbox.tasks import BadParameters, parameters_of
from sandbox.worlds.objectstore.store import first_state
from sandbox.worlds.objectstore.templates import TEMPLATES

SPLITS: tuple[Split, ...] = ("train", "validation", "test")


@pytest.mark.parametrize(
    "bucket",
    ["ab", "Upper", "under_score", "-begins", "ends-", "two..dots", "dot.-hyphen", "10.0.0.1", "x" * 64, "spa ce"],
)
def test_bad_bucket_names_are_refused(bucket: str) -> None:
    with pytest.raises(BadParameters) as refused:
        sessions.bind("object-store/delete-bucket", {"bucket": bucket}, seed=0)
    assert list(refused.value.errors) == ["bucket"]


@pytest.mark.parametrize("bucket", ["abc", "a-b.c", "3rd-party", "x" * 63, "logs-2026.11.30"])
def test_good_bucket_names_are_taken(bucket: str) -> None:
    task = sessions.bind("object-store/delete-bucket", {"bucket": bucket}, seed=0)
    assert sessions.parameters_of(task) == {"bucket": bucket}


def test_each_bad_field_is_named() -> None:
    wrong = {"bucket": "ok-name", "quota": "0", "unit": "PB"}
    with pytest.raises(BadParameters) as refused:
        sessions.bind("object-store/create-bucket", wrong, seed=0)
    assert sorted(refused.value.errors) == ["quota", "unit"]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda each: each.template.id)
def test_samples_are_valid_and_speak_of_every_blank(template: object) -> None:
    for seed in range(40):
        task = sessions.sample(template.template.id, seed=seed, split="train")  # type: ignore[attr-defined]  # a parameter
        assert [value for _, value in task.goal.fields if value not in task.goal.text] == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda each: each.template.id)
def test_splits_share_no_names_and_no_sizes(template: object) -> None:
    drawn = {split: _drawn(template.template.id, split) for split in SPLITS}  # type: ignore[attr-defined]  # a parameter
    assert drawn["train"] & drawn["validation"] == set()
    assert drawn["train"] & drawn["test"] == set()
    assert drawn["validation"] & drawn["test"] == set()
    assert len(drawn["train"]) > 40


def _drawn(template: str, split: Split) -> set[tuple[str, str]]:
    tasks = [sessions.sample(template, seed=seed, split=split) for seed in range(100)]
    return {field for task in tasks for field in task.goal.fields if field[0] in ("bucket", "user", "quota", "limit")}


def test_who_changes_a_quota_does_not_say_so() -> None:
    tasks = [sessions.sample("object-store/change-quota", seed=seed, split="test") for seed in range(100)]
    assert [task.goal for task in tasks if "quota" in f"{task.goal.text} {task.goal.fields}".lower()] == []


@pytest.mark.parametrize("split", SPLITS)
def test_every_wording_of_a_limit_is_drawn_in_every_split(split: Split) -> None:
    tasks = [sessions.sample("object-store/change-quota", seed=seed, split=split) for seed in range(100)]
    worded = {task.goal.text.replace(task.goal.fields[0][1], "{}").split("{}")[-1].split(" ")[1] for task in tasks}
    assert worded == {"may", "hold", "has", "at", "must"}


def test_some_buckets_have_no_quota_yet_when_they_get_a_limit() -> None:
    tasks = [sessions.sample("object-store/change-quota", seed=seed, split="test") for seed in range(60)]
    without = [task for task in tasks if first_state(task).buckets[parameters_of(task)["bucket"]].quota == 0]
    assert 6 <= len(without) <= 30
