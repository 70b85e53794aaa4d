"""What a job printed."""

from __future__ import annotations

from application.queries.log import LogLine
from entrypoints.http.console.contexts.job import JobPage


class LogsPage(JobPage, frozen=True, kw_only=True):
    template = "logs.html"
    lines: list[LogLine]
    """The last ones, in order."""
    log_attempt: int | None
    """Whose log it is: the chosen attempt, else the latest; None where none was opened."""
    eof: bool
    """The job said that nothing follows."""
    earlier: str
    """Address of the lines before the first one."""
    download: str
    """Address of all of it, as it was printed."""
