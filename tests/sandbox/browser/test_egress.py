"""Nothing leaves a browser but what its allow-list and its permit let pass."""
# ruff: noqa: E501  # a page reads best on one line

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.browser.http1 import BadRequest, read_request
from sandbox.browser.page import Page
from sandbox.browser.way_out import WayOut, cut
from sandbox.contracts.tasks import Risk
from sandbox.registry import RequestRule, SessionLost
from tests.sandbox.browser.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="session")
RULES = (
    RequestRule("POST", "/api/tags.*", Risk.REVERSIBLE),
    RequestRule("POST", "/api/.*", Risk.DESTRUCTIVE),
    RequestRule("GET", "/api/secret", Risk.CREDENTIAL),
)


@pytest_asyncio.fixture(loop_scope="session")
async def way_out(site: Site, tmp_path: Path) -> AsyncIterator[WayOut]:
    way_out = await WayOut.open(allow=(site.host,), rules=RULES, folder=tmp_path)
    yield way_out
    await way_out.let_go()
    await cut(tmp_path)


@pytest_asyncio.fixture(loop_scope="session")
async def page(way_out: WayOut, site: Site) -> AsyncIterator[Page]:
    page = await Page.launch(proxy=way_out.egress.address, allow=(site.host,))
    await page.goto(site.show("<h1>Inside</h1>"))
    yield page
    await page.close()


