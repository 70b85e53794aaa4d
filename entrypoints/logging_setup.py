"""Logs on standard error: no text of a client can forge a line, and no credential shows its secret."""

from __future__ import annotations

import logging
import re
import sys

from application.credentials import without_secrets

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class OneLine(logging.Formatter):
    """Escapes what could move a terminal's cursor, and masks secrets; the lines of a traceback stay lines."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets("\n".join(_escaped(line) for line in super().format(record).split("\n")))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name in `logging`
        record.message = _escaped(record.message)
        return super().formatMessage(record)


def _escaped(text: str) -> str:
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def configure(level: int = logging.INFO) -> None:
    """For a process of its own: replaces whatever was configured."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for noisy in ("_granian", "psycopg.pool", "eventsourcing"):
        logging.getLogger(noisy).setLevel(logging.ERROR)
