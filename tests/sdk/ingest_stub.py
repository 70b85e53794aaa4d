"""A server on 127.0.0.1 that records what it is sent and answers as a test tells it to."""

import http.server
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

CUT = -1
"""In place of a status: take the body, then close the connection without an answer."""


class Request(NamedTuple):
    path: str
    body: bytes
    headers: dict[str, str]
    status: int

    @property
    def document(self) -> Any:
        if self.headers.get("Content-Type") == "application/msgpack":
            return msgspec.msgpack.decode(self.body)
        return json.loads(self.body)


class Ingest:
    """`answer(path, body)` gives a status, or a status and a JSON answer."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answer: Callable[[str, bytes], Any] = lambda path, body: 200
        self.answer_headers: dict[str, str] = {}
        self.torn = 0
        """Uploads that ended before their end."""
        self._connections: set[socket.socket] = set()
        stub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                stub._connections.add(self.connection)

            def finish(self) -> None:
                stub._connections.discard(self.connection)
                super().finish()

            def do_POST(self) -> None:
                stub._take(self, self.rfile.read(int(self.headers["Content-Length"])))

            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if len(body) < int(self.headers["Content-Length"]):
                    stub.torn += 1
                    self.close_connection = True
                    return
                stub._take(self, body)

            def do_GET(self) -> None:
                stub._take(self, b"")

            def log_message(self, *words: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.endpoint = f"{self.url}/api/ingest"

    def _take(self, handler: http.server.BaseHTTPRequestHandler, body: bytes) -> None:
        path = handler.path.removeprefix("/api/ingest/")
        answer = self.answer(path, body)
        status, content = answer if isinstance(answer, tuple) else (answer, {"position": 1})
        self.requests.append(Request(path, body, dict(handler.headers), status))
        if status == CUT:
            handler.close_connection = True
            return
        encoded = content if isinstance(content, bytes) else json.dumps(content).encode()
        handler.send_response(status)
        for name, value in self.answer_headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(encoded)))
        handler.end_headers()
        handler.wfile.write(encoded)

    def at(self, path: str, *, accepted: bool = True) -> list[Request]:
        """Requests to a path; by default those that were answered with success."""
        return [one for one in list(self.requests) if one.path == path and (one.status == 200 or not accepted)]

    def events(self) -> list[dict[str, Any]]:
        return [event for one in self.at("observations") for event in one.document["events"]]

    def points(self) -> list[tuple[str, int, float]]:
        """Finite points as (key, step, value), in order of arrival."""
        return [
            (series["key"], step, value)
            for one in self.at("metrics")
            for series in one.document["series"]
            for step, value in zip(series["steps"], series["values"], strict=True)
        ]

    def close(self) -> None:
        self._server.shutdown()
        for connection in list(self._connections):
            with_suppressed_shutdown(connection)
        self._server.server_close()
        self._thread.join()


def with_suppressed_shutdown(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


@contextmanager
def a_hung_server() -> Iterator[str]:
    """An ingest address that accepts connections and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        held: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    held.append(listener.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/api/ingest"
        finally:
            with_suppressed_shutdown(listener)
            thread.join()
            for connection in held:
                with_suppressed_shutdown(connection)
                connection.close()


@contextmanager
def a_dead_server() -> Iterator[str]:
    """An ingest address at which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/api/ingest"


def until(condition: Callable[[], Any], seconds: float = 10.0) -> Any:
    """What the condition gives once it is true; fails at the deadline."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, "this did not become true in time"
        pause.wait(0.01)
