"""The error that every check of an input raises: which file, which field, which rule, what to do."""

from __future__ import annotations


class InputRefused(ValueError):
    """An input breaks a rule, so nothing is made of any of it and nothing is sent."""

    def __init__(self, file: str, field: str, rule: str) -> None:
        super().__init__(f"{file}: {field}: {rule}" if field else f"{file}: {rule}")
        self.file = file
        """As the person named it."""
        self.field = field
        """Where in it, as `trials[3].attempts[0].retry`; empty: all of it."""
        self.rule = rule
        """What has to hold, and what to do where that is not plain."""
