"""Downloads let go of what they hold however they end, and never pass off a part as the whole."""

import asyncio
import gc
from contextlib import ExitStack
from typing import Any

import pytest

from entrypoints.http.api import text_stream
from entrypoints.http.api.text_stream import DOWNLOADS, Download
from tests.http.people import personal_token


class Held(ExitStack):
    def __init__(self):
        super().__init__()
        self.let_go = False
        self.callback(setattr, self, "let_go", True)


async def taken(download, pieces):
    """The first `pieces` of it."""
    return [await anext(download) for _ in range(pieces)]


async def whole(download):
    return [piece async for piece in download]


def test_one_that_is_taken_whole_lets_go():
    held = Held()
    assert asyncio.run(whole(Download(held, iter([b"a", b"b"])))) == [b"a", b"b"]
    assert held.let_go


@pytest.mark.parametrize("pieces", [0, 1])
def test_one_that_nobody_asks_any_more_lets_go_at_once(pieces):
    held = Held()
    gc.disable()  # it must not have to wait for a collection
    try:
        assert len(asyncio.run(taken(Download(held, iter([b"a", b"b"])), pieces))) == pieces
        assert held.let_go
    finally:
        gc.enable()


def test_one_that_stands_still_lets_go_and_does_not_look_complete(monkeypatch):
    monkeypatch.setattr(text_stream, "STALL_SECONDS", 0.0)
    held = Held()

    def pieces():
        yield b"a"
        if held.let_go:
            raise ConnectionError

    async def story():
        download, ended = Download(held, pieces()), asyncio.Event()
        held.callback(ended.set)
        assert await anext(download) == b"a"
        await ended.wait()
        with pytest.raises(ConnectionError):
            await anext(download)

    asyncio.run(story())


def test_a_fault_in_the_middle_is_no_end():
    held = Held()

    def pieces():
        yield b"a"
        raise ValueError("unreadable")

    with pytest.raises(ValueError, match="unreadable"):
        asyncio.run(whole(Download(held, pieces())))
    assert held.let_go


def cut(server, job):
    """Reads the start of a download, and goes away."""
    token = personal_token(server, "reader")
    sent: list[Any] = []

    async def receive():
        if not sent:
            return {"type": "http.request", "body": b"", "more_body": False}
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()  # its window is full

    path = f"/api/runs/{job.run_id}/logs.txt"
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"authorization", f"Bearer {token}".encode())],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
    }
    with server.client.portal() as portal:
        portal.call(server.client.app, scope, receive, send)
    return sent[0]["status"]


def test_readers_who_go_away_leave_room_for_others(server, job):
    job.post("logs", chunks=["x" * 500_000, "y" * 500_000])
    gc.disable()
    try:
        for _ in range(3 * DOWNLOADS):
            assert cut(server, job) == 200
            assert text_stream._places._value == DOWNLOADS
    finally:
        gc.enable()


def test_more_than_so_many_at_one_time_are_told_to_come_back(server, job):
    headers = {"Authorization": f"Bearer {personal_token(server, 'reader')}"}
    with ExitStack() as others:
        for _ in range(DOWNLOADS):
            others.enter_context(text_stream._a_place())
        answer = server.client.get(f"/api/runs/{job.run_id}/logs.txt", headers=headers)
        assert (answer.status_code, "retry-after" in answer.headers) == (429, True)
    assert server.client.get(f"/api/runs/{job.run_id}/logs.txt", headers=headers).status_code == 200
