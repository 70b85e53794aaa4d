"""Local JSONL for a collector on the node, in place of HTTP (`TUNEPLANE_OBSERVATION_DIR`).

`tp-<producer>-<8 digits>.open.jsonl` grows and is renamed to `.sealed.jsonl` when it holds 1 MiB
or is 1 s old. A line is `{"version": 1, "channel": …, "payload": …}`. Payloads: `metrics`
`{step, ts, values: {key: number}, invalid: {key: nan|pos_inf|neg_inf}}` (`ts` in epoch seconds,
`invalid` only where there is any), `observation` an event, `contract` the document, `hparams` the
flat object. Hardware has no channel and is not written.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Callable

from tuneplane.columns import invalid_kind
from tuneplane.parcels import Parcel, breathe, compact
from tuneplane.series_keys import SeriesKeys
from tuneplane.transport import Outcome, left_behind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tuneplane.columns import Logged

SEAL_BYTES = 1024 * 1024
SEAL_SECONDS = 1.0
_BREATH_CALLS = 64
_WRITTEN = Outcome(delivered=True, transient=False)


class LocalFiles:
    """Carries parcels into files of one producer, which is this process."""

    def __init__(self, directory: str, producer: str) -> None:
        self._directory = Path(directory)
        self._producer = producer
        self._keys = SeriesKeys()
        self._number = 0
        self._file: IO[bytes] | None = None
        self._path = self._directory
        self._written = 0
        self._opened_at = 0.0

    def pack_points(self, calls: Sequence[Logged], refuse: Callable[[str, str], None]) -> list[Parcel]:
        lines = []
        for index, (prefix, step, ts, values) in enumerate(calls):
            finite, invalid = self._sorted(prefix, values, refuse)
            payload: dict[str, Any] = {"step": step, "ts": ts, "values": finite}
            if invalid:
                payload["invalid"] = invalid
            if finite or invalid:
                lines.append(_line("metrics", payload, points=len(finite) + len(invalid)))
            if index % _BREATH_CALLS == _BREATH_CALLS - 1:
                breathe()
        return lines

    def pack_events(self, events: list[dict[str, Any]], contract: dict[str, Any] | None = None) -> list[Parcel]:
        lines = [_line("observation", event) for event in events]
        if contract is not None:
            lines.insert(0, _line("contract", contract))
        return lines

    def pack_hparams(self, params: dict[str, Any]) -> list[Parcel]:
        return [_line("hparams", params)]

    def pack_samples(self, samples: list[dict[str, Any]]) -> list[Parcel]:
        del samples
        return []

    def deliver(self, parcel: Parcel) -> Outcome:
        """Appends one line. A full or absent disk is transient."""
        try:
            if self._file is None:
                self._open()
            if self._file is not None:
                self._file.write(parcel.body)
                self._file.flush()
            self._written += len(parcel.body)
            self._seal_when_due()
        except OSError as problem:
            self._abandon()
            reason = f"cannot write to {self._directory}: {problem}"
            return Outcome(delivered=False, transient=True, reason=reason)
        return _WRITTEN

    def rest(self) -> None:
        try:
            self._seal_when_due()
        except OSError:
            self._abandon()

    def close(self) -> None:
        try:
            self._seal()
        except OSError:
            self._abandon()

    def abandon(self) -> None:
        if self._file is not None:
            left_behind.append(self._file)
            self._file = None

    def _sorted(
        self, prefix: str, values: dict[str, Any], refuse: Callable[[str, str], None]
    ) -> tuple[dict[str, float], dict[str, str]]:
        finite: dict[str, float] = {}
        invalid: dict[str, str] = {}
        for name, value in values.items():
            key = f"{prefix}{name}"
            if not self._keys.size_bytes(key):
                refuse(key, self._keys.why_not(key))
                continue
            try:
                number = float(value)
            except OverflowError:
                refuse(key, "an integer too large for a number")
                continue
            if math.isfinite(number):
                finite[key] = number
            else:
                invalid[key] = invalid_kind(number)
        return finite, invalid

    def _open(self) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        self._number += 1
        stem = f"tp-{self._producer}-{self._number:08d}"
        self._path = self._directory / f"{stem}.open.jsonl"
        self._file = self._path.open("xb")
        self._written = 0
        self._opened_at = time.monotonic()

    def _seal_when_due(self) -> None:
        if self._file is None:
            return
        if self._written >= SEAL_BYTES or time.monotonic() - self._opened_at >= SEAL_SECONDS:
            self._seal()

    def _seal(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()
            self._path.replace(self._path.with_name(self._path.name.replace(".open.", ".sealed.")))

    def _abandon(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError:
                return


def _line(channel: str, payload: dict[str, Any], *, points: int = 0) -> Parcel:
    body = compact({"version": 1, "channel": channel, "payload": payload}) + b"\n"
    return Parcel(channel, body, points=points)
