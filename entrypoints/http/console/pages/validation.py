"""`/runs/{run}/validation`: evaluation rounds, the trials of one of them, and the attempts of one trial."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency, Provide
from litestar.params import FromQuery, SkipValidation

from application.ports.views import Views
from application.queries.page import Page
from application.queries.round import Round, protocol_groups, round_, rounds
from application.queries.sample import samples_of_rounds
from domain.ids import RoundId, RunId
from entrypoints.http.console.addresses import address_of
from entrypoints.http.console.console import AsSignedIn, Using, here, user_of
from entrypoints.http.console.contexts.validation import OverviewRow, RoundView, ValidationPage
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.pages.rounds import round_view, scored
from entrypoints.http.console.pages.samples import arrived
from entrypoints.http.console.pages.trials import Asked, asked_of, trials_view
from entrypoints.http.console.rendering import rendered

_A_PAGE = 10
_OVERVIEW = 50


@get(
    "/runs/{run_id:str}/validation",
    dependencies={"asked": Provide(asked_of, sync_to_thread=False)},
    include_in_schema=False,
    sync_to_thread=True,
)
def validation(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    asked: NamedDependency[SkipValidation[Asked]],
    cursor: FromQuery[str] = "",
) -> Response[bytes]:
    """Rounds, the latest to begin first; one alone, with its trials, when its `round_id` is given."""
    round_id = asked.round_id
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "validation")
        found = _shown(views, look, round_id, cursor)
        page = ValidationPage(
            title=f"{head.run.name} · validation",
            user=user_of(request),
            head=head,
            live=live_address(views, head, ("lifecycle", "validation"), attempt=head.run.attempt),
            overview=_overview(views, look, round_id),
            rounds=_with_samples(views, look, found.items, chosen=round_id),
            all_rounds=look.page("validation") if round_id else None,
            first_page=look.page("validation") if cursor and not round_id else None,
            next_page=look.page("validation", cursor=found.next_cursor) if found.next_cursor else None,
            trials=trials_view(views, look, found.items[0], asked) if round_id else None,
            here=here(request),
        )
    return rendered(page)


def _shown(views: Views, look: Look, round_id: str, cursor: str) -> Page[Round]:
    run, attempt = RunId(look.run_id), look.attempt
    if round_id:
        return Page(items=[round_(views, run, RoundId(round_id), attempt=attempt)])
    return rounds(views, run, attempt=attempt, limit=_A_PAGE, cursor=cursor or None)


def _with_samples(views: Views, look: Look, shown: Sequence[Round], chosen: str) -> list[RoundView]:
    kept = samples_of_rounds(views, RunId(look.run_id), shown)
    found = []
    for one in shown:
        view = _view(look, one, chosen)
        if received := kept.get((one.attempt, one.round_id)):
            address = look.page("validation/samples", round_id=one.round_id)
            view = msgspec.structs.replace(view, samples=arrived(received), samples_address=address)
        found.append(view)
    return found


def _view(look: Look, one: Round, chosen: str) -> RoundView:
    return round_view(
        one,
        address=look.page("validation", round_id=one.round_id),
        chosen=one.round_id == chosen,
        compare=address_of("/review/rounds", {"left": f"{look.run_id}:{one.round_id}"}),
    )


def _overview(views: Views, look: Look, chosen: str) -> list[OverviewRow]:
    """The latest rounds in the order in which they began; one alone needs none."""
    found = rounds(views, RunId(look.run_id), attempt=look.attempt, limit=_OVERVIEW).items[::-1]
    if len(found) <= 1:
        return []
    return [
        OverviewRow(view=_view(look, one, chosen), scored=scored(one), group=_letters(group))
        for one, group in zip(found, protocol_groups(found), strict=True)
    ]


def _letters(group: int | None) -> str:
    if group is None:
        return ""
    more, letter = divmod(group, len(ascii_uppercase))
    return ascii_uppercase[letter] + (str(more) if more else "")


ROUTES = (validation,)
