"""The `meta.yaml` of MLflow's file store: names and plain values, one a line. No YAML beyond that is read."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tuneplane.moving.files import small_text
from tuneplane.moving.source import SourceRefused

_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*):(?: +(.*))?")
_LARGEST_BYTES = 1024 * 1024


def flat_yaml(path: Path) -> dict[str, str | None]:
    """The values by name; None for null and for lists or maps, which nobody here asks for. Raises SourceRefused."""
    written: dict[str, str] = {}
    name = ""
    for number, line in enumerate(small_text(path, _LARGEST_BYTES).splitlines(), 1):
        match = _LINE.fullmatch(line.rstrip())
        if match:
            name = match[1]
            written[name] = match[2] or ""
        elif name and line[:1] in (" ", "-"):
            written[name] += f" {line.strip()}"  # a long text goes on, indented
        elif line.strip() and not line.startswith(("#", "---")):
            raise SourceRefused(path, f"line {number}", "has to be `name: value`")
    return {name: _value(path, name, text) for name, text in written.items()}


def _value(path: Path, name: str, text: str) -> str | None:
    if text in ("", "null", "~") or text.startswith(("[", "{", "|", ">", "- ")):
        return None
    if text.startswith(("&", "*", "!", "%", "@", "`")):
        raise SourceRefused(path, name, "anchors, tags and the like are not read: has to be a plain value")
    if text.startswith("'"):
        if len(text) < 2 or not text.endswith("'"):  # noqa: PLR2004 - both quotes
            raise SourceRefused(path, name, "a quote is not closed")
        return text[1:-1].replace("''", "'")
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError as problem:
            raise SourceRefused(path, name, f"a quoted text that cannot be read: {problem}") from None
    return text
