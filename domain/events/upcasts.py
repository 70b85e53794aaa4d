"""How stored shapes that are no longer written become the ones that are. Pure; none yet."""

from __future__ import annotations

from collections.abc import Callable

Upcast = Callable[[bytes], tuple[str, bytes]]
"""Payload of an old shape -> (tag, payload) of the next."""

UPCASTS: dict[str, tuple[Upcast, ...]] = {}
"""Tag of an old shape -> the steps that bring it to the newest."""
