"""What all pages of one job share: who it is, how it stands, what was heard of it."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from application.queries.delivery import Receipt
from application.queries.observation_contract import ContractCoverage
from application.queries.run import AttemptItem, Run
from entrypoints.http.console.contexts.page import Page
from entrypoints.http.console.look import Look

Tab = Literal[
    "charts", "logs", "validation", "trajectories", "config", "hardware", "artifacts", "benchmarks", "history"
]
TABS: tuple[Tab, ...] = get_args(Tab)


class Signal(msgspec.Struct, frozen=True, kw_only=True):
    """One of the first things heard of an execution attempt. Each comes by a path of its own."""

    name: str
    at: str | None
    """ISO-8601, server's clock; None: not yet."""
    check: str
    """What to look at when it is missing."""
    help: str
    """Anchor in the help page."""
    command: str = ""
    """What to run on the node when it is missing; empty where nothing helps."""


class ReceiptView(msgspec.Struct, frozen=True, kw_only=True):
    """The delivery of one attempt."""

    receipt: Receipt
    verdict: str
    """The receipt's, with what was lost or why it is unknown."""


class JobHead(msgspec.Struct, frozen=True, kw_only=True):
    """The top of a job's pages."""

    run: Run
    look: Look
    """What of the job is looked at; makes addresses that keep it."""
    tab: Tab
    """The page it stands on."""
    position: int
    """How much of the log this page knows."""
    as_of: str | None
    """When the last event that counts was recorded, ISO-8601; None where the page shows the job as it is."""
    warnings: list[str]
    """What keeps, or will keep, reports from arriving."""
    shown: AttemptItem | None
    """The attempt that signals and receipt are of: the chosen one, else the latest; None where none was opened."""
    signals: list[Signal]
    """The first of each path; empty where no attempt was opened."""
    coverage: ContractCoverage
    """How far what was reported covers what the method asks for: all attempts, or the chosen one."""
    receipt: ReceiptView | None
    """None where no attempt was opened."""
    may_change: bool
    """Whether the user may share the job and delete text of it."""

    def tabs(self) -> list[tuple[Tab, str]]:
        """The job's pages and their addresses, the same attempt and moment kept."""
        return [(one, self.look.page("" if one == "charts" else one)) for one in TABS]


class JobHeadPart(Page, frozen=True, kw_only=True):
    """The head alone, to renew it."""

    template = "job_head_part.html"
    head: JobHead
    """The top of the page."""


class JobPage(Page, frozen=True, kw_only=True):
    """What every tab shares."""

    head: JobHead
    """The top of the page."""
    live: str
    """Address of the live stream, going on behind what this page shows; empty where nothing can follow."""
