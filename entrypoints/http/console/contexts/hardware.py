"""What the hosts of a job and their cards do."""

from __future__ import annotations

import msgspec

from application.queries.hardware_hosts import Host, Reading
from entrypoints.http.console.contexts.job import JobPage


class CardRow(msgspec.Struct, frozen=True, kw_only=True):
    """One GPU in the table: its columns, and whatever else it measured."""

    index: int
    model: str | None
    """As the environment names it; None: not reported."""
    memory_gb: float | None
    """GB of memory that the card has, not of what is used; None: not reported."""
    uuid: str | None
    """None: not reported."""
    shown: list[Reading | None]
    """The columns of the table, in their order; None is unknown."""
    others: list[Reading]
    last_at: str | None
    """Its latest sample, ISO-8601, the host's clock; None: none came."""


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """Curves of the training that are drawn over the same time."""

    keys: list[str]
    """Those that were reported, of those that were asked for."""
    missing: list[str]
    """Those that were not."""
    offered: list[str]
    """Some of the series that could be asked for."""
    series: str
    """Address of the list of them; empty where none is drawn."""
    data: str
    """Address of their points."""
    without: str
    """Address of the page without them."""


class HostView(msgspec.Struct, frozen=True, kw_only=True):
    """One host and its cards."""

    host: Host
    attribution: str
    """How the job was matched to its cards, in words; empty where it did not say."""
    cards: list[CardRow]
    charts: str
    """Address of this page with the charts of this host alone."""


class HardwarePage(JobPage, frozen=True, kw_only=True):
    template = "hardware.html"
    hosts: list[HostView]
    """By name."""
    columns: list[str]
    """What is measured of cards, as the table heads it."""
    chosen: str
    """The host whose charts alone are shown; empty: all."""
    series: str
    """Address of the list of series."""
    data: str
    """Address of the charts' points."""
    beside: Beside
    """Curves of the training."""
    here: str
    """Address of this page."""
    first_page: str | None
    """None on the first page."""
    next_page: str | None
    """None where no more hosts follow."""
