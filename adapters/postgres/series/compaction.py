"""Compaction: the points of a tail become chunks, for all series of one (run, attempt) at once.

New points behind everything become new chunks, and take in small ones before them by
`domain.rules.series_summary.merge_plan`. Points among older ones (corrected or rewound steps) go into the chunk whose
range they fall in, which is rewritten and, when it outgrew two full ones, split. So chunks never overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.series import chunk_rows, summary_rows
from adapters.postgres.series.summary_rows import Compacted
from adapters.postgres.series.tables import array
from adapters.postgres.series.tail import TailEvent
from application.series.columns import Batch, Ints, starts_of
from application.series.merge import merged
from application.series.spans import combined, stacked
from application.series.summary import added, invalid_counts
from application.series.summary import summary_rows as summaries_of
from domain.events.series import InvalidPoint
from domain.ids import Attempt, RunId
from domain.rules.series_summary import CHUNK_POINTS, merge_plan

_IDS = "SELECT number, id FROM {schema}.series WHERE run = %s AND number = ANY(%s::int4[])"
# The chunks behind the last full one of each series, oldest first.
_TRAILING = """
    SELECT chunk.series, step_min, step_max, n
    FROM unnest(%s::int4[], %s::int8[]) AS behind(series, step)
    JOIN {schema}.chunk ON chunk.series = behind.series AND chunk.attempt = %s AND step_min > behind.step
    ORDER BY chunk.series, step_min"""
# Where the chunks of one series begin, from the one that holds a step on.
_BEGINS = """
    SELECT step_min FROM {schema}.chunk WHERE series = %(series)s AND attempt = %(attempt)s AND step_min >= coalesce(
        (SELECT max(step_min) FROM {schema}.chunk
         WHERE series = %(series)s AND attempt = %(attempt)s AND step_min <= %(step)s), 0)
    ORDER BY step_min"""
_TAKE = """
    DELETE FROM {schema}.chunk USING unnest(%s::int4[], %s::int8[]) AS taken(series, step)
    WHERE chunk.series = taken.series AND attempt = %s AND step_min = taken.step
    RETURNING chunk.series, step_min, n, body"""


class _Trailing(msgspec.Struct, frozen=True):
    """A chunk behind the last full one."""

    step_min: int
    step_max: int
    count: int


class _Plan:
    """Which chunks are taken in and what they are rebuilt with.

    A group is rebuilt by itself: a range of steps of one series, with all of its chunks and all new points in it.
    Groups are in order of series and step.
    """

    def __init__(self) -> None:
        self.series: list[int] = []
        """Of each group."""
        self.counts: list[int] = []
        """New points of each group, in order."""
        self.taken: dict[tuple[int, int], int] = {}
        """(series, step_min) of a chunk -> group."""

    def group(self, series: int, new: int, taken: Iterable[int]) -> None:
        """One more group, of `new` points and the chunks that begin at `taken`."""
        self.taken.update(((series, step_min), len(self.series)) for step_min in taken)
        self.series.append(series)
        self.counts.append(new)


def compact(conn: Connection[TupleRow], schema: str, run: RunId, attempt: Attempt, events: Sequence[TailEvent]) -> int:
    """Takes `events`, which are in order of position, into the chunks and summaries of a (run, attempt).

    Returns how many chunks it replaced.
    """
    if not events:
        return 0
    ids = _ids(conn, schema, run, events)
    new = _by_id(merged([event.batch for event in events]), ids)
    invalid = _invalid_by_id(events, ids)
    series = new.numbers.tolist()
    before = summary_rows.read(conn, schema, attempt, list(dict.fromkeys([*series, *invalid])))
    plan = _planned(conn, schema, attempt, new, before)
    rebuilt = _rebuilt(conn, schema, attempt, new, plan)
    chunks = _cut(rebuilt, plan)
    if len(chunks.numbers):
        chunk_rows.write(conn, schema, attempt, chunks)
    _count_chunks(before, chunks, plan)
    _summarise(conn, schema, attempt, new, before)
    for identity, points in invalid.items():
        before[identity].invalid = added(before[identity].invalid, invalid_counts(points))
    if before:
        summary_rows.write(conn, schema, attempt, before)
    return len(plan.taken)


def _ids(conn: Connection[TupleRow], schema: str, run: RunId, events: Sequence[TailEvent]) -> dict[int, int]:
    """Number -> id of the series in `events`."""
    numbers = {point.number for event in events for point in event.invalid}
    numbers.update(*(event.batch.numbers.tolist() for event in events))
    rows = conn.execute(_IDS.format(schema=schema).encode(), (run, array(numbers)), binary=True).fetchall()
    return dict(rows)


def _by_id(batch: Batch, ids: dict[int, int]) -> Batch:
    """The batch with ids for numbers, in order of id."""
    renumbered = np.array([ids[number] for number in batch.numbers.tolist()], np.int64)
    return merged([msgspec.structs.replace(batch, numbers=renumbered)])


def _invalid_by_id(events: Sequence[TailEvent], ids: dict[int, int]) -> dict[int, list[InvalidPoint]]:
    result: dict[int, list[InvalidPoint]] = {}
    for event in events:
        for point in event.invalid:
            result.setdefault(ids[point.number], []).append(point)
    return result


def _planned(
    conn: Connection[TupleRow], schema: str, attempt: Attempt, new: Batch, before: dict[int, Compacted]
) -> _Plan:
    plan = _Plan()
    series = new.numbers.tolist()
    trailing = _trailing(conn, schema, attempt, {one: before[one].full_until for one in series if before[one].chunks})
    starts = starts_of(new.counts)
    firsts = new.steps[starts].tolist()
    for at, (one, first, count) in enumerate(zip(series, firsts, new.counts.tolist(), strict=True)):
        if first <= before[one].full_until:
            steps = new.steps[starts[at] : starts[at] + count]
            _into_owners(plan, one, steps, _begins(conn, schema, attempt, one, first))
        else:
            _behind(plan, one, first, count, trailing.get(one, ()))
    return plan


def _behind(plan: _Plan, series: int, first: int, count: int, trailing: Sequence[_Trailing]) -> None:
    """New points behind the last full chunk: one group, with trailing chunks as the rule or a repeated step asks."""
    overlapped = sum(chunk.step_max >= first for chunk in trailing)
    taken = max(overlapped, merge_plan([chunk.count for chunk in trailing], count)) if trailing else 0
    plan.group(series, count, (chunk.step_min for chunk in trailing[len(trailing) - taken :]))


def _into_owners(plan: _Plan, series: int, steps: Ints, begins: Ints) -> None:
    """New points among full chunks: a group for each chunk that one of them falls in or behind."""
    owners = np.maximum(np.searchsorted(begins, steps, "right") - 1, 0)
    touched, counts = np.unique(owners, return_counts=True)
    for owner, count in zip(touched.tolist(), counts.tolist(), strict=True):
        plan.group(series, count, (int(begins[owner]),))


def _trailing(
    conn: Connection[TupleRow], schema: str, attempt: Attempt, full_until: dict[int, int]
) -> dict[int, list[_Trailing]]:
    result: dict[int, list[_Trailing]] = {}
    if not full_until:
        return result
    arguments = array(full_until), array(full_until.values()), attempt
    rows = conn.execute(_TRAILING.format(schema=schema).encode(), arguments, binary=True).fetchall()
    for series, step_min, step_max, count in rows:
        result.setdefault(series, []).append(_Trailing(step_min, step_max, count))
    return result


def _begins(conn: Connection[TupleRow], schema: str, attempt: Attempt, series: int, step: int) -> Ints:
    arguments = {"series": series, "attempt": attempt, "step": step}
    rows = conn.execute(_BEGINS.format(schema=schema).encode(), arguments, binary=True).fetchall()
    return np.array([step_min for (step_min,) in rows], np.int64)


def _rebuilt(conn: Connection[TupleRow], schema: str, attempt: Attempt, new: Batch, plan: _Plan) -> Batch:
    """Old and new points together; the numbers of the batch are groups."""
    fresh = msgspec.structs.replace(new, numbers=np.arange(len(plan.series)), counts=np.array(plan.counts, np.int64))
    if not plan.taken:
        return fresh
    arguments = array(series for series, _ in plan.taken), array(step for _, step in plan.taken), attempt
    rows = conn.execute(_TAKE.format(schema=schema).encode(), arguments, binary=True).fetchall()
    rows.sort(key=lambda row: row[:2])
    points = [chunk_rows.read_body(body, count) for _, _, count, body in rows]
    old = Batch(
        numbers=np.array([plan.taken[series, step_min] for series, step_min, _, _ in rows]),
        counts=np.array([count for _, _, count, _ in rows]),
        steps=np.concatenate([one.steps for one in points]),
        times=np.concatenate([one.times for one in points]),
        values=np.concatenate([one.values for one in points]),
    )
    return merged([old, fresh])


def _cut(rebuilt: Batch, plan: _Plan) -> Batch:
    """A segment for each chunk; the numbers of the batch are ids of series."""
    if not len(rebuilt.numbers):
        return rebuilt
    sizes, chunks = chunk_rows.chunk_sizes(rebuilt.counts)
    series = np.array(plan.series, np.int64)[rebuilt.numbers]
    return msgspec.structs.replace(rebuilt, numbers=np.repeat(series, chunks), counts=sizes)


def _count_chunks(summaries: dict[int, Compacted], chunks: Batch, plan: _Plan) -> None:
    for series, _ in plan.taken:
        summaries[series].chunks -= 1
    ends = np.cumsum(chunks.counts) - 1
    for series, count, last in zip(
        chunks.numbers.tolist(), chunks.counts.tolist(), chunks.steps[ends].tolist(), strict=True
    ):
        summaries[series].chunks += 1
        if count >= CHUNK_POINTS:
            summaries[series].full_until = max(summaries[series].full_until, last)


def _summarise(
    conn: Connection[TupleRow], schema: str, attempt: Attempt, new: Batch, summaries: dict[int, Compacted]
) -> None:
    """Adds new points behind all others to the summaries; the others are made anew from the chunks."""
    rows = summaries_of(new)
    behind = rows["step"] > np.array([summaries[one].last_step for one in new.numbers.tolist()], np.int64)
    added_to = [at for at in np.flatnonzero(behind).tolist() if len(summaries[int(new.numbers[at])].row)]
    if added_to:
        pairs = np.empty(2 * len(added_to), rows.dtype)
        pairs[0::2] = stacked(rows.dtype, (summaries[int(new.numbers[at])].row for at in added_to))
        pairs[1::2] = rows[added_to]
        rows[added_to] = combined(pairs, np.arange(0, len(pairs), 2))
    for at, one in enumerate(new.numbers.tolist()):
        summaries[one].row = rows[at : at + 1]
    repaired = new.numbers[~behind].tolist()
    for one, parts in (summary_rows.of_chunks(conn, schema, attempt, repaired) if repaired else {}).items():
        summaries[one].row = combined(parts, np.zeros(1, np.int64))
        summaries[one].full_until = summary_rows.full_until(parts)
