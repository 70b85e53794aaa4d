"""`projections status/rebuild/compare/promote/drop`: new versions of the views, made while the old ones serve."""

from __future__ import annotations

import argparse

from entrypoints.cli.options import Commands, add_data, settings_of
from entrypoints.cli.progress import Progress


def add(commands: Commands) -> None:
    """Declares the commands."""
    parser = commands.add_parser(
        "projections",
        help="rebuild views while the old ones serve",
        description="A view is derived from the log and can be made again at any time: rebuild fills a new version "
        "beside the one that serves, compare says whether both agree at one position, promote lets the new one serve "
        "and keeps the old one for a way back, drop removes what does not serve.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    status = _action(actions, "status", "every version: how far it is, which one serves, faults, size")
    status.add_argument("name", metavar="NAME", nargs="?", help="one view (default: all)")
    rebuild = _action(actions, "rebuild", "fill a new version from the log")
    compare = _action(actions, "compare", "compare the version that serves with another; exit 1 where they differ")
    promote = _action(actions, "promote", "let another version serve")
    drop = _action(actions, "drop", "remove a version that does not serve")
    for one in (rebuild, compare, promote, drop):
        one.add_argument("name", metavar="NAME", help="a view: those that `projections status` lists")
    for one in (compare, promote, drop):
        one.add_argument("--version", type=int, metavar="N", help="which one (default: the newest that does not serve)")
    chosen = ((status, show), (rebuild, fill), (compare, compare_versions), (promote, let_serve), (drop, remove))
    for one, command in chosen:
        add_data(one)
        one.set_defaults(run=command)


def _action(actions: Commands, name: str, what: str) -> argparse.ArgumentParser:
    return actions.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")


def show(arguments: argparse.Namespace) -> int:
    """`status`."""
    from entrypoints.cli.installation import installation

    with installation(settings_of(arguments)) as container:
        head = container.event_log().head().position
        versions = container.projection_store().versions(arguments.name)
    print(f"The log is at {head:,}.")
    for one in versions:
        behind = "up to date" if one.position >= head else f"{head - one.position:,} behind"
        faults = f", stopped at {one.faults:,} runs" if one.faults else ""
        serves = "serves" if one.serving else "spare"
        print(f"{one.name} version {one.version}: {serves}, {behind}{faults}, {one.size_bytes:,} bytes")
    return 0


def fill(arguments: argparse.Namespace) -> int:
    """`rebuild`."""
    from application.commands.rebuild_projection import rebuild_projection
    from entrypoints.cli.installation import installation

    progress = Progress(f"rebuilding {arguments.name}")
    with installation(settings_of(arguments)) as container:
        rebuilt = rebuild_projection(container.projection_store(), arguments.name, progress)
    progress.end()
    print(
        f"{arguments.name} version {rebuilt.version} is filled up to {rebuilt.position:,}. Next: tuneplane-server "
        f"projections compare {arguments.name}, then promote."
    )
    return 0


def compare_versions(arguments: argparse.Namespace) -> int:
    """`compare`."""
    from application.commands.compare_projection import compare_projection
    from entrypoints.cli.installation import installation

    progress = Progress(f"filling {arguments.name}")
    with installation(settings_of(arguments)) as container:
        found = compare_projection(container.projection_store(), arguments.name, progress, arguments.version)
    progress.end()
    print(
        f"Versions {found.left} and {found.right} at position {found.position:,}: {found.compared:,} things compared."
    )
    for name, difference in found.named:
        print(f"  {name}: {difference}")
    print("They agree." if not found.differences else f"{found.differences:,} differ.")
    return 1 if found.differences else 0


def let_serve(arguments: argparse.Namespace) -> int:
    """`promote`."""
    from application.commands.promote_projection import promote_projection
    from entrypoints.cli.installation import installation

    with installation(settings_of(arguments)) as container:
        version = promote_projection(container.projection_store(), arguments.name, arguments.version)
    print(f"{arguments.name} version {version} serves.")
    return 0


def remove(arguments: argparse.Namespace) -> int:
    """`drop`."""
    from application.commands.drop_projection import drop_projection
    from entrypoints.cli.installation import installation

    with installation(settings_of(arguments)) as container:
        version = drop_projection(container.projection_store(), arguments.name, arguments.version)
    print(f"{arguments.name} version {version} was removed.")
    return 0
