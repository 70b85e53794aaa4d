"""Scalar series: what is known of each, charts of them, and their original points as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

import msgspec
from tuneplane.contract import SERIES_PER_RUN

from application.ports.series_view import Chart, InvalidCounts, PointRow, SeriesReader, SeriesSummary
from application.ports.views import Views
from application.queries.csv_text import csv_text
from application.queries.moment import moment, moment_or_none
from application.queries.observation_contract import Descriptor, descriptors
from application.queries.page import Page, cursor_of, page_size, parts_of
from application.queries.run import chosen_attempt
from domain.errors import Refused
from domain.ids import Attempt, RunId

KEYS_A_CHART = 32
BUCKETS_USUAL = 1000
BUCKETS_MOST = 4000
_KIND = "series"


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """One series in numbers; what is None, nobody reported."""

    key: str
    count: int
    """Distinct steps."""
    min: float | None
    max: float | None
    mean: float | None
    first: float | None
    """At the smallest step."""
    last: float | None
    """At the greatest step."""
    first_step: int | None
    last_step: int | None
    last_at: str | None
    """Reporter's time of the point at the greatest step."""
    invalid: InvalidCounts
    descriptor: Descriptor | None
    """What the observation contract says of it; None: it is numeric and neutral."""


def series(
    views: Views,
    run: RunId,
    *,
    q: str = "",
    attempt: int | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[Series]:
    """Series by key, those that contain `q` in any case: of one attempt, else of the surviving lineage.

    A page of one attempt may hold fewer than `limit` and still go on. Raises `UnknownRun`, `UnknownThing` for an
    unknown attempt.
    """
    chosen = chosen_attempt(views, run, attempt)
    size = page_size(limit)
    after = parts_of(cursor, _KIND, tuple[str])[0] if cursor else None
    keys = views.scalars.keys(run, q=q, after=after, limit=size + 1)
    said = descriptors(views, run, chosen)
    found = views.scalars.summaries(run, keys[:size], chosen) if keys else []
    following = cursor_of(_KIND, keys[size - 1]) if len(keys) > size else None
    return Page(items=[_series(one, said.get(one.key)) for one in found], next_cursor=following)


def series_data(
    views: Views,
    run: RunId,
    keys: Sequence[str],
    *,
    attempt: int | None = None,
    buckets: int = BUCKETS_USUAL,
    first_step: int | None = None,
    last_step: int | None = None,
) -> dict[str, Chart]:
    """A chart of each of 1 to 32 keys over the steps in [first_step, last_step]; unknown keys are left out.

    Raises `UnknownRun`, `UnknownThing` for an unknown attempt, and `Refused` for too many keys or buckets.
    """
    return charts(
        views.scalars,
        run,
        keys,
        attempt=chosen_attempt(views, run, attempt),
        buckets=buckets,
        first_step=first_step,
        last_step=last_step,
    )


def charts(
    reader: SeriesReader,
    run: RunId,
    keys: Sequence[str],
    *,
    attempt: Attempt | None,
    buckets: int,
    first_step: int | None,
    last_step: int | None,
) -> dict[str, Chart]:
    """Charts of either family; see `series_data`."""
    distinct = list(dict.fromkeys(keys))
    if not 1 <= len(distinct) <= KEYS_A_CHART:
        raise Refused.at("key", f"must be given 1 to {KEYS_A_CHART} times", KEYS_A_CHART)
    if not 1 <= buckets <= BUCKETS_MOST:
        raise Refused.at("buckets", f"must be 1 to {BUCKETS_MOST:,}", BUCKETS_MOST)
    result: dict[str, Chart] = {}
    for key in distinct:
        chart = reader.chart(run, key, attempt=attempt, buckets=buckets, first_step=first_step, last_step=last_step)
        if chart is not None:
            result[key] = chart
    return result


def series_csv(views: Views, run: RunId, keys: Sequence[str] = (), *, attempt: int | None = None) -> Iterator[str]:
    """Every surviving point of `keys`, of all series without, as CSV (RFC 4180) in pieces, in constant memory.

    Raises as `series_data`, at once.
    """
    chosen = chosen_attempt(views, run, attempt)
    if len(keys) > SERIES_PER_RUN:
        raise Refused.at("key", f"may be given at most {SERIES_PER_RUN:,} times", SERIES_PER_RUN)
    wanted = list(dict.fromkeys(keys)) or views.scalars.keys(run)
    return _csv(views.scalars.points(run, wanted, chosen))


def _csv(pieces: Iterator[list[PointRow]]) -> Iterator[str]:
    yield "attempt,key,step,value,ts\r\n"
    for piece in pieces:
        text = io.StringIO()
        csv.writer(text).writerows(
            (row.attempt, csv_text(row.key), row.step, repr(row.value), moment(row.time)) for row in piece
        )
        yield text.getvalue()


def _series(known: SeriesSummary, descriptor: Descriptor | None) -> Series:
    return Series(
        key=known.key,
        count=known.count,
        min=known.min,
        max=known.max,
        mean=known.mean,
        first=known.first,
        last=known.last,
        first_step=known.first_step,
        last_step=known.last_step,
        last_at=moment_or_none(known.last_at),
        invalid=known.invalid,
        descriptor=descriptor,
    )
