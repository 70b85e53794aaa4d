"""`tuneplane-server`: one command an action. What a command needs is imported when it runs, so --help is quick."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from entrypoints.cli import demo, doctor, events, migrate, project, projections, serve, sweep, token, user
from entrypoints.cli.failure import CommandFailed

COMMANDS = (demo, serve, project, migrate, projections, events, user, token, sweep, doctor)


def parser() -> argparse.ArgumentParser:
    """All commands."""
    made = argparse.ArgumentParser(
        prog="tuneplane-server", description="Results of training, RL and evaluation jobs: a server and its tools."
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; its exit status. 1: it failed, and standard error says why. 2: it was not understood."""
    parsed = parser().parse_args(arguments)
    try:
        return int(parsed.run(parsed))
    except CommandFailed as failure:
        print(f"tuneplane-server: {failure}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # who read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
