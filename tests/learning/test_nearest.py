"""Words for a new console by sentence vectors, with a tiny encoder whose vectors are known."""

from pathlib import Path

import numpy as np
import pytest
import tokenizers
import torch
import transformers
import yaml
from tokenizers import models, pre_tokenizers

from learning import nearest
from learning.nearest import Encoder, phrases_of, split, unknown
from sandbox.contracts import storage
from sandbox.contracts.observations import Element, Observation
from sandbox.semantics import thesaurus
from tests.learning.pages import a_demonstration

WORDS = """words: mine
title: Mine
languages:
  en: {passed_over: [the]}
concepts:
  - {means: bucket, en: [bucket]}
  - {means: create, en: [create]}
  - {means: name, en: [name]}
"""
# What the tiny encoder takes for alike: words of one line have one vector.
ALIKE = (("bucket", "vessel"), ("create", "brew"), ("name", "moniker"), ("zebra",))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of an encoder that gives words of one line of ALIKE one vector, and other lines another."""
    folder = tmp_path_factory.mktemp("encoder")
    words = ["[PAD]", "[UNK]", *(word for line in ALIKE for word in line)]
    raw = tokenizers.Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]  # it has no types
        tokenizer_object=raw, pad_token="[PAD]", unk_token="[UNK]"
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    encoder = transformers.BertModel(
        transformers.BertConfig(
            vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
        )
    )
    with torch.no_grad():
        table = encoder.embeddings.word_embeddings.weight
        for line in ALIKE:
            table[[words.index(word) for word in line]] = torch.randn(16)
        encoder.embeddings.position_embeddings.weight.zero_()
    encoder.save_pretrained(folder)
    return folder


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "base.yaml").write_text(WORDS)
    return tmp_path / "base.yaml"


def test_vectors_have_length_one_and_do_not_depend_on_what_else_is_asked(model: Path) -> None:
    together = Encoder(model)(["create bucket", "zebra", "name"])
    alone = Encoder(model)(["zebra"])
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)
    assert np.allclose(together[1], alone[0], atol=1e-5)


def test_a_phrase_goes_to_the_meaning_that_is_nearest_and_the_console_is_read_by_it(
    model: Path, base: Path, tmp_path: Path
) -> None:
    texts = ["Brew vessel", "Brew", "Vessel", "The moniker:"]
    new = nearest.proposed(thesaurus.content_of(base), thesaurus.load(base), texts, Encoder(model), least=0.95)
    assert {means: list(phrases) for means, phrases in new.items()} == {
        "bucket": ["vessel"],
        "create": ["brew"],
        "name": ["moniker"],
    }
    out = tmp_path / "out.yaml"
    out.write_text(yaml.safe_dump(nearest.extended(thesaurus.content_of(base), new)))
    assert thesaurus.load(out).shared("Brew the vessel") == thesaurus.load(base).shared("Create the bucket")


def test_what_is_near_to_nothing_is_left_as_it_is(model: Path, base: Path) -> None:
    found = nearest.proposed(thesaurus.content_of(base), thesaurus.load(base), ["Zebra"], Encoder(model), least=0.95)
    assert found == {}


def test_known_words_numbers_and_names_end_a_run_of_unknown_ones(base: Path) -> None:
    words = thesaurus.load(base)
    assert list(unknown(words, "Brew vessel name amber-12 stir slowly (GB 7)")) == [
        ("brew", "vessel"),
        ("stir", "slowly", "gb"),
    ]


def test_of_all_cuts_that_of_the_highest_score_is_taken() -> None:
    score = {("a", "b"): 0.5, ("a",): 0.2, ("b",): 0.2, ("b", "c"): 0.4, ("c",): -0.1}
    assert split(("a", "b", "c"), score) == [("a",), ("b", "c")]
    assert split(("c",), score) == []


def test_names_of_objects_and_what_one_trajectory_alone_shows_are_no_phrases(tmp_path: Path) -> None:
    page = Observation(
        "http://console.example/",
        "",
        (
            Element(1, "button", "Create"),
            Element(2, "link", "amber-1", row="amber-1 10 GB"),
            Element(3, "combobox", "Zone", options=("north", "south")),
            Element(4, "text", "Nobody can use this"),
        ),
    )
    assert phrases_of(page) == {"Create", "Zone", "north", "south"}
    files = [tmp_path / f"{number}.belay" for number in range(2)]
    for number, file in enumerate(files):
        file.write_bytes(storage.pack(a_demonstration(number)))
    assert nearest.shown(files[:1]) == []
    assert nearest.shown(files) != []


def test_the_command_writes_a_thesaurus_and_says_what_is_wrong_with_a_folder(
    model: Path, base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "one.belay"
    file.write_bytes(storage.pack(a_demonstration(0)))
    out = tmp_path / "out.yaml"
    assert nearest.main([str(model), str(out), str(file), str(file), "--base", str(base)]) == 0
    assert thesaurus.load(out).meanings == thesaurus.load(base).meanings
    assert nearest.main([str(tmp_path), str(out), str(file), "--base", str(base)]) == 1
    assert "holds no sentence encoder" in capsys.readouterr().err


def test_a_not_shipped_thesaurus_is_read_where_the_environment_names_it(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(thesaurus.CHOSEN, str(base))
    thesaurus.shipped.cache_clear()
    try:
        assert thesaurus.shipped().meanings == {"bucket", "create", "name"}
    finally:
        thesaurus.shipped.cache_clear()


def test_the_nearest_of_phrases_is_that_of_the_largest_cosine(model: Path) -> None:
    one, same, other = Encoder(model)(["bucket", "vessel", "zebra"])
    assert float(one @ same) > float(one @ other)
