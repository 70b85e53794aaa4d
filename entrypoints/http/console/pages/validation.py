"""`/runs/{run}/validation`: evaluation rounds, the trials of one of them, and the retries of a trial."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import get_args

from litestar import Response, get
from litestar.params import FromQuery

from application.ports.views import Views
from application.queries.round import Round, round_, rounds
from application.queries.trial import TrialFilter, trial_attempts, trials
from domain.errors import Refused
from domain.events.outcome import OutcomeStatus
from domain.ids import RoundId, RunId, TrialId
from entrypoints.http.console.console import AsSignedIn, Using, here, user_of
from entrypoints.http.console.contexts.validation import Filter, TrialHistoryPart, TrialsView, ValidationPage
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.pages.rounds import LABELS, round_view
from entrypoints.http.console.rendering import rendered

_ROUNDS_A_PAGE = 10
_TRIALS_A_PAGE = 50
STATUSES: tuple[OutcomeStatus, ...] = get_args(OutcomeStatus)


@get("/runs/{run_id:str}/validation", include_in_schema=False, sync_to_thread=True)
def validation(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    round_id: FromQuery[str] = "",
    status: FromQuery[str] = "",
    cursor: FromQuery[str] = "",
    trials_cursor: FromQuery[str] = "",
) -> Response[bytes]:
    """Rounds, the latest to begin first; the trials of one are shown when its `round_id` is given."""
    here_with = partial(look.page, "validation", cursor=cursor)
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "validation")
        found = rounds(views, RunId(look.run_id), attempt=look.attempt, limit=_ROUNDS_A_PAGE, cursor=cursor or None)
        page = ValidationPage(
            title=f"{head.run.name} · validation",
            user=user_of(request),
            head=head,
            live=live_address(views, head, ("lifecycle", "validation"), attempt=head.run.attempt),
            rounds=[
                round_view(one, address=here_with(round_id=one.round_id), chosen=one.round_id == round_id)
                for one in found.items
            ],
            first_page=look.page("validation", round_id=round_id) if cursor else None,
            next_page=look.page("validation", cursor=found.next_cursor) if found.next_cursor else None,
            trials=_trials(views, look, cursor, round_id, _status(status), trials_cursor) if round_id else None,
            here=here(request),
        )
    return rendered(page)


@get("/runs/{run_id:str}/validation/trial", include_in_schema=False, sync_to_thread=True)
def trial_history(
    request: AsSignedIn, look: Looking, console: Using, round_id: FromQuery[str], trial_id: FromQuery[str]
) -> Response[bytes]:
    """The retries of one trial, to open below its row."""
    with console.views(look) as views:
        found = trial_attempts(views, RunId(look.run_id), RoundId(round_id), TrialId(trial_id), attempt=look.attempt)
    part = TrialHistoryPart(title=trial_id, user=user_of(request), trial_id=trial_id, attempts=found.items)
    return rendered(part)


def _trials(
    views: Views, look: Look, rounds_cursor: str, round_id: str, status: OutcomeStatus | None, cursor: str
) -> TrialsView:
    run, attempt = RunId(look.run_id), look.attempt
    address = partial(look.page, "validation", cursor=rounds_cursor)
    known = round_(views, run, RoundId(round_id), attempt=attempt)
    found = trials(
        views,
        run,
        RoundId(round_id),
        TrialFilter(status=status),
        attempt=attempt,
        limit=_TRIALS_A_PAGE,
        cursor=cursor or None,
    )
    here = {"round_id": round_id, "status": status}
    return TrialsView(
        round_id=round_id,
        trials=found.items,
        status=status,
        filters=_filters(known, status, address),
        first_page=address(**here) if cursor else None,
        next_page=address(**here, trials_cursor=found.next_cursor) if found.next_cursor else None,
        history=look.page("validation/trial", round_id=round_id),
    )


def _filters(known: Round, status: OutcomeStatus | None, address: Callable[..., str]) -> list[Filter]:
    everything = Filter(
        label="all", count=known.reported, address=address(round_id=known.round_id), chosen=status is None
    )
    return [everything] + [
        Filter(
            label=LABELS[one],
            count=getattr(known, one),
            address=address(round_id=known.round_id, status=one),
            chosen=status == one,
        )
        for one in STATUSES
    ]


def _status(text: str) -> OutcomeStatus | None:
    for status in STATUSES:
        if status == text:
            return status
    if text:
        raise Refused.at("status", f"must be one of {', '.join(STATUSES)}")
    return None


ROUTES = (validation, trial_history)
