"""A server process on a database of the test's, and commands beside it."""

import http.client
import json
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import psutil

from tests.end_to_end.installation import COMMAND, environment, free_port, is_gone, tuneplane_server
from tests.end_to_end.waiting import PATIENCE_SECONDS, until

T = TypeVar("T")
command = tuneplane_server


class Serving:
    def __init__(self, process: subprocess.Popen[bytes], port: int, output: Path) -> None:
        self.process = process
        self.port = port
        self._output = output

    def said(self) -> str:
        return self._output.read_text(encoding="utf-8")

    def password(self) -> str | None:
        """The first user's, where it was printed."""
        found = re.search(r"password (\S+)", self.said())
        return None if found is None else found[1]

    def until(self, condition: Callable[[], T | None]) -> T:
        return until(condition)

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> tuple[int, Any]:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        connection = self.connect()
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_SECONDS)


@contextmanager
def serving(dsn: str, folder: Path, *arguments: str) -> Iterator[Serving]:
    """A server that is ready."""
    port = free_port()
    output = folder / "output"
    started: list[str | Path] = [COMMAND, "serve", "--port", str(port), "--data", folder / "data", *arguments]
    with output.open("ab") as file:
        process = subprocess.Popen(started, env=environment(TUNEPLANE_DATABASE_URL=dsn), stdout=file, stderr=file)
    server = Serving(process, port, output)

    def ready() -> bool:
        assert process.poll() is None, server.said()
        try:
            return server.call("GET", "/readyz")[0] == 200
        except OSError:
            return False

    try:
        until(ready)
        yield server
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def children(pid: int) -> list[int]:
    return [one.pid for one in psutil.Process(pid).children()]


def alive(pid: int) -> bool:
    return not is_gone(pid)
