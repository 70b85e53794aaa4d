"""What a server does by itself: it reads ahead once; now and then it publishes the chain's head, and sweeps bodies."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from application.commands.sweep_bodies import SweepBodies
from application.ports.event_log import EventLog
from application.ports.views import Reading
from application.queries.job_table import JobTable
from domain.errors import TryAgain
from entrypoints.http.stopping import Stopping

HEAD_SECONDS = 300.0
"""How often the chain's head is published in the log line, where it moved."""
SWEEP_SECONDS = 3_600.0
_log = logging.getLogger("tuneplane.server")


async def read_ahead(reading: Reading, table: JobTable) -> None:
    """Once, behind what was asked first. Where the views are away there is nothing to read ahead."""
    with suppress(TryAgain):
        await asyncio.to_thread(_read_ahead, reading, table)


def _read_ahead(reading: Reading, table: JobTable) -> None:
    with reading.now() as views:
        table.read_ahead(views)


async def publish_heads(log: EventLog, every: float = HEAD_SECONDS) -> None:
    """Who keeps the server's log keeps proof of the chain: rewriting its tail would show."""
    published = 0
    while True:
        try:
            head = await asyncio.to_thread(log.head)
        except TryAgain:
            head = None
        if head is not None and head.position > published:
            published = head.position
            _log.info("chain head: position %d, hash %s", head.position, head.hash.hex())
        await asyncio.sleep(every)


async def sweep_bodies(sweep: SweepBodies, stopping: Stopping, every: float = SWEEP_SECONDS) -> None:
    """Of all servers of an installation, one does it at a time. A server that stops does not wait for its end."""
    while True:
        await asyncio.sleep(every)
        try:
            swept = await asyncio.to_thread(sweep, stop=lambda: stopping.begun)
        except TryAgain as away:
            _log.warning("bodies were not swept: %s", away.detail)
            continue
        removed = swept.expired + swept.deleted + swept.orphans + swept.unfinished
        if removed:
            _log.info("swept %d of %d bodies", removed, swept.looked_at)
