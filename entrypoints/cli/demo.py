"""`demo`: the server, its database and a real training job that reports to it, in one command."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from entrypoints.cli.failure import CommandFailed
from entrypoints.cli.options import Commands, settings_of
from entrypoints.settings import Settings

if TYPE_CHECKING:
    from entrypoints.container import Container

FOLDER = Path(".tuneplane-demo")
PORT = 8420
_PORTS_TRIED = 20


def add(commands: Commands) -> None:
    """Declares the command."""
    parser = commands.add_parser(
        "demo",
        help="see it work: the server and a real training job",
        description="Starts the server with an embedded PostgreSQL and trains a small network on handwritten digits, "
        "which reports through the client like any other job. Prints the address and the password of the user admin; "
        "Ctrl-C ends it. With --once it trains to the end, reads back over the API all that was sent, prints a "
        "JSON summary and exits 0, or 1 where anything differs.",
    )
    parser.add_argument("--once", action="store_true", help="train, compare what was sent with what is read, and exit")
    parser.add_argument("--port", type=int, help=f"port to listen on (default {PORT}, or the next that is free)")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=f"folder of the database (default {FOLDER}, whose admin gets a new password each time; with --once a "
        "temporary one)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """The command."""
    from entrypoints import logging_setup

    port = free_port() if arguments.port is None else arguments.port
    logging_setup.configure()
    with _folder(arguments.data, once=arguments.once) as folder:
        settings = settings_of(arguments, data=folder, port=port, host="127.0.0.1")
        return _serve(settings, once=arguments.once, own_folder=arguments.data is None)


def free_port() -> int:
    """The usual port, or the first behind it that nobody listens on."""
    for port in range(PORT, PORT + _PORTS_TRIED):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port
    raise CommandFailed(f"Ports {PORT} to {PORT + _PORTS_TRIED - 1} are all in use; choose one with --port.")


@contextlib.contextmanager
def _folder(chosen: Path | None, *, once: bool) -> Iterator[Path]:
    if chosen is not None or not once:
        yield chosen or FOLDER
        return
    with tempfile.TemporaryDirectory(prefix="tuneplane-demo-") as folder:
        yield Path(folder)


def _serve(settings: Settings, *, once: bool, own_folder: bool) -> int:
    from entrypoints.cli.serve import serving
    from entrypoints.demo.session import DemoSession
    from entrypoints.http.server import run as run_server

    with serving(settings, projector=True) as (container, first_password):
        password = first_password or (container.manage_accounts().change_password("admin") if own_folder else None)

        def announce(run_id: str) -> None:
            if not once:
                _announce(container, password, run_id)

        def finished(code: int) -> None:
            if not once:
                _say_ended(code)

        session = DemoSession(container, announce, finished, once=once)
        try:
            run_server(container, session.start, session.close)
        finally:
            session.close()
        return session.status


def _announce(container: Container, password: str | None, run_id: str) -> None:
    settings = container.settings()
    shown = password or "the one you chose (tuneplane-server user password admin sets another)"
    token = f"{_this_program()} token create admin --data {shlex.quote(str(settings.data))}"
    print(
        f"\n  Watch it train: {settings.address}/runs/{run_id}\n  User admin, password {shown}\n"
        f"  A token for jobs of your own: {token}\n  Ctrl-C ends it.\n",
        flush=True,
    )


def _say_ended(code: int) -> None:
    ended = "The job is done" if code == 0 else f"The job ended with {code}"
    print(f"  {ended}; everything it reported stays to be looked at until Ctrl-C.\n", flush=True)


def _this_program() -> str:
    """How it was called, so that a line of ours can be typed as it stands."""
    return shlex.quote(sys.argv[0]) if Path(sys.argv[0]).name == "tuneplane-server" else "tuneplane-server"
