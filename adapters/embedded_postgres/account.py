"""Which account PostgreSQL runs as, and what that account can get at. PostgreSQL refuses to run as root."""

import os
import pwd
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from adapters.embedded_postgres.errors import NoUnprivilegedAccount, OwnedByAnotherAccount

UNPRIVILEGED = ("postgres", "nobody")


class SpawnOptions(TypedDict, total=False):
    """What `subprocess` is told so that a program runs as the account, with nothing of our environment."""

    cwd: str
    env: dict[str, str]
    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int
    switched: bool
    """Whether it differs from the account of this process, which is then root."""

    def spawn_options(self) -> SpawnOptions:
        options: SpawnOptions = {"cwd": "/", "env": {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}}
        if self.switched:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return options

    def make_folder(self, folder: Path) -> None:
        """Make a folder that only this account can open. One that is there already stays as it is."""
        try:
            folder.mkdir(mode=0o700, parents=True)
        except FileExistsError:
            return
        if self.switched:
            os.chown(folder, self.uid, self.gid)

    def can_read(self, *paths: Path) -> bool:
        """Whether the account gets at these paths, all folders above them included."""
        if not self.switched:
            return True
        script = 'for path; do test -r "$path" || exit 1; done'
        asked = subprocess.run(["/bin/sh", "-c", script, "sh", *map(str, paths)], check=False, **self.spawn_options())
        return asked.returncode == 0

    @contextmanager
    def handed(self, folder: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The folder's path for a program of the account, and the descriptors that the program must inherit.

        A folder below a private one cannot be reached by its path; an open descriptor leads there all the same.
        """
        if self.can_read(folder):
            yield str(folder), ()
            return
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            yield f"/proc/self/fd/{descriptor}", (descriptor,)
        finally:
            os.close(descriptor)


def account_for(cluster: Path) -> Account:
    """The account that owns the cluster; for a cluster still to be made, ours or, for root, an unprivileged one."""
    ours = os.geteuid()
    if cluster.exists():
        owner = cluster.stat()
        if ours not in (0, owner.st_uid):
            raise OwnedByAnotherAccount(cluster, _name(owner.st_uid))
        if owner.st_uid != 0:
            return Account(owner.st_uid, owner.st_gid, switched=ours == 0)
    if ours != 0:
        return Account(ours, os.getegid(), switched=False)
    for name in UNPRIVILEGED:
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(found.pw_uid, found.pw_gid, switched=True)
    raise NoUnprivilegedAccount(UNPRIVILEGED)


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
