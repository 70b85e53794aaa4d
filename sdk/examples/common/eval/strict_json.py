"""JSON without what programs read differently: no NaN, no number too large, no key twice, no broken UTF-8.

Source: SPEC "Import native evaluation artifacts": invalid JSON and non-finite numbers fail preparation.
"""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

from tuneplane.single_keys import KeyTwice, each_key_once

from common.eval.refused import InputRefused

DEEPEST = 100
"""Levels of objects and lists."""


class _NotFinite(ValueError):
    pass


def read(path: Path, largest: int) -> Any:  # noqa: ANN401 - JSON is whatever was written
    """What a file says that the person named. Raises `InputRefused`, also for more than `largest` bytes."""
    try:
        with path.open("rb") as file:
            data = file.read(largest + 1)
    except OSError as problem:
        raise InputRefused(str(path), "", f"cannot be read: {problem.strerror}") from None
    if len(data) > largest:
        raise InputRefused(str(path), "", f"is larger than {largest:,} bytes")
    return parse(data, str(path))


def parse(data: bytes, file: str) -> Any:  # noqa: ANN401 - JSON is whatever was written
    """What `data` says. Raises `InputRefused`, naming `file`."""
    try:
        found = json.loads(
            data.decode("utf-8"), parse_constant=_constant, parse_float=_float, object_pairs_hook=each_key_once
        )
    except UnicodeDecodeError as problem:
        raise InputRefused(file, "", f"is no UTF-8 at byte {problem.start}") from None
    except KeyTwice as problem:
        raise InputRefused(file, problem.key[:80], "stands twice in one object") from None
    except _NotFinite as problem:
        raise InputRefused(file, "", f"holds {problem}; only finite numbers are read") from None
    except json.JSONDecodeError as problem:
        raise InputRefused(
            file, "", f"is no JSON: {problem.msg} in line {problem.lineno}, column {problem.colno}"
        ) from None
    except RecursionError:
        raise InputRefused(file, "", "is nested too deeply") from None
    except ValueError:  # an integer of more digits than Python reads
        raise InputRefused(file, "", "holds an integer of too many digits") from None
    if _deeper(found, DEEPEST):
        raise InputRefused(file, "", f"is nested more than {DEEPEST} levels deep")
    return found


def canonical(value: object) -> bytes:
    """One text for one value: what digests are taken of. Keys are sorted, nothing but ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def digest(value: object) -> str:
    """SHA-256 of the value, 64 hex digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def _constant(name: str) -> float:
    raise _NotFinite(name)


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _NotFinite(text[:40])
    return number


def _deeper(value: object, levels: int) -> bool:
    """Whether objects and lists are nested more than `levels` deep."""
    layer = [value]
    for _ in range(levels + 1):
        inside: list[object] = []
        for one in layer:
            if isinstance(one, dict):
                inside.extend(one.values())
            elif isinstance(one, list):
                inside.extend(one)
        if not inside:
            return False
        layer = inside
    return True
