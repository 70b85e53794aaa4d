"""The command line that all sources share: where to import from and to, what is said, how it ends."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Callable

from tuneplane import terminal
from tuneplane.moving.files import fingerprint
from tuneplane.moving.moving_in import MovingIn, faults
from tuneplane.moving.source import Found, RefusedRun, SourceRefused
from tuneplane.moving.standing import BrokenOff
from tuneplane.moving.tally import report
from tuneplane.moving.trackers import TRACKERS
from tuneplane.opening import SERVER, TOKEN, NotOpened, Server

if TYPE_CHECKING:
    from collections.abc import Sequence

ALL_IN, NOT_ALL, NOTHING, NO_SERVER = 0, 1, 2, 3
_SHORTEST_PAUSE = 0.2
Reader = Callable[[Path, Callable[[str], None]], Iterable[Found]]
"""From a directory or file to its runs. The second argument takes lines to be told. Raises SourceRefused."""
_EPILOG = f"""{SERVER} (its address) and {TOKEN} (a personal token, tp_pat_...) say where to.

Importing again changes nothing; what the source has got since is added; an import that was killed goes on.

exit codes:
  0  everything that has a place here is there
  1  something could not be read or was refused; the table and the lines below it say what
  2  nothing was done: the command line is wrong, or the source holds no run
  3  the server cannot be reached, or refuses the token; the same command again goes on"""


def main(tracker: str, read: Reader, arguments: Sequence[str] | None = None) -> int:
    """The command of one tracker's module; its exit code."""
    options = argparse.ArgumentParser(prog=f"python -m {TRACKERS[tracker].module}")
    add_options(options, tracker)
    return run(options.parse_args(arguments), read)


def add_options(options: argparse.ArgumentParser, tracker: str) -> None:
    """What an import of this tracker's history is told."""
    options.description, options.epilog = TRACKERS[tracker].about, _EPILOG
    options.formatter_class = argparse.RawDescriptionHelpFormatter
    options.add_argument("source", type=Path, metavar="DIR", help=TRACKERS[tracker].place)
    options.add_argument("--label", default="", help="import as other runs than without this label")
    options.add_argument("--list", action="store_true", help="say what runs there are, send nothing")
    options.add_argument(
        "--follow",
        type=float,
        metavar="SECONDS",
        help="go on, looking for more every so many seconds, until interrupted",
    )


def run(given: argparse.Namespace, read: Reader, env: Mapping[str, str] | None = None) -> int:
    """Imports what the options name; the exit code."""
    env = os.environ if env is None else env
    if given.list:
        return _listed(given.source, read)
    if not (env.get(SERVER) and env.get(TOKEN)):
        _tell(
            f"{SERVER} and {TOKEN} have to be set (a personal token: tuneplane-server token create USER, on the server)"
        )
        return NO_SERVER
    try:
        with contextlib.closing(Server(env[SERVER], env[TOKEN], timeout=30.0)) as server:
            return _followed(given, read, server)
    except (BrokenOff, NotOpened) as problem:
        _tell(f"broken off, nothing is lost, the same command goes on: {problem}")
        return NO_SERVER


def _followed(given: argparse.Namespace, read: Reader, server: Server) -> int:
    code, moving = ALL_IN, MovingIn(server, _tell, label=given.label)
    try:
        seen = fingerprint(given.source)
        code = _once(given, read, moving)
        while given.follow is not None:
            time.sleep(max(given.follow, _SHORTEST_PAUSE))
            found = fingerprint(given.source)
            if found != seen:
                code, seen = _once(given, read, moving), found
    except KeyboardInterrupt:
        _tell("interrupted; the same command goes on")
        return code if given.follow is not None else NOT_ALL
    return code


def _once(given: argparse.Namespace, read: Reader, moving: MovingIn) -> int:
    try:
        tallies = moving.bring(read(given.source, _tell))
    except (SourceRefused, OSError) as problem:
        _tell(str(problem))
        return NOT_ALL
    if not tallies:
        return NOTHING
    if given.follow is None or any(one.points or one.histograms for one in tallies):
        terminal.tell_lines(sys.stdout, report(tallies))
    return NOT_ALL if faults(tallies) else ALL_IN


def _listed(source: Path, read: Reader) -> int:
    code = NOTHING
    try:
        for one in read(source, _tell):
            code = ALL_IN
            if isinstance(one, RefusedRun):
                terminal.tell_lines(sys.stdout, [f"{one.name}: REFUSED: {one.reason}"])
            else:
                parts = "1 part" if len(one.parts) == 1 else f"{len(one.parts)} parts"
                terminal.tell_lines(sys.stdout, [f"{one.name}: {parts}, tags: {', '.join(one.tags) or 'none'}"])
    except (SourceRefused, OSError) as problem:
        _tell(str(problem))
        return NOT_ALL
    return code


def _tell(text: str) -> None:
    """A line for the person watching."""
    terminal.tell(f"tuneplane: {text}")
