"""Messages as a page shows them: long ones folded, tool calls together with what came back, JSON indented."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec
from tuneplane.contract import MESSAGE_CHARS, TRUNCATED_MARK

from application.queries.trajectory_text import NumberedMessage, page_of
from entrypoints.http.console.contexts.trajectories import Kind, Link, MessageView
from entrypoints.http.console.wording import value

FOLD_CHARS = 1_500
FOLD_LINES = 24
_PREVIEW_CHARS = 800
_PREVIEW_LINES = 12
_LINE_CHARS = 120
_DEEPEST = 24
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]')
_SECOND = 1_000.0
_MINUTE = 60 * _SECOND


class Place:
    """Where the messages of one trajectory stand."""

    def __init__(self, address: Callable[[int], str], prefix: str) -> None:
        self._address = address
        self._prefix = prefix

    def anchor(self, number: int) -> str:
        """The id of a message on its page."""
        return f"{self._prefix}message-{number}"

    def of(self, number: int) -> str:
        """The address of a message."""
        return f"{self._address(page_of(number))}#{self.anchor(number)}"

    def links(self, numbers: Sequence[int]) -> list[Link]:
        """To messages."""
        return [Link(number=one, address=self.of(one)) for one in numbers]


def message_views(shown: Sequence[NumberedMessage], place: Place) -> list[MessageView]:
    """The messages of a page in order; a result stands with its call, and leaves a note where others are between."""
    on_page = {one.number: one for one in shown}
    views: list[MessageView] = []
    for one in shown:
        if one.call not in on_page:
            views.append(_with_results(one, on_page, place))
        elif not _directly_behind(one, on_page[one.call]):
            views.append(_view(one, place, "moved", elsewhere=[one.call]))
    return views


def duration(milliseconds: float | None) -> str:
    """`12 ms`, `3.4 s`, `2.5 min`; empty for what nobody said."""
    if milliseconds is None:
        return ""
    if milliseconds < _SECOND:
        return f"{value(milliseconds)} ms"
    if milliseconds < _MINUTE:
        return f"{milliseconds / _SECOND:.3g} s"
    return f"{milliseconds / _MINUTE:,.1f} min"


def indented(text: str) -> str | None:
    """JSON objects and lists, indented, with every number and escape as it was sent; None for all else.

    Deep nesting stays as it is: each line would be mostly indentation, and a small text would become a huge one.
    """
    if not text.lstrip().startswith(("{", "[")) or len(text) > MESSAGE_CHARS:
        return None
    try:
        compact = msgspec.json.format(text, indent=-1)
        return msgspec.json.format(compact, indent=2) if _depth(compact) <= _DEEPEST else None
    except (ValueError, RecursionError):  # no JSON, or no UTF-8, or too deep for the parser
        return None


def beginning(text: str) -> str:
    """Of a text too long to be read in passing; empty for a short one. Ends with a line where it can."""
    if len(text) <= FOLD_CHARS and text.count("\n") < FOLD_LINES:
        return ""
    first = "\n".join(text[:_PREVIEW_CHARS].split("\n")[:_PREVIEW_LINES])
    return first.rstrip() + " …"


def _depth(valid_json: str) -> int:
    deepest = depth = 0
    for token in _TOKEN.finditer(valid_json):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        deepest = max(deepest, depth)
    return deepest


def _with_results(one: NumberedMessage, on_page: dict[int, NumberedMessage], place: Place) -> MessageView:
    results = [_view(on_page[number], place, "result") for number in one.results if number in on_page]
    elsewhere = [number for number in one.results if number not in on_page]
    if one.call is not None:
        return _view(one, place, "result", elsewhere=[one.call])
    is_call = one.message.tool_call_id is not None and one.message.role != "tool"
    return _view(one, place, "call" if is_call else "message", results=results, elsewhere=elsewhere)


def _directly_behind(result: NumberedMessage, call: NumberedMessage) -> bool:
    """Whether nothing stands between them but other results of the call."""
    return all(between in call.results for between in range(call.number + 1, result.number))


def _view(
    one: NumberedMessage,
    place: Place,
    kind: Kind,
    *,
    results: Sequence[MessageView] = (),
    elsewhere: Sequence[int] = (),
) -> MessageView:
    said = one.message
    content = said.content.replace("\r\n", "\n")
    formatted = indented(content) if said.role == "tool" or said.tool_name or said.tool_call_id else None
    text = formatted or content
    return MessageView(
        number=one.number,
        anchor=place.anchor(one.number),
        address=place.of(one.number),
        kind=kind,
        role=said.role,
        text=text,
        preview=beginning(text),
        line=" ".join(content[: 4 * _LINE_CHARS].split())[:_LINE_CHARS],
        formatted=formatted is not None,
        cut=content.endswith(TRUNCATED_MARK),
        tool_name=said.tool_name,
        tool_call_id=said.tool_call_id,
        duration=duration(said.duration_ms),
        tokens=said.tokens,
        results=list(results),
        elsewhere=place.links(elsewhere),
    )
