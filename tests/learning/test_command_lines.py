"""Command lines say what cannot be meant before they begin, in a sentence."""

from pathlib import Path

import pytest

from learning import jobs, judging, starter, workbench

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
