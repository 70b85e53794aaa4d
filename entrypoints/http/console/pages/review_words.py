"""What a review says, and what it does not say, of two jobs and of two rounds."""

from __future__ import annotations

from collections.abc import Iterator

from application.queries.review import ReviewedMetric
from application.queries.review_rounds import ReviewedDigest, ReviewedRound, RoundComparison
from domain.rules.matched_comparison import Shortfall
from domain.rules.trial_transitions import Transition
from entrypoints.http.console.wording import plural

TRANSITION_LABELS: dict[Transition, str] = {
    "success_to_failure": "success → failure",
    "failure_to_success": "failure → success",
    "both_failure": "failure on both",
    "both_success": "success on both",
    "not_scored": "not scored on a side",
    "missing_left": "missing left",
    "missing_right": "missing right",
}
"""Regressions first."""
_BOTH_SCORED: frozenset[Transition] = frozenset(
    {"success_to_failure", "failure_to_success", "both_failure", "both_success"}
)
DIGEST_NAMES = {
    "dataset_digest": "dataset",
    "cohort_digest": "cohort",
    "verifier_digest": "verifier",
    "settings_digest": "settings",
}
_TRIALS = {
    "exceeded": "{} reported beyond the planned population",
    "not_reported": "{} planned and not reported",
    "infra_error": "{} ended in an execution error",
    "unscored": "{} completed without a score",
}
_OTHERWISE = {
    "population_unknown": "nobody declared how many trials were planned",
    "nothing_scored": "nothing is scored",
}


def identity(metric: ReviewedMetric) -> str:
    """What the comparison identities of a metric allow."""
    left = metric.left.comparison_id if metric.left else None
    right = metric.right.comparison_id if metric.right else None
    match metric.comparison:
        case "same":
            return "same identity, declared by the owner"
        case "different":
            return "identities differ: no ranking"
    if not left and not right:
        return "no identity declared: no ranking"
    return f"no identity declared {'left' if not left else 'right'}: no ranking"


def standing(metric: ReviewedMetric) -> str:
    """Which side has the better last value, where it may be said."""
    if metric.ahead is None or metric.left is None:
        return ""
    better = f"{metric.left.direction} is better, as declared"
    return f"alike ({better})" if metric.ahead == "equal" else f"{metric.ahead} ahead ({better})"


def evidence_title(found: RoundComparison | None) -> str:
    """The heading: `matched` is said of rounds that are, and of nothing before rounds are chosen."""
    return "Matched evaluation evidence" if found is not None and found.matched else "Evaluation evidence"


def difference(found: RoundComparison) -> str | None:
    """`+4.25 percentage points`: one digit more than the rates have, which would seem to add up to another number."""
    if found.difference is None:
        return None
    points = 100 * found.difference
    shown = f"{points:+.2f}"
    if points and shown in {"+0.00", "-0.00"}:
        return f"{'more' if points > 0 else 'less'} by under 0.01 percentage points"
    return f"{'0.00' if not points else shown} percentage points"


def reasons(found: RoundComparison) -> list[str]:
    """Why no difference is shown, each reason by itself; empty where one is."""
    return [] if found.difference is not None else list(_reasons(found))


def _reasons(found: RoundComparison) -> Iterator[str]:
    without = [name for name, side in (("left", found.left), ("right", found.right)) if side.protocol is None]
    if without:
        yield f"No protocol was declared for the {' and the '.join(without)} round: nothing tells that they match."
    for one in found.digests if not without else ():
        if one.agreement == "differs":
            yield f"The {DIGEST_NAMES[one.field]} digests differ."
    for name, side in (("left", found.left), ("right", found.right)):
        for lack in side.shortfalls:
            yield f"The {name} round is not completely scored: {_shortfall(lack, side)}."


def _shortfall(lack: Shortfall, side: ReviewedRound) -> str:
    if lack.kind == "nothing_scored" and side.reported is None:
        return "no outcome was reported"
    if lack.trials is None:
        return _OTHERWISE[lack.kind]
    return _TRIALS[lack.kind].format(plural(lack.trials, "trial"))


def none_listed(found: RoundComparison, wanted: Transition | None) -> str:
    """Why no trial is listed: what was not seen may still have happened where a side has no verdict."""
    silent = [name for name, side in (("left", found.left), ("right", found.right)) if side.reported is None]
    if silent:
        return f"Unknown: no outcome of the {' and the '.join(silent)} round was reported. Unknown is not zero."
    if wanted is None:
        return "No trial was reported on either side."
    if wanted not in _BOTH_SCORED:
        return "No trial is counted here."
    counted = found.transitions
    open_ones = counted.not_scored + counted.missing_left + counted.missing_right
    more = f"; {plural(open_ones, 'trial')} without a verdict on both sides may have" if open_ones else ""
    return f"No trial was seen to make this transition{more}."


def agreement(one: ReviewedDigest) -> str:
    """Of one digest: which side lacks it, where one does."""
    if one.agreement != "missing":
        return one.agreement
    lacking = [name for name, digest in (("left", one.left), ("right", one.right)) if digest is None]
    return "missing on both" if len(lacking) > 1 else f"missing {lacking[0]}"
