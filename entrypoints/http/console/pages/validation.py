"""`/runs/{run}/validation`: evaluation rounds, the trials of one of them, and the retries of a trial."""

from __future__ import annotations

from typing import get_args
from urllib.parse import urlencode

from litestar import Response, get
from litestar.params import FromPath, FromQuery

from application.ports.views import Views
from application.queries.round import Round, round_, rounds
from application.queries.trial import trial_attempts, trials
from domain.errors import Refused
from domain.events.outcome import OutcomeStatus
from domain.ids import RoundId, RunId, TrialId
from entrypoints.http.console.console import AsSignedIn, Using, attempt_of, here, user_of
from entrypoints.http.console.contexts.validation import Filter, TrialHistoryPart, TrialsView, ValidationPage
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.pages.rounds import LABELS, round_view
from entrypoints.http.console.rendering import rendered

_ROUNDS_A_PAGE = 10
_TRIALS_A_PAGE = 50
STATUSES: tuple[OutcomeStatus, ...] = get_args(OutcomeStatus)


@get("/runs/{run_id:str}/validation", include_in_schema=False, sync_to_thread=True)
def validation(
    request: AsSignedIn,
    run_id: FromPath[str],
    console: Using,
    attempt: FromQuery[str] = "",
    round_id: FromQuery[str] = "",
    status: FromQuery[str] = "",
    cursor: FromQuery[str] = "",
    trials_cursor: FromQuery[str] = "",
) -> Response[bytes]:
    """Rounds, the latest to begin first; the trials of one are shown when its `round_id` is given."""
    chosen, address = attempt_of(attempt), Address(run_id, attempt, cursor)
    with console.views(run_id) as views:
        head = job_head(views, console, request.user, run_id, "validation", chosen)
        found = rounds(views, RunId(run_id), attempt=chosen, limit=_ROUNDS_A_PAGE, cursor=cursor or None)
        page = ValidationPage(
            title=f"{head.run.name} · validation",
            user=user_of(request),
            head=head,
            live=live_address(views, head, ("lifecycle", "validation"), attempt=head.run.attempt),
            attempt=chosen,
            rounds=[
                round_view(one, address=address(round_id=one.round_id), chosen=one.round_id == round_id)
                for one in found.items
            ],
            first_page=address.without_cursor(round_id=round_id) if cursor else None,
            next_page=address.behind(found.next_cursor) if found.next_cursor else None,
            trials=_trials(views, address, round_id, _status(status), trials_cursor) if round_id else None,
            here=here(request),
        )
    return rendered(page)


@get("/runs/{run_id:str}/validation/trial", include_in_schema=False, sync_to_thread=True)
def trial_history(
    request: AsSignedIn,
    run_id: FromPath[str],
    console: Using,
    round_id: FromQuery[str],
    trial_id: FromQuery[str],
    attempt: FromQuery[str] = "",
) -> Response[bytes]:
    """The retries of one trial, to open below its row."""
    with console.views(run_id) as views:
        found = trial_attempts(views, RunId(run_id), RoundId(round_id), TrialId(trial_id), attempt=attempt_of(attempt))
    part = TrialHistoryPart(title=trial_id, user=user_of(request), trial_id=trial_id, attempts=found.items)
    return rendered(part)


class Address:
    """Addresses of this page that keep what was chosen on it."""

    def __init__(self, run_id: str, attempt: str, cursor: str) -> None:
        self.run_id = run_id
        self.attempt = attempt
        self._cursor = cursor

    def __call__(self, **chosen: str | None) -> str:
        """On the same page of rounds."""
        return self.to("validation", cursor=self._cursor, **chosen)

    def without_cursor(self, **chosen: str | None) -> str:
        """On the first page of rounds."""
        return self.to("validation", **chosen)

    def behind(self, cursor: str) -> str:
        """On the next page of rounds."""
        return self.to("validation", cursor=cursor)

    def to(self, path: str, **query: str | None) -> str:
        """Any page of this job."""
        given = {name: text for name, text in {"attempt": self.attempt, **query}.items() if text}
        return f"/runs/{self.run_id}/{path}" + (f"?{urlencode(given)}" if given else "")


def _trials(views: Views, address: Address, round_id: str, status: OutcomeStatus | None, cursor: str) -> TrialsView:
    run, attempt = RunId(address.run_id), attempt_of(address.attempt)
    known = round_(views, run, RoundId(round_id), attempt=attempt)
    found = trials(
        views, run, RoundId(round_id), status=status, attempt=attempt, limit=_TRIALS_A_PAGE, cursor=cursor or None
    )
    here = {"round_id": round_id, "status": status}
    return TrialsView(
        round_id=round_id,
        trials=found.items,
        status=status,
        filters=_filters(known, status, address),
        first_page=address(**here) if cursor else None,
        next_page=address(**here, trials_cursor=found.next_cursor) if found.next_cursor else None,
        history=address.to("validation/trial", round_id=round_id),
    )


def _filters(known: Round, status: OutcomeStatus | None, address: Address) -> list[Filter]:
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
