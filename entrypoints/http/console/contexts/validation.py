"""Evaluation rounds of a job, and the trials of one of them."""

from __future__ import annotations

from typing import Literal

import msgspec

from application.queries.round import Round
from application.queries.trial import Trial, TrialAttempt
from entrypoints.http.console.contexts.job import JobPage

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


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """One field of a protocol, as its producer declares it."""

    name: str
    value: str
    digest: bool
    """A long hexadecimal text, shown by its beginning."""


class RoundView(msgspec.Struct, frozen=True, kw_only=True):
    """One round."""

    round: Round
    segments: list[Segment]
    """Of what was planned, else of what was reported; empty where nothing is known."""
    rate: str
    """The success rate with its denominator, or why there is none."""
    coverage: str
    """The scoring coverage with its denominator, or why there is none."""
    protocol: list[Declared]
    """Empty where none was declared."""
    address: str
    """This page with the round's trials."""
    chosen: bool
    """Its trials are shown."""
    compare: str = ""
    """Where another round is put beside it."""
    samples: str = ""
    """What arrived of its samples; empty where none did."""
    samples_address: str = ""
    """Where they are read."""


class OverviewRow(msgspec.Struct, frozen=True, kw_only=True):
    """One round among the others of its job."""

    view: RoundView
    scored: int | None
    """Successes and failures; None: unknown."""
    group: str
    """The same letters: the same four digests. Empty where no protocol was declared."""


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """A link that shows some of the trials."""

    label: str
    count: int | None
    """None: unknown."""
    address: str
    chosen: bool


class TrialRow(msgspec.Struct, frozen=True, kw_only=True):
    """One trial."""

    trial: Trial
    address: str
    """This page with the trial's attempts, or without them where they are shown."""
    text: str | None
    """Where its messages are read; None where none were sent."""
    opened: bool


class AttemptRow(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt of the opened trial."""

    attempt: TrialAttempt
    text: str | None
    """Where its messages are read; None where none were sent."""
    event: str
    """Where its report is found in the history."""
    lost: list[str]
    """The same of each report that was set aside."""


class OpenedTrial(msgspec.Struct, frozen=True, kw_only=True):
    """The trial whose attempts are shown."""

    trial_id: str
    attempts: list[AttemptRow]
    """The highest first, at most 100; the highest is the trial's outcome."""
    full: bool
    """As many are shown as ever are; there may be more."""
    listed: bool
    """It is one of the rows of this page."""
    close: str
    """This page without it."""


class TrialsView(msgspec.Struct, frozen=True, kw_only=True):
    """The trials of the chosen round."""

    round_id: str
    rows: list[TrialRow]
    """By id; they move between filters as retries finish."""
    filters: list[Filter]
    filtered: bool
    """Some are left out."""
    search: str
    """Text that their ids hold; empty: any."""
    found: int | None
    """How many meet the filter; None where nothing is searched for."""
    fields: list[tuple[str, str]]
    """What the search form keeps of the address: names and values."""
    action: str
    """Where the search form leads."""
    not_reported: int | None
    """Planned trials that nobody reported; None: unknown."""
    first_page: str | None
    """Address; None on the first page."""
    next_page: str | None
    """Address; None where nothing follows."""
    opened: OpenedTrial | None
    """The trial whose attempts are shown; None: no trial was chosen."""


class ValidationPage(JobPage, frozen=True, kw_only=True):
    template = "validation.html"
    overview: list[OverviewRow]
    """Rounds in the order in which they began; empty where there is one at most."""
    rounds: list[RoundView]
    """The latest to begin first, or the chosen one alone."""
    all_rounds: str | None
    """Address of all rounds; None on it."""
    first_page: str | None
    """Address of the first page of rounds; None on it."""
    next_page: str | None
    """Address of older rounds; None on the last page."""
    trials: TrialsView | None
    """None where no round is chosen."""
    here: str
    """Address of this page, to read it again."""
