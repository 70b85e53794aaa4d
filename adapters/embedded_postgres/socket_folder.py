"""Where the private socket is, and the programs' copy: a place that the account reaches by a short path."""

import os
import shutil
import tempfile
from pathlib import Path

from adapters.embedded_postgres.account import Account

LONGEST_SOCKET_PATH = 103
"""Bytes; Linux takes 107, macOS 103."""

SOCKET_NAME = ".s.PGSQL.5432"
PREFIX = "tuneplane-"


def reachable_home(data: Path, account: Account) -> Path:
    """The data folder itself when its path is short and open to the account, else a new private temporary folder."""
    if fits(data) and account.can_read(data):
        return data
    made = None
    for parent in (Path(tempfile.gettempdir()), Path("/tmp")):  # noqa: S108 - mkdtemp below makes it private
        made = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        if account.switched:
            os.chown(made, account.uid, account.gid)
        if fits(made) and account.can_read(made):
            return made
        made.rmdir()
    message = f"no folder with a short path that the account {account.uid} can reach"
    raise OSError(message)


def fits(home: Path) -> bool:
    """Whether the system and PostgreSQL's client library take the path of a socket below this folder."""
    path = os.fsencode(home / "run" / SOCKET_NAME)
    return len(path) <= LONGEST_SOCKET_PATH and b"," not in path  # a comma parts the names of two hosts


def discard_home(home: Path, data: Path, account: Account) -> None:
    """Remove a temporary folder that `reachable_home` made; any other folder stays."""
    if home == data or not home.name.startswith(PREFIX) or home.is_symlink():
        return
    if home.is_dir() and home.stat().st_uid == account.uid:
        shutil.rmtree(home, ignore_errors=True)
