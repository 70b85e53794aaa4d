"""Finding series by a part of their key, and their points as rows."""

from __future__ import annotations

from collections.abc import Iterable

from application.ports.series_view import PointRow
from application.series.merge import Points
from domain.ids import Attempt


def matching(keys: Iterable[str], q: str) -> list[str]:
    """Those that contain `q`: any case, literally. An empty `q` is in all of them."""
    folded = q.casefold()
    return [key for key in keys if folded in key.casefold()]


def point_rows(attempt: Attempt, key: str, points: Points) -> list[PointRow]:
    """The points as rows."""
    columns = points.steps.tolist(), points.values.tolist(), points.times.tolist()
    return [PointRow(attempt, key, *values) for values in zip(*columns, strict=True)]
