"""How a command says that it could not do what was asked."""

from __future__ import annotations


class CommandFailed(Exception):
    """The message says what is wrong and what to do; it is printed without a traceback."""
