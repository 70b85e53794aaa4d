"""From the bytes of a request to a wire struct: capped, inflated, decoded by a prebuilt typed decoder.

Of a key that a JSON object repeats, the last one counts (as for Python's `json`).
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec
from litestar import Request

from domain.errors import Refused
from entrypoints.http.errors import Undecodable, WrongMediaType
from entrypoints.http.ingest.guards import refusal_of
from entrypoints.http.ingest.inflate import inflated, too_large
from entrypoints.http.ingest.source import Source
from entrypoints.http.request import in_time

JSON = "application/json"
MESSAGEPACK = ("application/msgpack", "application/x-msgpack", "application/vnd.msgpack")


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What every body carries. Fields that are not named are ignored."""

    run_id: str
    attempt: int | None = None
    """When it is there, it must be the token's."""


R = TypeVar("R", bound=Report)
IngestRequest = Request[Source, str, Any]


class Body(Generic[R]):
    """What one path takes: a struct, from JSON or MessagePack, within a bound."""

    def __init__(self, kind: type[R], limit: int) -> None:
        self.kind = kind
        self.limit = limit
        self._json = msgspec.json.Decoder(kind)
        self._msgpack = msgspec.msgpack.Decoder(kind)

    async def read(self, request: IngestRequest) -> R:
        """The decoded body of `request`, of the token's run and attempt."""
        packed = is_messagepack(request)
        raw = await received(request, self.limit)
        return self.decode(raw, request.user, packed=packed)

    def decode(self, raw: bytes, source: Source, *, packed: bool) -> R:
        """`raw` after inflating."""
        report = decoded(self._msgpack if packed else self._json, raw)
        source.check(report.run_id, report.attempt)
        return report


D = TypeVar("D")


def decoded(decoder: msgspec.json.Decoder[D] | msgspec.msgpack.Decoder[D], raw: bytes) -> D:
    """Raises `Refused` for what is well formed and wrong, `Undecodable` for what is not well formed."""
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as problem:
        raise refusal_of(problem) from None
    except RecursionError:
        raise Refused.at("", "the body is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise Undecodable(f"The body cannot be read: {problem}") from None


def is_messagepack(request: IngestRequest) -> bool:
    """Whether the body is MessagePack rather than JSON; anything else is refused."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == JSON:
        return False
    if kind in MESSAGEPACK:
        return True
    raise WrongMediaType(f"Content-Type must be {JSON} or {MESSAGEPACK[0]}.")


async def received(request: IngestRequest, limit: int) -> bytes:
    """The whole body, inflated: at most `limit` bytes on the wire and at most `limit` after inflating."""
    announced = request.headers.get("content-length", "0")
    if not announced.isdigit() or int(announced) > limit:
        raise too_large(limit)
    async with in_time():
        whole = await _read(request, limit)
    return inflated(request.headers.get("content-encoding", "").strip().lower(), whole, limit)


async def _read(request: IngestRequest, limit: int) -> bytes:
    pieces = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise too_large(limit)
        pieces.append(piece)
    return b"".join(pieces)
