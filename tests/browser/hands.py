"""A person at the pages who knows each ticket's right next step: eyes on the API, hands on keys and pointer."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.client import ENDED, Person, until
from benchmarks.reviewer import right_action
from sandbox import sessions
from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Navigate, Press, Scroll, Select, Type, Wait
from sandbox.contracts.storage import to_builtins
from sandbox.contracts.tasks import Task, Template

PATIENCE_S = 120
WIDTH, HEIGHT = 1280, 720  # of the driven browser
Way = Literal["picture", "list", "take over"]


@contextmanager
def signed_in(browser: Browser, url: str, name: str, password: str) -> Iterator[Page]:
    """Somebody who has come in by the sign-in page; no script of any page they open may fail."""
    context = browser.new_context(base_url=url, viewport={"width": 1440, "height": 900}, locale="en-GB")
    context.set_default_timeout(30_000)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto("/")
    page.get_by_role("textbox", name="User name").fill(name)
    page.get_by_role("textbox", name="Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("navigation", name="Main navigation")).to_be_visible()
    yield page
    context.close()
    assert errors == []


def file(page: Page, template: Template, *, environment: str, seed: int) -> tuple[Task, int]:
    """File a ticket by its form, with held-out parameters; its task and session."""
    task = sessions.sample(template.id, seed=seed, split="test")
    blanks = sessions.parameters_of(task)
    page.goto("/tickets/new")
    page.get_by_role("button", name=environment).click()
    page.get_by_role("button", name=template.title).click()
    for parameter in template.parameters:
        blank = page.get_by_role("textbox", name=re.compile(f"^{re.escape(parameter.title)}"))
        match parameter.kind:
            case "choice":
                blank.click()
                page.get_by_role("option", name=blanks[parameter.name], exact=True).click()
            case _:
                blank.fill(blanks[parameter.name])
    page.get_by_role("button", name="File ticket").click()
    page.wait_for_url("**/sessions/*")
    return task, int(page.url.rpartition("/")[2])


@dataclass
class Hands:
    """A reviewer at the session page."""

    page: Page
    eyes: Person
    did: list[str] = field(default_factory=list)  # approved | picture | list | take over

    def work(self, session: int, task: Task, *, show: Way | None = None) -> str:
        """Bring a session to its end and return its outcome: what is right is approved, else corrected.

        `show` is one way of putting something in a proposal's place that is used on the first step it fits, right or
        wrong, so that it is used for certain.
        """
        self.page.goto(f"/sessions/{session}")
        while (view := self._next(session))["state"] not in ENDED:
            right = right_action(self.eyes, _asked(view), task)
            if show is not None and _fits(show, right, view):
                self._show(show, view, right)
                show = None
            elif to_builtins(right) == _asked(view)["step"]["proposal"]["action"]:
                self._press(view, "a", "approved")
            else:
                self._correct(view, right, "picture" if self.did[-1:] != ["picture"] else "list")
        expect(self.page.get_by_role("region", name="Outcome")).to_contain_text(view["outcome"])
        return str(view["outcome"])

    def _next(self, session: int) -> dict[str, Any]:
        """The session once it asks something that the page shows too, or has ended."""

        def asks() -> dict[str, Any] | None:
            view: dict[str, Any] = self.eyes.get(f"/api/sessions/{session}")
            return view if view["approval"] is not None or view["state"] in ENDED else None

        view = until(asks, within_s=PATIENCE_S, what=f"session {session} to ask or to end", every_s=0.1)
        if view["approval"] is not None:
            index = _asked(view)["step"]["index"]
            expect(self._question.get_by_text(f"Step {index} of")).to_be_visible()
            expect(self.page.get_by_role("button", name="Approve")).to_be_enabled()
        return view

    @property
    def _question(self) -> Locator:
        return self.page.get_by_role("region", name="Proposal")

    def _press(self, view: dict[str, Any], key: str, what: str) -> None:
        self.page.keyboard.press(key)
        self._wait_until_answered(view)
        self.did.append(what)

    def _wait_until_answered(self, view: dict[str, Any]) -> None:
        asked = view["approval"]["id"]

        def answered() -> bool | None:
            now = self.eyes.get(f"/api/sessions/{view['id']}")["approval"]
            return True if now is None or now["id"] != asked else None

        until(answered, within_s=PATIENCE_S, what="the answer to arrive", every_s=0.05)

    def _show(self, way: Way, view: dict[str, Any], right: Action) -> None:
        if way == "take over":
            self._take_over(view, right)
        else:
            self._correct(view, right, way)

    def _correct(self, view: dict[str, Any], right: Action, way: Way) -> None:
        """Put another action together and send it with Enter."""
        self.page.keyboard.press("c")
        form = self.page.get_by_role("form", name="Do something else")
        element = _element(view, right)
        way = way if element is None or _is_in_the_picture(element) else "list"
        if element is None:
            _choose(form, "Act", _ACTS[type(right)])
        elif way == "picture":
            self._point_at(element)
        else:
            _find(form, element, [each for each in view["elements"] if each["actionable"]])
        match right:
            case Click():
                _choose(form, "Act", "CLICK")
            case Type(_, text):
                _choose(form, "Act", "TYPE")
                form.get_by_role("textbox", name="Text").fill(text)
            case Select(_, option):
                _choose(form, "Option", option)
            case Finish(answer):
                form.get_by_role("textbox", name="Answer").fill(answer)
            case Navigate(url):
                form.get_by_role("textbox", name="Address").fill(url)
            case Press() | Scroll() | GiveUp() | Wait():
                pass  # no oracle of this console presses or scrolls; waiting needs no more
        expect(form.get_by_role("button", name="Do this instead")).to_be_enabled()
        form.get_by_role("button", name="Do this instead").focus()
        self.page.keyboard.press("Enter")
        self._wait_until_answered(view)
        self.did.append(way if element is not None else "list")

    def _take_over(self, view: dict[str, Any], right: Action) -> None:
        """Do one click oneself in the driven browser, and hand back."""
        steps = len(view["steps"])
        element = _element(view, right)
        assert element is not None
        self.page.keyboard.press("t")
        expect(self.page.get_by_text("You are driving")).to_be_visible()
        self._point_at(element)

        def recorded() -> bool | None:
            seen = self.eyes.get(f"/api/sessions/{view['id']}")["steps"][steps:]
            return True if any(step["actor"] == "operator" and step["state"] == "done" for step in seen) else None

        until(recorded, within_s=PATIENCE_S, what="the person's own step", every_s=0.1)
        self.page.keyboard.press("Shift+Escape")
        self.page.keyboard.press("h")
        expect(self.page.get_by_text("You are driving")).to_have_count(0)
        self.did.append("take over")

    def _point_at(self, element: dict[str, Any]) -> None:
        """Click where the picture shows it."""
        shown = self.page.locator(".screen").bounding_box()
        assert shown is not None
        box = element["box"]
        x = shown["x"] + (box["x"] + box["width"] / 2) * shown["width"] / WIDTH
        y = shown["y"] + (box["y"] + box["height"] / 2) * shown["height"] / HEIGHT
        self.page.mouse.click(x, y)


_ACTS: dict[type[Any], str] = {Finish: "FINISH", Navigate: "GO TO", Wait: "WAIT", GiveUp: "GIVE UP"}


def _asked(view: dict[str, Any]) -> dict[str, Any]:
    """The open question in the form that the queue has it in."""
    step = next(each for each in view["steps"] if each["id"] == view["approval"]["step_id"])
    return {"session_id": view["id"], "step": step}


def _fits(way: Way, right: Action, view: dict[str, Any]) -> bool:
    wanted: dict[Way, type[Any]] = {"picture": Click, "list": Type, "take over": Click}
    element = _element(view, right)
    return isinstance(right, wanted[way]) and element is not None and (way == "list" or _is_in_the_picture(element))


def _element(view: dict[str, Any], action: Action) -> dict[str, Any] | None:
    ref = getattr(action, "element", None)
    return next((each for each in view["elements"] if each["ref"] == ref), None)


def _is_in_the_picture(element: dict[str, Any]) -> bool:
    """Whether it can be pointed at: a long or broad page shows only a part of itself."""
    box = element["box"]
    return bool(0 <= box["x"] + box["width"] / 2 < WIDTH and 0 <= box["y"] + box["height"] / 2 < HEIGHT)


def _find(form: Locator, element: dict[str, Any], usable: list[dict[str, Any]]) -> None:
    """Type part of its name into the filter, and take it out of what is left."""
    name = element["name"]
    form.get_by_role("textbox", name="Element").fill(name)
    text = f"“{name}” ({element['role']})"
    alike = [each["ref"] for each in usable if (each["name"], each["role"]) == (name, element["role"])]
    form.get_by_role("option").filter(has_text=text).nth(alike.index(element["ref"])).click()


def _choose(form: Locator, label: str, wanted: str) -> None:
    """One entry of a list that opens."""
    form.get_by_role("textbox", name=label, exact=True).click()
    form.page.get_by_role("option", name=wanted, exact=True).click()
