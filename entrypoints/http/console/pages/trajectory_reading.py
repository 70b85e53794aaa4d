"""The text of a trajectory for a page: who may read it, what is left of it, and where its pages are."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from application.queries.trajectory_text import TrajectoryText
from domain.rules.retention import RetentionState
from entrypoints.http.console.contexts.trajectories import HitView, Link, Reader, TextView
from entrypoints.http.console.pages.trajectory_messages import Place, message_views
from entrypoints.http.console.pages.trajectory_subject import Subject, notices_of
from entrypoints.http.console.texts import Texts
from entrypoints.http.console.whole_number import whole_number

PAGES_MOST = 1_000_000
_GONE: dict[RetentionState, str] = {
    "expired": "The text has expired and cannot be read any more. What is recorded of it, and all counts, stay.",
    "deleted": "The text was deleted. What is recorded of it, and all counts, stay.",
    "missing": "The text is missing: nobody deleted it and it has not expired, but the object store has none that can "
    "be read. That does not mean that a trial failed.",
}
_SINCE = "By the moment that is shown the text was kept. "
_NOT_ALLOWED = (
    "Its messages are there and are not shown to you: reading them needs the 'content' permission, which an "
    "administrator can grant. What is recorded of them is above."
)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What of a text is asked for."""

    page: int = 1
    q: str = ""
    may_read: bool
    """The reader has the content permission."""
    prefix: str = ""
    """Of ids on the page."""
    at: Callable[[int, str], str]
    """The address of a page of the text, with what is searched in it."""


def page_number(text: str) -> int:
    """From 1. Raises `Refused`."""
    return whole_number("page", text, "the number of a page, from 1", least=1, most=PAGES_MOST) or 1


def reader_of(subject: Subject, texts: Texts, state: RetentionState, asked: Asked) -> Reader:
    """The trajectory with a page of its text. Raises `TryAgain` where the text cannot be read now."""
    if state != "retained":
        return reader_without_text(subject, asked, _gone(subject, state))
    if not asked.may_read:
        return reader_without_text(subject, asked, _NOT_ALLOWED)
    text = texts.read(subject.known.stored.object_key)
    if text is None:
        return reader_without_text(subject, asked, _GONE["missing"], missing=True)
    return _reader(subject, asked, _text_view(text, asked))


def reader_without_text(
    subject: Subject, asked: Asked, problem: str, *, again: str = "", missing: bool = False
) -> Reader:
    """The trajectory, and why its text is not shown."""
    return _reader(subject, asked, _empty(asked, problem, again), missing=missing)


def _gone(subject: Subject, state: RetentionState) -> str:
    was_kept = subject.item().state == "retained"
    return f"{_SINCE}{_GONE[state]}" if was_kept else _GONE[state]


def _reader(subject: Subject, asked: Asked, text: TextView, *, missing: bool = False) -> Reader:
    item = subject.item(missing=missing)
    return Reader(
        run_id=subject.look.run_id,
        trajectory=item,
        address=subject.look.page(f"trajectories/{item.trajectory_id}"),
        prefix=asked.prefix,
        notices=list(notices_of(item)),
        outcome=subject.outcome,
        others=subject.others,
        text=text,
    )


def _text_view(text: TrajectoryText, asked: Asked) -> TextView:
    shown = text.page(asked.page)
    found = text.search(asked.q) if asked.q else None
    place = Place(lambda page: asked.at(page, ""), asked.prefix)
    hits = [] if found is None else found.hits
    in_search = Place(lambda page: asked.at(page, asked.q), asked.prefix)
    return msgspec.structs.replace(
        _empty(asked, "" if shown else f"There is no page {asked.page:,}: the text has {text.pages:,}.", ""),
        messages=message_views(shown, place),
        pages=text.pages,
        previous=asked.at(min(asked.page - 1, text.pages), asked.q) if asked.page > 1 else None,
        next=asked.at(asked.page + 1, asked.q) if asked.page < text.pages else None,
        numbers=[Link(number=one, address=asked.at(one, asked.q)) for one in range(1, text.pages + 1)],
        found=None if found is None else found.messages,
        hits=[HitView(hit=one, address=in_search.of(one.number)) for one in hits],
    )


def _empty(asked: Asked, problem: str, again: str) -> TextView:
    return TextView(
        problem=problem,
        again=again,
        messages=[],
        page=asked.page,
        pages=0,
        previous=None,
        next=None,
        numbers=[],
        q=asked.q,
        found=None,
        hits=[],
    )
