"""What a job was configured with as a flat list of values, and what differs between two such lists. Pure.

What is compared is what was sent: 1 and 1.0, or a number and a text of the same digits, are not the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

REDACTED = "[redacted]"
"""What the client puts in a secret's place before it leaves the job."""

_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "true or false",
    int: "whole number",
    float: "number",
    str: "text",
    dict: "object",
}


class Leaf(msgspec.Struct, frozen=True, kw_only=True):
    """One value."""

    path: str
    """Names of the way to it joined with `.`, places in a list as `[0]`; ` #2` and on behind a path taken already."""
    kind: str
    """As JSON tells kinds apart: text, whole number, number, true or false, null, list, object."""
    text: str
    """A text itself; anything else as JSON, numbers as they were sent."""
    redacted: bool
    """The client put something else in place of a secret, or of a part that looked like one."""


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """One value that both sides have, and not the same."""

    path: str
    left: Leaf
    right: Leaf


class ConfigDiff(msgspec.Struct, frozen=True, kw_only=True):
    """By path. What neither side reported is in none of them."""

    changed: list[Changed]
    only_left: list[Leaf]
    only_right: list[Leaf]
    same: int
    """Values that both sides have alike, and whole."""
    hidden: list[Leaf]
    """What reads alike on both sides because the client took something out: whether it is the same, nobody knows."""


def leaves(tree: Mapping[str, Any]) -> list[Leaf]:
    """Every value of a JSON object, by path. Lists of plain values, and what is empty, stay whole."""
    taken: Counter[str] = Counter()
    found: list[Leaf] = []
    for path, value in _walk("", tree):
        taken[path] += 1
        found.append(_leaf(path if taken[path] == 1 else f"{path} #{taken[path]}", value))
    return sorted(found, key=lambda one: (one.path.casefold(), one.path))


def holding(listed: Sequence[Leaf], part: str) -> list[Leaf]:
    """Those with `part` in their path or value, in any case; all where it is empty."""
    wanted = part.casefold()
    return [one for one in listed if wanted in one.path.casefold() or wanted in one.text.casefold()]


def config_diff(left: Sequence[Leaf], right: Sequence[Leaf]) -> ConfigDiff:
    """`right` against `left`, each by path."""
    one, other = ({leaf.path: leaf for leaf in side} for side in (left, right))
    both = [(leaf, other[leaf.path]) for leaf in left if leaf.path in other]
    changed = [Changed(path=here.path, left=here, right=there) for here, there in both if here != there]
    hidden = [here for here, there in both if here == there and here.redacted]
    return ConfigDiff(
        changed=changed,
        only_left=[leaf for leaf in left if leaf.path not in other],
        only_right=[leaf for leaf in right if leaf.path not in one],
        same=len(both) - len(changed) - len(hidden),
        hidden=hidden,
    )


def _walk(path: str, value: object) -> Iterator[tuple[str, object]]:
    match value:
        case dict() if value:
            for name, inner in value.items():
                yield from _walk(f"{path}.{name}" if path else str(name), inner)
        case list() if any(isinstance(one, (dict, list)) for one in value):
            for at, inner in enumerate(value):
                yield from _walk(f"{path}[{at}]", inner)
        case _ if path or not isinstance(value, dict):
            yield path, value


def _leaf(path: str, value: object) -> Leaf:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Leaf(path=path, kind=_kind(value), text=text, redacted=REDACTED in text)


def _kind(value: object) -> str:
    return f"list of {len(value)}" if isinstance(value, list) else _KINDS[type(value)]
