"""Records of two lists side by side, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from adapters.memory.records import MemoryRecords
from application.ports.record_pairs import Pair, Paired, PairedItem, Pairing
from application.ports.records import R, RecordTable, Scalar
from application.record_layout import paired_columns, value


class MemoryRecordPairs(MemoryRecords):
    """See the port."""

    def pairs(
        self,
        table: RecordTable[R],
        pairing: Pairing,
        *,
        among: Collection[Pair] | None = None,
        after: Scalar = None,
        limit: int,
    ) -> Paired:
        """Makes all pairs, and chooses among them."""
        by, of = paired_columns(table, pairing.by, pairing.of)
        left, right = (
            {row.columns[by.name]: row.columns[of.name] for row in self._matching(table, where)}
            for where in (pairing.left, pairing.right)
        )
        # The kind of the field they are ordered by is erased here; it is one for all of them.
        order: list[Any] = sorted(left.keys() | right.keys(), key=lambda one: (one is not None, one))
        seen: Any = None if after is None else value(by, after)
        items = [PairedItem(one, left.get(one), right.get(one)) for one in order]  # type: ignore[arg-type]
        listed = [one for one in items if among is None or (one.left, one.right) in among]
        behind = [one for one in listed if seen is None or one.by > seen]
        return Paired(counts=dict(Counter((one.left, one.right) for one in items)), items=behind[:limit])
