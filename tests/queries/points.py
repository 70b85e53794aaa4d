"""Curves as a few lists: enough to ask the queries, which leave all that is hard to the port."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count

from application.ports.series_across import SeriesValues
from application.ports.series_view import Chart, InvalidCounts, PointRow, SeriesSummary
from domain.ids import RunId
from tests.factories import RUN


class Points:
    """Points that a test puts in by hand. There is one attempt, unless a row says otherwise."""

    def __init__(self) -> None:
        self._rows: defaultdict[RunId, list[PointRow]] = defaultdict(list)

    def put(self, key: str, *values: float, attempt: int = 0, run: RunId = RUN) -> None:
        """Values at the steps 0, 1, 2, …, a second apart."""
        self._rows[run] += [
            PointRow(attempt, key, step, value, step * 1_000_000) for step, value in zip(count(), values)
        ]

    def project(self, events) -> None:
        """Takes nothing in: points are put in by hand."""

    def keys(self, run, *, q="", after=None, limit=None) -> list[str]:
        found = sorted({row.key for row in self._rows[run] if q.lower() in row.key.lower()})
        return [key for key in found if after is None or key > after][:limit]

    def reported_keys(self, run, attempt) -> list[str]:
        return sorted({row.key for row in self._rows[run] if row.attempt == attempt})

    def across(self, key, runs=None) -> dict[RunId, SeriesValues]:
        found = {run: self._of(run, key, None) for run in (list(self._rows) if runs is None else runs)}
        known = {run: _summary(key, rows) for run, rows in found.items() if rows}
        return {run: _values(one) for run, one in known.items()}

    def known_keys(self, *, q="", limit) -> list[str]:
        return sorted({key for run in list(self._rows) for key in self.keys(run, q=q)})[:limit]

    def summaries(self, run, keys: Sequence[str], attempt=None) -> list[SeriesSummary]:
        found = [(key, self._of(run, key, attempt)) for key in keys]
        return [_summary(key, rows) for key, rows in found if rows]

    def chart(self, run, key, *, attempt=None, buckets=1000, first_step=None, last_step=None) -> Chart | None:
        rows = self._of(run, key, attempt)
        if not rows:
            return None
        wanted = [
            row for row in rows if (first_step or 0) <= row.step <= (len(rows) if last_step is None else last_step)
        ]
        values = [row.value for row in wanted]
        times = [row.time / 1e6 for row in wanted]
        ones = [1] * len(wanted)
        steps = [row.step for row in wanted]
        return Chart(step=steps, time=times, min=values, max=values, mean=values, last=values, count=ones, exact=True)

    def points(self, run, keys: Sequence[str], attempt=None) -> Iterator[list[PointRow]]:
        for key in keys:
            yield self._of(run, key, attempt)

    def series_count(self, run) -> int:
        return len(self.keys(run))

    def _of(self, run, key, attempt) -> list[PointRow]:
        return [row for row in self._rows[run] if row.key == key and attempt in (None, row.attempt)]


def _summary(key: str, rows: list[PointRow]) -> SeriesSummary:
    values = [row.value for row in rows]
    return SeriesSummary(
        key=key,
        count=len(values),
        min=min(values),
        max=max(values),
        mean=sum(values) / len(values),
        first=values[0],
        last=values[-1],
        first_step=0,
        last_step=rows[-1].step,
        last_at=rows[-1].time,
        invalid=InvalidCounts(),
    )


def _values(known: SeriesSummary) -> SeriesValues:
    least, greatest, mean, last = known.min, known.max, known.mean, known.last
    assert least is not None
    assert greatest is not None
    assert mean is not None
    assert last is not None
    return SeriesValues(least, greatest, mean, last)
