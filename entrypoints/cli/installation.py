"""An installation, opened for a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from entrypoints.cli.database import dsn_of, opened
from entrypoints.cli.failure import CommandFailed
from entrypoints.cli.migrate import migrated
from entrypoints.settings import Settings

if TYPE_CHECKING:
    from entrypoints.container import Container


@contextmanager
def installation(settings: Settings, *, make: bool = False, migrating: bool = True) -> Iterator[Container]:
    """A container over the migrated database; refusals of the core become `CommandFailed`.

    `make` makes an embedded database where there is none. Not `migrating`: the database has every table already.
    """
    from domain.errors import DomainFault
    from entrypoints.container import Container

    with opened(settings, make=make) as found:
        if migrating:
            migrated(dsn_of(found))
        container = Container(settings=found)
        try:
            yield container
        except DomainFault as fault:
            raise CommandFailed(fault.detail) from None
        finally:
            container.event_log().close()
            container.database().close()
