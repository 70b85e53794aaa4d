"""A reader of a live stream that resumes where it was cut, as a browser does."""

import contextlib
import http.client
import json
import socket
import threading
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode, urlsplit

from tests.end_to_end.api import Api
from tests.end_to_end.waiting import until


class Message(NamedTuple):
    id: str
    event: str
    data: Any


class LiveReader:
    """Reads in a thread until it is closed, or the stream says that it has ended."""

    def __init__(self, api: Api, run_id: str, streams: str = "logs") -> None:
        self.messages: list[Message] = []
        self.connections = 0
        """Streams opened; one where nothing was cut."""
        self.clean_ends = 0
        """Streams that the server ended in good order, rather than cutting them."""
        self.refused: list[int] = []
        """Statuses of answers that were no stream."""
        self.ended = False
        self._api = api
        self._path = f"/api/runs/{run_id}/live?{urlencode({'streams': streams})}"
        self._closing = threading.Event()
        self._socket: socket.socket | None = None
        self._thread = threading.Thread(target=self._read, name="live-reader")
        self._thread.start()

    def lines(self) -> list[tuple[int, int, str]]:
        """(attempt, number, text) of every log line it was told, in the order told."""
        return [
            (one.data["attempt"], line["n"], line["text"])
            for one in list(self.messages)
            if one.event == "logs"
            for line in one.data["lines"]
        ]

    def await_lines(self, count: int) -> None:
        until(lambda: len(self.lines()) >= count, f"line {count} of the live stream")

    def close(self) -> None:
        self._closing.set()
        connected = self._socket
        if connected is not None:
            with contextlib.suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> None:
        while not self._closing.is_set() and not self.ended:
            connection = http.client.HTTPConnection(urlsplit(self._api.url).netloc, timeout=60)
            try:
                self._follow(connection)
            except (OSError, http.client.HTTPException):
                self._closing.wait(0.05)
            finally:
                connection.close()

    def _follow(self, connection: http.client.HTTPConnection) -> None:
        headers = {"Authorization": f"Bearer {self._api.token}"}
        if self.messages:
            headers["Last-Event-ID"] = self.messages[-1].id
        connection.request("GET", self._path, headers=headers)
        self._socket = connection.sock
        answer = connection.getresponse()
        if answer.status != 200:
            self.refused.append(answer.status)
            self.ended = answer.status == 204
            answer.read()
            self._closing.wait(0.05)
            return
        self.connections += 1
        self._take(answer)
        if not self._closing.is_set():
            self.clean_ends += 1

    def _take(self, answer: http.client.HTTPResponse) -> None:
        fields: dict[str, str] = {}
        while line := answer.readline():
            text = line.decode().rstrip("\n")
            if text:
                name, _, value = text.partition(": ")
                fields[name] = value
            elif "event" in fields:
                self.messages.append(Message(fields["id"], fields["event"], json.loads(fields["data"])))
                self.ended = fields["event"] == "end"
                fields = {}
            else:
                fields = {}
