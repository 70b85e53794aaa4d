"""`/review/rounds`: matched evaluation evidence of two rounds, each chosen explicitly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from litestar import Response, get
from litestar.params import FromQuery

from application.ports.views import Views
from application.queries.review_rounds import ReviewedRound, RoundComparison, review_rounds, side_of
from application.queries.review_trials import TrialPair
from domain.errors import Refused
from domain.events.outcome import OutcomeStatus
from domain.rules.trial_transitions import TRANSITIONS, OutcomePair, Transition
from entrypoints.http.console.addresses import address_of
from entrypoints.http.console.console import AsSignedIn, Using, go, here, user_of
from entrypoints.http.console.contexts.review_rounds import (
    DigestRow,
    EvidenceView,
    MatrixRow,
    PairRow,
    ReviewRoundsPage,
    TransitionLink,
)
from entrypoints.http.console.contexts.validation import RoundView
from entrypoints.http.console.pages.review_choices import round_choices
from entrypoints.http.console.pages.review_sides import (
    DEPENDENCIES,
    Reviewed,
    Reviewing,
    SideName,
    Sought,
    sides_of,
    views_of,
)
from entrypoints.http.console.pages.review_words import (
    DIGEST_NAMES,
    TRANSITION_LABELS,
    agreement,
    difference,
    evidence_title,
    none_listed,
    reasons,
)
from entrypoints.http.console.pages.rounds import LABELS, round_view
from entrypoints.http.console.rendering import rendered

_PATH = "/review/rounds"
_TRIALS_A_PAGE = 50
_ALL = "all"
_REGRESSIONS: Transition = "success_to_failure"
_OUTCOMES: tuple[OutcomeStatus | None, ...] = (*get_args(OutcomeStatus), None)


@get(_PATH, include_in_schema=False, sync_to_thread=True, dependencies=DEPENDENCIES)
def review_rounds_page(
    request: AsSignedIn,
    console: Using,
    reviewed: Reviewing,
    seeking: Sought,
    transition: FromQuery[str] = "",
    cursor: FromQuery[str] = "",
) -> Response[bytes]:
    """`left` and `right`: `run:round`, or a run whose round is still to be chosen. Lists regressions unless told."""
    left, right = reviewed.run("left"), reviewed.run("right")
    if not (left or right):
        return go(reviewed.jobs().address())
    if not (left and right):
        # A round is to be compared with another: most often one of the same job.
        both = Reviewed(left=reviewed.left or right, right=reviewed.right or left, as_of=reviewed.as_of)
        return go(both.address(_PATH))
    wanted = _transition(transition)
    with views_of(console, reviewed) as views:
        evidence = _evidence(views, reviewed, wanted, cursor) if _complete(reviewed) else None
        page = ReviewRoundsPage(
            title=evidence_title(None if evidence is None else evidence.comparison),
            user=user_of(request),
            sides=sides_of(views, reviewed, {}, here=here(request), path=_PATH),
            review=reviewed.jobs().address(),
            rounds=round_choices(views, reviewed, seeking, path=_PATH),
            evidence=evidence,
        )
    return rendered(page)


def _complete(reviewed: Reviewed) -> bool:
    """Whether a round is chosen on each side."""
    return all(side.partition(":")[2] for side in (reviewed.left, reviewed.right))


def _transition(text: str) -> Transition | None:
    if text == _ALL:
        return None
    for one in TRANSITIONS:
        if one == (text or _REGRESSIONS):
            return one
    raise Refused.at("transition", f"must be one of {', '.join((*TRANSITIONS, _ALL))}")


def _evidence(views: Views, reviewed: Reviewed, wanted: Transition | None, cursor: str) -> EvidenceView:
    found = review_rounds(
        views,
        side_of(reviewed.left, "left"),
        side_of(reviewed.right, "right"),
        transition=wanted,
        limit=_TRIALS_A_PAGE,
        cursor=cursor or None,
    )
    listed = wanted or _ALL
    following = found.trials.next_cursor
    return EvidenceView(
        comparison=found,
        left=_round(found.left),
        right=_round(found.right),
        difference=difference(found),
        reasons=reasons(found),
        digests=[
            DigestRow(name=DIGEST_NAMES[one.field], left=one.left, right=one.right, agreement=agreement(one))
            for one in found.digests
        ],
        outcomes=[(one, _label(one)) for one in _OUTCOMES],
        matrix=_matrix(found),
        links=_links(found, reviewed, wanted),
        transition=wanted,
        reported=found.left.reported is not None or found.right.reported is not None,
        none_listed=none_listed(found, wanted),
        pairs=[_pair(one, found, reviewed) for one in found.trials.items],
        first_page=reviewed.address(_PATH, transition=listed) + "#trials" if cursor else None,
        next_page=reviewed.address(_PATH, transition=listed, cursor=following) + "#trials" if following else None,
        json=reviewed.address("/api/review/rounds", transition=wanted),
    )


def _round(shown: ReviewedRound) -> RoundView:
    return round_view(shown)


def _label(outcome: OutcomeStatus | None) -> str:
    return "missing" if outcome is None else LABELS[outcome]


def _matrix(found: RoundComparison) -> list[MatrixRow]:
    counted: dict[OutcomePair, int] = {(one.left, one.right): one.trials for one in found.outcomes}
    return [
        MatrixRow(label=_label(left), trials=[_cell(counted, left, right) for right in _OUTCOMES]) for left in _OUTCOMES
    ]


def _cell(counted: dict[OutcomePair, int], left: OutcomeStatus | None, right: OutcomeStatus | None) -> int | None:
    return None if left is None and right is None else counted.get((left, right), 0)


def _links(found: RoundComparison, reviewed: Reviewed, wanted: Transition | None) -> list[TransitionLink]:
    counted: Sequence[tuple[Transition | None, str, int]] = [
        (name, label, getattr(found.transitions, name)) for name, label in TRANSITION_LABELS.items()
    ]
    everything = (None, "all trials", sum(one.trials for one in found.outcomes))
    return [
        TransitionLink(
            name=name or _ALL,
            label=label,
            trials=trials,
            address=reviewed.address(_PATH, transition=name or _ALL) + "#trials",
            chosen=name == wanted,
        )
        for name, label, trials in (*counted, everything)
    ]


def _pair(pair: TrialPair, found: RoundComparison, reviewed: Reviewed) -> PairRow:
    return PairRow(
        pair=pair,
        label=TRANSITION_LABELS[pair.transition],
        left_page=_trial(reviewed, "left", found.left, pair) if pair.left else None,
        right_page=_trial(reviewed, "right", found.right, pair) if pair.right else None,
        trajectories=_trajectories(pair, reviewed),
    )


def _trial(reviewed: Reviewed, side: SideName, shown: ReviewedRound, pair: TrialPair) -> str:
    return reviewed.look(side).page("validation", round_id=shown.round_id, trial_id=pair.trial_id) + "#trials"


def _trajectories(pair: TrialPair, reviewed: Reviewed) -> str | None:
    sent = (("left", pair.left_trajectory_id), ("right", pair.right_trajectory_id))
    named = {side: f"{reviewed.run(side)}:{one}" for side, one in sent if one}  # type: ignore[arg-type]
    if not named:
        return None
    return address_of("/review/trajectories", {**named, "as_of": reviewed.as_of})


ROUTES = (review_rounds_page,)
