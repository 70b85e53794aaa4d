"""Records of two lists side by side, counted and listed in PostgreSQL."""

# ruff: noqa: S608 - texts are put together from quoted identifiers and from words of this module

from __future__ import annotations

from collections.abc import Collection

from adapters.postgres.record_sql import Parameters, conditions, quoted, type_of, where_all
from adapters.postgres.records import PostgresRecords
from application.ports.record_pairs import Pair, Paired, PairedItem, Pairing
from application.ports.records import R, RecordTable, Scalar
from application.record_layout import paired_columns, value


class PostgresRecordPairs(PostgresRecords):
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
        """One statement: what is counted and what is listed are made of the same join."""
        if among is not None and not among:
            limit = 0
        query, parameters = _statement(self._schemas[table], table, pairing, among, after, limit)
        rows = self._conn.execute(query, parameters, binary=True).fetchall()
        return Paired(
            counts={(left, right): many for left, right, many, _ in rows if many is not None},
            items=[PairedItem(by, left, right) for left, right, many, by in rows if many is None],
        )


def _statement(
    schema: str,
    table: RecordTable[R],
    pairing: Pairing,
    among: Collection[Pair] | None,
    after: Scalar,
    limit: int,
) -> tuple[bytes, Parameters]:
    """What is counted is a join of everything, what is listed one of its own.

    Of all pairs, the first of both sides are among the first of each; of some, what they are narrows each side before
    it is joined. One join for both, made whole and kept, took twice as long.
    """
    by, of = paired_columns(table, pairing.by, pairing.of)
    whole, some = _Join(), _Join()
    for where in (pairing.left, pairing.right):
        tests, values = conditions(table, where)
        chosen = f"SELECT {quoted(by.name)} AS by, {quoted(of.name)} AS of FROM {quoted(schema, table.name)}"
        whole.add(f"{chosen}{where_all(tests)}", values)
        if after is not None:
            tests, values = [*tests, f"{quoted(by.name)} > %s::{type_of(by)}"], [*values, value(by, after)]
        if among:
            some.add(f"{chosen}{where_all(tests)}", values)
        else:
            some.add(f"{chosen}{where_all(tests)} ORDER BY by LIMIT %s", [*values, limit])
    pairs = [
        " AND ".join(f"{side} IS NULL" if one is None else f"{side} = %s::{type_of(of)}" for side, one in sides)
        for sides in (zip(("l.of", "r.of"), pair, strict=True) for pair in among or ())
    ]
    wanted = [" OR ".join(f"({pair})" for pair in pairs).join("()")] if pairs else []
    given = [value(of, one) for pair in among or () for one in pair if one is not None]
    text = (
        f"SELECT l.of, r.of, count(*) AS many, NULL AS by FROM {whole.text()} GROUP BY l.of, r.of UNION ALL "
        f"(SELECT l.of, r.of, NULL, by FROM {some.text()}{where_all(wanted)} ORDER BY by LIMIT %s)"
    )
    return text.encode(), [*whole.parameters, *some.parameters, *given, limit]


class _Join:
    """Two lists side by side, `l` and `r`, as one relation."""

    def __init__(self) -> None:
        self._sides: list[str] = []
        self.parameters: Parameters = []

    def add(self, side: str, parameters: Parameters) -> None:
        self._sides.append(side)
        self.parameters += parameters

    def text(self) -> str:
        left, right = self._sides
        return f"({left}) l FULL JOIN ({right}) r USING (by)"
