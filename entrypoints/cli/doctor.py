"""`doctor`: what is wrong with this installation, and what to do about it."""

from __future__ import annotations

import argparse
import shutil
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from entrypoints.cli.failure import CommandFailed
from entrypoints.cli.options import Commands, add_data, settings_of
from entrypoints.cli.serve import check_exposure, is_loopback
from entrypoints.settings import Settings

if TYPE_CHECKING:
    from entrypoints.container import Container

LITTLE_SPACE_BYTES = 1024**3
FAR_BEHIND_EVENTS = 10_000


def add(commands: Commands) -> None:
    """Declares the command."""
    parser = commands.add_parser(
        "doctor",
        help="say what is wrong with this installation",
        description="Looks at the settings, the disk, the database, the log and the views, and says of each whether it "
        "is fine and what to do where it is not. Changes nothing but what starting does. Exits 1 where something is "
        "wrong. From a GPU node use `tuneplane doctor` instead.",
    )
    add_data(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """The command."""
    from entrypoints.cli.installation import installation

    settings = settings_of(arguments)
    found = [exposure(settings), ingest_address(settings), disk(settings)]
    for finding in found:
        print(finding)
    with installation(settings) as container:
        for look in (database, log, views, people):
            found.append(look(container))
            print(found[-1])
    return 0 if all(finding.good for finding in found) else 1


class Finding(msgspec.Struct, frozen=True):
    """What one look found."""

    good: bool
    sentence: str
    """What is so, and what to do where it is not good."""

    def __str__(self) -> str:
        return ("ok     " if self.good else "WRONG  ") + self.sentence


def exposure(settings: Settings) -> Finding:
    """Whether the server may listen where it is told to."""
    try:
        check_exposure(settings)
    except CommandFailed as problem:
        return Finding(good=False, sentence=str(problem))
    return Finding(good=True, sentence=f"The server listens on {settings.host}, port {settings.port}.")


def ingest_address(settings: Settings) -> Finding:
    """Whether training nodes could reach the address that jobs are given."""
    address = settings.public_address
    if is_loopback(urlsplit(address).hostname or ""):
        return Finding(
            good=False,
            sentence=f"Jobs report to {address}, which only this machine reaches: their charts stay empty elsewhere. "
            "Set TUNEPLANE_INGEST_URL to the address of this server as training nodes reach it.",
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


def database(container: Container) -> Finding:
    """Whether the database answers, and what it is."""
    with container.database().connection() as connection:
        version = connection.info.server_version // 10_000
    return Finding(good=True, sentence=f"PostgreSQL {version} answers and has the tables this version needs.")


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


def people(container: Container) -> Finding:
    """Whether somebody may administer."""
    accounts = container.accounts()
    found = [account for name in accounts.names() if (account := accounts.find(name)) is not None]
    if not any(account.role == "admin" for account in found):
        return Finding(
            good=False, sentence="There is no administrator. Make one: tuneplane-server user create NAME --role admin"
        )
    return Finding(good=True, sentence=f"{len(found)} people, one of them an administrator at least.")
