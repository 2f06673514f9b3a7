"""Every named outcome of an action, in a real browser."""
# ruff: noqa: E501  # a page reads best on one line

from collections.abc import Awaitable, Callable

import pytest

from sandbox.browser.page import Page
from sandbox.contracts.actions import (
    Action,
    ActOutcome,
    Click,
    Finish,
    Navigate,
    Press,
    Scroll,
    Select,
    Type,
    Wait,
)
from tests.sandbox.browser.conftest import named, names
from tests.sandbox.browser.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="session")
Show = Callable[[str], Awaitable[Page]]


async def test_a_click_is_trusted_and_done(show: Show) -> None:
    page = await show("<button onclick=\"this.textContent = 'trusted ' + event.isTrusted\">Go</button>")
    result = await page.act(Click(named(await page.observe(), "Go").ref))
    assert result.outcome is ActOutcome.DONE
    assert names(await page.observe()) == ["trusted true"]


async def test_a_step_shows_the_page_after_it(show: Show) -> None:
    page = await show("<button onclick=\"this.textContent = 'done'\">Go</button>")
    go = named(await page.observe(), "Go").ref
    for action, outcome in (
        (Click(go), ActOutcome.DONE),
        (Click(go), ActOutcome.NO_EFFECT),
        (Finish(), ActOutcome.DONE),
    ):
        result, seen = await page.step(action)
        assert result.outcome is outcome
        assert names(seen) == ["done"]
        assert seen == await page.observe()


async def test_a_click_without_effect_says_so(show: Show) -> None:
    page = await show("<button>Idle</button><input autofocus>")
    ref = named(await page.observe(), "Idle").ref
    await page.act(Click(ref))
    assert (await page.act(Click(ref))).outcome is ActOutcome.NO_EFFECT


async def test_typing_replaces_and_tells_the_page(show: Show) -> None:
    page = await show(
        "<input aria-label=Name value=old oninput='i.textContent += event.isTrusted' onchange='c.textContent += 1'>"
        "<p id=i>input </p><p id=c>change </p><button>Elsewhere</button>"
    )
    before = await page.observe()
    assert (await page.act(Type(named(before, "Name").ref, "new words"))).outcome is ActOutcome.DONE
    await page.act(Click(named(before, "Elsewhere").ref))
    after = await page.observe()
    assert named(after, "Name").value == "new words"
    assert names(after)[1:3] == ["input true", "change 1"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [("date", "2026-11-30"), ("number", "42"), ("time", "08:20"), ("search", "x"), ("email", "a@b.example")],
)
async def test_typing_into_every_kind_of_field(show: Show, kind: str, text: str) -> None:
    page = await show(f"<input aria-label=Field type={kind}>")
    assert (await page.act(Type(named(await page.observe(), "Field").ref, text))).outcome is ActOutcome.DONE
    assert named(await page.observe(), "Field").value == text


async def test_typing_nothing_empties_the_field(show: Show) -> None:
    page = await show("<textarea aria-label=Note>words</textarea><div contenteditable aria-label=Rich>rich</div>")
    seen = await page.observe()
    await page.act(Type(named(seen, "Note").ref, ""))
    await page.act(Type(named(seen, "Rich").ref, "other"))
    after = await page.observe()
    assert (named(after, "Note").value, named(after, "Rich").value) == ("", "other")


async def test_a_select_takes_an_option_it_has(show: Show) -> None:
    page = await show(
        "<select aria-label=Unit onchange='o.textContent = value'><option value=m>MB<option value=g>GB</select><p id=o>-</p>"
    )
    ref = named(await page.observe(), "Unit").ref
    assert (await page.act(Select(ref, "GB"))).outcome is ActOutcome.DONE
    assert (await page.act(Select(ref, "TB"))).outcome is ActOutcome.NO_SUCH_OPTION
    after = await page.observe()
    assert named(after, "Unit").value == "GB"
    assert "g" in names(after)


