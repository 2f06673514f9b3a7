"""The one HTML page, the origin check of sockets, and object storage."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from webapp import storage
from webapp.origins import is_allowed


@pytest.fixture
def built(tmp_path: Path, settings: Settings) -> None:
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "index.html").write_text("<!doctype html><title>Belay</title>")


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("address", ["/", "/tickets", "/sessions/7", "/approvals?risk=cost"])
def test_every_address_of_the_front_end_is_the_same_page(address: str) -> None:
    response = Client().get(address)
    assert (response.status_code, b"Belay" in response.content) == (200, True)
    assert "csrftoken" in response.cookies


def test_the_api_has_pages_of_its_own() -> None:
    response = Client().get("/api/docs")
    assert (response.status_code, b"swagger-ui-bundle.js" in response.content) == (200, True)


@pytest.mark.usefixtures("built")
def test_the_page_runs_only_our_scripts_and_stands_in_no_frame() -> None:
    response = Client().get("/")
    policy = response["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy
    assert (response["X-Content-Type-Options"], response["X-Frame-Options"]) == ("nosniff", "DENY")


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("address", ["/api/no-such", "/static/no-such.js", "/ws/no-such"])
def test_what_is_not_a_page_is_not_answered_with_one(address: str) -> None:
    assert Client().get(address).status_code == 404


def test_without_a_built_front_end_it_says_what_to_do(tmp_path: Path, settings: Settings) -> None:
    settings.STATIC_ROOT = tmp_path
    response = Client().get("/")
    assert (response.status_code, b"make up" in response.content) == (503, True)


@pytest.mark.parametrize(
    ("origin", "host", "scheme", "allowed"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000", "ws", True),
        ("https://belay.example", "belay.example", "wss", True),
        ("https://proxied.example", "inner:8000", "ws", True),  # named in CSRF_TRUSTED_ORIGINS
        ("http://127.0.0.1:9000", "127.0.0.1:8000", "ws", False),  # another port
        ("http://belay.example", "belay.example", "wss", False),  # another scheme
        ("https://evil.example", "belay.example", "wss", False),
        ("null", "belay.example", "wss", False),
        ("", "belay.example", "wss", False),
        ("", "", "ws", False),
    ],
)
def test_sockets_open_only_for_our_own_pages(
    origin: str, host: str, scheme: str, allowed: bool, settings: Settings
) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://proxied.example"]
    assert is_allowed(origin, host, scheme) is allowed


def test_what_is_stored_comes_back() -> None:
    storage.put("frames/a.jpg", b"picture", "image/jpeg")
    storage.put("frames/a.jpg", b"picture", "image/jpeg")
    assert storage.get("frames/a.jpg") == b"picture"
    assert storage.exists("frames/a.jpg")


def test_what_is_not_stored_is_missing_by_name() -> None:
    assert not storage.exists("frames/none.jpg")
    with pytest.raises(storage.Missing, match=r"frames/none\.jpg"):
        storage.get("frames/none.jpg")


def test_the_bucket_is_made_once(settings: Settings) -> None:
    storage.ensure_bucket()
    storage.ensure_bucket()
    assert storage.client().bucket_exists(settings.S3_BUCKET)
