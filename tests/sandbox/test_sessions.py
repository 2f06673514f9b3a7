"""The door: tasks from parameters, and sessions that outlive their host."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from sandbox import sessions
from sandbox.browser.page import Page
from sandbox.browser.tab import Tab
from sandbox.contracts.actions import ActOutcome, Click, Press, Select, Type
from sandbox.contracts.observations import Observation
from sandbox.contracts.storage import from_json, to_json
from sandbox.contracts.takeover import Choose, KeyStroke, Pointer, Text
from sandbox.contracts.tasks import Outcome, Risk
from sandbox.live import Live
from sandbox.sessions import BadParameters, CannotOpen, Handle, LiveSession, PageHangs, SessionLost
from tests.sandbox.toy import TEMPLATE, Toy

GOOD = {"name": "alpha-1", "size": 5, "unit": "GB"}
ROOT = Path(__file__).resolve().parents[2]


def test_a_task_holds_its_fields_in_template_order() -> None:
    task = sessions.bind(TEMPLATE.id, {"unit": "GB", "size": "+5", "name": " alpha-1 "}, seed=3)
    assert task.goal.fields == (("name", "alpha-1"), ("size", "5"), ("unit", "GB"))
    assert task.goal.text in {phrase.format(**GOOD) for phrase in TEMPLATE.phrases}
    assert sessions.parameters_of(task) == {"name": "alpha-1", "size": "5", "unit": "GB"}


def test_the_seed_chooses_the_phrase() -> None:
    texts = {sessions.bind(TEMPLATE.id, GOOD, seed=seed).goal.text for seed in range(20)}
    assert len(texts) == len(TEMPLATE.phrases)
    assert sessions.bind(TEMPLATE.id, GOOD, seed=7) == sessions.bind(TEMPLATE.id, GOOD, seed=7)


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", "Alpha", "Use a-z, 0-9 and -."),
        ("name", "a" * 21, "Use at most 20 characters."),
        ("name", "a\nb", "Line breaks and control characters are not allowed here."),
        ("name", " ", "This field is required."),
        ("name", 5, "Enter text."),
        ("size", 0, "Enter 1 or more."),
        ("size", 101, "Enter 100 or less."),
        ("size", "five", "Enter a whole number."),
        ("size", True, "Enter a whole number."),
        ("size", 1.5, "Enter a whole number."),
        ("unit", "TB", "Choose one of: MB, GB."),
        ("unit", None, "This field is required."),
        ("colour", "red", "This template has no such parameter."),
    ],
)
def test_a_wrong_parameter_is_refused_by_its_field(field: str, value: object, sentence: str) -> None:
    with pytest.raises(BadParameters) as refusal:
        sessions.bind(TEMPLATE.id, GOOD | {field: value}, seed=1)
    assert refusal.value.errors == {field: sentence}


def test_every_wrong_field_is_named_at_once() -> None:
    with pytest.raises(BadParameters) as refusal:
        sessions.bind(TEMPLATE.id, {"colour": "red"}, seed=1)
    assert set(refusal.value.errors) == {"name", "size", "unit", "colour"}


@given(
    st.fixed_dictionaries(
        {
            "name": st.from_regex("[a-z][a-z0-9-]{0,19}", fullmatch=True),
            "size": st.integers(1, 100),
            "unit": st.sampled_from(["MB", "GB"]),
        }
    ),
    st.integers(),
)
def test_good_parameters_come_back_as_text(parameters: dict[str, object], seed: int) -> None:
    task = sessions.bind(TEMPLATE.id, parameters, seed=seed)
    assert sessions.parameters_of(task) == {name: str(value) for name, value in parameters.items()}
    assert sessions.bind(TEMPLATE.id, sessions.parameters_of(task), seed=seed) == task


@given(st.dictionaries(st.text(max_size=9), st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text())))
def test_nonsense_is_refused_and_never_breaks(parameters: dict[str, object]) -> None:
    with pytest.raises(BadParameters) as refusal:
        sessions.bind(TEMPLATE.id, {**parameters, "unit": "nonsense"}, seed=1)
    assert refusal.value.errors["unit"] == "Choose one of: MB, GB."


def test_what_does_not_exist_is_named() -> None:
    with pytest.raises(sessions.UnknownTemplate):
        sessions.template("toy/none")
    with pytest.raises(sessions.UnknownEnvironment):
        sessions.free_task("none", "text", seed=1)
    with pytest.raises(BadParameters):
        sessions.free_task("toy", "  ", seed=1)


def test_samples_are_tasks() -> None:
    task = sessions.sample(TEMPLATE.id, seed=4, split="test")
    assert sessions.parameters_of(task) == {"name": "test-4", "size": "5", "unit": "GB"}


def test_the_door_is_light() -> None:
    code = "import sys, sandbox.sessions as s; s.templates(); print(*sorted(m.partition('.')[0] for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(done.stdout.split())
    assert "sandbox" in loaded
    assert loaded.isdisjoint({"websockets", "playwright", "torch", "gymnasium", "django"})


@pytest_asyncio.fixture
async def session(tmp_path: Path) -> AsyncIterator[LiveSession]:
    task = sessions.bind(TEMPLATE.id, GOOD, seed=1)
    session = await sessions.open_session(task, folder=tmp_path / "session")
    yield session
    await session.close()
    await session.close()


def ref(seen: Observation, name: str) -> int:
    return next(element.ref for element in seen.elements if element.name == name)


async def test_a_session_acts_and_asks_the_world(session: LiveSession) -> None:
    seen = await session.observe()
    assert (await session.verify("")).outcome is Outcome.FAILED
    result = await session.act(Click(ref(seen, "Save")), permit=Risk.REVERSIBLE)
    assert (result.outcome, result.requests) == (ActOutcome.DONE, ("POST /save",))
    assert (await session.verify("")).outcome is Outcome.VERIFIED


async def test_a_request_riskier_than_permitted_is_stopped_and_learnt(session: LiveSession) -> None:
    seen = await session.observe()
    tidy = Click(ref(seen, "Tidy"))
    result = await session.act(tidy, permit=Risk.COST)
    assert (result.outcome, result.requests) == (ActOutcome.BLOCKED_REQUEST, ())
    assert result.detail == "POST /drop is destructive; permitted was cost"
    assert session.risk(tidy, await session.observe()).rank >= Risk.DESTRUCTIVE.rank
    assert (await session.act(tidy, permit=Risk.DESTRUCTIVE)).requests == ("POST /drop",)


async def test_hands_are_held_to_their_permit(session: LiveSession) -> None:
    seen = await session.observe()
    box = next(each for each in seen.elements if each.name == "Tidy").box
    press = Pointer(box.x + 4, box.y + 4)
    await session.hand(press, permit=Risk.CREDENTIAL)
    async with asyncio.timeout(10):
        while not session.held_back():
            await session.hand(press, permit=Risk.CREDENTIAL)
    assert session.held_back() == "POST /drop is destructive; permitted was credential"
    await session.hand(press)
    assert session.held_back() == ""


async def test_a_hand_becomes_actions(session: LiveSession) -> None:
    seen = await session.observe()
    name, save, word = (
        next(each for each in seen.elements if each.name == wanted) for wanted in ("Name", "Save", "Password")
    )
    assert await session.hand(Pointer(name.box.x + 4, name.box.y + 4)) == Click(name.ref)
    typed = [await session.hand(KeyStroke(key)) for key in ("a", "b", "Backspace")]
    typed.append(await session.hand(Text("cd")))
    assert typed == [None] * 4
    assert await session.hand(KeyStroke("Tab")) == Type(name.ref, "acd")
    assert await session.flush_hand() == Press("Tab")
    await session.hand(Text("hunter22"))
    assert await session.flush_hand() == Type(word.ref, "•••")
    assert await session.flush_hand() is None
    unit = ref(seen, "Unit")
    assert await session.hand(Choose(unit, "GB")) == Select(unit, "GB")
    assert await session.hand(Pointer(save.box.x + 4, save.box.y + 4)) == Click(save.ref)
    assert (await session.verify("")).outcome is Outcome.VERIFIED


async def test_frames_come_while_somebody_watches(session: LiveSession) -> None:
    frames: asyncio.Queue[bytes] = asyncio.Queue()
    await session.watch(frames.put)
    first = await asyncio.wait_for(frames.get(), 5)
    await session.act(Type(ref(await session.observe(), "Name"), "something"), permit=Risk.REVERSIBLE)
    assert await asyncio.wait_for(frames.get(), 5) != first
    await session.unwatch()
    assert (await session.picture())[:2] == b"\xff\xd8"


async def test_a_page_that_hangs_is_loaded_again_and_shown_on(session: LiveSession, impatient: None) -> None:
    frames: asyncio.Queue[bytes] = asyncio.Queue()
    seen = await session.observe()
    await session.watch(frames.put)
    await asyncio.wait_for(frames.get(), 5)
    hang(session, "while (true) {}")
    assert [each.name for each in (await session.observe()).elements] == [each.name for each in seen.elements]
    while not frames.empty():
        frames.get_nowait()
    await session.act(Type(ref(await session.observe(), "Name"), "something"), permit=Risk.REVERSIBLE)
    assert await asyncio.wait_for(frames.get(), 5)


async def test_a_page_that_hangs_for_good_is_said_to(session: LiveSession, impatient: None) -> None:
    await session.observe()
    hang(session, "localStorage.hangs = 1; while (true) {}")
    with pytest.raises(PageHangs, match="stopped answering, and again after it was loaded anew"):
        await session.observe()
    with pytest.raises(SessionLost, match="does not answer"):
        await sessions.attach(session.handle)


async def test_a_console_that_lets_nobody_in_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def to_nowhere(world: Toy, page: Page) -> None:
        await page.goto("http://127.0.0.1:1/")

    monkeypatch.setattr(Toy, "sign_in", to_nowhere)
    task = sessions.bind(TEMPLATE.id, GOOD, seed=1)
    with pytest.raises(CannotOpen, match=r"http://127\.0\.0\.1:1/: "):
        await sessions.open_session(task, folder=tmp_path / "session")
    assert not (tmp_path / "session").exists()


def hang(session: LiveSession, script: str) -> None:
    """A script of the page's own runs and does not end."""
    assert isinstance(session, Live)
    session._page.tab.send("Runtime.evaluate", {"expression": script}).add_done_callback(lambda done: done.exception())


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that does not answer is waited for less long."""
    monkeypatch.setattr(Tab.ask, "__kwdefaults__", {"limit_s": 2.0})
    monkeypatch.setattr("sandbox.browser.tab.LOAD_LIMIT_S", 2.0)


async def test_a_killed_host_loses_nothing(tmp_path: Path) -> None:
    host = subprocess.Popen(  # noqa: ASYNC220  # read in a thread, then killed
        [sys.executable, "-m", "tests.sandbox.opener", str(tmp_path / "session")], stdout=subprocess.PIPE, cwd=ROOT
    )
    assert host.stdout is not None
    handle: Handle = from_json(await asyncio.to_thread(host.stdout.readline), Handle)
    host.kill()
    host.wait()
    host.stdout.close()
    session = await sessions.attach(handle)
    seen = await session.observe()
    assert next(element.value for element in seen.elements if element.name == "Name") == "typed before the crash"
    assert (await session.act(Click(ref(seen, "Save")), permit=Risk.REVERSIBLE)).outcome is ActOutcome.DONE
    await session.close()
    with pytest.raises(SessionLost):
        await sessions.attach(handle)
    assert not Path(handle.folder).exists()  # noqa: ASYNC240  # local


async def test_cutting_off_ends_all_of_it_and_may_be_repeated(session: LiveSession) -> None:
    handle: Handle = from_json(to_json(session.handle), Handle)
    assert handle == session.handle
    await sessions.cut_off(handle)
    await sessions.cut_off(handle)
    with pytest.raises(SessionLost):
        await sessions.attach(handle)
    with pytest.raises(SessionLost):
        await session.act(Click(1), permit=Risk.READ)


def test_a_handle_from_elsewhere_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        from_json('{"task": 1}', Handle)
