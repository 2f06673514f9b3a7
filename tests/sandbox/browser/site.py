"""A small web site on a port of its own, whose pages a test writes itself."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Site:
    """Serves `pages` (path -> HTML); remembers what was asked for. `slow` paths answer when `release` is set."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.redirects: dict[str, str] = {}
        self.asked: list[str] = []
        self.release = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"

    def show(self, html: str) -> str:
        """Put a page up; returns its address."""
        self.pages["/"] = f"<!doctype html><title>Test</title><body>{html}</body>"
        return self.url()

    def close(self) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.asked.append(f"GET {self.path}")
                target = site.redirects.get(self.path)
                site.release.wait(30 * self.path.startswith("/slow"))
                body = site.pages.get(self.path.split("?")[0], "<p>something else").encode()
                self.send_response(302 if target else 200)
                self.send_header("Location", target or "/")
                self.send_header(
                    "Content-Type", "application/zip" if "zip" in self.path else "text/html; charset=utf-8"
                )
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", "0")))
                site.asked.append(f"POST {self.path}")
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            def log_message(self, *_: object) -> None:
                pass

        return Handler
