"""What a job produced."""

from __future__ import annotations

import msgspec

from application.queries.artifact import ListedArtifact
from entrypoints.http.console.contexts.job import JobPage


class ArtifactRow(msgspec.Struct, frozen=True, kw_only=True):
    """One artifact, as its latest report told of it."""

    artifact: ListedArtifact
    metrics: list[tuple[str, str]]
    """As reported: numbers in six significant digits, everything else as JSON."""
    download: str
    """Address of its bytes; empty where none are here."""
    report: str
    """Address of the report whole, the list of files included."""


class ArtifactsPage(JobPage, frozen=True, kw_only=True):
    template = "artifacts.html"
    artifacts: list[ArtifactRow]
    """The latest report first."""
    here: str
    """Address of this page."""
    first_page: str | None
    """None on the first page."""
    next_page: str | None
    """None where no more artifacts follow."""
