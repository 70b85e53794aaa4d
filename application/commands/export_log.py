"""Writes the log as lines of JSON that verify without the server.

One object a line, in order: position, recorded_at (microseconds), type, stream, version, run, digest and hash (hex),
payload (base64 of MessagePack; null where it was erased). How hashes follow: `application/event_log/hash_chain.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID

import msgspec

from application.event_log.chain_check import ChainCheck, Checked
from application.ports.event_log import EventLog, Head, RecordedEvent
from domain.errors import Refused
from domain.ids import Micros, Position, RunId


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One event as it is exported."""

    position: int
    recorded_at: int
    type: str
    stream: UUID
    version: int
    run: str
    digest: str
    hash: str
    payload: bytes | None


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Line)


def export_log(log: EventLog, until: Position | None = None) -> Iterator[bytes]:
    """The lines, each with its line end, up to `until` or to the head there is now."""
    position = Position(0)
    last = log.head().position if until is None else until
    while events := log.read(position, limit=1_000, max_bytes=16_000_000, until=last):
        for event in events:
            yield _encoder.encode(_line(event)) + b"\n"
        position = events[-1].position


def read_export(lines: Iterable[bytes]) -> Iterator[RecordedEvent]:
    """The events of an export. Raises `Refused` with the number of a line that is none; empty lines are skipped."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            read = _decoder.decode(line)
            yield RecordedEvent(
                position=Position(read.position),
                recorded_at=Micros(read.recorded_at),
                stream=read.stream,
                version=read.version,
                tag=read.type,
                run=RunId(read.run),
                digest=bytes.fromhex(read.digest),
                hash=bytes.fromhex(read.hash),
                payload=read.payload,
            )
        except ValueError as error:
            raise Refused(f"line {number} is no exported event: {error}") from error


def verify_export(lines: Iterable[bytes], published: Iterable[Head] = ()) -> Checked:
    """Proves an export as `verify_log` proves a log. That it is complete shows only against `published` heads."""
    check = ChainCheck(published)
    check.feed(read_export(lines))
    return check.end()


def _line(event: RecordedEvent) -> Line:
    return Line(
        position=event.position,
        recorded_at=event.recorded_at,
        type=event.tag,
        stream=event.stream,
        version=event.version,
        run=event.run,
        digest=event.digest.hex(),
        hash=event.hash.hex(),
        payload=event.payload,
    )
