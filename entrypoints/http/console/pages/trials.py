"""The trials of the chosen round: filters, search, and the attempts of the one that is opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, get_args

import msgspec
from litestar.params import FromQuery, QueryParameter

from application.ports.views import Views
from application.queries.round import Round
from application.queries.trial import ATTEMPTS_SHOWN, Trial, TrialFilter, trial_attempts, trial_count, trials
from domain.errors import Refused
from domain.events.outcome import OutcomeStatus
from domain.ids import RunId, TrialId
from entrypoints.http.console.contexts.validation import AttemptRow, Filter, OpenedTrial, TrialRow, TrialsView
from entrypoints.http.console.look import Look
from entrypoints.http.console.pages.rounds import LABELS

_A_PAGE = 50
STATUSES: tuple[OutcomeStatus, ...] = get_args(OutcomeStatus)
EVERYTHING = TrialFilter()


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader asked of the trials of a round: the address of the page."""

    round_id: str = ""
    """Empty: of none."""
    status: str = ""
    only: str = ""
    """`retried` or `set_aside`."""
    search: str = ""
    trial_id: str = ""
    """The opened one."""
    cursor: str = ""

    def filter(self) -> TrialFilter:
        """Raises `Refused` for what is no status and no choice."""
        status = next((one for one in STATUSES if one == self.status), None)
        if status is None and self.status:
            raise Refused.at("status", f"must be one of {', '.join(STATUSES)}")
        if self.only not in {"", "retried", "set_aside"}:
            raise Refused.at("only", "must be retried or set_aside")
        return TrialFilter(
            status=status,
            search=self.search,
            retried=self.only == "retried",
            set_aside=self.only == "set_aside",
        )

    def address(self, look: Look, **changes: str) -> str:
        """The page with something asked otherwise."""
        asked = msgspec.structs.replace(self, **changes)
        return look.page(
            "validation",
            round_id=asked.round_id,
            status=asked.status,
            only=asked.only,
            q=asked.search,
            trial_id=asked.trial_id,
            trials_cursor=asked.cursor,
        )


def asked_of(
    round_id: FromQuery[str] = "",
    status: FromQuery[str] = "",
    only: FromQuery[str] = "",
    search: Annotated[str, QueryParameter(name="q")] = "",
    trial_id: FromQuery[str] = "",
    trials_cursor: FromQuery[str] = "",
) -> Asked:
    """From an address: the dependency `asked`."""
    return Asked(
        round_id=round_id, status=status, only=only, search=search.strip(), trial_id=trial_id, cursor=trials_cursor
    )


def trials_view(views: Views, look: Look, known: Round, asked: Asked) -> TrialsView:
    """Raises `Refused`, `UnknownThing` for an unknown trial."""
    wanted, run = asked.filter(), RunId(look.run_id)
    found = trials(
        views, run, known.round_id, wanted, attempt=known.attempt, limit=_A_PAGE, cursor=asked.cursor or None
    )
    kept = {"attempt": look.attempt, "as_of": look.as_of, "round_id": asked.round_id}
    kept |= {"status": asked.status, "only": asked.only}
    return TrialsView(
        round_id=known.round_id,
        rows=[_row(look, asked, one) for one in found.items],
        filters=list(_filters(views, look, known, asked)),
        filtered=wanted != EVERYTHING,
        search=asked.search,
        found=trial_count(views, run, known.round_id, wanted, attempt=known.attempt) if asked.search else None,
        fields=[(name, str(value)) for name, value in kept.items() if value not in {None, ""}],
        action=Look(run_id=look.run_id).page("validation"),
        not_reported=known.not_reported,
        first_page=asked.address(look, cursor="", trial_id="") if asked.cursor else None,
        next_page=asked.address(look, cursor=found.next_cursor, trial_id="") if found.next_cursor else None,
        opened=_opened(views, look, known, asked, found.items) if asked.trial_id else None,
    )


def _row(look: Look, asked: Asked, one: Trial) -> TrialRow:
    opened = one.trial_id == asked.trial_id
    return TrialRow(
        trial=one,
        address=asked.address(look, trial_id="" if opened else one.trial_id),
        text=_text(look, one.trajectory_id),
        opened=opened,
    )


def _opened(views: Views, look: Look, known: Round, asked: Asked, listed: list[Trial]) -> OpenedTrial:
    found = trial_attempts(views, RunId(look.run_id), known.round_id, TrialId(asked.trial_id), attempt=known.attempt)
    return OpenedTrial(
        trial_id=asked.trial_id,
        attempts=[
            AttemptRow(
                attempt=one,
                text=_text(look, one.trajectory_id),
                event=_event(look, one.position),
                lost=[_event(look, lost.position) for lost in one.set_aside],
            )
            for one in found.items
        ],
        full=len(found.items) == ATTEMPTS_SHOWN,
        listed=any(one.trial_id == asked.trial_id for one in listed),
        close=asked.address(look, trial_id=""),
    )


def _text(look: Look, trajectory_id: str | None) -> str | None:
    return None if trajectory_id is None else look.page(f"trajectories/{trajectory_id}")


def _event(look: Look, position: int) -> str:
    """The history with this event at its top."""
    return look.page("history", order="latest", before=position + 1) + f"#event-{position}"


def _filters(views: Views, look: Look, known: Round, asked: Asked) -> Iterator[Filter]:
    """What is retried or was set aside is offered where there is any."""

    def choice(label: str, count: int | None, status: str = "", only: str = "") -> Filter:
        return Filter(
            label=label,
            count=count,
            address=asked.address(look, status=status, only=only, cursor="", trial_id=""),
            chosen=(asked.status, asked.only) == (status, only),
        )

    yield choice("all", known.reported)
    for one in STATUSES:
        yield choice(LABELS[one], getattr(known, one), status=one)
    if known.retried or asked.only == "retried":
        yield choice("retried", known.retried, only="retried")
    if known.set_aside or asked.only == "set_aside":
        lost = trial_count(
            views, RunId(look.run_id), known.round_id, TrialFilter(set_aside=True), attempt=known.attempt
        )
        if lost or asked.only == "set_aside":
            yield choice("with a report set aside", lost, only="set_aside")
