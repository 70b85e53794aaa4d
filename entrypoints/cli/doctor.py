"""`doctor`: what is wrong with this installation, and what to do about it."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from domain.errors import TryAgain
from entrypoints.cli.failure import CommandFailed
from entrypoints.cli.migrate import lacking
from entrypoints.cli.options import Commands, add_data, settings_of
from entrypoints.cli.serve import check_exposure, is_loopback
from entrypoints.settings import Settings

if TYPE_CHECKING:
    from entrypoints.container import Container

LITTLE_SPACE_BYTES = 1024**3
FAR_BEHIND_EVENTS = 10_000
_NO_BODY = "doctor/no-body"
"""A key that nothing is ever kept under."""


def add(commands: Commands) -> None:
    """Declares the command."""
    parser = commands.add_parser(
        "doctor",
        help="say what is wrong with this installation",
        description="Looks at the settings, the disk, the database, the log, the views and where bodies are kept, and "
        "says of each whether it is fine and what to do where it is not. Changes nothing. Exits 1 where something is "
        "wrong. From a GPU node use `tuneplane doctor` instead.",
    )
    add_data(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """The command."""
    good = True
    for finding in examination(settings_of(arguments)):
        print(finding, flush=True)
        good = good and finding.good
    return 0 if good else 1


def examination(settings: Settings) -> Iterator[Finding]:
    """One look after another, as far as each allows the next."""
    from entrypoints.cli.database import dsn_of, opened
    from entrypoints.cli.installation import installation

    yield from (exposure(settings), ingest_address(settings), disk(settings))
    try:
        with opened(settings) as there:
            found = tables(dsn_of(there))
            yield found
            if found.good:
                with installation(there, migrating=False) as container:
                    yield from (look(container) for look in (log, views, bodies, people))
    except CommandFailed as problem:
        yield Finding(good=False, sentence=str(problem))


class Finding(msgspec.Struct, frozen=True):
    """What one look found."""

    good: bool
    sentence: str
    """What is so, and what to do where it is not good."""
    note: bool = False
    """Good here, but to be known by whoever wants more of this installation."""

    def __str__(self) -> str:
        word = "WRONG" if not self.good else "note" if self.note else "ok"
        return f"{word:<7}{self.sentence}"


def exposure(settings: Settings) -> Finding:
    """Whether the server may listen where it is told to."""
    try:
        check_exposure(settings)
    except CommandFailed as problem:
        return Finding(good=False, sentence=str(problem))
    return Finding(good=True, sentence=f"The server is to listen on {settings.host}, port {settings.port}.")


def ingest_address(settings: Settings) -> Finding:
    """Whether training nodes could reach the address that jobs are given."""
    address = settings.public_address
    if is_loopback(urlsplit(address).hostname or ""):
        local = is_loopback(settings.host) and not settings.behind_proxy
        return Finding(
            good=local,
            note=local,
            sentence=f"Jobs report to {address}, which only this machine reaches: their charts stay empty elsewhere. "
            "For jobs on other machines set TUNEPLANE_INGEST_URL to the address of this server as they reach it.",
        )
    return Finding(good=True, sentence=f"Jobs report to {address}; check it from a node: tuneplane doctor.")


def disk(settings: Settings) -> Finding:
    """Whether there is room for data."""
    folder = settings.data.absolute()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    sentence = f"{free / 1024**3:,.1f} GiB are free at {folder}."
    return Finding(good=free >= LITTLE_SPACE_BYTES, sentence=sentence)


def tables(dsn: str) -> Finding:
    """Whether the database answers and has the tables of this version. Raises `CommandFailed` where it does not."""
    missing = lacking(dsn)
    if missing:
        return Finding(
            good=False,
            sentence=f"The database lacks what this version needs ({', '.join(missing)}). Run: tuneplane-server "
            "migrate; starting the server does it, too.",
        )
    return Finding(good=True, sentence="The database answers and has the tables this version needs.")


def log(container: Container) -> Finding:
    """Whether the end of the log is what it says it is."""
    head = container.event_log().head()
    last = container.event_log().at([head.position]) if head.position else []
    if head.position and (not last or last[0].hash != head.hash):
        return Finding(
            good=False, sentence="The end of the log is not what its head says. Run: tuneplane-server events verify"
        )
    return Finding(good=True, sentence=f"The log is at position {head.position:,}.")


def views(container: Container) -> Finding:
    """Whether the views that serve follow the log."""
    head = container.event_log().head().position
    serving = [one for one in container.projection_store().versions() if one.serving]
    late = [one for one in serving if head - one.position > FAR_BEHIND_EVENTS]
    faulty = [one for one in serving if one.faults]
    if late:
        return Finding(
            good=False,
            sentence=f"{late[0].name} is {head - late[0].position:,} events behind. Does a projector run? "
            "tuneplane-server serve starts one, tuneplane-server project is one.",
        )
    if faulty:
        return Finding(
            good=False,
            sentence=f"{faulty[0].name} stopped at {faulty[0].faults:,} runs (their pages say why). After an upgrade "
            f"that mends it: tuneplane-server projections rebuild {faulty[0].name}",
        )
    if not serving:
        return Finding(good=not head, sentence="No view was made yet; a projector makes them.")
    return Finding(good=True, sentence=f"{len(serving)} views follow the log.")


def bodies(container: Container) -> Finding:
    """Whether the object store answers; nothing is written to it."""
    settings = container.settings()
    place = (
        f"objects of the bucket {settings.s3_bucket}"
        if settings.s3_bucket
        else f"files in {settings.bodies.absolute()}"
    )
    try:
        container.bodies().stat(_NO_BODY)
    except TryAgain as away:
        return Finding(
            good=False,
            sentence=f"Bodies are kept as {place}, and cannot be read: {away.detail} Metrics are not touched. "
            "For a bucket look at TUNEPLANE_S3_…, its credentials and what they permit (docs/storage.md).",
        )
    return Finding(good=True, sentence=f"Bodies are kept as {place}; they can be read.")


def people(container: Container) -> Finding:
    """Whether somebody may administer."""
    found = container.accounts().everyone()
    if not any(account.role == "admin" and not account.disabled for account in found):
        return Finding(
            good=False, sentence="There is no administrator. Make one: tuneplane-server user create NAME --role admin"
        )
    return Finding(good=True, sentence=f"People: {len(found):,}, an administrator among them.")
