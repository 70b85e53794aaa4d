"""A network between a job and the server that breaks as a test tells it to: one fault a request for metrics."""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import socket
import struct
import threading
from collections import deque
from enum import Enum, auto
from typing import Any
from urllib.parse import urlsplit

from tests.end_to_end.waiting import PATIENCE_SECONDS


class Fault(Enum):
    STALL = auto()
    """Nothing goes through until the network is released."""
    RESET = auto()
    """The connection is reset once the request was sent."""
    HALF_CLOSE = auto()
    """The other side says that it will send no more, and goes on reading."""
    CUT_IN_BODY = auto()
    """The server gets half of the body; then both sides are cut."""
    CUT_BEFORE_ANSWER = auto()
    """The server gets the whole request and answers; the answer is lost."""


class BrokenNetwork:
    """Passes requests on to `url` until it is closed."""

    def __init__(self, url: str) -> None:
        self.faults: deque[Fault] = deque()
        """What the next requests for metrics meet, the first first; without one they pass."""
        self.met: list[Fault] = []
        self.answers: list[dict[str, Any]] = []
        """The server's, to requests for metrics, whether or not they reached the job."""
        self.released = threading.Event()
        self._target = urlsplit(url).netloc
        network = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                network._take(self, self.rfile.read(int(self.headers["Content-Length"])))

            def log_message(self, *words: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """The jobs that use it must have closed their connections."""
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _take(self, handler: http.server.BaseHTTPRequestHandler, body: bytes) -> None:
        metrics = handler.path.endswith("/metrics")
        fault = self.faults.popleft() if metrics and self.faults else None
        if fault is not None:
            self.met.append(fault)
            handler.close_connection = fault is not Fault.STALL
        match fault:
            case Fault.STALL:
                assert self.released.wait(PATIENCE_SECONDS)
            case Fault.RESET:
                _reset(handler.connection)
                return
            case Fault.HALF_CLOSE:
                handler.connection.shutdown(socket.SHUT_WR)
                return
            case Fault.CUT_IN_BODY:
                self._send_half(handler, body)
                _reset(handler.connection)
                return
        status, headers, content = self._exchange(handler, body)
        if metrics and status == 200:
            self.answers.append(json.loads(content))
        if fault is Fault.CUT_BEFORE_ANSWER:
            return
        with contextlib.suppress(OSError):  # the job may have given up by now
            handler.send_response(status)
            for name in ("Content-Type", "Retry-After"):
                if name in headers:
                    handler.send_header(name, headers[name])
            handler.send_header("Content-Length", str(len(content)))
            handler.end_headers()
            handler.wfile.write(content)

    def _exchange(
        self, handler: http.server.BaseHTTPRequestHandler, body: bytes
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        with contextlib.closing(http.client.HTTPConnection(self._target, timeout=30)) as connection:
            connection.request("POST", handler.path, body, dict(handler.headers))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def _send_half(self, handler: http.server.BaseHTTPRequestHandler, body: bytes) -> None:
        head = "".join(f"{name}: {value}\r\n" for name, value in handler.headers.items())
        host, _, port = self._target.partition(":")
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            connection.sendall(f"POST {handler.path} HTTP/1.1\r\n{head}\r\n".encode() + body[: len(body) // 2])
            _reset(connection)


def _reset(connection: socket.socket) -> None:
    """Closes with RST in place of FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
