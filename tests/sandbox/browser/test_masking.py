"""No secret is ever in an observation, a picture or a live frame."""

import asyncio
import io
from collections.abc import Awaitable, Callable

import pytest
from PIL import Image

from sandbox.browser.page import Page
from tests.sandbox.browser.conftest import named

pytestmark = pytest.mark.asyncio(loop_scope="session")
Show = Callable[[str], Awaitable[Page]]
SECRET = "wJalrXUtnFEMIK7MDENGbPxRfiCY"
MASK = "•••"


@pytest.mark.parametrize(
    "html",
    [
        f"<input type=password value={SECRET}>",
        f"<label>Secret key <input value={SECRET}></label>",
        f"<input name=api_token value={SECRET}>",
        f"<p>Secret Key: <code>{SECRET}</code></p>",
        f"<p><strong>Secret Access Key:</strong> <span>{SECRET}</span></p>",
        f"<dl><dt>Secret key<dd>{SECRET}</dl>",
        f"<table><tr><th>User<th>Secret key</tr><tr><td>ann<td>{SECRET}</tr></table>",
        f"<table><tr><td>Secret key<td>{SECRET}</tr></table>",
        f"<ul><li>Password: {SECRET}</ul>",
        f"<div role=dialog style='padding:9px'><h3>Secret created</h3><div><pre>{SECRET}</pre></div></div>",
        f"<textarea aria-label='Private key'>{SECRET}</textarea>",
        f"<div role=alert>Your secret key: {SECRET}</div>",
        f"<p>Clone https://ann:{SECRET}@git.example/x.git",
        f"<input value='https://ann:{SECRET}@git.example/'>",
        f"<textarea>export AWS_ACCESS_KEY_ID=AKIA\nexport AWS_SECRET_ACCESS_KEY={SECRET}</textarea>",
    ],
)
async def test_a_secret_is_in_no_observation(show: Show, html: str) -> None:
    page = await show(html)
    seen = await page.observe()
    assert SECRET not in str(seen)
    assert MASK in str(seen)


@pytest.mark.parametrize(
    "wrap",
    [
        "<input type=password value={}>",
        "<p>Secret Key: <code>{}</code></p>",
        "<textarea rows=4>export AWS_SECRET_ACCESS_KEY={}</textarea>",
        "<dialog open><h3>New secret</h3><textarea rows=4>{}</textarea><pre>{}</pre></dialog>",
        "<table><tr><th>Secret key</tr><tr><td>{}</tr></table>",
        "<dl><dt>Password<dd>{}</dl>",
        "<input value='ftp://ann:{}@host/' size=40>",
    ],
)
async def test_pictures_are_the_same_whatever_the_secret(show: Show, wrap: str) -> None:
    style = "<style>* {font: 30px monospace}</style>"
    pictures = []
    for value in ("A7b" * 8, "k9X" * 8):
        page = await show(style + wrap.replace("{}", value))
        await page.evaluate("document.activeElement.blur()")
        pictures.append(await page.picture())
    assert pictures[0] == pictures[1]


async def test_a_plain_text_is_drawn(show: Show) -> None:
    style = "<style>* {font: 30px monospace}</style>"
    pictures = []
    for value in ("A7b" * 8, "k9X" * 8):
        page = await show(f"{style}<p>Colour: <code>{value}</code></p>")
        pictures.append(await page.picture())
    assert pictures[0] != pictures[1]
    assert Image.open(io.BytesIO(pictures[0])).size == (800, 600)


async def test_showing_a_password_does_not_show_it(show: Show) -> None:
    page = await show(f"<input id=p type=password aria-label=Code value={SECRET}>")
    await page.observe()
    await page.evaluate("p.type = 'text'")
    assert named(await page.observe(), "Code").value == MASK


async def test_a_registered_value_is_masked_wherever_it_turns_up(show: Show) -> None:
    page = await show("<p>Hello Correct-Horse, good day</p><input aria-label=Free value=Correct-Horse>")
    await page.keep_secret("Correct-Horse")
    seen = await page.observe()
    assert "Correct-Horse" not in str(seen)
    assert named(seen, "Free").value == MASK


@pytest.mark.parametrize("label", ["Access key ID", "Bucket name", "Token expiry days", "User"])
async def test_other_fields_stay_readable(show: Show, label: str) -> None:
    page = await show(f"<label>{label} <input value=readable></label>")
    assert named(await page.observe(), label).value == "readable"


async def test_a_secret_that_arrives_later_is_in_no_live_frame(show: Show) -> None:
    page = await show("<style>* {font: 40px monospace; margin: 0} p, code {display: block}</style><p id=home></p>")
    frames: list[bytes] = []
    more = asyncio.Event()

    async def keep(frame: bytes) -> None:
        frames.append(frame)
        more.set()

    await page.watch(keep)
    await asyncio.wait_for(more.wait(), 5)
    more.clear()
    await page.evaluate("home.innerHTML = '<strong>Secret key:</strong><code style=\"color:#f00\">MMMMMMMMMMMM</code>'")
    await asyncio.wait_for(more.wait(), 5)
    await page.picture()
    await page.unwatch()
    reddest = [_reddest(frame) for frame in frames]
    assert max(reddest) < 60


def _reddest(frame: bytes) -> int:
    red, green, blue = Image.open(io.BytesIO(frame)).convert("RGB").split()
    return max(r - max(g, b) for r, g, b in zip(red.tobytes(), green.tobytes(), blue.tobytes(), strict=True))
