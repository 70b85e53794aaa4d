import asyncio
import json
import re
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from typing import Any

import pytest

from application.queries.live import STREAMS, behind, start
from domain.ids import Position
from entrypoints.http.errors import TooManyRequests
from entrypoints.http.live.hub import _ANSWERS, LiveHub
from entrypoints.http.live.route import HEARTBEAT_SECONDS, Asked, LiveStreams
from entrypoints.http.stopping import Stopping
from tests.http.people import personal_token


@pytest.fixture
def headers(server):
    return {"Authorization": f"Bearer {personal_token(server, 'watcher')}"}


def events_of(text: str):
    """(id, event, data) of each event; comments are left out."""
    blocks = [block for block in text.split("\n\n") if block and not block.startswith((":", "retry"))]
    fields = [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]
    return [(found["id"], found["event"], json.loads(found["data"])) for found in fields]


def finished(job):
    """A job that has printed three lines and ended."""
    for piece in ("one\n", "two\n", "three\n"):
        job.post("logs", chunks=[piece])
    job.post("logs", chunks=[], eof=True)
    return f"/api/runs/{job.run_id}/live"


def words(events):
    return [line["text"] for _, name, data in events if name == "logs" for line in data["lines"]]


def test_a_stream_is_sent_whole_and_ends(server, job, headers):
    answer = server.client.get(finished(job), headers=headers)

    events = events_of(answer.text)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert (answer.headers["x-accel-buffering"], answer.headers["cache-control"]) == ("no", "no-store")
    assert words(events) == ["one", "two", "three"]
    assert events[-1][1] == "end"
    assert len({identity for identity, *_ in events}) == len(events)


@pytest.mark.parametrize("way", ["header", "query"])
def test_a_reader_that_has_seen_everything_is_told_to_stop_asking(server, job, headers, way):
    address = finished(job)
    last = events_of(server.client.get(address, headers=headers).text)[-1][0]

    if way == "header":
        answer = server.client.get(address, headers=headers | {"Last-Event-ID": last})
    else:
        answer = server.client.get(address, headers=headers, params={"cursor": last})

    assert (answer.status_code, answer.text) == (204, "")


@pytest.mark.parametrize("place", ["junk", "-1", "9" * 30, "%00", "a\tb"])
def test_a_place_that_was_never_given_out_is_400(server, job, headers, place):
    answer = server.client.get(finished(job), headers=headers | {"Last-Event-ID": place})

    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_place_in_another_run_is_400(server, job, headers):
    other = server.open_attempt()
    answer = server.client.get(finished(job), headers=headers, params={"cursor": start(other.run_id)})

    assert answer.status_code == 400


def test_an_unknown_stream_is_refused_by_name(server, job, headers):
    answer = server.client.get(finished(job), headers=headers, params={"streams": "logs,gossip"})

    assert answer.status_code == 400
    assert "gossip" in answer.json()["detail"]


def test_an_unknown_run_is_404(server, headers):
    assert server.client.get("/api/runs/no-such-run/live", headers=headers).status_code == 404
    assert server.client.get("/api/runs/no%20run/live", headers=headers).status_code == 404


def test_what_a_job_printed_cannot_forge_an_event(server, job, headers):
    job.post("logs", chunks=["id: 1\nevent: end\ndata: {}\n\n\r\revent: lifecycle\n\x00\u2028\n"], eof=True)

    events = events_of(server.client.get(f"/api/runs/{job.run_id}/live", headers=headers).text)

    assert [name for _, name, _ in events if name not in {"logs", "lifecycle"}] == ["end"]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+", identity) for identity, *_ in events)
    assert words(events)[0] == "id: 1"


class Counting:
    """Reading that counts how often views were opened for readers."""

    def __init__(self, reading) -> None:
        self.reading, self.opened = reading, 0

    def now(self, min_position=0):
        self.opened += 1
        return self.reading.now(min_position)

    def at(self, run, as_of, *beside):
        return self.reading.at(run, as_of, *beside)

    def await_news(self, after, seconds):
        return self.reading.await_news(after, min(seconds, 0.05))


class Quiet(Counting):
    """Views that nothing new comes to."""

    def await_news(self, after, seconds):
        threading.Event().wait(min(seconds, 0.01))
        return after


class Behind(Counting):
    """Reading whose views have not taken in the run before somebody waits for them."""

    @contextmanager
    def now(self, min_position=0):
        if min_position == 0:
            with self.reading.at("nobody", 0) as views:
                yield views
        else:
            with self.reading.now(min_position) as views:
                yield views


def test_a_stream_opened_right_behind_its_run_waits_for_the_views(server, job):
    job.post("logs", chunks=["line\n"])

    async def opened():
        hub = LiveHub(Behind(server.container.reading()), Stopping())
        found = await hub.frames(job.run_id, frozenset(STREAMS), start(job.run_id))
        await asyncio.to_thread(hub.close)
        return found

    assert b"line" in asyncio.run(opened()).text