@pytest.mark.parametrize(
    ("html", "spoil", "outcome"),
    [
        ("<button>Aim</button>", "aim.remove()", ActOutcome.VANISHED),
        ("<button>Aim</button>", "aim.style.display = 'none'", ActOutcome.VANISHED),
        ("<button>Aim</button>", "aim.disabled = true", ActOutcome.DISABLED),
        ("<button>Aim</button>", "aim.style.cssText = 'position:fixed; left:-900px'", ActOutcome.MISSED),
        (
            "<button>Aim</button>",
            "document.body.insertAdjacentHTML('beforeend', '<div style=\"position:fixed;inset:0;z-index:9\">')",
            ActOutcome.COVERED,
        ),
    ],
)
async def test_what_became_of_an_element_is_named(show: Show, html: str, spoil: str, outcome: ActOutcome) -> None:
    page = await show(html)
    ref = named(await page.observe(), "Aim").ref
    await page.evaluate(f"(() => {{ const aim = document.querySelector('button'); {spoil} }})()")
    assert (await page.act(Click(ref))).outcome is outcome


@pytest.mark.parametrize("action", [Type(1, "x"), Select(1, "x")])
async def test_a_button_takes_no_text(show: Show, action: Action) -> None:
    page = await show("<button>Only</button>")
    assert named(await page.observe(), "Only").ref == 1
    assert (await page.act(action)).outcome is ActOutcome.NOT_EDITABLE


@pytest.mark.parametrize("rel", ["opener", "noopener"])
async def test_a_new_tab_is_brought_into_this_one(show: Show, site: Site, rel: str) -> None:
    page = await show(f"<a href=/other target=_blank rel={rel}>Out</a>")
    result = await page.act(Click(named(await page.observe(), "Out").ref))
    assert (result.outcome, result.detail) == (ActOutcome.NEW_TAB, "opened in this tab")
    assert (await page.observe()).url == site.url("/other")


async def test_a_new_tab_to_elsewhere_is_closed(show: Show, site: Site) -> None:
    page = await show("<a href=http://elsewhere.invalid/ target=_blank>Out</a>")
    result = await page.act(Click(named(await page.observe(), "Out").ref))
    assert result.outcome is ActOutcome.NEW_TAB
    assert (await page.observe()).url == site.url()


@pytest.mark.parametrize("call", ["alert('so')", "confirm('so') && (document.title = 'confirmed')", "prompt('so')"])
async def test_a_native_dialog_is_dismissed(show: Show, call: str) -> None:
    page = await show(f'<button onclick="{call}">Ask</button>')
    result = await page.act(Click(named(await page.observe(), "Ask").ref))
    assert result.outcome is ActOutcome.NATIVE_DIALOG
    assert result.detail.endswith(": so")
    assert (await page.observe()).title == "Test"


async def test_leaving_a_page_that_objects_is_accepted(show: Show, site: Site) -> None:
    page = await show(
        "<input aria-label=Name><a href=/next>Next</a><script>onbeforeunload = (e) => e.preventDefault()</script>"
    )
    seen = await page.observe()
    await page.act(Type(named(seen, "Name").ref, "x"))
    assert (await page.act(Click(named(seen, "Next").ref))).outcome is ActOutcome.DONE
    assert (await page.observe()).url == site.url("/next")


async def test_a_download_is_refused(show: Show, site: Site) -> None:
    page = await show("<a href=/all.zip>Get</a>")
    result = await page.act(Click(named(await page.observe(), "Get").ref))
    assert result.outcome is ActOutcome.DOWNLOAD
    assert (await page.observe()).url == site.url()


async def test_an_address_off_the_list_is_not_gone_to(show: Show, site: Site) -> None:
    page = await show("<p>Here")
    for url in ("http://elsewhere.invalid/", "file:///etc/passwd", "javascript:1", "http://127.0.0.1:1/"):
        assert (await page.act(Navigate(url))).outcome is ActOutcome.BLOCKED_NAVIGATION
    assert (await page.act(Navigate("/there"))).outcome is ActOutcome.DONE
    assert (await page.observe()).url == site.url("/there")


async def test_a_crashed_page_is_loaded_again(show: Show) -> None:
    page = await show("<button>Still here</button>")
    page.tab.send("Page.crash")
    result = await page.act(Click(1))
    assert result.outcome is ActOutcome.CRASHED
    assert names(await page.observe()) == ["Still here"]


