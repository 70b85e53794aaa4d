"""`/runs/{run}/validation/samples`: what was kept of an evaluation, to read."""

from __future__ import annotations

from collections.abc import Sequence

from litestar import Response, get
from litestar.params import FromQuery

from application.ports.views import Views
from application.queries.reward_distribution import reward_distribution
from application.queries.round import Round, round_, rounds
from application.queries.sample import SamplesOfRound, ValidationSample, page_before, samples, samples_of_rounds
from application.queries.sample_reading import Said, reading
from domain.ids import RoundId, RunId
from entrypoints.http.console.console import AsSignedIn, Using, here, user_of
from entrypoints.http.console.contexts.samples import (
    BarView,
    ChoiceView,
    NumbersView,
    SamplesPage,
    SampleView,
    TextView,
)
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.rendering import rendered
from entrypoints.http.console.whole_number import whole_number
from entrypoints.http.console.wording import plural, value

_A_PAGE = 10
_CHARS = 200_000
"""Text after which a page ends early."""
_ROUNDS = 200
_LONG_CHARS = 2_000
_LONG_LINES = 10


@get("/runs/{run_id:str}/validation/samples", include_in_schema=False, sync_to_thread=True)
def validation_samples(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    round_id: FromQuery[str] = "",
    idx: FromQuery[str] = "",
) -> Response[bytes]:
    """Samples of a round from number `idx` on; without a round, which rounds have any."""
    readable = request.user.account.may("content")
    first = whole_number("idx", idx, "the number of a sample, from 0")
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "validation")
        chosen = round_(views, RunId(look.run_id), RoundId(round_id), attempt=look.attempt) if round_id else None
        found = samples_of_rounds(views, RunId(look.run_id), [chosen]) if chosen else {}
        shown, before, following = (
            _page(views, look, chosen, first) if chosen and found and readable else ([], None, None)
        )
        page = SamplesPage(
            title=f"{head.run.name} · samples",
            user=user_of(request),
            head=head,
            live=live_address(views, head, ("lifecycle", "validation"), attempt=head.run.attempt),
            round_id=round_id,
            choices=[] if chosen else _choices(views, look),
            validation=look.page("validation", round_id=round_id),
            numbers=next((_numbers(one, readable=readable) for one in found.values()), None),
            readable=readable,
            samples=[_sample(look, round_id, one) for one in shown],
            previous_page=None if before is None else _address(look, round_id, before),
            next_page=None if following is None else _address(look, round_id, following),
            here=here(request),
        )
    return rendered(page)


def arrived(of_round: SamplesOfRound) -> str:
    """How many samples there are, and how many chunks of them came."""
    chunks = f"{of_round.chunks:,} of {plural(of_round.total_chunks, 'chunk')} arrived"
    return f"{_received(of_round)}; {chunks}"


def _received(of_round: SamplesOfRound) -> str:
    if of_round.total_samples is None:
        return f"{plural(of_round.samples, 'sample')}, of how many is unknown"
    return f"{of_round.samples:,} of {plural(of_round.total_samples, 'sample')}"


def _page(
    views: Views, look: Look, chosen: Round, first: int | None
) -> tuple[Sequence[ValidationSample], int | None, int | None]:
    """The samples of a page, and where the pages before and behind it begin."""
    run, attempt = RunId(look.run_id), chosen.attempt
    found = samples(views, run, chosen.round_id, first=first, attempt=attempt, limit=_A_PAGE, chars=_CHARS)
    if not found.items:
        return [], None, None
    start, end = found.items[0].idx, found.items[-1].idx
    before = page_before(views, run, chosen.round_id, start, attempt=attempt, limit=_A_PAGE)
    return found.items, before, end + 1 if found.next_cursor else None


def _choices(views: Views, look: Look) -> list[ChoiceView]:
    run = RunId(look.run_id)
    known = rounds(views, run, attempt=look.attempt, limit=_ROUNDS).items
    found = samples_of_rounds(views, run, known)
    return [
        ChoiceView(
            round_id=one.round_id,
            arrived=arrived(found[one.attempt, one.round_id]),
            address=look.page("validation/samples", round_id=one.round_id),
        )
        for one in known
        if (one.attempt, one.round_id) in found
    ]


def _numbers(of_round: SamplesOfRound, *, readable: bool) -> NumbersView:
    distribution = reward_distribution(of_round.dist or [])
    greatest = max((one.count for one in distribution.bins), default=0)
    return NumbersView(
        of_round=of_round,
        received=_received(of_round),
        selection=of_round.samples != of_round.total_samples,
        whole=of_round.chunks >= of_round.total_chunks,
        bars=[
            BarView(label=one.label, count=_count(one.count), width=100 * one.count / greatest if greatest else 0)
            for one in distribution.bins
        ],
        entries=distribution.entries if readable else [],
    )


def _count(reported: float) -> str:
    return f"{reported:,.0f}" if reported == int(reported) else value(reported)


def _sample(look: Look, round_id: str, sample: ValidationSample) -> SampleView:
    read = reading(sample)
    pair = [("chosen", read.chosen), ("rejected", read.rejected)]
    return SampleView(
        idx=read.idx,
        address=_address(look, round_id, read.idx),
        conversation=[_text(one) for one in read.conversation],
        pair=[(name, [_text(one) for one in said]) for name, said in pair if said is not None],
        env=_text(Said(role="environment", text=read.env)) if read.env else None,
        reward=read.reward,
        components=read.components,
        more=[(name, _text(Said(role=name, text=text))) for name, text in read.more],
    )


def _text(said: Said) -> TextView:
    long = len(said.text) > _LONG_CHARS or said.text.count("\n") > _LONG_LINES
    return TextView(role=said.role, text=said.text, size=plural(len(said.text), "character") if long else "")


def _address(look: Look, round_id: str, idx: int) -> str:
    return look.page("validation/samples", round_id=round_id, idx=idx)


ROUTES = (validation_samples,)
