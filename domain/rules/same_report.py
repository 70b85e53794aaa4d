"""When two reports say the same: everything but the reporter's clock.

Source: RULINGS "Telling a repeat from a different report ignores `ts`".
"""

from __future__ import annotations

import msgspec

from domain.events import Event


def same_report(one: Event, other: Event) -> bool:
    """Whether both events are of one type and equal in every field but `ts`."""
    return without_clock(one) == without_clock(other)


def without_clock(event: Event) -> Event:
    """The event with the reporter's `ts` blanked, where it has one."""
    return msgspec.structs.replace(event, ts="") if "ts" in event.__struct_fields__ else event
