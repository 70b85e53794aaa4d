"""The database's files: made once, recognised afterwards, and the settings the server runs with."""

import logging
import os
import shutil
import subprocess
import time
from pathlib import Path

from adapters.embedded_postgres.account import Account
from adapters.embedded_postgres.binaries import MAJOR
from adapters.embedded_postgres.errors import DidNotStart, NotACluster, OtherMajorVersion

SUPERUSER = "tuneplane"

SETTINGS = {
    "listen_addresses": "",  # no TCP at all
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    "shared_buffers": "256MB",
    # Rare checkpoints write fewer full pages; 2 GB of log is still replayed within seconds after a crash.
    "max_wal_size": "2GB",
    "checkpoint_timeout": "15min",
    "wal_compression": "off",  # bodies come packed; pglz would only cost time
    "jit": "off",
    # Texts that people sent must not reach the log with a failing statement.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}

DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
FORGETFUL = {**DURABLE, "fsync": "off", "full_page_writes": "off"}

log = logging.getLogger(__name__)


def server_arguments(socket_folder: Path, *, durable: bool) -> list[str]:
    """What `postgres` is called with, its data folder apart.

    Not durable: what was committed is lost with a crash of the machine; for tests.
    """
    quoted = str(socket_folder).replace('"', '""')  # the setting is a list
    settings = {**SETTINGS, **(DURABLE if durable else FORGETFUL), "unix_socket_directories": f'"{quoted}"'}
    return [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]


def refuse_foreign(cluster: Path) -> None:
    """Raise unless the folder is absent, empty or a cluster of our major version. Changes nothing."""
    if not cluster.exists():
        return
    try:
        found = (cluster / "PG_VERSION").read_text(encoding="ascii").strip()
    except (FileNotFoundError, NotADirectoryError):
        raise NotACluster(cluster) from None
    if found != MAJOR:
        raise OtherMajorVersion(cluster, found, MAJOR)


def make_cluster(cluster: Path, programs: Path, account: Account, *, durable: bool) -> None:
    """Make the database's files beside the place where they belong, then move them there, whole or not at all."""
    unfinished = cluster.with_name(f"{cluster.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    account.make_folder(unfinished)
    began = time.monotonic()
    log.info("making a PostgreSQL %s database in %s", MAJOR, cluster)
    with account.handed(unfinished) as (folder, descriptors):
        initdb = [
            *(str(programs / "bin" / "initdb"), "--pgdata", folder, "--username", SUPERUSER),
            # Whoever opens the private socket is trusted; nothing else may come in, should TCP ever be on.
            *("--auth-local=trust", "--auth-host=reject"),
            *("--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions"),
            *(() if durable else ("--no-sync",)),
        ]
        made = subprocess.run(
            initdb, check=False, capture_output=True, text=True, pass_fds=descriptors, **account.spawn_options()
        )
    if made.returncode != 0:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise DidNotStart(f"Making the database in {cluster}", made.stderr)
    unfinished.rename(cluster)
    _sync_folder(cluster.parent)
    log.info("database made in %.1f s", time.monotonic() - began)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
