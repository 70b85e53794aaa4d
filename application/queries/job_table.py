"""The table of jobs: any columns, filtered and sorted by any of them.

Sorting by a metric is an order to read in. It ranks nothing: `MetricNote` says what the jobs shown assert of their
comparison.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

import msgspec

from application.ports.views import Views
from application.projections.run import RunStatus
from application.queries.job_cells import Job, JobCells, fact_reader, transport_cell
from application.queries.job_column import (
    NEWEST_FIRST,
    Column,
    ConfigColumn,
    Fact,
    FactColumn,
    MetricColumn,
    Sort,
    column,
    fact_column,
)
from application.queries.job_condition import MOST_CONDITIONS, Cell, Condition, Test, condition, test_of
from application.queries.job_keys import JobKeys
from application.queries.job_notes import MetricCell, MetricNote, notes_of
from application.queries.job_order import Place, ordered, rank
from application.queries.observation_contract import Descriptor, descriptors_of
from application.queries.page import cursor_of, page_size, parts_of
from application.queries.run import RunItem, item_of
from domain.errors import Refused
from domain.ids import Micros

_KIND = "job-table"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Which jobs, which columns, which order."""

    columns: tuple[Column, ...] = ()
    sort: Sort = NEWEST_FIRST
    where: tuple[str, ...] = ()
    """Conditions as they are written, all of which must be met."""
    status: RunStatus | None = None
    owner: str | None = None
    tag: str | None = None
    q: str = ""
    """Looked for in name, id, recipe and framework, in any case."""


class TableRow(msgspec.Struct, frozen=True, kw_only=True):
    """One job."""

    run: RunItem
    cells: list[Cell | MetricCell]
    """One a column, in order; times and durations in microseconds. None: unknown."""
    lossy: bool
    """Whether its reporters dropped anything, whatever the columns."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the table."""

    columns: list[Column]
    rows: list[TableRow]
    first: int
    """How many jobs come before the first row; of a cursor's page 0."""
    met: int
    """Jobs that meet every filter."""
    jobs: int
    """All there are."""
    notes: list[MetricNote]
    """One a metric column of which two jobs or more are shown."""
    conditions: list[tuple[Condition, Column]]
    """What the names in them were taken for."""
    nobody_knows: list[str]
    """Names in conditions that no job reported as hyperparameter or series."""
    next_cursor: str | None


class JobTable:
    """For all threads of a process; see `JobCells` for what it keeps."""

    def __init__(self) -> None:
        self._cells = JobCells()
        self._keys = JobKeys()
        self._lock = threading.Lock()

    def numbered(self, views: Views, asked: Asked, *, now: Micros, page: int, size: int) -> Table:
        """The page of this number, from 1. Raises `Refused`."""
        with self._lock:
            found = _Question(self._cells, views, asked, now)
            first = (page - 1) * size
            return found.table(found.order[first : first + size], first, None)

    def behind(self, views: Views, asked: Asked, *, now: Micros, cursor: str | None, limit: int | None) -> Table:
        """The page behind a cursor. Raises `Refused`."""
        size = page_size(limit)
        with self._lock:
            found = _Question(self._cells, views, asked, now)
            behind = found.behind(cursor) if cursor else found.order
            page = behind[:size]
            following = found.cursor(page[-1]) if len(behind) > size else None
            return found.table(page, 0, following)

    def lines(self, views: Views, asked: Asked, *, now: Micros) -> list[list[Cell]]:
        """The cells of every job that meets the filters. Raises `Refused`."""
        with self._lock:
            return _Question(self._cells, views, asked, now).lines()

    def read_ahead(self, views: Views) -> None:
        """Reads what most tables begin with, so that the first reader of a process does not wait for all jobs."""
        with self._lock:
            self._cells.renew(views)
            self._cells.heartbeats(views)
            _, series = self._keys.found(views, "", 1)
            for key in series:
                self._cells.metric(views, key, "last")

    def known_keys(self, views: Views, q: str, limit: int) -> tuple[list[str], list[str]]:
        """Hyperparameters and series that any job reported and whose key contains `q`, at most `limit` of each."""
        with self._lock:
            return self._keys.found(views, q, limit)


