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
def installation(settings: Settings) -> Iterator[Container]:
    """A container over the migrated database; refusals of the core become `CommandFailed`."""
    from domain.errors import DomainFault
    from entrypoints.container import Container

    with opened(settings) as found:
        migrated(dsn_of(found))
        container = Container(settings=found)
        try:
            yield container
        except DomainFault as fault:
            raise CommandFailed(fault.detail) from None
        finally:
            container.event_log().close()
            container.database().close()
