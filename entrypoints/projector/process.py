"""The life of a projector process."""

from __future__ import annotations

import signal
from contextlib import closing

from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from adapters.postgres.projector import Projector, StopRequest
from entrypoints.projector.views import all_views

# One connection reads the log, one follows it (outside the pool).
_POOL_SIZE = 2


def run_projector(dsn: str) -> None:
    """Projects until SIGTERM or SIGINT; waits for a database that is away. Call it in the main thread."""
    with closing(StopRequest()) as stop, closing(Database(dsn, pool_size=_POOL_SIZE, check=False)) as database:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.make())
        with closing(PostgresEventLog(database)) as log:
            Projector(database, log, all_views(), stop).run()
