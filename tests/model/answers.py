"""The same document as the model's, from the product's own questions."""

from __future__ import annotations

from typing import Any

from application.ports.views import Views
from application.queries.log import lines, text
from application.queries.round import Round, rounds
from application.queries.run import run
from application.queries.series import Series, series
from application.queries.trial import trials
from domain.ids import Attempt, Micros, RunId

_LIMIT = 1000


def answers(views: Views, run_id: RunId, attempts: int) -> dict[str, Any]:
    found = run(views, run_id, now=Micros(0))
    assert found.faults == []
    everyone = [None, *range(attempts)]
    return {
        "status": found.status,
        "attempt": found.attempt,
        "points": found.counts.points,
        "invalid points": found.counts.invalid_points,
        "series opened": found.counts.series,
        "set aside": found.counts.set_aside,
        "log bytes": found.counts.log_bytes,
        "series": {attempt: _series(views, run_id, attempt) for attempt in everyone},
        "logs": {attempt: _lines(views, run_id, attempt) for attempt in range(attempts)},
        "rounds": {attempt: _rounds(views, run_id, attempt) for attempt in everyone},
    }


def _series(views: Views, run_id: RunId, attempt: int | None) -> dict[str, Any]:
    found = series(views, run_id, attempt=attempt, limit=_LIMIT).items
    return {one.key: _summary(one, _rows(views, run_id, one.key, attempt)) for one in found}


def _rows(views: Views, run_id: RunId, key: str, attempt: int | None) -> list[tuple[int, int, float]]:
    chosen = None if attempt is None else Attempt(attempt)
    return [
        (row.attempt, row.step, row.value) for piece in views.scalars.points(run_id, [key], chosen) for row in piece
    ]


def _summary(one: Series, rows: list[tuple[int, int, float]]) -> dict[str, Any]:
    return {
        "rows": rows,
        "count": one.count,
        "extrema": (one.min, one.max),
        "mean": None if one.mean is None else round(one.mean, 9),
        "ends": (one.first, one.last),
        "invalid": one.invalid.nan + one.invalid.pos_inf + one.invalid.neg_inf,
    }


def _lines(views: Views, run_id: RunId, attempt: int) -> tuple[str, list[str], bool, bool]:
    page = lines(views, run_id, attempt=attempt, limit=_LIMIT)
    assert [line.n for line in page.lines] == list(range(len(page.lines)))
    partial = [line.partial for line in page.lines]
    assert not any(partial[:-1])
    whole = "".join(text(views, run_id, attempt=attempt))
    return whole, [line.text for line in page.lines], any(partial), page.eof


def _rounds(views: Views, run_id: RunId, attempt: int | None) -> dict[str, Any]:
    return {
        one.round_id: _round(views, run_id, one) for one in rounds(views, run_id, attempt=attempt, limit=_LIMIT).items
    }


def _round(views: Views, run_id: RunId, one: Round) -> dict[str, Any]:
    found = trials(views, run_id, one.round_id, attempt=one.attempt, limit=_LIMIT).items
    return {
        "attempt": one.attempt,
        "expected": one.expected,
        "classes": {name: getattr(one, name) for name in ("success", "failure", "infra_error", "unscored")},
        "eligible": one.training_eligible,
        "not reported": one.not_reported,
        "success rate": one.success_rate,
        "coverage": one.scoring_coverage,
        "population": one.population,
        "set aside": one.set_aside,
        "trials": {trial.trial_id: (trial.status, trial.trial_attempt, trial.attempts) for trial in found},
    }
