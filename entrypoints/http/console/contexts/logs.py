"""What a job printed, and what was found in it."""

from __future__ import annotations

import msgspec

from entrypoints.http.console.contexts.job import JobPage
from entrypoints.http.console.contexts.page import Page


class ShownLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line as a page holds it: long ones are cut, so that none makes the page slow."""

    n: int
    """From 0; people count from 1."""
    ts: str
    """When it began, ISO-8601, the server's clock."""
    text: str
    partial: bool
    error: bool
    more: str
    """What the link to all of it says; empty where this is all of it."""


class SomeLines(msgspec.Struct, frozen=True):
    """Lines that a page asks for as it goes on."""

    lines: list[ShownLine]
    end: bool
    """No line has come behind them."""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A line that was found, cut around what was looked for."""

    n: int
    before: str
    match: str
    after: str
    error: bool


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the search over the whole log."""

    q: str
    errors: bool
    hits: list[Hit]
    line_link: str
    """Address of a line, but for its number."""
    had: int
    """Lines that were found, these included."""
    searched_to: int
    """Every line before this one was looked at, from where the search began."""
    lines: int
    """Lines of the log so far."""
    following: str
    """Address of the next part; empty where every line was looked at."""
    goes_on: bool
    """The next part is asked for by itself: not enough was found yet."""


class FoundPart(Page, frozen=True, kw_only=True):
    """The next part alone."""

    template = "log_found_part.html"
    found: Found
    """What it found."""


class LogsPage(JobPage, frozen=True, kw_only=True):
    template = "logs.html"
    lines: list[ShownLine]
    """In order: the last ones, or those around the line that was asked for."""
    log_attempt: int | None
    """Whose log it is: the chosen attempt, else the latest; None where none was opened."""
    eof: bool
    """The job said that nothing follows, and these lines are the last."""
    end: bool
    """These lines are the last so far."""
    marked: int | None
    """Number of the line that was asked for, from 0; None where none was."""
    beyond: bool
    """The line that was asked for has not come."""
    count: int
    """Lines of the log so far."""
    latest: str
    """Address of the last lines."""
    line_link: str
    """Address of a line, but for its number."""
    some: str
    """Address of further lines."""
    whole: str
    """Address of a line with all its text."""
    search: str
    """Address of the search for programs."""
    finding: str
    """Address of the search's parts, to which a form adds what it asks."""
    download: str
    """Address of all of it, as it was printed."""
    chars: int
    """Characters of a line that are shown at first."""
    found: Found | None
    """Where something was looked for."""
