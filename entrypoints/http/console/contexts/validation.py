"""Evaluation rounds of a job, and the trials of one of them."""

from __future__ import annotations

from typing import Literal

import msgspec

from application.queries.round import Round
from application.queries.trial import Trial, TrialAttempt
from domain.events.outcome import OutcomeStatus
from entrypoints.http.console.contexts.job import JobPage
from entrypoints.http.console.contexts.page import Page

SegmentKind = Literal["success", "failure", "infra_error", "unscored", "not_reported"]


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """One class of outcomes in the bar of a round."""

    kind: SegmentKind
    label: str
    count: int
    x: float
    """Left edge, of 100."""
    width: float
    """Of 100."""


class RoundView(msgspec.Struct, frozen=True, kw_only=True):
    """One round."""

    round: Round
    segments: list[Segment]
    """Of what was planned, else of what was reported; empty where nothing is known."""
    rate: str
    """The success rate with its denominator, or why there is none."""
    coverage: str
    """The scoring coverage with its denominator, or why there is none."""
    address: str
    """This page with the round's trials."""
    chosen: bool
    """Its trials are shown."""


class TrialsView(msgspec.Struct, frozen=True, kw_only=True):
    """The trials of the chosen round."""

    round_id: str
    trials: list[Trial]
    """By id; they move between filters as retries finish."""
    status: OutcomeStatus | None
    """Shown alone; None: all."""
    filters: list[Filter]
    first_page: str | None
    next_page: str | None
    history: str
    """Address of a trial's retries, but for the trial."""


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """A link that shows trials of one status."""

    label: str
    count: int | None
    """None: unknown."""
    address: str
    chosen: bool


class ValidationPage(JobPage, frozen=True, kw_only=True):
    template = "validation.html"
    rounds: list[RoundView]
    """The latest to begin first."""
    first_page: str | None
    """Address of the first page of rounds; None on it."""
    next_page: str | None
    """Address of older rounds; None on the last page."""
    trials: TrialsView | None
    """None where no round is chosen."""
    here: str
    """Address of this page, to read it again."""


class TrialHistoryPart(Page, frozen=True, kw_only=True):
    """The retries of one trial."""

    template = "trial_history_part.html"
    trial_id: str
    """The trial's."""
    attempts: list[TrialAttempt]
    """The highest first, at most 100; the highest is the trial's outcome."""