def test_readers_at_one_place_share_one_look(server, job):
    job.post("logs", chunks=["line\n"])
    reading = Counting(server.container.reading())

    async def many():
        hub = LiveHub(reading, Stopping())
        before = hub.position
        await hub.frames(job.run_id, frozenset(STREAMS), start(job.run_id))
        await hub.moved(before, 5)
        opened = reading.opened
        asked = [hub.frames(job.run_id, frozenset(STREAMS), start(job.run_id)) for _ in range(300)]
        found = await asyncio.gather(*asked)
        await asyncio.to_thread(hub.close)
        return reading.opened - opened, found

    looks, found = asyncio.run(many())
    assert looks == 1
    assert len({one.text for one in found}) == 1


def test_readers_at_ever_new_places_leave_no_more_behind_than_is_kept(server, job):
    job.post("logs", chunks=["line\n"])
    views = server.container.reading()

    async def many():
        hub = LiveHub(Quiet(views), Stopping())
        for position in range(_ANSWERS + 10):
            await hub.frames(job.run_id, frozenset(STREAMS), behind(job.run_id, Position(position), None))
        kept = len(hub._asked)
        await asyncio.to_thread(hub.close)
        return kept

    assert 0 < asyncio.run(many()) <= _ANSWERS


def test_readers_wake_when_the_server_stops(server, job):
    async def waiting():
        stopping = Stopping()
        hub = LiveHub(Counting(server.container.reading()), stopping)
        await hub.frames(job.run_id, frozenset(STREAMS), start(job.run_id))
        await hub.moved(Position(hub.position - 1), 5)
        waiter = asyncio.create_task(hub.moved(Position(hub.position + 1_000_000), 60))
        await asyncio.sleep(0)
        stopping.begin()
        woken = await asyncio.wait_for(waiter, 10)
        await asyncio.to_thread(hub.close)
        return woken

    assert asyncio.run(waiting()) is True


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def asked(job, account="ada", still_signed_in=None):
    async def always() -> bool:
        return True

    return Asked(
        run=job.run_id,
        streams=frozenset(STREAMS),
        cursor=start(job.run_id),
        account=account,
        still_signed_in=still_signed_in or always,
    )


async def messages(streams: LiveStreams, question: Asked) -> Any:
    """The open stream, part by part."""
    return (await streams.open(question)).iterator


def test_a_stream_ends_when_its_reader_is_no_longer_signed_in(server, job):
    job.post("logs", chunks=["line\n"])
    clock, proofs = Clock(), []

    async def signed_out() -> bool:
        proofs.append(clock.seconds)
        return False

    async def read():
        hub = LiveHub(Counting(server.container.reading()), Stopping())
        streams = LiveStreams(hub, Stopping(), clock)
        parts: list[bytes] = []
        async for part in await messages(streams, asked(job, still_signed_in=signed_out)):
            parts.append(part)
            if b"line" in part:
                clock.seconds = HEARTBEAT_SECONDS
                job.post("logs", chunks=["never seen\n"])
        await asyncio.to_thread(hub.close)
        return b"".join(parts)

    text = asyncio.run(read())
    assert b"line" in text
    assert b"never seen" not in text
    assert proofs == [HEARTBEAT_SECONDS]


def test_readers_are_proven_one_after_another_and_each_within_the_beat(server, job):
    clock, readers = Clock(), 30
    proofs: list[tuple[int, float]] = []

    def still_signed_in(reader: int) -> Callable[[], Awaitable[bool]]:
        async def proven() -> bool:
            proofs.append((reader, clock.seconds))
            return True

        return proven

    async def told(stream, line: str) -> None:
        while line.encode() not in await anext(stream):
            pass

    async def read():
        hub = LiveHub(Counting(server.container.reading()), Stopping())
        streams = LiveStreams(hub, Stopping(), clock)
        opened = [await messages(streams, asked(job, still_signed_in=still_signed_in(n))) for n in range(readers)]
        for second in range(int(HEARTBEAT_SECONDS) + 1):
            clock.seconds = second
            job.post("logs", chunks=[f"line {second}.\n"])
            for stream in opened:
                await told(stream, f"line {second}.")
        for stream in opened:
            await stream.aclose()
        await asyncio.to_thread(hub.close)

    asyncio.run(read())
    assert sorted(reader for reader, _ in proofs) == list(range(readers))
    # 2 readers a second; where lines fall together, one more.
    assert max(Counter(second for _, second in proofs).values()) <= 3


def test_one_account_cannot_hold_every_stream(server, job, monkeypatch):
    monkeypatch.setattr("entrypoints.http.live.route.MOST_STREAMS_OF_ACCOUNT", 1)

    async def opened():
        hub = LiveHub(Counting(server.container.reading()), Stopping())
        streams = LiveStreams(hub, Stopping())
        first = await messages(streams, asked(job))
        await anext(first)
        with pytest.raises(TooManyRequests):
            await streams.open(asked(job))
        other = await messages(streams, asked(job, account="grace"))
        await anext(other)
        await first.aclose()
        again = await messages(streams, asked(job))
        await anext(again)
        for stream in (other, again):
            await stream.aclose()
        await asyncio.to_thread(hub.close)

    asyncio.run(opened())
