"""What jobs beside each other assert of the comparison of a metric; see `domain/rules/metric_ranking.py`."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from application.queries.job_column import Column, MetricColumn
from application.queries.job_condition import Cell
from application.queries.observation_contract import Descriptor
from domain.rules.metric_ranking import ComparisonVerdict, comparison_among


class MetricCell(msgspec.Struct, frozen=True, kw_only=True):
    """A metric of one job."""

    value: float | None
    """None: unknown, no finite point was reported."""
    descriptor: Descriptor | None
    """What the job's observation contract says of it; None: it is numeric and neutral."""


class MetricNote(msgspec.Struct, frozen=True, kw_only=True):
    """What the jobs shown assert of the comparison of a metric: those that have a value of it."""

    column: MetricColumn
    comparison: ComparisonVerdict
    jobs: int
    """Shown and with a value."""
    without_identity: int
    """Of them, those that assert none."""
    identities: int
    """Different ones."""


def notes_of(columns: Sequence[Column], rows: Sequence[Sequence[Cell | MetricCell]]) -> list[MetricNote]:
    """One a metric column of which two jobs or more have a value; `rows` are their cells, in order of columns."""
    found = []
    for at, one in enumerate(columns):
        if isinstance(one, MetricColumn):
            cells = [row[at] for row in rows]
            known = [each for each in cells if isinstance(each, MetricCell) and each.value is not None]
            if len(known) > 1:
                found.append(_note(one, [(each.descriptor or {}).get("comparison_id") for each in known]))
    return found


def _note(one: MetricColumn, said: Sequence[object]) -> MetricNote:
    identities = [each if isinstance(each, str) and each else None for each in said]
    return MetricNote(
        column=one,
        comparison=comparison_among(identities),
        jobs=len(identities),
        without_identity=identities.count(None),
        identities=len(set(identities) - {None}),
    )
