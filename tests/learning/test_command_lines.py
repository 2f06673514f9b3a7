"""Command lines say what cannot be meant before they begin, in a sentence."""

from collections.abc import Callable
from pathlib import Path

import pytest

from learning import distill, jobs, judging, lora, midtrain, miniwob, offline, practice, starter, synthetic, workbench

BENCH = jobs.STARTER.parent / "workbench_policy"


def test_a_policy_of_the_workbench_is_judged_nowhere_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [str(BENCH), "--out", str(tmp_path), "--environments", "cloud"]
    assert judging.main(asked) == 2
    assert "acts on the workbench alone, not on cloud" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--minutes", "-1"], "argument --minutes: expected a number from 0, found '-1'"),
        (["--variants", "-3"], "argument --variants: expected a whole number from 0, found '-3'"),
        (["--out", __file__], "argument --out: expected a folder to write into"),
    ],
)
def test_a_judgement_that_cannot_be_meant_is_not_begun(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        judging.main([str(jobs.STARTER), "--out", str(tmp_path), *arguments])
    assert sentence in capsys.readouterr().err


def test_a_training_that_cannot_be_meant_is_not_begun(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for main, arguments in (
        (workbench.main, ["--budget-s", "-1"]),
        (workbench.main, ["--templates", "nope"]),
        (starter.main, ["--steps", "-1"]),
    ):
        with pytest.raises(SystemExit):
            main(["--work", str(tmp_path), *arguments])
        assert f"argument {arguments[0]}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("main", "arguments", "sentence"),
    [
        (practice.main, ["--environments", "nowhere"], "there is no environment 'nowhere'"),
        (
            practice.main,
            ["--templates", "cloud/fly", "sql/add-index"],
            "no templates of cloud: cloud/fly, sql/add-index",
        ),
        (practice.main, ["--demonstrations", "0"], "argument --demonstrations: expected a whole number from 1"),
        (practice.main, ["--workers", "-2"], "argument --workers: expected a whole number from 0"),
        (midtrain.main, ["--out", "out", "--episodes", "-2"], "argument --episodes: expected a whole number from 1"),
        (
            midtrain.main,
            ["--out", "out", "--templates", "cloud/create-disk", "sql/add-index"],
            "these templates are of cloud, sql",
        ),
        (midtrain.main, ["--out", "out", "--steps", "0"], "argument --steps: expected a whole number from 1"),
        (distill.main, ["--out", "out", "--teacher", str(BENCH)], "holds a policy of kind 'bench'"),
        (offline.main, ["--out", "out", __file__], f"{__file__}: not a Belay trajectory file"),
        (offline.main, ["--out", "out", str(BENCH)], "is a folder without .belay files"),
        (miniwob.main, ["out", "--steps", "0"], "argument --steps: expected a whole number from 1"),
        (miniwob.main, ["out", "--seed", "-1"], "argument --seed: expected a whole number from 0"),
        (lora.main, ["base", "chats", "out", "--steps", "0"], "argument --steps: expected a whole number from 1"),
        (lora.main, ["base", "chats", "out", "--batch", "0"], "argument --batch: expected a whole number from 1"),
        (lora.main, ["base", "chats", "out", "--seed", "-1"], "argument --seed: expected a whole number from 0"),
        (lora.main, ["base", "chats", "out", "--learning-rate", "0"], "expected a number above 0, found '0'"),
        (synthetic.main, ["out", __file__], f"{__file__}: not a Belay trajectory file"),
    ],
)
def test_what_cannot_be_begun_with_is_named(
    main: Callable[[list[str]], int], arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert sentence in capsys.readouterr().err


def test_a_folder_of_trajectories_stands_for_its_files_and_a_parent_of_another_kind_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shown.belay").write_bytes(next(iter(jobs.starter_trajectories())))
    with pytest.raises(SystemExit):
        offline.main(["--out", "out", "--parent", str(BENCH), str(tmp_path)])
    assert "holds a policy of kind 'bench': name one of kind 'element-set'" in capsys.readouterr().err
