"""What the records of a W&B transaction log say, in the terms of a run.

Wire format of wandb_internal.proto's Record and what it holds (field numbers beside their use).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tuneplane.foreign import Foreign
from tuneplane.moving.protobuf import VARINT, Torn, double, fields, integer, raw, text, zigzag
from tuneplane.moving.source import Configuration, Final, Item, LeftOut, Stage, Unread
from tuneplane.moving.values import as_float, row_items
from tuneplane.single_keys import parsed

HISTORY, SUMMARY, CONFIG, STATS, RUN, EXIT = 2, 3, 5, 7, 17, 18
_PASSED_OVER = {
    4: "console output",
    8: "artifact",
    9: "TensorBoard link",
    10: "alert",
    13: "console output",
    25: "artifact",
}
_ABOUT_THE_FILE = {1, 6, 11, 12, 16, 19, 20, 21, 22, 23, 24, 26, 100, 200}
"""Numbers, names of files, telemetry, how a metric is shown, requests, header and footer: nothing of the results."""
_OWN = "_"
"""Names that begin so are W&B's own: `_step`, `_runtime`, `_timestamp`, `_wandb`."""


class Header(NamedTuple):
    """RunRecord: who the run is."""

    run_id: str
    project: str
    entity: str
    name: str
    notes: str
    tags: list[str]
    group: str
    job_type: str
    host: str
    started: float | None
    """Seconds since the epoch."""
    config: dict[str, Any]


class RecordReader:
    """The records of one file, in order."""

    def __init__(self) -> None:
        self._started: float | None = None
        self._steps = 0
        self._summary: dict[str, Any] = {}
        self._logged: set[str] = set()

    def items(self, record: bytes) -> Iterator[Item]:
        """What one record says. Raises Torn where it is none."""
        for number, _, value in fields(record):
            if number == HISTORY:
                yield from self._history(raw(value))
            elif number == RUN:
                yield from self._run(raw(value))
            elif number == CONFIG:
                params = {key: one for key, one in config(raw(value)).items() if not key.startswith(_OWN)}
                if params:
                    yield Configuration(params)
            elif number == SUMMARY:
                self._summary.update(_by_name(raw(value)))
            elif number == EXIT:
                yield self._exit(raw(value))
            elif number == STATS:
                yield LeftOut("hardware sample")
            elif number not in _ABOUT_THE_FILE:
                yield LeftOut(_PASSED_OVER.get(number, f"record of kind {number}"))

    def finals(self) -> Iterator[Item]:
        """Results that the run's summary holds and no row of its history."""
        for key, value in sorted(self._summary.items()):
            top = key.partition(".")[0]
            if top in self._logged or top.startswith(_OWN) or "._" in key:
                continue
            if isinstance(value, (bool, int, float, str)):
                yield Final(key, value)
            else:
                yield LeftOut("final result")

    def _run(self, message: bytes) -> Iterator[Item]:
        found = header(message)
        params = {key: value for key, value in found.config.items() if not key.startswith(_OWN)}
        if params:
            yield Configuration(params)
        if self._started is None:
            self._started = found.started
            yield Stage("running", found.started)

    def _exit(self, message: bytes) -> Item:
        """RunExitRecord: exit_code = 1, runtime = 2 in whole seconds, 0 where it is not said."""
        code = seconds = 0
        for number, _, value in fields(message):
            if number == 1:
                code = integer(value)
            elif number == 2:  # noqa: PLR2004 - as above
                seconds = integer(value)
        ended = self._started + seconds if self._started is not None and seconds else None
        return Stage("failed" if code else "succeeded", ended)

    def _history(self, message: bytes) -> Iterator[Item]:
        """HistoryRecord: item = 1; step = 2 holds num = 1."""
        row: dict[str, Any] = {}
        step: int | None = None
        for number, _, value in fields(message):
            if number == 1:
                names, found = _named(raw(value))
                _put(row, names, found)
            elif number == 2:  # noqa: PLR2004 - as above
                step = next((integer(one) for inner, _, one in fields(raw(value)) if inner == 1), 0)
        ts = as_float(row.get("_timestamp"))
        own = row.get("_step", step)
        values = {key: value for key, value in row.items() if not key.startswith(_OWN)}
        self._logged.update(values)
        if not isinstance(own, int) or ts is None:
            yield Unread("a row of the history without _step or _timestamp", max(len(values), 1))
            return
        yield from row_items(values, own, ts)


def header(message: bytes) -> Header:
    """A RunRecord. Raises Torn."""
    texts: dict[int, str] = {}
    tags: list[str] = []
    params: dict[str, Any] = {}
    started: float | None = None
    for number, _, value in fields(message):
        if number in (1, 2, 3, 6, 7, 8, 9, 13):
            texts[number] = text(value)
        elif number == 4:  # noqa: PLR2004 - config
            params.update(config(raw(value)))
        elif number == 10:  # noqa: PLR2004 - tags
            tags.append(text(value))
        elif number == 17:  # noqa: PLR2004 - start_time: seconds = 1, nanos = 2
            parts = {inner: integer(one) for inner, _, one in fields(raw(value))}
            started = parts.get(1, 0) + parts.get(2, 0) / 1e9
    names = {1: "run_id", 2: "entity", 3: "project", 6: "group", 7: "job_type", 8: "name", 9: "notes", 13: "host"}
    said = {name: texts.get(number, "") for number, name in names.items()}
    return Header(**said, tags=tags, started=started, config=params)


def run_of(record: bytes) -> Header | None:
    """The RunRecord that a record holds; None where it holds another. Raises Torn."""
    return next((header(raw(value)) for number, _, value in fields(record) if number == RUN), None)


def config(message: bytes) -> dict[str, Any]:
    """ConfigRecord: update = 1. Raises Torn."""
    found: dict[str, Any] = {}
    for number, _, value in fields(message):
        if number == 1:
            names, setting = _named(raw(value))
            _put(found, names, setting)
    return found


def _by_name(message: bytes) -> Mapping[str, Any]:
    """SummaryRecord: update = 1; the values by their names joined with `.`."""
    return {
        ".".join(names): value
        for names, value in (_named(raw(one)) for number, _, one in fields(message) if number == 1)
    }


def _named(message: bytes) -> tuple[list[str], Foreign]:
    """An item: key = 1 or nested_key = 2, and value_json = 16 or one of the plain values 3 to 8."""
    names: list[str] = []
    found: Foreign = None
    for number, kind, value in fields(message):
        if number in (1, 2):
            if text(value):
                names.append(text(value))
        elif number in (8, 16):
            found = _json(value)
        elif number == 4:  # noqa: PLR2004 - boolean
            found = bool(value)
        elif number == 5 and kind == VARINT:  # noqa: PLR2004 - integer
            found = zigzag(value)
        elif number == 6:  # noqa: PLR2004 - number
            found = double(value)
        elif number == 7:  # noqa: PLR2004 - text
            found = text(value)
    if not names:
        raise Torn("an item without a name")
    return names, found


def _json(value: int | bytes) -> Foreign:
    try:
        return parsed(text(value))
    except ValueError as problem:
        raise Torn(f"value_json: {problem}") from None


def _put(row: dict[str, Any], names: list[str], value: Foreign) -> None:
    for name in names[:-1]:
        below = row.setdefault(name, {})
        if not isinstance(below, dict):
            below = row[name] = {}
        row = below
    row[names[-1]] = value
