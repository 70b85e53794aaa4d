"""Scalar series: what is known of each, charts of them, and their original points as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from tuneplane.contract import SERIES_PER_RUN

from application.ports.series_view import Chart, InvalidCounts, PointRow, SeriesReader, SeriesSummary
from application.ports.views import Views
from application.queries.asked_attempt import chosen_attempt
from application.queries.csv_text import csv_text
from application.queries.moment import moment, moment_or_none
from application.queries.observation_contract import Descriptor, descriptors
from application.queries.page import Page, cursor_of, page_size, parts_of
from application.series.shown import AS_REPORTED, Shown
from domain.errors import Refused
from domain.ids import Attempt, RunId
from domain.rules.relative_change import relative_change
from domain.rules.validation_key import ValidationKey, validation_key

KEYS_A_CHART = 32
BUCKETS_USUAL = 1000
BUCKETS_MOST = 4000
KEYS_LISTED = 1000
Order = Literal["name", "changed", "latest"]
"""By key; the greatest `change` first; the latest `last_at` first. What has none comes last, equals by key."""
_KIND = "series"
_LAST = 1
"""Ranks of what has a number to be ranked by are zero or negative."""


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
    change: float | None
    """How far `last` is from `first`, from 0 to 2: see `domain/rules/relative_change.py`. None below two steps."""
    facets: ValidationKey | None
    """What a source-specific validation key says; None: the key is of another shape."""


def series(
    views: Views,
    run: RunId,
    *,
    q: str = "",
    attempt: int | None = None,
    order: Order = "name",
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[Series]:
    """Series that contain `q` in any case: of one attempt, else of the surviving lineage.

    By name, a page of one attempt may hold fewer than `limit` and still go on. In another order whatever changes its
    rank between two pages may be on both or on neither. Raises `UnknownRun`, `UnknownThing` for an unknown attempt.
    """
    chosen = chosen_attempt(views, run, attempt)
    size = page_size(limit)
    said = descriptors(views, run, chosen)
    if order != "name":
        found = views.scalars.summaries(run, views.scalars.keys(run, q=q), chosen)
        return _ranked(found, said, order, size, cursor)
    after = parts_of(cursor, _KIND, tuple[str])[0] if cursor else None
    keys = views.scalars.keys(run, q=q, after=after, limit=size + 1)
    following = cursor_of(_KIND, keys[size - 1]) if len(keys) > size else None
    return Page(items=_summarised(views, run, keys[:size], chosen, said), next_cursor=following)


def some_series(views: Views, run: RunId, keys: Sequence[str], *, attempt: int | None = None) -> Page[Series]:
    """Those of 1 to 1,000 `keys` that were reported, in the order asked for. Raises as `series`, and `Refused`."""
    chosen = chosen_attempt(views, run, attempt)
    distinct = list(dict.fromkeys(keys))
    if not 1 <= len(distinct) <= KEYS_LISTED:
        raise Refused.at("key", f"must be given 1 to {KEYS_LISTED:,} times", KEYS_LISTED)
    return Page(items=_summarised(views, run, distinct, chosen, descriptors(views, run, chosen)))


def _summarised(
    views: Views, run: RunId, keys: Sequence[str], chosen: Attempt | None, said: Mapping[str, Descriptor]
) -> list[Series]:
    found = views.scalars.summaries(run, keys, chosen) if keys else []
    return [_series(one, said.get(one.key)) for one in found]


def _ranked(
    found: Sequence[SeriesSummary], said: Mapping[str, Descriptor], order: Order, size: int, cursor: str | None
) -> Page[Series]:
    """One page of all of `found`."""
    kind = f"{_KIND}-{order}"
    after = parts_of(cursor, kind, tuple[float, str]) if cursor else None
    ranked = sorted(((_rank(one, order), one.key), one) for one in found)
    behind = [(place, one) for place, one in ranked if after is None or place > after]
    page = behind[:size]
    following = cursor_of(kind, *page[-1][0]) if len(behind) > size else None
    return Page(items=[_series(one, said.get(one.key)) for _, one in page], next_cursor=following)


def _rank(one: SeriesSummary, order: Order) -> float:
    """The least comes first."""
    number = _change(one) if order == "changed" else one.last_at
    return _LAST if number is None else -number


def series_data(
    views: Views,
    run: RunId,
    keys: Sequence[str],
    *,
    attempt: int | None = None,
    buckets: int = BUCKETS_USUAL,
    first_step: int | None = None,
    last_step: int | None = None,
    shown: Shown = AS_REPORTED,
) -> dict[str, Chart]:
    """A chart of each of 1 to 32 keys over the steps in [first_step, last_step]; unknown keys are left out.

    Raises `UnknownRun`, `UnknownThing` for an unknown attempt, and `Refused` for too many keys or buckets.
    """
    found = charts(
        views.scalars,
        run,
        keys,
        attempt=chosen_attempt(views, run, attempt),
        buckets=buckets,
        first_step=first_step,
        last_step=last_step,
    )
    return {key: shown.of(chart) for key, chart in found.items()}


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
    distinct = charted_keys(keys, buckets)
    result: dict[str, Chart] = {}
    for key in distinct:
        chart = reader.chart(run, key, attempt=attempt, buckets=buckets, first_step=first_step, last_step=last_step)
        if chart is not None:
            result[key] = chart
    return result


def charted_keys(keys: Sequence[str], buckets: int) -> list[str]:
    """Each of `keys` once. Raises `Refused` for more than a question may ask for."""
    distinct = list(dict.fromkeys(keys))
    if not 1 <= len(distinct) <= KEYS_A_CHART:
        raise Refused.at("key", f"must be given 1 to {KEYS_A_CHART} times", KEYS_A_CHART)
    if not 1 <= buckets <= BUCKETS_MOST:
        raise Refused.at("buckets", f"must be 1 to {BUCKETS_MOST:,}", BUCKETS_MOST)
    return distinct


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
        change=_change(known),
        facets=validation_key(known.key),
    )


def _change(known: SeriesSummary) -> float | None:
    return relative_change(known.first, known.last, known.count)
