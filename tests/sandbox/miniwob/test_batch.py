"""Many tasks as frames of one page: the same to see as in a page of their own, and done by one call."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from sandbox import sessions
from sandbox.browser import observe as observing
from sandbox.contracts.actions import Action, ActOutcome, Click, Press, Select, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.env import Gym
from sandbox.worlds.miniwob.batch import Batch, Begin, Frame
from sandbox.worlds.miniwob.catalogue import names
from sandbox.worlds.miniwob.tasks import page_seed

NAMES = ("login-user", "click-checkboxes", "choose-list", "click-dialog", "click-tab-2", "enter-text")
LOGIN, BOXES, LIST, *_, TEXT = range(len(NAMES))
NESTED = 9  # a seed whose menu has the asked-for item two menus down


@pytest.fixture(scope="module")
def batch() -> Iterator[Batch]:
    batch = Batch([(name, 3) for name in NAMES])
    yield batch
    batch.close()


@pytest.fixture
def fresh(batch: Batch) -> tuple[Frame, ...]:
    return batch.step([Begin(3)] * len(NAMES))


def one(frame: Frame, role: str, name: str) -> Element:
    (found,) = [each for each in frame.observation.elements if (each.role, each.name) == (role, name)]
    return found


def usable(frame: Frame) -> list[Element]:
    return [each for each in frame.observation.elements if each.actionable]


def acts(frame: Frame) -> list[Action]:
    refs = [each.ref for each in usable(frame)]
    return [*(Click(ref) for ref in refs), *(Type(ref, "x") for ref in refs), Press("Enter")]


def alone(at: int, step: Any) -> list[Any]:
    return [step if number == at else None for number in range(len(NAMES))]


def facts(elements: tuple[Element, ...]) -> list[tuple[Any, ...]]:
    return [(e.role, e.name, e.value, e.states, e.box, e.label, e.row, e.group, e.options, e.region) for e in elements]


def test_a_frame_shows_what_a_page_of_its_own_shows(fresh: tuple[Frame, ...]) -> None:
    gym = Gym("miniwob")
    try:
        for name, frame in zip(NAMES, fresh, strict=True):
            task = sessions.sample(f"miniwob/{name}", seed=1, split="train")
            assert page_seed(task) == 3
            seen = gym.reset(task)
            assert facts(frame.observation.elements) == facts(seen.elements)
            assert frame.goal == gym.task.goal
    finally:
        gym.close()


def whole_looks(batch: Batch) -> list[Observation]:
    asked = "JSON.stringify([...document.querySelectorAll('iframe')].map((f) => f.contentWindow.belay.observe()))"
    told = batch.run(batch.page.tab.ask(asked))
    seen = [observing.read(each) for each in msgspec.json.decode(told, type=list[str])]
    return [observing.observation(each, pending=0) for each in seen]


def test_what_changed_is_all_that_changed(batch: Batch, fresh: tuple[Frame, ...]) -> None:
    rng, frames = random.Random(5), fresh
    for _ in range(8):
        frames = batch.step([rng.choice(acts(frame)) for frame in frames])
        assert [frame.observation for frame in frames] == whole_looks(batch)


STILL = """JSON.stringify([...document.querySelectorAll("iframe")].map((frame) => frame.contentWindow.belay)
  .flatMap((its, at) => its.isStill() ? [[at, JSON.parse(its.tell("done", true)).seen]] : []))"""


@pytest.mark.slow
def test_on_no_page_does_anything_change_that_is_not_told() -> None:
    rng, pages, compared = random.Random(7), names(), 0
    for first in range(0, len(pages), 16):
        batch = Batch([(name, 5) for name in pages[first : first + 16]])
        try:
            frames = batch.look()
            for _ in range(10):
                frames = batch.step([rng.choice(acts(frame)) for frame in frames])
                still = msgspec.json.decode(batch.run(batch.page.tab.ask(STILL)), type=list[tuple[int, observing.Seen]])
                wholes = [observing.observation(seen, pending=0) for _, seen in still]
                assert wholes == [frames[at].observation for at, _ in still]
                compared += len(still)
        finally:
            batch.close()
    assert compared > 5 * len(pages)


def test_every_frame_has_a_focus_of_its_own(batch: Batch, fresh: tuple[Frame, ...]) -> None:
    field, name, text = (
        one(fresh[at], "textbox", of) for at, of in ((LOGIN, "Password"), (LOGIN, "Username"), (TEXT, "tt"))
    )
    batch.step(alone(LOGIN, Type(name.ref, "a")))
    batch.step(alone(TEXT, Click(text.ref)))
    after = batch.step(alone(LOGIN, Click(field.ref)))
    focused = [[e.name for e in after[at].observation.elements if "focused" in e.states] for at in (LOGIN, TEXT)]
    assert focused == [["Password"], ["tt"]]


def test_one_call_acts_in_every_frame_and_a_solved_one_earns_its_whole_reward(
    batch: Batch, fresh: tuple[Frame, ...]
) -> None:
    name, password = (text for _, text in fresh[LOGIN].goal.fields)
    box = next(each for each in fresh[BOXES].observation.elements if each.role == "checkbox")
    options = next(each for each in fresh[LIST].observation.elements if each.role == "combobox")
    first = [
        Type(one(fresh[LOGIN], "textbox", "Username").ref, name),
        Click(box.ref),
        Select(options.ref, options.options[1]),
        None,
        None,
        None,
    ]
    after = batch.step(first)
    assert one(after[LOGIN], "textbox", "Username").value == name
    assert "checked" in one(after[BOXES], "checkbox", box.name).states
    assert next(e for e in after[LIST].observation.elements if e.role == "combobox").value == options.options[1]
    batch.step(alone(LOGIN, Type(one(fresh[LOGIN], "textbox", "Password").ref, password)))
    ended = batch.step(alone(LOGIN, Click(one(fresh[LOGIN], "button", "Login").ref)))
    assert [(frame.done, frame.raw) for frame in ended] == [(True, 1.0), *[(False, 0.0)] * 5]


def test_beginning_anew_forgets_what_was_done(batch: Batch, fresh: tuple[Frame, ...]) -> None:
    batch.step(alone(LOGIN, Type(one(fresh[LOGIN], "textbox", "Username").ref, "left over")))
    again = batch.step(alone(LOGIN, Begin(3)))
    assert facts(again[LOGIN].observation.elements) == facts(fresh[LOGIN].observation.elements)


def test_what_cannot_be_done_is_named(batch: Batch, fresh: tuple[Frame, ...]) -> None:
    label = next(each for each in fresh[LOGIN].observation.elements if each.role == "text")
    assert batch.step(alone(LOGIN, Type(label.ref, "x")))[LOGIN].outcome is ActOutcome.NOT_EDITABLE
    assert batch.step(alone(LOGIN, Click(99_999)))[LOGIN].outcome is ActOutcome.VANISHED
    options = next(each for each in fresh[LIST].observation.elements if each.role == "combobox")
    assert batch.step(alone(LIST, Select(options.ref, "?")))[LIST].outcome is ActOutcome.NO_SUCH_OPTION
    assert batch.step(alone(LOGIN, Press("Escape")))[LOGIN].outcome is ActOutcome.DONE
    with pytest.raises(ValueError, match="6 frames take 6 steps, not 1"):
        batch.step([None])


@pytest.fixture
def menu() -> Iterator[Batch]:
    batch = Batch([("click-menu", NESTED), ("use-autocomplete", 3)])
    batch.look()
    yield batch
    batch.close()


def at_rest(batch: Batch) -> tuple[Frame, ...]:
    asked = "Promise.all([...document.querySelectorAll('iframe')].map((f) => f.contentWindow.belay.rest(40, 130)))"
    batch.run(batch.page.tab.ask(asked))
    return batch.look()


def test_a_menu_in_a_frame_opens_under_the_pointer(menu: Batch) -> None:
    frames = menu.step([Begin(NESTED), None])
    path = frames[0].goal.text.removeprefix("Select ").split(">")
    assert len(path) == 3
    for name in path:
        assert not frames[0].done
        menu.step([Click(one(frames[0], "menuitem", name).ref), None])
        frames = at_rest(menu)
    assert frames[0].raw == 1.0


def test_a_frames_clock_runs_faster_so_that_suggestions_come_within_a_short_rest(menu: Batch) -> None:
    before = menu.look()[1]
    asked = before.goal.text.split('"')[1]
    menu.step([None, Type(one(before, "textbox", "Tags").ref, asked[:3])])
    after = at_rest(menu)[1]
    suggested = {each.name for each in usable(after)} - {each.name for each in usable(before)}
    assert any(name.startswith(asked[:3]) for name in suggested)
