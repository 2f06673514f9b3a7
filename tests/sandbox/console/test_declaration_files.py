"""Declarations on disk: they come back as they were, and what is wrong in one is told with its line."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from sandbox.worlds.console.declare import BadDeclaration, Console
from sandbox.worlds.console.openapi.convert import console_from
from sandbox.worlds.console.openapi.files import load, save
from sandbox.worlds.generated import entered, split_by_document
from tests.sandbox.console.documents import DOCUMENTS

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def orchard() -> Console:
    """A console made from a document."""
    return console_from(DOCUMENTS / "orchard.yaml")[0]


def test_a_declaration_comes_back_from_disk_as_it_was(orchard: Console, tmp_path: Path) -> None:
    file = save(orchard, tmp_path)
    assert file.name == "orchard-api.console.json"
    assert msgspec.json.encode(load(file)) == msgspec.json.encode(orchard)


@pytest.mark.parametrize(
    ("old", "new", "told", "stands_at"),
    [
        ('"plural": "Trees"', '"plural": 7', r"kinds[5].plural: Expected `str`, got `int`", '"plural": 7,'),
        ('"prefix": "t"', '"prefiks": "t"', "kinds[5]: Object contains unknown field `prefiks`", "{"),
        ('"plural": "Trees",', '"plural": "Trees"', "expected JSON: JSON is malformed", '"group": "Growing",'),
        ('"columns": [', '"columns": ["colour",', "tree: columns: there is no field 'colour'", "{"),
        ('"type": "text"', '"type": "reference"', "tree: field name: references", "{"),
        ('"name": "tree"', '"name": "orchard"', "kind 'orchard' is declared 2 times", "{"),
    ],
)
def test_what_is_wrong_is_told_with_file_line_and_expectation(
    orchard: Console, tmp_path: Path, old: str, new: str, told: str, stands_at: str
) -> None:
    file = save(orchard, tmp_path)
    head, tree, rest = file.read_text().partition('   "name": "tree"')
    text = head + (tree + rest).replace(old, new, 1)
    file.write_text(text)
    with pytest.raises(BadDeclaration) as refusal:
        load(file)
    said = re.search(rf"{re.escape(str(file))}:(\d+): .*{re.escape(told)}", str(refusal.value))
    assert said is not None, refusal.value
    assert text.splitlines()[int(said[1]) - 1].strip() == stands_at


def test_a_file_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(BadDeclaration, match=r"none\.console\.json:1: expected a readable file: No such file"):
        load(tmp_path / "none.console.json")


def test_a_folder_is_entered_here_and_for_processes_started_from_here(
    orchard: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BELAY_CONSOLES", "")
    save(msgspec.structs.replace(orchard, name="grove-api"), tmp_path)
    (found,) = entered(tmp_path)
    assert (found.environment.id, found.make_simulator is None) == ("grove-api", False)
    assert entered(tmp_path)[0].environment == found.environment
    ask = "from sandbox.registry import find_environment as find; print(len(find('grove-api').templates))"
    told = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True, cwd=ROOT)
    assert int(told.stdout) == len(found.templates)


@pytest.mark.parametrize(
    ("name", "told"),
    [("grove-api", "'grove-api' is taken by "), ("cloud", "expected a name with 'api' among its words")],
)
def test_no_console_takes_anothers_name(
    orchard: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, told: str
) -> None:
    monkeypatch.setenv("BELAY_CONSOLES", "")
    save(msgspec.structs.replace(orchard, name="grove-api"), tmp_path)
    save(msgspec.structs.replace(orchard, name=name), tmp_path).rename(tmp_path / "other.console.json")
    save(msgspec.structs.replace(orchard, name="grove-api"), tmp_path)
    with pytest.raises(BadDeclaration, match=told):
        entered(tmp_path)


def test_whole_documents_are_kept_for_judging() -> None:
    names = [f"console-{n}-api" for n in range(20)]
    shared = split_by_document(names)
    assert Counter(shared.values()) == {"train": 14, "test": 4, "validation": 2}
    assert shared == split_by_document(reversed(names))
    assert sorted(split_by_document(["a-api", "b-api"], validation=0).values()) == ["test", "train"]
