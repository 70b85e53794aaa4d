"""Fills an empty log with an export, verifying the chain while it loads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from application.commands.export_log import read_export
from application.event_log.chain_check import ChainCheck
from application.ports.event_log import Head, RecordedEvent
from application.ports.log_archive import LogArchive
from domain.errors import Refused
from domain.ids import Position

PROGRESS_EVERY = 1_000


def import_log(
    lines: Iterable[bytes],
    archive: LogArchive,
    published: Iterable[Head] = (),
    progress: Callable[[Position], None] = lambda _done: None,
) -> Head:
    """Everything or nothing; the head of the log.

    Raises `Refused` naming the first position that does not hold or the line that is no event, `IdentityTaken` where
    the log is not empty. `progress` gets the position done, now and then.
    """
    return archive.restore(_verified(read_export(lines), ChainCheck(published), progress))


def _verified(
    events: Iterable[RecordedEvent], check: ChainCheck, progress: Callable[[Position], None]
) -> Iterator[RecordedEvent]:
    for event in events:
        if not check.feed((event,)):
            break
        yield event
        if event.position % PROGRESS_EVERY == 0:
            progress(event.position)
    fault = check.end().fault
    if fault is not None:
        raise Refused(f"event {fault.position}: {fault.what}. Nothing was imported.")
