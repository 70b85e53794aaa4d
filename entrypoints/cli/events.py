"""`events replay/verify/export/import`: the log itself."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from entrypoints.cli.failure import CommandFailed
from entrypoints.cli.options import Commands, add_data, settings_of
from entrypoints.cli.progress import Progress

if TYPE_CHECKING:
    from application.event_log.chain_check import Checked
    from application.ports.event_log import Head

_HASH_DIGITS = 64


def add(commands: Commands) -> None:
    """Declares the commands."""
    parser = commands.add_parser(
        "events", help="read, prove, export and load the log", description="The log: every accepted fact, in order."
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    replay = actions.add_parser("replay", help="print the history of a run, in the order it was accepted")
    replay.add_argument("run_id", metavar="RUN")
    verify = actions.add_parser(
        "verify",
        help="prove that nothing was altered since it was appended",
        description="Hashes every body and recomputes the chain; says where it first does not hold, and exits 1 then. "
        "A log rewritten as a whole, or cut off at its end, shows only against heads kept elsewhere: those of the "
        "server's log lines, or of X-TunePlane-Position and X-TunePlane-Head in ingest answers.",
    )
    verify.add_argument(
        "--file", type=Path, metavar="FILE", help="an export instead of the database; - is standard input"
    )
    export = actions.add_parser("export", help="write the log as lines of JSON that verify without a server")
    export.add_argument("file", metavar="FILE", help="a new file; - is standard output")
    load = actions.add_parser(
        "import",
        help="load an export into an empty log",
        description="Loads everything or nothing, proving the chain on the way. The log must be empty.",
    )
    load.add_argument("file", metavar="FILE", help="an export; - is standard input")
    for one in (replay, export):
        one.add_argument("--until", type=_position, metavar="N", help="up to this position (default: everything)")
    for one in (verify, load):
        one.add_argument(
            "--head",
            action="append",
            default=[],
            metavar="POSITION:HASH",
            help="a head kept elsewhere; may be repeated",
        )
    for one, command in ((replay, print_history), (verify, prove), (export, write_export), (load, load_export)):
        add_data(one)
        one.set_defaults(run=command)


def print_history(arguments: argparse.Namespace) -> int:
    """`replay`."""
    from application.commands.replay_run import replay_run
    from domain.ids import RunId
    from entrypoints.cli.installation import installation

    lines = 0
    with installation(settings_of(arguments)) as container:
        for line in replay_run(container.event_log(), RunId(arguments.run_id), arguments.until):
            lines += 1
            print(line)
    if not lines:
        raise CommandFailed(f"The log knows no run {arguments.run_id!r}.")
    return 0


def prove(arguments: argparse.Namespace) -> int:
    """`verify`."""
    from application.commands.export_log import verify_export
    from application.commands.verify_log import verify_log
    from domain.errors import DomainFault
    from entrypoints.cli.installation import installation

    heads = _heads(arguments.head)
    if arguments.file is not None:
        try:
            with _read(str(arguments.file)) as lines:
                return _told(verify_export(lines, heads))
        except DomainFault as fault:
            raise CommandFailed(fault.detail) from None
    progress = Progress("verifying")
    with installation(settings_of(arguments)) as container:
        checked = verify_log(container.event_log(), heads, progress)
    progress.end()
    return _told(checked)


def write_export(arguments: argparse.Namespace) -> int:
    """`export`."""
    from application.commands.export_log import export_log
    from entrypoints.cli.installation import installation

    progress, written = Progress("exporting"), 0
    with installation(settings_of(arguments)) as container, _written(arguments.file) as file:
        for line in export_log(container.event_log(), arguments.until):
            file.write(line)
            written += 1
            progress(written)
    progress.end()
    print(f"{written:,} events were exported.", file=sys.stderr)
    return 0


def load_export(arguments: argparse.Namespace) -> int:
    """`import`."""
    from application.commands.import_log import import_log
    from entrypoints.cli.installation import installation

    progress = Progress("importing")
    with installation(settings_of(arguments), make=True) as container, _read(arguments.file) as lines:
        head = import_log(lines, container.event_log(), _heads(arguments.head), progress)
    progress.end()
    print(f"{head.position:,} events were imported; the head is {head.position}:{head.hash.hex()}.")
    return 0


def _told(checked: Checked) -> int:
    if checked.fault is not None:
        print(f"NOT SOUND at event {checked.fault.position:,}: {checked.fault.what}.")
        return 1
    erased = f", {checked.erased:,} of them erased" if checked.erased else ""
    head = checked.head
    print(f"Sound: {head.position:,} events{erased}; the head is {head.position}:{head.hash.hex()}.")
    return 0


def _position(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError("it must be a position: a whole number")
    return int(text)


def _heads(texts: Iterable[str]) -> list[Head]:
    from application.ports.event_log import Head
    from domain.ids import Position

    found = []
    for text in texts:
        position, _, digits = text.partition(":")
        try:
            found.append(Head(Position(int(position)), bytes.fromhex(digits)))
        except ValueError:
            digits = ""
        if len(digits) != _HASH_DIGITS:
            raise CommandFailed(f"--head {text}: it must be a position, a colon and 64 hex digits.")
    return found


@contextmanager
def _read(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115 - closed below
    except OSError as problem:
        raise CommandFailed(f"{name} cannot be read: {problem.strerror}.") from None
    with file:
        yield file


@contextmanager
def _written(name: str) -> Iterator[BinaryIO]:
    """A new file for its owner alone, removed again where the export fails: half an export is none."""
    if name == "-":
        yield sys.stdout.buffer
        return
    path = Path(name)
    try:
        file = open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))  # noqa: SIM115 - closed below
    except OSError as problem:
        raise CommandFailed(f"{name} cannot be made: {problem.strerror}.") from None
    try:
        with file:
            yield file
    except BaseException:
        path.unlink(missing_ok=True)
        raise
