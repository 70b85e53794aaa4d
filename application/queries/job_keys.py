"""Which hyperparameters and series there are to choose from, kept in this process as the cells of the table are."""

from __future__ import annotations

from application.ports.records import Where
from application.ports.series_across import MOST_KEYS
from application.ports.views import START, Views
from application.projections.hyperparameters import HYPERPARAMETER
from application.queries.job_cells import EVENTS_LOOKED_AT
from application.record_layout import having
from domain.ids import RunId

_JOBS_ASKED_FOR = 16
"""Where more changed, all keys are read: that takes no longer."""


class JobKeys:
    """For one thread at a time."""

    def __init__(self) -> None:
        self._position = START
        self._configs: set[str] = set()
        self._series: set[str] = set()
        self._sorted: tuple[list[str], list[str]] = ([], [])

    def found(self, views: Views, q: str, limit: int) -> tuple[list[str], list[str]]:
        """Keys of hyperparameters and of series that contain `q` (any case), at most `limit` of each."""
        if views.position > self._position:
            self._renew(views)
            self._sorted = (sorted(self._configs), sorted(self._series))
            self._position = views.position
        configs, series = self._sorted
        return having(configs, q)[:limit], having(series, q)[:limit]

    def _renew(self, views: Views) -> None:
        changed = views.changed(self._position, EVENTS_LOOKED_AT) if self._position else None
        if changed is None or len(changed) > _JOBS_ASKED_FOR:
            self._configs = set(views.records.distinct(HYPERPARAMETER, "key", most=MOST_KEYS))
            self._series = set(views.scalars.known_keys(limit=MOST_KEYS))
            return
        for run in changed:
            self._add(views, run)

    def _add(self, views: Views, run: RunId) -> None:
        self._configs.update(one.key for one in views.records.find(HYPERPARAMETER, Where("run", "=", run)))
        self._series.update(views.scalars.keys(run))
