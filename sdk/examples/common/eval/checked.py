"""Reading a field of what JSON said, with the field's name in every refusal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tuneplane.contract import DIGEST_PATTERN
from tuneplane.observations import CONTROL

from common.eval.refused import InputRefused

_DIGEST = re.compile(DIGEST_PATTERN)


class Fields:
    """An object of a file, and where it stands there."""

    def __init__(self, file: str, at: str, value: object) -> None:
        """Raises `InputRefused` where `value` is no object."""
        self.file = file
        self.at = at
        if not isinstance(value, dict):
            raise InputRefused(file, at, f"has to be an object, not {kind_of(value)}")
        self.values: Mapping[str, Any] = value

    def only(self, *names: str) -> Fields:
        """Itself. Raises `InputRefused` for a field with another name, and for a missing one."""
        for name in self.values:
            if name not in names:
                raise InputRefused(self.file, self.path(name[:80]), f"is none of the fields: {', '.join(names)}")
        for name in names:
            if name not in self.values:
                raise InputRefused(self.file, self.path(name), "is missing")
        return self

    def path(self, name: str) -> str:
        return f"{self.at}.{name}" if self.at else name

    def text(self, name: str, longest: int) -> str:
        """1 to `longest` characters, not blank, no control characters."""
        value = self.values.get(name)
        if not isinstance(value, str) or not 1 <= len(value) <= longest or CONTROL.search(value) or not value.strip():
            rule = f"has to be text of 1 to {longest} characters, not blank, without control characters"
            raise InputRefused(self.file, self.path(name), rule)
        return value

    def digest(self, name: str) -> str:
        value = self.values.get(name)
        if not isinstance(value, str) or not _DIGEST.match(value):
            raise InputRefused(self.file, self.path(name), "has to be a SHA-256: 64 lowercase hex digits")
        return value

    def count(self, name: str, largest: int) -> int:
        """A whole number from 0 to `largest`."""
        value = self.values.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= largest:
            raise InputRefused(self.file, self.path(name), f"has to be a whole number from 0 to {largest}")
        return value

    def list_of(self, name: str) -> list[Any]:
        value = self.values.get(name)
        if not isinstance(value, list):
            raise InputRefused(self.file, self.path(name), f"has to be a list, not {kind_of(value)}")
        return value

    def optional_text(self, name: str) -> str:
        """Text of any kind; empty where the field is absent or null."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, str):
            raise InputRefused(self.file, self.path(name), f"has to be text, not {kind_of(value)}")
        return value or ""

    def optional_list(self, name: str) -> list[Any]:
        """Empty where the field is absent or null."""
        return [] if self.values.get(name) is None else self.list_of(name)

    def inner(self, name: str) -> Fields:
        return Fields(self.file, self.path(name), self.values.get(name))

    def optional(self, name: str) -> Fields | None:
        """None where the field is absent or null."""
        return None if self.values.get(name) is None else self.inner(name)


def kind_of(value: object) -> str:
    """What JSON calls it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names = {int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), "something else")
