"""Native records of a task, one after the other and again by their place: from a file, or held by the caller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tuneplane.foreign import Foreign
from tuneplane.integrations.lm_eval.files import open_regular
from tuneplane.integrations.lm_eval.refusals import ResultsRefused
from tuneplane.single_keys import parsed

LINE_BYTES = 8 * 1024 * 1024
"""Of one line of a samples file; more than one is never in memory."""


_OBJECT = "has to be an object with doc_id, filter and metrics"


class Placed(NamedTuple):
    """A record and where it is."""

    place: int
    """For `Source.at`."""
    name: str
    """For people: `line 7`."""
    record: Mapping[str, Any]


class Source(Protocol):
    """The records of one task."""

    name: str

    def records(self) -> Iterator[Placed]:
        """All in order, read anew each time. Raises ResultsRefused."""

    def at(self, places: Sequence[int]) -> Iterator[Placed]:
        """Those at these places."""

    def torn(self) -> bool:
        """Whether the last line was cut off, known once `records` came to its end."""


class SamplesFile:
    """`samples_<task>_<time>.jsonl`, a line at a time."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        self._torn = False

    def records(self) -> Iterator[Placed]:
        self._torn = False
        with open_regular(self._path) as file:
            place, number = 0, 0
            while line := file.readline(LINE_BYTES + 1):
                number += 1
                if len(line) > LINE_BYTES:
                    raise ResultsRefused(self.name, f"line {number}", f"is longer than {LINE_BYTES:,} bytes")
                if line.strip():
                    try:
                        record = self._parsed(line, f"line {number}")
                    except ResultsRefused:
                        if line.endswith(b"\n"):
                            raise
                        self._torn = True  # it is the last one, and the writer was stopped in the midst of it
                        return
                    yield Placed(place, f"line {number}", record)
                place += len(line)

    def at(self, places: Sequence[int]) -> Iterator[Placed]:
        with open_regular(self._path) as file:
            for place in places:
                file.seek(place)
                name = f"the line at byte {place:,}"
                yield Placed(place, name, self._parsed(file.readline(LINE_BYTES + 1), name))

    def torn(self) -> bool:
        return self._torn

    def _parsed(self, line: bytes, name: str) -> Mapping[str, Any]:
        try:
            record = parsed(line)
        except ValueError as problem:
            raise ResultsRefused(self.name, name, f"is no JSON in UTF-8: {problem}") from None
        if not isinstance(record, dict):
            raise ResultsRefused(self.name, name, _OBJECT)
        return record


class HeldRecords:
    """What `simple_evaluate(..., log_samples=True)` returned for one task."""

    def __init__(self, name: str, records: Foreign) -> None:
        self.name = name
        if not isinstance(records, Sequence) or isinstance(records, (str, bytes)):
            raise ResultsRefused(name, "samples", "has to be a list of records")
        self._records = records

    def records(self) -> Iterator[Placed]:
        return self.at(range(len(self._records)))

    def at(self, places: Sequence[int]) -> Iterator[Placed]:
        for place in places:
            record = self._records[place]
            if not isinstance(record, Mapping):
                raise ResultsRefused(
                    self.name, f"record {place}", "has to be an object with doc_id, filter and metrics"
                )
            yield Placed(place, f"record {place}", record)

    def torn(self) -> bool:
        return False
