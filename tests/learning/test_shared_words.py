"""Pages in shared words: consoles of other vendors and languages look alike, and actions say what the page says."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from learning import (
    artefact,
    bc,
    cloning,
    distill,
    features,
    jobs,
    lexical,
    midtrain,
    pricing,
    readings,
    sentences,
    shared_words,
)
from learning.candidates import label
from learning.features import Scene
from learning.networks import Shape, sizes
from learning.unexported import Unexported
from sandbox import sessions
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Goal
from sandbox.env import player
from sandbox.semantics import thesaurus
from sandbox.variants import environment_id, parse
from tests.learning.pages import a_demonstration, a_form, a_goal, a_list

WALKED = ("cloud/add-subnet", "cloud/stop-instance", "cloud/delete-bucket")
STEPS = 4
Situation = tuple[Observation, Goal, tuple[Past, ...], Action]


def _walk(template: str, **kept: str) -> list[Situation]:
    """The first states of a task and what its oracle does there, in a console with these values."""
    variant = environment_id("cloud", kept)
    task = sessions.sample(template, seed=7, split="test", recipe=parse(variant)[1])
    simulator, oracle = player("cloud"), sessions.oracle(task)
    page = simulator.reset(task)
    found: list[Situation] = []
    history: list[Past] = []
    for _ in range(STEPS):
        action = oracle.act(page, task.goal, history).action
        found.append((page, task.goal, tuple(history), action))
        result, after = simulator.act(action)
        history.append(past(page, action, result))
        page = after
    simulator.close()
    return found


def _likeness(one: Scene, other: Scene, name: str) -> float:
    """The share of entries that are there in either and the same in both; the order of words does not count."""
    first, second = np.sort(getattr(one.arrays, name), -1), np.sort(getattr(other.arrays, name), -1)
    there = (first != 0) | (second != 0)
    return float((first == second)[there].mean())


@pytest.mark.parametrize(
    ("kept", "alike"), [({"words": "second"}, 1.0), ({"locale": "zh"}, 0.85), ({"locale": "de"}, 0.8)]
)
def test_the_same_page_in_other_words_reads_nearly_the_same(kept: dict[str, str], alike: float) -> None:
    pages = [both for name in WALKED for both in zip(_walk(name), _walk(name, **kept), strict=True)]
    for reading, least, most in ((shared_words.scene, alike, 1.0), (features.scene, 0.0, alike - 0.1)):
        scenes = [(reading(*plain[:3]), reading(*other[:3])) for plain, other in pages]
        found = float(np.mean([_likeness(one, other, "element_words") for one, other in scenes]))
        assert least <= found <= most, reading


@pytest.mark.parametrize("kept", [{"locale": "de"}, {"locale": "zh"}, {"words": "second"}])
def test_what_the_oracle_does_can_be_said_in_every_language(kept: dict[str, str]) -> None:
    walked = [each for name in WALKED for each in _walk(name, **kept)]
    labels = [label(shared_words.scene(page, goal, history), action) for page, goal, history, action in walked]
    assert None not in labels


def test_elements_options_and_texts_are_those_of_the_page_and_the_goal() -> None:
    page, goal = a_form("50", "GB"), Goal("Setze die Quota", (("unit", "GB"), ("comment", "Neue Anmerkung")))
    german = structs.replace(
        page,
        elements=tuple(
            structs.replace(each, name="Größe", options=("öffentlich", "public", "privat"), value="öffentlich")
            for each in page.elements
        ),
    )
    seen = shared_words.scene(german, goal, ())
    assert seen.elements == german.elements
    assert [text for _, text in seen.options][:3] == ["öffentlich", "public", "privat"]
    assert ("comment", "Neue Anmerkung") in seen.texts


def test_a_goal_in_one_language_finds_its_option_and_field_on_a_page_in_another() -> None:
    page = a_form()
    german = structs.replace(
        page,
        elements=tuple(
            structs.replace(each, label="Zugang", options=("öffentlich", "privat")) for each in page.elements
        ),
    )
    goal = Goal("Make it public.", (("access", "public"),))
    shared, plain = shared_words.scene(german, goal, ()), features.scene(german, goal, ())
    assert shared.arrays.option_pairs[0, 0, 0] == 1.0
    assert plain.arrays.option_pairs[0, 0, 0] == 0.0
    assert shared.arrays.element_pairs[2, 0, 7] == 1.0
    assert plain.arrays.element_pairs[2, 0, 7] == 0.0


def test_steps_taken_are_read_alike_too() -> None:
    done = ActResult(ActOutcome.DONE)
    english = (Past(Click(1), "button", "Delete", done), Past(Type(2, "notes"), "textbox", "Description", done))
    german = (Past(Click(1), "button", "Löschen", done), Past(Type(2, "notes"), "textbox", "Beschreibung", done))
    chosen = (Past(Select(3, "öffentlich"), "combobox", "Zugang", done),)
    goal = Goal("Make it public.", (("access", "public"),))
    one, other = (shared_words.scene(a_list("b-1"), a_goal(), each).arrays.history_words for each in (english, german))
    assert np.array_equal(one, other)
    assert shared_words.scene(a_list("b-1"), goal, chosen).arrays.history_pairs[0, 0, 1] == 1.0


def test_a_shape_says_how_its_network_reads() -> None:
    found = [readings.reading_of(sizes(shape)) for shape in (Shape(), Shape(shared=1), Shape(sentences=1))]
    assert found == [features.scene, shared_words.scene, sentences.scene]


def test_a_policy_acts_the_same_whatever_the_page_calls_things() -> None:
    policy = Unexported(bc.fresh(Shape(width=16, layers=1, heads=2, word_width=8, shared=1), seed=3), name="untrained")
    english = a_list("amber-1", "basil-2")
    names = {"Buckets": "Ablagen", "Users": "Nutzer", "Create bucket": "Ablage anlegen", "Delete": "Löschen"}
    german = structs.replace(
        english,
        title="Ablagen",
        elements=tuple(
            structs.replace(
                each, name=names.get(each.name, each.name), label="Kontingent" if each.label == "Quota" else each.label
            )
            for each in english.elements
        ),
    )
    one, other = (policy.act(page, a_goal("basil-2"), ()) for page in (english, german))
    assert other.action == one.action
    assert other.probability == pytest.approx(one.probability, rel=1e-3)


def test_things_are_words_that_one_console_has_and_another_has_not() -> None:
    words = shared_words.scene(a_list("amber-1"), a_goal("amber-1"), ()).arrays.element_words
    things = set(shared_words.things())
    assert lexical.plain_id("bucket") in things & set(words.ravel().tolist())
    assert lexical.plain_id("create") not in things


@pytest.mark.parametrize("shared", [0, 1])
def test_every_training_reads_as_its_network_does(shared: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Goal] = []

    def noted(page: Observation, goal: Goal, history: Sequence[Past]) -> Scene:
        asked.append(goal)
        return features.scene(page, goal, history)

    monkeypatch.setattr(shared_words, "scene", noted)
    reading = readings.reading_of({"shared": shared})
    trajectory = a_demonstration(1)
    for read in (
        lambda: cloning.featurised([trajectory], lambda _: None, lambda: False, reading=reading),
        lambda: midtrain.experience([trajectory], reading=reading),
        lambda: pricing.deals([trajectory], lambda one: [0.0] * len(one.steps), reading=reading),
        lambda: distill.states_of([trajectory], reading=reading),
    ):
        asked.clear()
        read()
        assert bool(asked) is bool(shared)


def test_a_field_of_a_name_that_is_there_already_asks_for_what_the_page_calls_so() -> None:
    goal = Goal("Add it.", (("zone", "estuary-1"), ("name_2", "jaguar.example.org")))
    page = structs.replace(a_form(), elements=tuple(structs.replace(e, label="Name") for e in a_form().elements))
    assert shared_words.scene(page, goal, ()).arrays.element_pairs[1, 1, 7] == 1.0
    assert features.scene(page, goal, ()).arrays.element_pairs[1, 1, 7] == 0.5


def test_cards_are_read_as_the_rows_of_a_table() -> None:
    table, cards = (_walk("cloud/stop-instance", **kept)[1][0] for kept in ({}, {"list": "cards"}))
    rows = [each for each in table.elements if each.row and each.role in ("link", "cell") and each.group]
    named = {(each.role, each.name, each.label, each.group) for each in rows if each.label != "Actions"}
    read = {(each.role, each.name, each.label, each.group) for each in shared_words.as_rows(cards.elements)}
    assert len(named) > 8
    assert named - read == set()
    assert shared_words.as_rows(table.elements) == table.elements


def test_another_thesaurus_than_it_learnt_with_is_told_in_the_log_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    network = bc.fresh(Shape(width=16, layers=1, heads=2, word_width=4, shared=1), seed=1)
    seen = [shared_words.scene(a_form("50"), a_goal(), ()).arrays]
    spec = artefact.write(
        tmp_path / "v1", network, examples=seen, templates={}, evaluation={}, receipt={}, title="Reader"
    )
    assert spec["words_sha256"] == thesaurus.shipped_sha256()
    jobs.load_policy(tmp_path / "v1", name="v1")
    assert "thesaurus" not in caplog.text
    (tmp_path / "other.yaml").write_bytes(thesaurus.SHIPPED.read_bytes() + b"# of this installation\n")
    monkeypatch.setenv(thesaurus.CHOSEN, str(tmp_path / "other.yaml"))
    jobs.load_policy(tmp_path / "v1", name="v1")
    assert "v1 learnt with another thesaurus" in caplog.text


def test_a_spec_that_names_no_words_is_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    readings.compare_words({"shape": {"shared": 1}}, "v1")
    readings.compare_words({"shape": {"shared": 0}, "words_sha256": "of another"}, "v1")
    assert caplog.text == ""
