"""The rounds of both jobs, one of each to be chosen explicitly."""

from __future__ import annotations

from application.ports.views import Views
from application.queries.round import Round, round_, rounds
from domain.errors import UnknownThing
from domain.ids import RoundId, RunId
from entrypoints.http.console.contexts.review import RoundChoice, RoundChoices
from entrypoints.http.console.pages.review_sides import Reviewed, Seeking, SideName
from entrypoints.http.console.wording import number

_OFFERED = 8


def round_choices(views: Views, reviewed: Reviewed, seeking: Seeking, *, path: str) -> RoundChoices:
    """The latest of each job, or those behind a cursor. Raises `UnknownRun`, `Refused` for what is no cursor."""
    left_cursor, right_cursor = seeking.rounds["left"], seeking.rounds["right"]
    left, left_next = _side(views, reviewed, "left", left_cursor)
    right, right_next = _side(views, reviewed, "right", right_cursor)
    return RoundChoices(
        left=left,
        right=right,
        left_more=_more(reviewed, path, left_rounds=left_next, right_rounds=right_cursor) if left_next else None,
        right_more=_more(reviewed, path, left_rounds=left_cursor, right_rounds=right_next) if right_next else None,
        as_of=reviewed.as_of,
    )


def _more(reviewed: Reviewed, path: str, **cursors: str | None) -> str:
    return reviewed.address(path, **cursors) + "#rounds"


def _side(views: Views, reviewed: Reviewed, side: SideName, cursor: str) -> tuple[list[RoundChoice], str | None]:
    run = RunId(reviewed.run(side))
    wanted = (reviewed.left if side == "left" else reviewed.right).partition(":")[2]
    found = rounds(views, run, limit=_OFFERED, cursor=cursor or None)
    listed = list(found.items)
    if wanted and wanted not in {one.round_id for one in listed}:
        listed.insert(0, _chosen(views, run, RoundId(wanted)))
    return [_choice(run, one, wanted) for one in listed], found.next_cursor


def _chosen(views: Views, run: RunId, round_id: RoundId) -> Round:
    try:
        return round_(views, run, round_id)
    except UnknownThing as unknown:
        raise UnknownThing(f"The job {run} has no round {round_id!r}.") from unknown


def _choice(run: RunId, shown: Round, wanted: str) -> RoundChoice:
    return RoundChoice(
        value=f"{run}:{shown.round_id}",
        round_id=shown.round_id,
        attempt=shown.attempt,
        counts=_counts(shown),
        has_protocol=shown.protocol is not None,
        chosen=shown.round_id == wanted,
    )


def _counts(shown: Round) -> str:
    if shown.reported is None:
        return "outcomes unknown"
    planned = "planned unknown" if shown.expected is None else f"{number(shown.expected)} planned"
    scored = (shown.success or 0) + (shown.failure or 0)
    return f"{number(shown.reported)} reported, {planned}, {number(shown.success)} of {number(scored)} scored succeeded"
