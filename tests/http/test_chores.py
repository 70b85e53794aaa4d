"""What a server does by itself."""

import asyncio
import logging

import pytest

from adapters.memory.event_log import MemoryEventLog
from adapters.memory.object_store import MemoryObjectStore
from adapters.memory.reading import MemoryReading
from adapters.memory.sole import MemorySole
from application.commands.sweep_bodies import SweepBodies
from application.ports.views import START
from application.projections.registry import PROJECTIONS
from application.queries.job_table import JobTable
from domain.errors import TryAgain
from domain.placement import Placement
from domain.run import create_run
from entrypoints.http.chores import publish_heads, read_ahead, sweep_bodies
from entrypoints.http.stopping import Stopping
from tests import factories as a
from tests.contracts.event_log import append_one
from tests.queries.points import Points


class Away(MemoryObjectStore):
    """Away the first time it is asked, and empty then; tells who waits when it was asked for the third time."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.enough = asyncio.Event()
        self.loop = asyncio.get_running_loop()

    def keys(self, prefix):
        self.asked += 1
        if self.asked == 1:
            raise TryAgain("The store is away.")
        if self.asked == 3:
            self.loop.call_soon_threadsafe(self.enough.set)
        return super().keys(prefix)


def test_bodies_are_swept_again_and_again_even_after_the_store_was_away(caplog):
    async def story() -> None:
        store = Away()
        sweep = SweepBodies(MemoryEventLog(), store, MemorySole())
        chore = asyncio.create_task(sweep_bodies(sweep, Stopping(), every=0))
        await asyncio.wait_for(store.enough.wait(), 30)
        chore.cancel()
        with pytest.raises(asyncio.CancelledError):
            await chore

    asyncio.run(story())
    assert "bodies were not swept: The store is away." in caplog.text


class Told(logging.Handler):
    """Collects lines, and tells who waits."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.news = asyncio.Event()

    def emit(self, record):
        self.lines.append(record.getMessage())
        self.news.set()


def test_the_head_of_the_chain_is_published_where_it_moved():
    async def story() -> list[str]:
        log, told = MemoryEventLog(lambda: a.NOON), Told()
        logger = logging.getLogger("tuneplane.server")
        logger.addHandler(told)
        logger.setLevel(logging.INFO)
        chore = asyncio.create_task(publish_heads(log, every=0))
        for name in ("one", "two"):
            told.news.clear()
            placed: Placement = create_run(a.a_run(run=name))
            append_one(log, placed)
            await asyncio.wait_for(told.news.wait(), 30)
        chore.cancel()
        logger.removeHandler(told)
        logger.setLevel(logging.NOTSET)
        expected = [f"chain head: position {one.position}, hash {one.hash.hex()}" for one in log.read(START)]
        assert told.lines == expected
        return told.lines

    assert len(asyncio.run(story())) == 2


class NoViews(MemoryReading):
    """Views that nobody has made yet."""

    def now(self, min_position=START):
        raise TryAgain(f"There are no views at {min_position}.")


def test_a_server_without_views_reads_nothing_ahead_and_goes_on():
    asyncio.run(read_ahead(NoViews(MemoryEventLog(), PROJECTIONS, scalars=Points, hardware=Points), JobTable()))
