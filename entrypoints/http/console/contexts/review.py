"""Two jobs side by side."""

from __future__ import annotations

import msgspec

from application.queries.review import ReviewedBenchmark, ReviewedMetric
from application.queries.run import RunItem
from application.queries.transport import Transport
from entrypoints.http.console.contexts.config import DiffView
from entrypoints.http.console.contexts.page import Page
from entrypoints.http.console.contexts.picker import Picker


class ReviewedSide(msgspec.Struct, frozen=True, kw_only=True):
    """The job on one side."""

    run: RunItem
    page: str
    """Address of the job, at the same moment."""
    change: str
    """This page without the job, to choose another."""
    transport: Transport


class Sides(msgspec.Struct, frozen=True, kw_only=True):
    """The top of a review."""

    left: ReviewedSide | None
    """None: to be chosen."""
    right: ReviewedSide | None
    """The same."""
    left_picker: Picker | None
    """None where the job is chosen."""
    right_picker: Picker | None
    """The same."""
    swapped: str | None
    """Address with the sides exchanged; None until both are chosen."""
    position: int | None
    """Of the log, up to which everything counts; None: the jobs as they are."""
    as_of: str | None
    """When the last event up to there was recorded."""
    now: str
    """Address of the jobs as they are."""
    here: str
    """Address of this page, to read it again."""


class RoundChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A round that may stand on one side."""

    value: str
    """`run:round`."""
    round_id: str
    attempt: int
    counts: str
    """What was reported of it, in words."""
    has_protocol: bool
    chosen: bool


class RoundChoices(msgspec.Struct, frozen=True, kw_only=True):
    """The rounds of both jobs, one of each to be chosen."""

    left: list[RoundChoice]
    """The latest to begin first, the chosen one always among them."""
    right: list[RoundChoice]
    left_more: str | None
    """Address with older rounds; None where there are none."""
    right_more: str | None
    """The same."""
    as_of: int | None
    """What the choice keeps."""


class MetricRow(msgspec.Struct, frozen=True, kw_only=True):
    metric: ReviewedMetric
    identity: str
    """What the declared comparison identities allow."""
    standing: str
    """Which side is ahead, in words; empty where nothing allows to say."""


class MetricsView(msgspec.Struct, frozen=True, kw_only=True):
    rows: list[MetricRow]
    """By key."""
    q: str
    """Searched in keys; empty: all."""
    differing: bool
    """Those alone of which the jobs tell anything different."""
    looked_at: int
    """Metrics that one page of those looks at."""
    kept: list[tuple[str, str]]
    """What else of the question a search keeps."""
    first_page: str | None
    """Address; None on the first page."""
    next_page: str | None
    """Address; None where nothing follows."""
    left_data: str
    """Address of the points of one job, but for the key."""
    right_data: str


class BothView(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown once both jobs are chosen."""

    rounds: RoundChoices
    metrics: MetricsView
    config: list[DiffView]
    """Hyperparameters, environment and packages."""
    config_page: str
    """Address of the whole comparison of configurations."""
    benchmarks: list[ReviewedBenchmark]
    """Side by side, never ranked."""


class ReviewPage(Page, frozen=True, kw_only=True):
    template = "review.html"
    sides: Sides
    """The jobs."""
    both: BothView | None
    """None until both are chosen."""