class _Question:
    """One question while it is answered."""

    def __init__(self, cells: JobCells, views: Views, asked: Asked, now: Micros) -> None:
        cells.renew(views)
        self._cells, self._views, self._asked, self._now = cells, views, asked, now
        self._known: dict[Column, Sequence[Cell]] = {}
        self._conditions = [(one, *self._resolved(one)) for one in _conditions(asked.where)]
        self.order = self._ordered()

    def table(self, numbers: Sequence[int], first: int, next_cursor: str | None) -> Table:
        said = self._descriptors(numbers)
        columns = [
            [
                _cell(one, cell, said.get(number, {}))
                for number, cell in zip(numbers, self._some(one, numbers), strict=True)
            ]
            for one in self._asked.columns
        ]
        jobs = [self._cells.jobs[number] for number in numbers]
        health = self._some(FactColumn("transport"), numbers)
        rows = [
            TableRow(
                run=item_of(job.record, job.heard_at, self._now),
                cells=[cells[at] for cells in columns],
                lossy=health[at] == "lossy",
            )
            for at, job in enumerate(jobs)
        ]
        return Table(
            columns=list(self._asked.columns),
            rows=rows,
            first=first,
            met=len(self.order),
            jobs=len(self._cells.jobs),
            notes=notes_of(self._asked.columns, [row.cells for row in rows]),
            conditions=[(one, column) for one, column, _ in self._conditions],
            nobody_knows=[one.name for one, _, known in self._conditions if not known],
            next_cursor=next_cursor,
        )

    def lines(self) -> list[list[Cell]]:
        columns = [self._some(one, self.order) for one in self._asked.columns]
        return [list(cells) for cells in zip(*columns, strict=True)]

    def cursor(self, number: int) -> str:
        place = self._place(number)
        return cursor_of(_KIND, str(self._asked.sort), *(place.rank or (None, None)), place.number)

    def behind(self, cursor: str) -> list[int]:
        """Raises `Refused` for a cursor of another order."""
        sort, text, at, number = parts_of(cursor, _KIND, tuple[str, bool | None, float | str | None, int])
        if sort != str(self._asked.sort):
            raise Refused.at("cursor", "is no cursor of this order; start it again without")
        seen = Place(None if text is None or at is None else (text, at), number)
        descending = self._asked.sort.descending
        return [one for one in self.order if self._place(one).behind(seen, descending=descending)]

    def _place(self, number: int) -> Place:
        if self._asked.sort.column == NEWEST_FIRST.column:
            return Place((False, float(number)), number)
        return Place(rank(self._of(self._asked.sort.column)[number]), number)

    def _ordered(self) -> list[int]:
        sort = self._asked.sort
        if sort.column == NEWEST_FIRST.column:
            return sorted(self._met(), reverse=sort.descending)
        return ordered(self._met(), self._of(sort.column), descending=sort.descending)

    def _met(self) -> Iterable[int]:
        asked, jobs = self._asked, self._cells.jobs
        tests = [(self._of(column), test_of(one, column)) for one, column, _ in self._conditions]
        sought = asked.q.casefold()
        numbers: Iterable[int] = range(len(jobs))
        if asked.status or asked.owner or asked.tag or sought:
            numbers = [number for number in numbers if _fits(jobs[number], asked, sought)]
        for cells, test in tests:
            numbers = _passed(numbers, cells, test)
        return numbers

    def _some(self, one: Column, numbers: Sequence[int]) -> list[Cell]:
        """The cells of a column, of these jobs."""
        if isinstance(one, FactColumn) and one not in self._known:
            return list(map(self._fact(one.fact), numbers))
        cells = self._of(one)
        return [cells[number] for number in numbers]

    def _of(self, one: Column) -> Sequence[Cell]:
        """The cells of a column, by number of the job."""
        if one not in self._known:
            match one:
                case ConfigColumn(key):
                    self._known[one] = self._cells.config(self._views, key)
                case MetricColumn(statistic, key):
                    self._known[one] = self._cells.metric(self._views, key, statistic)
                case FactColumn(fact):
                    self._known[one] = list(map(self._fact(fact), range(len(self._cells.jobs))))
        return self._known[one]

    def _fact(self, fact: Fact) -> Callable[[int], Cell]:
        """Tells a fact of the job of a number."""
        if fact == "transport":
            latest = self._cells.heartbeats(self._views)
            return lambda number: transport_cell(latest[number], self._now)
        read, jobs = fact_reader(fact, self._now), self._cells.jobs
        return lambda number: read(jobs[number])

    def _resolved(self, asked: Condition) -> tuple[Column, bool]:
        """What a name stands for, and whether any job knows it: a fact, else a hyperparameter, else a series."""
        fact = fact_column(asked.name)
        if fact is not None:
            return fact, True
        for one in self._candidates(asked.name):
            if any(cell is not None for cell in self._of(one)):
                return one, True
        return self._candidates(asked.name)[0], False

    def _candidates(self, name: str) -> list[Column]:
        if name.partition(":")[0] in {"config", "last", "min", "max", "mean"}:
            return [column(name, "where")]
        return [ConfigColumn(name), MetricColumn("last", name)]

    def _descriptors(self, numbers: Sequence[int]) -> dict[int, dict[str, Descriptor]]:
        if not any(isinstance(one, MetricColumn) for one in self._asked.columns):
            return {}
        runs = {self._cells.jobs[number].record.run: number for number in numbers}
        return {runs[run]: said for run, said in descriptors_of(self._views, list(runs)).items()}


def _conditions(where: Sequence[str]) -> list[Condition]:
    written = [one for one in where if one.strip()]
    if len(written) > MOST_CONDITIONS:
        raise Refused.at("where", f"may be given at most {MOST_CONDITIONS} times", MOST_CONDITIONS)
    return [condition(one) for one in written]


def _passed(numbers: Iterable[int], cells: Sequence[Cell], test: Test) -> list[int]:
    return [number for number in numbers if test(cells[number])]


def _fits(job: Job, asked: Asked, sought: str) -> bool:
    record = job.record
    return (
        (asked.status is None or record.status == asked.status)
        and (asked.owner is None or record.owner == asked.owner)
        and (asked.tag is None or asked.tag in record.tags)
        and sought in job.search
    )


def _cell(one: Column, cell: Cell, said: dict[str, Descriptor]) -> Cell | MetricCell:
    if not isinstance(one, MetricColumn):
        return cell
    return MetricCell(value=cell if isinstance(cell, float) else None, descriptor=said.get(one.key))
