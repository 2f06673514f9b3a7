"""A console that speaks https behind the forwarder: names of hosts, cookies, bodies, and whom it does not trust."""

import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from sandbox.worlds.web.forward import Forward

# A certificate for localhost that stands for somebody's own authority; its key guards nothing.
CERTIFICATE = Path(__file__).with_name("localhost.pem")


class Console(BaseHTTPRequestHandler):
    """Says what it was asked."""

    def do_GET(self) -> None:
        self.send_response(302)
        self.send_header("Location", f"https://{self.headers['Host']}/next?a=b")
        self.send_header("Set-Cookie", "id=1; Path=/; Domain=console.example; Secure; HttpOnly; SameSite=None")
        self.send_header("Strict-Transport-Security", "max-age=1")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        said = f"{self.path} {self.headers['Origin']} {self.headers['Cookie']} ".encode() + body
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Console)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"https://localhost:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def client(app: Forward) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:4000")


async def test_the_browser_hears_of_its_own_host_alone(address: str) -> None:
    async with client(Forward(address, authority=str(CERTIFICATE))) as browser:
        answer = await browser.get("/start")
    assert answer.headers["location"] == "http://127.0.0.1:4000/next?a=b"
    assert answer.headers["set-cookie"] == "id=1; Path=/; HttpOnly"
    assert "strict-transport-security" not in answer.headers


async def test_the_console_hears_of_its_own_host_and_the_whole_body(address: str) -> None:
    headers = {"Origin": "http://127.0.0.1:4000", "Cookie": "id=1"}
    async with client(Forward(address, authority=str(CERTIFICATE))) as browser:
        answer = await browser.post("/save%20it?x=1&y", headers=headers, content=b"z" * 100_000)
    assert answer.content == f"/save%20it?x=1&y {address} id=1 ".encode() + b"z" * 100_000


async def test_a_stranger_is_not_trusted(address: str) -> None:
    async with client(Forward(address)) as browser:
        answer = await browser.get("/start")
    assert answer.status_code == 502
    assert "certificate" in answer.text.lower()


async def test_a_console_that_is_not_there_is_named() -> None:
    async with client(Forward("https://127.0.0.1:9")) as browser:
        answer = await browser.get("/start")
    assert answer.status_code == 502
    assert answer.text.startswith("https://127.0.0.1:9 does not answer")
