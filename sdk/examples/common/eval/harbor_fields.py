"""Which settings of a native trial Harbor has no place for.

Harbor reads its configuration leniently: `override_timeout` in place of `override_timeout_sec` is taken without a word
and does nothing. So what was given is walked beside what Harbor made of it. Runs in the interpreter that has Harbor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def fields_without_a_place(given: object, taken: object, at: str = "") -> Iterator[str]:
    """Paths, as `agent.override_timeout`, of keys of `given` that are nowhere in `taken`, at every depth.

    `given` is JSON; `taken` is the pydantic model, mapping or list that was validated from it. A mapping that keeps
    whatever it is given (an agent's `kwargs`, an `env`) has a place for every key.
    """
    if isinstance(given, dict):
        for key, value in given.items():
            path = f"{at}.{key}" if at else str(key)
            found, inner = _place(key, taken)
            if found:
                yield from fields_without_a_place(value, inner, path)
            else:
                yield path
    elif isinstance(given, list) and isinstance(taken, (list, tuple)):
        for number, (one, inner) in enumerate(zip(given, taken)):
            yield from fields_without_a_place(one, inner, f"{at}[{number}]")


def _place(key: str, taken: Any) -> tuple[bool, object]:  # noqa: ANN401 - whatever pydantic made
    """Whether `taken` keeps `key`, and what it keeps there."""
    if isinstance(taken, dict):
        return key in taken, taken.get(key)
    fields = getattr(type(taken), "model_fields", None)
    if fields is None:
        return True, None  # a value that Harbor makes of an object itself: it was validated as a whole
    for name, field in fields.items():
        if key in (name, field.alias):
            return True, getattr(taken, name)
    return key in (taken.model_extra or {}), None
