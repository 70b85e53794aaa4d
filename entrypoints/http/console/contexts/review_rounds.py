"""Two evaluation rounds side by side."""

from __future__ import annotations

import msgspec

from application.queries.review_rounds import RoundComparison
from application.queries.review_trials import TrialPair
from domain.events.outcome import OutcomeStatus
from domain.rules.trial_transitions import Transition
from entrypoints.http.console.contexts.page import Page
from entrypoints.http.console.contexts.review import RoundChoices, Sides
from entrypoints.http.console.contexts.validation import RoundView


class DigestRow(msgspec.Struct, frozen=True, kw_only=True):
    """One digest on both sides."""

    name: str
    left: str | None
    """None where none was declared."""
    right: str | None
    """The same."""
    agreement: str


class TransitionLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link that shows trials of one transition."""

    name: str
    label: str
    trials: int
    address: str
    chosen: bool


class MatrixRow(msgspec.Struct, frozen=True, kw_only=True):
    """Trials by their outcome on the left; on the right in the order of the columns."""

    label: str
    trials: list[int | None]
    """None where neither side reported them, which is no trial."""


class PairRow(msgspec.Struct, frozen=True, kw_only=True):
    """One trial."""

    pair: TrialPair
    label: str
    """Its transition in words."""
    left_page: str | None
    """Address of the trial's attempts on this side; None where it never reported this one."""
    right_page: str | None
    """The same."""
    trajectories: str | None
    """Address of both trajectories beside each other; None where neither side sent one."""


class EvidenceView(msgspec.Struct, frozen=True, kw_only=True):
    comparison: RoundComparison
    left: RoundView
    right: RoundView
    difference: str | None
    """Right minus left success rate, in words; None where there is none."""
    reasons: list[str]
    """Why there is none: each of them."""
    digests: list[DigestRow]
    outcomes: list[tuple[OutcomeStatus | None, str]]
    """Columns of the matrix."""
    matrix: list[MatrixRow]
    links: list[TransitionLink]
    """Regressions first, all trials last."""
    transition: Transition | None
    """Listed alone; None: all."""
    reported: bool
    """Whether either side reported an outcome; else its counts of trials are unknown, which is not zero."""
    none_listed: str
    """What is said where no trial is listed."""
    pairs: list[PairRow]
    first_page: str | None
    """Address; None on the first page."""
    next_page: str | None
    """Address; None where nothing follows."""
    json: str
    """Address of the same as JSON."""


class ReviewRoundsPage(Page, frozen=True, kw_only=True):
    template = "review_rounds.html"
    sides: Sides
    """The jobs."""
    review: str
    """Address of the review of the two jobs."""
    rounds: RoundChoices
    """To choose others."""
    evidence: EvidenceView | None
    """None until a round is chosen on each side."""
