"""A small server that speaks the protocol of language models, and misbehaves as it is told."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Asked = dict[str, Any]


@dataclass
class Script:
    """What the server answers, one turn after another (the last for ever), and what it was asked."""

    turns: list[Callable[["Handler", Asked], None]]
    asked: list[Asked] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    script: Script

    def do_POST(self) -> None:
        """Answer by the script."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        turn = self.script.turns[min(len(self.script.asked), len(self.script.turns) - 1)]
        self.script.asked.append(asked)
        self.script.headers.append({name.lower(): value for name, value in self.headers.items()})
        turn(self, asked)

    def say(self, status: int, body: bytes, **headers: str) -> None:
        """Send a whole response."""
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def completion(content: str | None, **more: Any) -> bytes:
    """A response in the protocol's form."""
    message = {"role": "assistant", "content": content, "refusal": more.pop("refusal", None)}
    choice = {"index": 0, "message": message, "finish_reason": more.pop("finish_reason", "stop")}
    choice |= {"logprobs": {"content": [{"token": "x", "logprob": p} for p in more.pop("logprobs", [])]}}
    usage = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}
    return json.dumps({"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage} | more).encode()


def says(action: dict[str, Any], **more: Any) -> Callable[[Handler, Asked], None]:
    """Answers with an action."""
    content = json.dumps({"why": "it fits the goal", "action": action})
    return lambda handler, asked: handler.say(200, completion(content, **dict(more)))


def says_text(content: str | None, **more: Any) -> Callable[[Handler, Asked], None]:
    """Answers with a text."""
    return lambda handler, asked: handler.say(200, completion(content, **dict(more)))


def fails(status: int, text: str = "{}", **headers: str) -> Callable[[Handler, Asked], None]:
    """Answers with a status."""
    return lambda handler, asked: handler.say(status, text.encode(), **headers)


@contextmanager
def serving(*turns: Callable[[Handler, Asked], None]) -> Iterator[Script]:
    """The server, for as long as it is needed."""
    script = Script(list(turns))
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Scripted", (Handler,), {"script": script}))
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
