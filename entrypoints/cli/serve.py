"""`serve`: the server, with its database and projector."""

from __future__ import annotations

import argparse
import ipaddress
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from entrypoints.cli.failure import CommandFailed
from entrypoints.cli.options import Commands, add_data, settings_of
from entrypoints.settings import Settings

if TYPE_CHECKING:
    from entrypoints.container import Container


def add(commands: Commands) -> None:
    """Declares the command."""
    parser = commands.add_parser(
        "serve",
        help="run the server",
        description="Runs the server: HTTP, a projector as its child, and, unless TUNEPLANE_DATABASE_URL is set, an "
        "embedded PostgreSQL in DIR. A fresh database gets one user, admin; its password is printed once. "
        "SIGTERM ends it within 5 seconds, after answering what is in flight. Other settings: docs/settings.md.",
    )
    parser.add_argument("--host", help="address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, help="port to listen on (default 8420)")
    parser.add_argument("--tls-cert", type=Path, metavar="FILE", help="certificate chain, PEM")
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help="its private key, PEM")
    parser.add_argument(
        "--behind-proxy",
        action="store_true",
        default=None,
        help="a proxy in front ends TLS: allows to listen beyond loopback without a certificate",
    )
    parser.add_argument(
        "--no-projector",
        action="store_true",
        help="do not start a projector; run `tuneplane-server project` elsewhere, or views stay as they are",
    )
    add_data(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """The command."""
    settings = settings_of(
        arguments,
        host=arguments.host,
        port=arguments.port,
        tls_cert=arguments.tls_cert,
        tls_key=arguments.tls_key,
        behind_proxy=arguments.behind_proxy,
    )
    check_exposure(settings)
    check_port(settings)
    from entrypoints import logging_setup

    logging_setup.configure()
    serve(settings, projector=not arguments.no_projector)
    return 0


def serve(settings: Settings, *, projector: bool) -> None:
    """Until SIGTERM."""
    from entrypoints.http.server import run as run_server

    with serving(settings, projector=projector) as (container, password):
        check_port(settings)  # once more: another server may have come while the database started
        run_server(container, lambda: _announce(container.settings(), password))


@contextmanager
def serving(settings: Settings, *, projector: bool) -> Iterator[tuple[Container, str | None]]:
    """Everything that a server needs around it: database, migrations, container, projector.

    Gives the container, and the first user's password where this installation is fresh.
    """
    from entrypoints.cli.database import dsn_of, started
    from entrypoints.cli.migrate import migrated
    from entrypoints.cli.projector_child import ProjectorChild
    from entrypoints.container import Container
    from entrypoints.memory import return_large_blocks

    return_large_blocks()
    with ExitStack() as stack:
        found = stack.enter_context(started(settings))
        migrated(dsn_of(found))
        container = Container(settings=found)
        stack.callback(_close, container)
        password = container.manage_accounts().make_first()
        if projector:
            stack.enter_context(ProjectorChild(dsn_of(found)))
        yield container, password


def check_exposure(settings: Settings) -> None:
    """Refuses to listen beyond this machine in clear."""
    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise CommandFailed("--tls-cert and --tls-key come together.")
    for file in (settings.tls_cert, settings.tls_key):
        if file is not None and not file.is_file():
            raise CommandFailed(f"{file} is not there.")
    if not 0 <= settings.port <= 65_535:  # noqa: PLR2004 - the largest port
        raise CommandFailed("--port must be 0 to 65,535.")
    if not is_loopback(settings.host) and settings.tls_cert is None and not settings.behind_proxy:
        raise CommandFailed(
            f"{settings.host} can be reached from other machines, and passwords and tokens would travel in clear. Give "
            "--tls-cert and --tls-key, or --behind-proxy where a proxy in front ends TLS, or listen on 127.0.0.1."
        )


def check_port(settings: Settings) -> None:
    """Refuses a port that is taken: the server's own socket would share it, and requests go to either."""
    import socket

    try:
        family, kind, _, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as problem:
        raise CommandFailed(
            f"{settings.host}, port {settings.port} cannot be listened on: {problem.strerror}. Choose another --port, "
            "or stop what listens there."
        ) from None


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches it. A name other than localhost counts as reachable."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _announce(settings: Settings, password: str | None) -> None:
    print(f"TunePlane serves {settings.address}", flush=True)
    if password is not None:
        print(f"A first user was made: admin, password {password} (shown once)", flush=True)


def _close(container: Container) -> None:
    container.reading().close()
    container.event_log().close()
    container.database().close()