async def test_the_effect_of_a_request_is_waited_for(show: Show, site: Site) -> None:
    site.pages["/data"] = "the answer"
    page = await show(
        "<button onclick=\"fetch('/data').then(r => r.text()).then(t => setTimeout(() => o.textContent = t, 5))\">Load</button><p id=o>-</p>"
    )
    result = await page.act(Click(named(await page.observe(), "Load").ref))
    assert (result.outcome, result.requests) == (ActOutcome.DONE, ("GET /data",))
    assert "the answer" in names(await page.observe())


async def test_a_request_that_never_ends_times_out_once(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.browser.tab.Tab.settle.__kwdefaults__", {"limit_s": 0.3}, raising=False)
    page = await show("<button onclick=\"fetch('/slow'); this.textContent += '!'\">Hang</button>")
    ref = (await page.observe()).elements[0].ref
    assert (await page.act(Click(ref))).outcome is ActOutcome.TIMED_OUT
    # Its like is known by now to never end, and waited for no more.
    assert (await page.act(Click(ref))).outcome is ActOutcome.DONE


@pytest.mark.parametrize("how", ["link", "form", "script"])
async def test_a_navigation_is_waited_for(show: Show, site: Site, how: str) -> None:
    site.pages["/next"] = "<h1>Next page</h1>"
    html = {
        "link": "<a href=/next>Go</a>",
        "form": "<form action=/next><button>Go</button></form>",
        "script": "<button onclick=\"location = '/next'\">Go</button>",
    }
    page = await show(html[how])
    for _ in range(5):
        assert (await page.act(Click(named(await page.observe(), "Go").ref))).outcome is ActOutcome.DONE
        assert names(await page.observe()) == ["Next page"]
        await page.goto(site.url())


async def test_keys_go_where_the_focus_is(show: Show) -> None:
    page = await show(
        "<form onsubmit=\"event.preventDefault(); o.textContent = 'sent'\"><input aria-label=Q></form><p id=o>-</p>"
    )
    await page.act(Type(named(await page.observe(), "Q").ref, "x"))
    assert (await page.act(Press("Enter"))).outcome is ActOutcome.DONE
    assert "sent" in names(await page.observe())


async def test_scrolling_and_what_lies_below(show: Show) -> None:
    page = await show("<p>Top</p><div style='height:3000px'></div><button onclick='this.remove()'>Deep</button>")
    seen = await page.observe()
    assert named(seen, "Deep").states == ("offscreen",)
    assert (await page.act(Scroll("up"))).outcome is ActOutcome.NO_EFFECT
    assert (await page.act(Scroll("down"))).outcome is ActOutcome.DONE
    assert (await page.act(Click(named(seen, "Deep").ref))).outcome is ActOutcome.DONE
    assert "Deep" not in names(await page.observe())


async def test_waiting_ends_with_a_change(show: Show) -> None:
    page = await show("<p id=o>-</p><script>setTimeout(() => o.textContent = 'came', 300)</script>")
    assert (await page.act(Wait())).outcome is ActOutcome.DONE
    assert names(await page.observe()) == ["came"]


async def test_finishing_touches_nothing(show: Show, site: Site) -> None:
    page = await show("<p>Here")
    asked = len(site.asked)
    assert (await page.act(Finish("42"))).outcome is ActOutcome.DONE
    assert len(site.asked) == asked


async def test_an_icon_that_swaps_under_the_pointer_is_not_pressed_blindly(show: Show) -> None:
    page = await show(
        "<span style='position:relative'><button title=Edit style='width:40px;height:40px' "
        "onmouseenter=\"document.body.insertAdjacentHTML('beforeend', '<div title=Trap style=position:fixed;inset:0></div>')\">"
        "</button></span>"
    )
    assert (await page.act(Click(named(await page.observe(), "Edit").ref))).outcome is ActOutcome.COVERED


async def test_what_is_no_address_is_not_gone_to(show: Show) -> None:
    page = await show("<p>Here</p>")
    assert (await page.act(Navigate("http://["))).outcome is ActOutcome.BLOCKED_NAVIGATION
    assert names(await page.observe()) == ["Here"]
