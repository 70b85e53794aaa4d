"""Request bodies, made before the clock starts."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Literal

import msgspec
import numpy as np

Shape = Literal["published JSON", "columnar JSON", "MessagePack"]
SHAPES: tuple[Shape, ...] = ("published JSON", "columnar JSON", "MessagePack")
POINTS = 2_048
"""In a batch."""
_SERIES = 10
_KEYS = [f"train/metric_{number}" for number in range(_SERIES)]
_START_MICROS = 1_790_000_000_000_000


def content_type(shape: Shape) -> str:
    return "application/msgpack" if shape == "MessagePack" else "application/json"


def batches(run: str, shape: Shape, first: int, count: int) -> list[bytes]:
    """A training loop's batches from number `first` on: 10 series, logged together at each step."""
    rng = np.random.default_rng([zlib.crc32(run.encode()), first])
    return [_batch(run, shape, number, rng.standard_normal(POINTS)) for number in range(first, first + count)]


def one_series(run: str, points: int) -> Iterator[bytes]:
    """A single long series, `loss`, in MessagePack, made as it is read."""
    for first in range(0, points, POINTS):
        steps = np.arange(first, min(first + POINTS, points))
        values = np.random.default_rng(first).standard_normal(len(steps))
        yield _columnar(run, first // POINTS + 1, [("loss", steps, values, _micros(steps))], msgspec.msgpack.encode)


def wide(run: str, first: int, count: int) -> list[bytes]:
    """Batches of 2,048 series with one point each, in MessagePack."""
    keys = [f"layer.{number}/grad_norm" for number in range(POINTS)]
    result = []
    for number in range(first, first + count):
        step, values = np.array([number]), np.random.default_rng(number).standard_normal((POINTS, 1))
        series = [(key, step, value, _micros(step)) for key, value in zip(keys, values, strict=True)]
        result.append(_columnar(run, number + 1, series, msgspec.msgpack.encode))
    return result


def log_piece(run: str) -> bytes:
    """A line of output: a small durable write."""
    return msgspec.json.encode({"run_id": run, "chunks": ["step 1 loss 0.1\n"]})


def _batch(run: str, shape: Shape, number: int, values: np.ndarray) -> bytes:
    place = np.arange(number * POINTS, (number + 1) * POINTS)
    steps, series = place // _SERIES, place % _SERIES
    micros = _micros(steps)
    if shape == "published JSON":
        iso = {at: datetime.fromtimestamp(at / 1e6, UTC).isoformat() for at in np.unique(micros).tolist()}
        columns = zip(series.tolist(), steps.tolist(), values.tolist(), micros.tolist(), strict=True)
        points = [
            {"key": _KEYS[which], "step": step, "value": value, "ts": iso[at]} for which, step, value, at in columns
        ]
        return msgspec.json.encode({"run_id": run, "points": points})
    mine = [(key, series == which) for which, key in enumerate(_KEYS)]
    parts = [(key, steps[chosen], values[chosen], micros[chosen]) for key, chosen in mine]
    return _columnar(
        run, number + 1, parts, msgspec.json.encode if shape == "columnar JSON" else msgspec.msgpack.encode
    )


def _columnar(
    run: str,
    sequence: int,
    series: list[tuple[str, np.ndarray, np.ndarray, np.ndarray]],
    encode: Callable[[object], bytes],
) -> bytes:
    columns = [
        {"key": key, "steps": steps.tolist(), "values": values.tolist(), "ts": (micros / 1e6).tolist()}
        for key, steps, values, micros in series
    ]
    return encode({"run_id": run, "stream": "bench", "sequence": sequence, "series": columns})


def _micros(steps: np.ndarray) -> np.ndarray:
    """A step takes 100 ms, give or take 5 ms."""
    micros: np.ndarray = _START_MICROS + steps * 100_000 + steps * 7_919 % 5_003
    return micros
