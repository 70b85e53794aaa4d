"""How a round reads: its bar, and its rates with their denominators. Used by a job's page and by its public one."""

from __future__ import annotations

from application.queries.round import Round
from entrypoints.http.console.contexts.validation import RoundView, Segment, SegmentKind
from entrypoints.http.console.wording import percent

LABELS: dict[SegmentKind, str] = {
    "success": "success",
    "failure": "failure",
    "infra_error": "execution error",
    "unscored": "unscored",
    "not_reported": "not reported",
}


def round_view(shown: Round, *, address: str = "", chosen: bool = False) -> RoundView:
    """What a page shows of a round."""
    return RoundView(
        round=shown,
        segments=_segments(shown),
        rate=_rate(shown),
        coverage=_coverage(shown),
        address=address,
        chosen=chosen,
    )


def _segments(shown: Round) -> list[Segment]:
    counts: dict[SegmentKind, int | None] = {
        "success": shown.success,
        "failure": shown.failure,
        "infra_error": shown.infra_error,
        "unscored": shown.unscored,
        "not_reported": shown.not_reported,
    }
    known = {kind: count for kind, count in counts.items() if count}
    total = sum(known.values())
    segments: list[Segment] = []
    x = 0.0
    for kind, count in known.items():
        width = 100 * count / total
        segments.append(Segment(kind=kind, label=LABELS[kind], count=count, x=x, width=width))
        x += width
    return segments


def _rate(shown: Round) -> str:
    if shown.success_rate is None or shown.success is None or shown.failure is None:
        return "unknown: nothing is scored"
    scored = shown.success + shown.failure
    return f"{percent(shown.success_rate)}: {shown.success:,} of {scored:,} scored (successes and failures)"


def _coverage(shown: Round) -> str:
    if shown.population == "unknown":
        return "unknown: nobody declared how many trials were planned"
    if shown.population == "exceeded":
        return f"unknown: {shown.reported:,} trials were reported, more than the {shown.expected:,} planned"
    if shown.scoring_coverage is None or shown.expected is None:
        return "unknown: no trials were planned"
    scored = (shown.success or 0) + (shown.failure or 0)
    return f"{percent(shown.scoring_coverage)}: {scored:,} scored of {shown.expected:,} planned"
