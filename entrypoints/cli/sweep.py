"""`sweep`: removes bodies that expired, were deleted, or that no event names."""

from __future__ import annotations

import argparse
import sys

from entrypoints.cli.options import Commands, add_data, settings_of

_TELL_EVERY = 1_000


def add(commands: Commands) -> None:
    """Declares the command."""
    parser = commands.add_parser(
        "sweep",
        help="remove expired bodies and orphans",
        description="Removes bodies of trajectories that have expired or were deleted, bodies of trajectories that no "
        "event names an hour later, uploads that no artifact was registered under within two hours, and what was begun "
        "and never ended. Records and counts stay, and bodies of artifacts. A running server does it every hour by "
        "itself; where another process is at it, this one leaves it alone.",
    )
    add_data(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """The command."""
    from entrypoints.cli.installation import installation

    with installation(settings_of(arguments)) as container:
        swept = container.sweep_bodies()(_tell)
    if swept.busy:
        print("Another process is sweeping; nothing was done here.")
        return 0
    print(
        f"{swept.looked_at:,} bodies: {swept.kept:,} kept; removed {swept.expired:,} expired, "
        f"{swept.deleted:,} deleted, {swept.orphans:,} that no event names, {swept.unfinished:,} unfinished."
    )
    return 0


def _tell(looked_at: int) -> None:
    if looked_at % _TELL_EVERY == 0:
        print(f"looked at {looked_at:,} bodies", file=sys.stderr, flush=True)
