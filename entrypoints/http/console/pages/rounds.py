"""How a round reads: its bar, and its rates with their denominators. Used by a job's page and by its public one."""

from __future__ import annotations

from application.queries.round import Protocol, Round
from entrypoints.http.console.contexts.validation import Declared, RoundView, Segment, SegmentKind
from entrypoints.http.console.wording import percent

LABELS: dict[SegmentKind, str] = {
    "success": "success",
    "failure": "failure",
    "infra_error": "execution error",
    "unscored": "unscored",
    "not_reported": "not reported",
}
_DIGEST = "_digest"
_LEAST_SHARE = 0.01
"""Of the bar's width: less is thinner than the line between two kinds. The numbers stand beside it."""


def round_view(shown: Round, *, address: str = "", chosen: bool = False, compare: str = "") -> RoundView:
    """What a page shows of a round."""
    return RoundView(
        round=shown,
        segments=_segments(shown),
        rate=_rate(shown),
        coverage=_coverage(shown),
        protocol=[] if shown.protocol is None else _declared(shown.protocol),
        address=address,
        chosen=chosen,
        compare=compare,
    )


def scored(shown: Round) -> int | None:
    """Trials with a verdict; None where outcomes are unknown."""
    return None if shown.success is None or shown.failure is None else shown.success + shown.failure


def _declared(protocol: Protocol) -> list[Declared]:
    names = sorted(protocol.__struct_fields__, key=lambda name: name.endswith(_DIGEST))
    return [
        Declared(name=name.removesuffix(_DIGEST), value=getattr(protocol, name), digest=name.endswith(_DIGEST))
        for name in names
    ]


def _segments(shown: Round) -> list[Segment]:
    """Each kind that there is can be seen: ten failures beside 4,990 trials that were not reported, too."""
    counts: dict[SegmentKind, int | None] = {
        "success": shown.success,
        "failure": shown.failure,
        "infra_error": shown.infra_error,
        "unscored": shown.unscored,
        "not_reported": shown.not_reported,
    }
    known = {kind: count for kind, count in counts.items() if count}
    total = sum(known.values())
    shares = {kind: max(count / total, _LEAST_SHARE) for kind, count in known.items()}
    segments: list[Segment] = []
    x = 0.0
    for kind, count in known.items():
        width = 100 * shares[kind] / sum(shares.values())
        segments.append(Segment(kind=kind, label=LABELS[kind], count=count, x=x, width=width))
        x += width
    return segments


def _rate(shown: Round) -> str:
    with_verdict = scored(shown)
    if shown.reported is None:
        return "unknown: no outcome was reported"
    if shown.success_rate is None or shown.success is None or with_verdict is None:
        return "unknown: nothing is scored"
    return f"{percent(shown.success_rate)}: {shown.success:,} of {with_verdict:,} scored (successes and failures)"


def _coverage(shown: Round) -> str:
    if shown.population == "unknown":
        return "unknown: nobody declared how many trials were planned"
    if shown.population == "exceeded":
        return f"unknown: {shown.reported:,} trials were reported, more than the {shown.expected:,} planned"
    if shown.scoring_coverage is None or shown.expected is None:
        return "unknown: no trials were planned"
    return f"{percent(shown.scoring_coverage)}: {scored(shown) or 0:,} scored of {shown.expected:,} planned"
