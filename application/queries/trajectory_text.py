"""The retained text of a trajectory: its messages, who called which tool, and where something stands in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from application.ports.object_store import ObjectStore

MESSAGES_A_PAGE = 20
HITS_SHOWN = 100
_AROUND = 70
"""Characters of a hit's surroundings that are shown on either side."""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    role: str
    content: str
    tool_name: str | None = None
    tool_call_id: str | None = None
    duration_ms: float | None = None
    tokens: float | None = None


class NumberedMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message and where it stands among the retained ones."""

    number: int
    """From 1."""
    message: Message
    call: int | None
    """Number of the tool call that this is a result of, by its call id; None where there is none before it."""
    results: Sequence[int]
    """Numbers of the results of this tool call."""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A message in which something was found."""

    number: int
    page: int
    role: str
    times: int
    """How often it stands in the message."""
    before: str
    """What stands before the first place."""
    found: str
    after: str


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found."""

    messages: int
    """In how many messages."""
    hits: list[Hit]
    """The first 100 of them."""


class _Body(msgspec.Struct):
    messages: list[msgspec.Raw]
    """Views into the body, not copies."""


_BODY = msgspec.json.Decoder(_Body)
_MESSAGE = msgspec.json.Decoder(Message)


class TrajectoryText:
    """The messages of one body. Each is read when it is asked for, so that memory holds the body and a page of it."""

    def __init__(self, body: bytes) -> None:
        """Raises what `msgspec` raises for a body that is none."""
        self._messages = _BODY.decode(body).messages
        self._calls: dict[int, int] = {}
        self._results: dict[int, list[int]] = {}
        last_call: dict[str, int] = {}
        for number, message in self._all():
            if message.tool_call_id is None:
                continue
            if message.role != "tool":
                last_call[message.tool_call_id] = number
            elif (call := last_call.get(message.tool_call_id)) is not None:
                self._calls[number] = call
                self._results.setdefault(call, []).append(number)

    @property
    def pages(self) -> int:
        """Of 20 messages."""
        return -(-len(self._messages) // MESSAGES_A_PAGE)

    def page(self, number: int) -> list[NumberedMessage]:
        """The messages of page `number`, from 1; none behind the last page."""
        first = (number - 1) * MESSAGES_A_PAGE
        return [
            NumberedMessage(
                number=first + at,
                message=_MESSAGE.decode(raw),
                call=self._calls.get(first + at),
                results=self._results.get(first + at, ()),
            )
            for at, raw in enumerate(self._messages[first : first + MESSAGES_A_PAGE], start=1)
        ]

    def search(self, wanted: str) -> Found:
        """Messages that hold `wanted`, in any case, in their text, their tool's name or their call id."""
        pattern = re.compile(re.escape(wanted), re.IGNORECASE)
        messages, hits = 0, list[Hit]()
        for number, message in self._all():
            hit = _hit(number, message, pattern)
            if hit is not None:
                messages += 1
                hits += [hit] if messages <= HITS_SHOWN else []
        return Found(messages=messages, hits=hits)

    def _all(self) -> Iterator[tuple[int, Message]]:
        return ((number, _MESSAGE.decode(raw)) for number, raw in enumerate(self._messages, start=1))


def page_of(number: int) -> int:
    """The page on which message `number` stands."""
    return -(-number // MESSAGES_A_PAGE)


def read_text(store: ObjectStore, object_key: str) -> TrajectoryText | None:
    """The text kept under a key; None where it is not there or is none. Raises `TryAgain` where the store is away."""
    body = store.get(object_key)
    try:
        return None if body is None else TrajectoryText(body)
    except (ValueError, RecursionError):  # what msgspec raises is a ValueError
        return None


def _hit(number: int, message: Message, pattern: re.Pattern[str]) -> Hit | None:
    texts = (message.content, message.tool_name or "", message.tool_call_id or "")
    places = [(text, place) for text in texts for place in pattern.finditer(text)]
    if not places:
        return None
    text, first = places[0]
    return Hit(
        number=number,
        page=page_of(number),
        role=message.role,
        times=len(places),
        before=text[max(0, first.start() - _AROUND) : first.start()],
        found=first[0],
        after=text[first.end() : first.end() + _AROUND],
    )