async def ask(way_out: WayOut, request: str) -> str:
    """One raw request to the proxy; the status line of what comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", way_out.egress.proxy_port)
    writer.write(request.encode())
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return answer.decode(errors="replace")


def post(site: Site, path: str, extra: str = "", body: str = "") -> str:
    return f"POST http://{site.host}{path} HTTP/1.1\r\nHost: x\r\n{extra}Content-Length: {len(body)}\r\n\r\n{body}"


async def test_what_is_permitted_passes(way_out: WayOut, site: Site) -> None:
    last = await way_out.permit(Risk.REVERSIBLE)
    assert "200" in await ask(way_out, post(site, "/api/tags?a=1"))
    assert site.asked == ["POST /api/tags?a=1"]
    (entry,) = await way_out.requests(after=last)
    assert (entry.method, entry.host, entry.path, entry.verdict) == ("POST", site.host, "/api/tags", "passed")


@pytest.mark.parametrize("path", ["/api/delete", "/api/%64elete", "/x/../api/delete", "//api/delete", "/elsewhere"])
async def test_what_is_riskier_is_stopped(way_out: WayOut, site: Site, path: str) -> None:
    last = await way_out.permit(Risk.COST)
    assert "403 Forbidden" in await ask(way_out, post(site, path))
    assert site.asked == []
    assert [entry.verdict for entry in await way_out.requests(after=last)] == ["risk"]


@pytest.mark.parametrize(
    "request_",
    [
        "POST http://{host}/api/tags HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST http://{host}/api/tags HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST http://{host}/api/tags HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET ftp://{host}/ HTTP/1.1\r\n\r\n",
        "GET http://user@{host}/ HTTP/1.1\r\n\r\n",
        "nonsense\r\n\r\n",
    ],
)
async def test_what_cannot_be_judged_is_stopped(way_out: WayOut, site: Site, request_: str) -> None:
    await way_out.permit(Risk.UNKNOWN)
    assert "400 Bad Request" in await ask(way_out, request_.format(host=site.host))
    assert site.asked == []


async def test_a_second_request_behind_the_first_goes_nowhere(way_out: WayOut, site: Site) -> None:
    await way_out.permit(Risk.REVERSIBLE)
    await ask(way_out, post(site, "/api/tags") + post(site, "/api/delete"))
    assert site.asked == ["POST /api/tags"]


async def test_an_override_of_the_method_is_unknown(way_out: WayOut, site: Site) -> None:
    await way_out.permit(Risk.DESTRUCTIVE)
    assert "403" in await ask(way_out, post(site, "/api/tags", extra="X-HTTP-Method-Override: DELETE\r\n"))


async def test_a_permit_lapses(way_out: WayOut, site: Site) -> None:
    last = await way_out.permit(Risk.DESTRUCTIVE)
    await way_out.requests(after=last, lower_after_s=0.0)
    assert "403" in await ask(way_out, post(site, "/api/delete"))


async def test_the_permit_wants_the_token(way_out: WayOut, site: Site) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", way_out.egress.control_port)
    writer.write(b'{"token": "guess", "permit": "unknown"}\n')
    assert await asyncio.wait_for(reader.read(), 5) == b""
    writer.close()
    assert "403" in await ask(way_out, post(site, "/api/delete"))


async def test_a_tunnel_is_no_way_round(way_out: WayOut, site: Site) -> None:
    connect = f"CONNECT {site.host} HTTP/1.1\r\n\r\n"
    assert "403" in await ask(way_out, connect + "POST /api/delete HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
    assert "TLS" in await ask(way_out, connect + "\x16\x03\x01 hello")
    assert "403" in await ask(way_out, "CONNECT 127.0.0.1:22 HTTP/1.1\r\n\r\n")
    assert site.asked == []


async def test_heads_that_never_end_are_refused() -> None:
    reader = asyncio.StreamReader(limit=1000)
    reader.feed_data(b"GET http://a/ HTTP/1.1\r\n" + b"A: " + b"a" * 5000)
    with pytest.raises(BadRequest, match="too long"):
        await read_request(reader)


async def test_a_page_reaches_nothing_but_its_site(page: Page, way_out: WayOut, site: Site) -> None:
    other = Site()
    elsewhere = f"http://{other.host}/leak"
    site.redirects["/away"] = elsewhere
    last = await way_out.permit(Risk.READ)
    tried = await page.evaluate(
        f"""(async () => {{
            const tries = ["{elsewhere}", "/away", "http://localhost:{other.host.split(":")[1]}/leak"];
            const got = [];
            for (const url of tries) got.push(await fetch(url, {{mode: "no-cors"}}).then((r) => r.type + r.status, () => "failed"));
            navigator.sendBeacon("{elsewhere}", "x");
            new Image().src = "{elsewhere}";
            const frame = document.createElement("iframe"); frame.src = "{elsewhere}"; document.body.append(frame);
            const worker = new Worker(URL.createObjectURL(new Blob(['fetch("{elsewhere}", {{mode: "no-cors"}}).finally(() => postMessage(1))'])));
            await new Promise((done) => worker.onmessage = done);
            await new Promise((done) => {{ const s = new WebSocket("ws://{other.host}/leak"); s.onclose = s.onopen = done; }});
            return got;
        }})()"""
    )
    entries = await way_out.requests(after=last)
    other.close()
    assert other.asked == []
    assert len(tried) == 3
    assert {entry.verdict for entry in entries if entry.host != site.host} == {"host"}


async def test_no_datagram_leaves_for_a_stun_server(page: Page) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stun:
        stun.bind(("127.0.0.1", 0))
        stun.settimeout(0.3)
        port = stun.getsockname()[1]
        await page.evaluate(
            f"""(async () => {{
                const peer = new RTCPeerConnection({{iceServers: [{{urls: "stun:127.0.0.1:{port}"}}]}});
                peer.createDataChannel("x");
                await peer.setLocalDescription(await peer.createOffer());
                await Promise.race([new Promise((done) => setTimeout(done, 1500)),
                    new Promise((done) => peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && done())]);
            }})()"""
        )
        with pytest.raises(TimeoutError):
            stun.recvfrom(100)


async def test_a_killed_proxy_leaves_no_way_out(page: Page, way_out: WayOut, site: Site, tmp_path: Path) -> None:
    await cut(tmp_path)
    await cut(tmp_path)
    asked = len(site.asked)
    assert await page.evaluate("fetch('/again').then(() => 'got out', () => 'shut in')") == "shut in"
    assert len(site.asked) == asked
    with pytest.raises(SessionLost):
        await WayOut.attach(way_out.egress)
