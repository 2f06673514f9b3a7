"""Files are read with the line of every fault in them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.documents import BadDocument, parse, read

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "kind": {"enum": ["one", "two"]},
        "sizes": {"type": "array", "items": {"type": "integer", "minimum": 1}},
        "token": {"type": "string", "pattern": "^[A-Z]+$", "description": "a token in capitals"},
    },
}


def test_a_good_file_is_read_whole_and_knows_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("name: x\nsizes:\n  - 1\n  - 2\n")
    document = read(file, SCHEMA)
    assert document.value == {"name": "x", "sizes": [1, 2]}
    assert [document.line("sizes", 1), document.line("name"), document.line("sizes", 9)] == [4, 1, 2]


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("name: x\nkinds: one\n", 2, "kinds: unknown key 'kinds' (did you mean 'kind'?); expected: kind, name"),
        ("kind: one\n", 1, "expected the key 'name'"),
        ("name: x\nkind: three\n", 2, 'kind: expected one of one, two; found "three"'),
        ("name: x\nsizes:\n- 1\n- two\n", 4, 'sizes[1]: expected a whole number, found "two"'),
        ("name: x\ntoken: low\n", 2, 'token: expected a token in capitals, found "low"'),
        ("name: x\nname: y\n", 2, "'name' is given twice"),
        ("name: x\nsizes: [1\n", 3, "expected YAML or JSON"),
        ("name: &a x\nkind: *a\n", 1, "expected no alias"),
        ("name: x\nsizes: [0]\n", 2, "sizes[0]: expected a number of at least 1, found 0"),
        ("", 1, "found an empty file"),
        ("name: x\nsizes:\n- .inf\n", 3, "sizes[0]: expected a finite number, found .inf"),
        ("name: !!python/object:os.system x\n", 1, "expected a plain value"),
    ],
)
def test_a_broken_file_is_told_by_line_and_what_was_expected(text: str, line: int, sentence: str) -> None:
    with pytest.raises(BadDocument) as told:
        parse(text, SCHEMA, path="broken.yaml")
    assert str(told.value).startswith(f"broken.yaml:{line}: ")
    assert sentence in str(told.value)


def test_bytes_that_are_no_text_are_told_by_line(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"name: x\nkind: \xff\n")
    with pytest.raises(BadDocument, match=r"a\.yaml:2: expected UTF-8 text, found the byte 0xff"):
        read(file, SCHEMA)
    with pytest.raises(BadDocument, match=r"none\.yaml:1: expected a readable file: No such file"):
        read(tmp_path / "none.yaml", SCHEMA)


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text("ab\u4e2d .:#-", max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
        ),
        max_leaves=8,
    ).map(lambda value: {"value": value})
)
def test_json_is_read_as_json_reads_it(value: dict[str, Any]) -> None:
    for indent in (None, "\t"):
        assert parse(json.dumps(value, indent=indent), {}, path="x.json").value == value
