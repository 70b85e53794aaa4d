"""Many readers of one live stream, on one event loop in a thread: what each was told, and when."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from tests.end_to_end.api import Api
from tests.end_to_end.waiting import until


class Told(NamedTuple):
    n: int
    """Number of the line."""
    text: str
    at: float
    """`time.time()` when it was there."""


class ManyReaders:
    """Each follows a job's log from its beginning until it is closed."""

    def __init__(self, api: Api, run_id: str, count: int) -> None:
        self.told: list[list[Told]] = [[] for _ in range(count)]
        self.connected = 0
        self._api = api
        self._path = f"/api/runs/{run_id}/live?streams=logs"
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="many-readers")

    def __enter__(self) -> Self:
        self._thread.start()
        until(lambda: self.connected == len(self.told), "every reader's stream")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._everyone.cancel)
        self._thread.join()

    def await_lines(self, count: int) -> None:
        """Until every reader was told so many lines."""
        until(lambda: all(len(one) >= count for one in self.told), f"line {count} at every reader")

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._all())

    async def _all(self) -> None:
        self._everyone = asyncio.gather(*(self._read(told) for told in self.told))
        try:
            await self._everyone
        except asyncio.CancelledError:
            return

    async def _read(self, told: list[Told]) -> None:
        address = urlsplit(self._api.url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port, limit=1 << 20)
        head = f"Host: {address.netloc}\r\nAuthorization: Bearer {self._api.token}\r\n"
        writer.write(f"GET {self._path} HTTP/1.1\r\n{head}\r\n".encode())
        status = await reader.readline()
        assert status.split()[1] == b"200", status
        self.connected += 1
        try:
            # Chunk sizes stand on lines of their own and hold no "data: ".
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    now = time.time()
                    told += [Told(one["n"], one["text"], now) for one in json.loads(line[6:]).get("lines", ())]
        finally:
            writer.close()
