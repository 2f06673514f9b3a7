"""What docs/worlds.md tells a newcomer to do works as it stands there."""

import re
from pathlib import Path

import pytest

from sandbox.worlds.web.spec import load

PAGE = Path(__file__).parents[2] / "docs" / "worlds.md"


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    return found[1]


def test_the_console_of_the_page_is_a_right_file(tmp_path: Path) -> None:
    path = tmp_path / "console.yaml"
    path.write_text(block("yaml"))
    assert load(path).console == "wiki"


def test_the_program_of_the_page_ends_verified(capsys: pytest.CaptureFixture[str]) -> None:
    exec(block("python"), {})  # noqa: S102  # it is the page's own, and this is its test
    assert capsys.readouterr().out == "verified 1.0 ()\n"
