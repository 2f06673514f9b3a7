"""The gateway of the browsers' network passes tunnels to listed hosts, and nothing else."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from sandbox.browser.egress import Config, Proxy
from sandbox.browser.gateway import Gateway, allowed
from sandbox.browser.pipes import connect
from tests.sandbox.browser.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def gateway(site: Site) -> AsyncIterator[str]:
    """Passes to the site; its address."""
    server = await asyncio.start_server(Gateway(frozenset({site.host})).serve, "127.0.0.1", 0)
    yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


async def raw(address: str, request: str) -> str:
    """What one connection is answered."""
    reader, writer = await connect(address)
    writer.write(request.encode())
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return answer.decode(errors="replace")


async def test_a_listed_host_is_reached(gateway: str, site: Site) -> None:
    site.show("<p>The console")
    reader, writer = await connect(site.host, via=gateway)
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert b"The console" in await asyncio.wait_for(reader.read(), 10)
    writer.close()


async def test_any_other_host_is_refused(gateway: str, site: Site) -> None:
    with pytest.raises(OSError, match="the gateway answered 403"):
        await connect("127.0.0.1:1", via=gateway)
    assert "403" in await raw(gateway, f"GET http://{site.host}/ HTTP/1.1\r\n\r\n")
    assert "400" in await raw(gateway, "nonsense\r\n\r\n")
    assert site.asked == []


async def test_a_session_proxy_goes_through_it_to_all_but_this_machine(gateway: str, site: Site) -> None:
    port = site.host.rpartition(":")[2]
    here, elsewhere = site.host, f"console.invalid:{port}"
    proxy = Proxy(Config((here, elsewhere), (), "token", gateway))
    server = await asyncio.start_server(proxy.serve_browser, "127.0.0.1", 0)
    address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    site.show("<p>Here")
    assert "Here" in await raw(address, f"GET http://{here}/ HTTP/1.1\r\n\r\n")
    assert "the gateway answered 403" in await raw(address, f"GET http://{elsewhere}/ HTTP/1.1\r\n\r\n")
    server.close()


@pytest.mark.parametrize("text", ["console.example", "console.example:https", ":443"])
async def test_a_list_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not host:port"):
        allowed(f"one.example:80, {text}")


async def test_the_list_is_read() -> None:
    assert allowed(" One.example:80,two.example:8443, ") == {"one.example:80", "two.example:8443"}
