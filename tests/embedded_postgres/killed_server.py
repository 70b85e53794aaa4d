"""Starts the database in the folder of the first argument, says so, and waits with a forked worker to be killed."""

import os
import sys
import time
from pathlib import Path

from adapters.embedded_postgres.launcher import EmbeddedPostgres

server = EmbeddedPostgres(Path(sys.argv[1]), durable=False)
dsn = server.start()
worker = os.fork()
if worker:
    print(server.pid, worker, dsn, flush=True)  # noqa: T201 - this is its interface
time.sleep(120)
