"""What a job observed beside its curves: coverage, histograms, events, and the health of its reporting."""

from __future__ import annotations

import msgspec

from application.queries.observation import ObservationItem, ObservedNames
from application.queries.observation_contract import ContractCoverage, RequirementCoverage
from application.queries.reporter import Reporter
from application.queries.transport import HealthItem
from domain.events.observation import ObservationKind
from entrypoints.http.console.contexts.job import JobPage
from entrypoints.http.console.contexts.page import Page
from entrypoints.http.console.look import Look


class CapabilityView(msgspec.Struct, frozen=True, kw_only=True):
    """The requirements of one capability."""

    capability: str | None
    """None: what is asked of every run of the method."""
    enabled: bool
    requirements: list[RequirementCoverage]


class CoverageView(msgspec.Struct, frozen=True, kw_only=True):
    """What the method asks for, and what of it was reported."""

    coverage: ContractCoverage
    capabilities: list[CapabilityView]
    """In the contract's order, what is asked of every run first; enabled ones that ask for nothing at the end."""


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One bucket of a histogram."""

    label: str
    """Its interval, as `(1, 2]`."""
    count: int
    height: float
    """Of 100, the fullest bucket being 100."""
    x: float
    """Left edge, of 100."""
    width: float
    """Of 100."""


class HistogramView(msgspec.Struct, frozen=True, kw_only=True):
    """The latest of its name, as it was reported: never estimated."""

    name: str
    step: int | None
    """None: the report names none."""
    policy_version: int | None
    """None: unknown."""
    recorded_at: str
    """ISO-8601, server's clock."""
    total: int
    """All counts together."""
    bars: list[Bar]


class HistogramsView(msgspec.Struct, frozen=True, kw_only=True):
    """The latest of each name, and one of them over the steps."""

    latest: list[HistogramView]
    """By name; at most a dozen."""
    names: list[str]
    """To choose from."""
    chosen: str
    """The name that is drawn over the steps; empty where none was reported."""
    source: str
    """Address of its numbers."""


class EventsView(msgspec.Struct, frozen=True, kw_only=True):
    """The latest observations that meet the filters."""

    items: list[ObservationItem]
    """At most 100, the newest first."""
    name: str
    """Shown alone; empty: all."""
    kind: ObservationKind | None
    """Shown alone; None: all."""
    kinds: tuple[ObservationKind, ...]
    """To choose from."""
    names: ObservedNames
    """To choose from."""


class ReporterView(msgspec.Struct, frozen=True, kw_only=True):
    """One reporter, and lines of how it went."""

    reporter: Reporter
    queue: str
    """Points of an SVG line of 100 by 20: the occupancy of its queue over its latest heartbeats; empty: not known."""
    failures: str
    """The same of its failed sends."""


class HealthView(msgspec.Struct, frozen=True, kw_only=True):
    """How reporting goes; nothing of training."""

    reporters: list[ReporterView]
    others: list[HealthItem]
    more: bool
    """There are more reporters than are shown."""


class Observations(msgspec.Struct, frozen=True, kw_only=True):
    """All four."""

    coverage: CoverageView
    histograms: HistogramsView
    events: EventsView
    health: HealthView


class ObservationsPage(JobPage, frozen=True, kw_only=True):
    """The four on a page of their own, to link to."""

    template = "observations_page.html"
    observations: Observations
    """What was observed."""


class CoveragePart(Page, frozen=True, kw_only=True):
    template = "observations_coverage_part.html"
    look: Look
    """What of the job is looked at."""
    coverage: CoverageView
    """What the method asks for, and what of it was reported."""


class LatestHistogramsPart(Page, frozen=True, kw_only=True):
    template = "observations_latest_part.html"
    look: Look
    """What of the job is looked at."""
    histograms: HistogramsView
    """The latest of each name."""


class ChosenHistogramPart(Page, frozen=True, kw_only=True):
    template = "observations_chosen_part.html"
    look: Look
    """What of the job is looked at."""
    histograms: HistogramsView
    """With the one that was chosen."""


class EventsPart(Page, frozen=True, kw_only=True):
    template = "observations_events_part.html"
    look: Look
    """What of the job is looked at."""
    events: EventsView
    """The latest that meet the filters."""


class HealthPart(Page, frozen=True, kw_only=True):
    template = "observations_health_part.html"
    look: Look
    """What of the job is looked at."""
    health: HealthView
    """Of each reporter."""
