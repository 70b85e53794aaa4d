"""Problems of a JSON-lines file, checked: `{"id"?, "problem" or "question", "answer"}` a line.

Everything is checked before the first problem is given to a model. Further fields are passed over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tuneplane.contract import TRIAL_ID_CHARS

from common.eval import strict_json
from common.eval.checked import Fields
from common.eval.refused import InputRefused

LINE_BYTES = 1024 * 1024
_TEXT_CHARS = 100_000


class Problem(NamedTuple):
    trial_id: str
    """The problem's `id`, or `line-N`, from 1."""
    text: str
    expected: str
    """As the file has it: a value, or a solution that ends in one."""


class Problems(NamedTuple):
    """The cohort, in the file's order."""

    items: tuple[Problem, ...]
    dataset_digest: str
    """SHA-256 of the file, the problems behind a limit included."""
    cohort_digest: str
    """SHA-256 of the trial ids, in order."""


def read_problems(path: Path, limit: int | None = None) -> Problems:
    """At most `limit` problems, the first ones. Raises `InputRefused`, naming line, field and rule."""
    digest = hashlib.sha256()
    items: list[Problem] = []
    lines: dict[str, int] = {}
    for number, line in _lines(path, digest):
        if limit is not None and len(items) == limit:
            continue
        found = _problem(str(path), number, line)
        before = lines.setdefault(found.trial_id, number)
        if before != number:
            raise InputRefused(str(path), f"line {number}: id", f"{found.trial_id!r} stands in line {before} already")
        items.append(found)
    if not items:
        raise InputRefused(str(path), "", "holds no problem")
    cohort = strict_json.digest([one.trial_id for one in items])
    return Problems(tuple(items), digest.hexdigest(), cohort)


def _lines(path: Path, digest: Any) -> Iterator[tuple[int, bytes]]:  # noqa: ANN401 - hashlib names no type for it
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(LINE_BYTES + 1), b""), start=1):
                if len(line) > LINE_BYTES:
                    raise InputRefused(str(path), f"line {number}", f"is longer than {LINE_BYTES:,} bytes")
                digest.update(line)
                if line.strip():
                    yield number, line
    except OSError as problem:
        raise InputRefused(str(path), "", f"cannot be read: {problem.strerror}") from None


def _problem(file: str, number: int, line: bytes) -> Problem:
    at = f"line {number}"
    try:
        parsed = strict_json.parse(line, file)
    except InputRefused as refused:
        raise InputRefused(file, f"{at}: {refused.field}" if refused.field else at, refused.rule) from None
    fields = Fields(file, at, parsed)
    named = [name for name in ("problem", "question") if name in fields.values]
    if len(named) != 1:
        raise InputRefused(file, at, "needs one of the fields problem and question")
    return Problem(_trial_id(fields, number), _text(fields, named[0]), _expected(fields))


def _text(fields: Fields, name: str) -> str:
    """Text of any characters, not blank."""
    value = fields.values.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > _TEXT_CHARS:
        rule = f"has to be text of at most {_TEXT_CHARS:,} characters, not blank"
        raise InputRefused(fields.file, fields.path(name), rule)
    return value


def _trial_id(fields: Fields, number: int) -> str:
    value = fields.values.get("id")
    if value is None:
        return f"line-{number}"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return fields.text("id", TRIAL_ID_CHARS)


def _expected(fields: Fields) -> str:
    value = fields.values.get("answer")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return json.dumps(value)
    return _text(fields, "answer")
