"""What the typed decoders let through and the interface does not: each refuses with the field's path."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from tuneplane.contract import INT64_MAX

from domain.errors import Refused

DEPTH = 32
"""Of free-form values, nested lists and maps."""
NODES = 65_536
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def name(path: str, text: str, limit: int, least: int = 1) -> str:
    """An id, name or key: `least` to `limit` characters, none of them a control character."""
    if not least <= len(text) <= limit:
        raise Refused.at(path, f"must have {least} to {limit:,} characters, not {len(text):,}", limit)
    if _CONTROL.search(text):
        raise Refused.at(path, "must not hold NUL or other control characters")
    return text


def optional_name(path: str, text: str | None, limit: int) -> str | None:
    """As `name`, where there is one; empty is legal."""
    return None if text is None else name(path, text, limit, least=0)


def finite(path: str, value: float | None) -> float | None:
    """A number that is neither NaN nor infinite (MessagePack can carry both)."""
    if value is not None and not math.isfinite(value):
        raise Refused.at(path, "must be a finite number")
    return value


def size(path: str, text: str, limit: int) -> int:
    """Bytes of `text` in UTF-8, at most `limit`."""
    found = len(text) if text.isascii() else len(text.encode())
    if found > limit:
        raise Refused.at(path, f"has {found:,} bytes of text; {limit:,} are allowed", limit)
    return found


def json_bytes(value: object) -> int:
    """Size of a value as compact UTF-8 JSON."""
    return len(msgspec.json.encode(value))


def free_form(path: str, value: object) -> None:
    """Values the contract leaves open must be JSON: text, finite numbers, 64-bit integers, lists, maps by text.

    At most `DEPTH` deep and `NODES` values.
    """
    waiting = [(path, value, 0)]
    for seen, (where, one, depth) in enumerate(_growing(waiting)):
        if depth > DEPTH:
            raise Refused.at(where, f"must be at most {DEPTH} deep", DEPTH)
        if seen >= NODES or len(waiting) > NODES:
            raise Refused.at(path, f"must hold at most {NODES:,} values", NODES)
        if isinstance(one, list):
            waiting += [(f"{where}[{at}]", item, depth + 1) for at, item in enumerate(one)]
        elif isinstance(one, dict):
            waiting += [(_below(where, key), item, depth + 1) for key, item in one.items()]
        else:
            _leaf(where, one)


def _growing(waiting: list[tuple[str, object, int]]) -> Iterator[tuple[str, object, int]]:
    while waiting:
        yield waiting.pop()


def _leaf(path: str, value: object) -> None:
    if value is None or isinstance(value, bool | str):
        return
    if isinstance(value, float):
        finite(path, value)
    elif not isinstance(value, int):
        raise Refused.at(path, "must hold JSON values alone")
    elif not -INT64_MAX - 1 <= value <= INT64_MAX:
        raise Refused.at(path, "integers must be below 2^63", INT64_MAX)


def _below(path: str, key: object) -> str:
    if not isinstance(key, str):
        raise Refused.at(path, "keys must be text")
    if _CONTROL.search(key):
        raise Refused.at(path, "keys must not hold control characters")
    return f"{path}.{_shown(key)}"


def _shown(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_/.-]{1,64}", key) else json.dumps(key[:64])


def converted(path: str, value: object, kind: type[Any]) -> Any:  # noqa: ANN401 - an instance of `kind`
    """`value` as the struct `kind`, strictly; the refusal names the field below `path`."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as problem:
        raise refusal_of(problem, path) from None


def below(path: str, refusal: Refused) -> Refused:
    """What the core refused, with the place in the request put before the field it names."""
    first = refusal.faults[0]
    return Refused.at(f"{path}.{first.path}", first.message, first.limit)


_AT = re.compile(r" - at `(?P<key>key` in `)?\$(?P<path>[^`]*)`\Z")
_BOUND = re.compile(r"(?:<=|<|>=|>) (-?\d+)(?:\.\d+)?|length (?:<=|>=) (\d+)")


def refusal_of(problem: msgspec.ValidationError, prefix: str = "") -> Refused:
    """What a typed decoder says, with the path and the bound taken out of its sentence."""
    text = str(problem)
    found = _AT.search(text)
    message = text[: found.start()] if found else text
    path = (prefix + found["path"]).lstrip(".") if found else prefix
    bound = _BOUND.search(message)
    limit = int(bound[1] or bound[2]) if bound else None
    return Refused.at(path, message[:1].lower() + message[1:].replace("`", ""), limit)
