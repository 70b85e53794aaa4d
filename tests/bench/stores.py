"""Bodies: how many are kept a second, and how long one takes to read, as files and in a bucket."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from unittest.mock import patch  # of the environment, where AWS tools look for credentials

from adapters.filesystem.object_store import FilesystemObjectStore
from adapters.s3.client import Bucket
from adapters.s3.object_store import S3ObjectStore
from application.ports.object_store import ObjectStore
from tests.bench.bench import Bench
from tests.bench.table import Row, row
from tests.end_to_end.installation import a_folder
from tests.seaweed import BUCKET, REGION, seaweed

_BODIES = 2_000
_BODY_BYTES = 16 * 1024
"""Of a usual trajectory."""
_THREADS = 4
"""As many as ingest gives to bodies."""


def measure(bench: Bench) -> Iterator[Row]:
    """Both stores."""
    bodies = [os.urandom(_BODY_BYTES) for _ in range(bench.sized(_BODIES))]
    with a_folder() as folder:
        floors = [_a_second(bodies, _file_writer(folder)) for _ in range(bench.repeats)]
        yield from _store(bench, "files", FilesystemObjectStore(folder / "bodies"), bodies, floors)
    with _bucket() as bucket:
        yield from _store(bench, "a bucket (SeaweedFS on this machine)", S3ObjectStore(bucket), bodies, [])


@contextmanager
def _bucket() -> Iterator[Bucket]:
    with seaweed() as server, patch.dict(os.environ, server.environment()):
        yield Bucket(BUCKET, endpoint=server.endpoint, region=REGION)


def _store(bench: Bench, where: str, store: ObjectStore, bodies: list[bytes], floors: list[float]) -> Iterator[Row]:
    speeds = [_a_second(bodies, _keeper(store, f"r{repeat}")) for repeat in range(bench.repeats)]
    note = f"{_BODY_BYTES // 1024} KiB each, {_THREADS} threads"
    floor_note = "; floor: a file written and flushed" if floors else ""
    yield row(f"bodies kept as {where}", "", speeds, "bodies/s", floors, note + floor_note)
    taken = [_milliseconds(store, f"r0/{at}") for at in range(len(bodies))]
    worst = quantiles(taken, n=100)[98]
    yield row(f"one body read from {where}", "", [median(taken)], "ms", note=f"median; p99 {worst:.2f} ms")


def _keeper(store: ObjectStore, prefix: str) -> Callable[[int, bytes], None]:
    return lambda at, body: store.put(f"{prefix}/{at}", body, hashlib.sha256(body).hexdigest())


def _file_writer(folder: Path) -> Callable[[int, bytes], None]:
    def write(at: int, body: bytes) -> None:
        with (folder / f"floor-{at}").open("wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())

    return write


def _a_second(bodies: list[bytes], keep: Callable[[int, bytes], None]) -> float:
    began = time.perf_counter()
    with ThreadPoolExecutor(_THREADS) as threads:
        list(threads.map(keep, range(len(bodies)), bodies))
    return len(bodies) / (time.perf_counter() - began)


def _milliseconds(store: ObjectStore, key: str) -> float:
    began = time.perf_counter()
    body = store.get(key)
    assert body is not None
    return (time.perf_counter() - began) * 1e3
