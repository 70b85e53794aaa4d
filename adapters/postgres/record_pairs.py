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
    """The join is made once, and by merging or hashing alone, however little is known of a table that is new."""
    by, of = paired_columns(table, pairing.by, pairing.of)
    texts, parameters = [], []
    for where in (pairing.left, pairing.right):
        tests, values = conditions(table, where)
        chosen = f"{quoted(by.name)} AS by, {quoted(of.name)} AS of"
        texts.append(f"SELECT {chosen} FROM {quoted(schema, table.name)}{where_all(tests)}")
        parameters += values
    joined = f"SELECT by, l.of AS l, r.of AS r FROM ({texts[0]}) l FULL JOIN ({texts[1]}) r USING (by)"
    wanted: list[str] = []
    if after is not None:
        wanted.append(f"by > %s::{type_of(by)}")
        parameters.append(value(by, after))
    if among:
        same = f"l IS NOT DISTINCT FROM %s::{type_of(of)} AND r IS NOT DISTINCT FROM %s::{type_of(of)}"
        wanted.append(" OR ".join([f"({same})"] * len(among)).join("()"))
        parameters += [value(of, one) for pair in among for one in pair]
    text = (
        f"WITH paired AS MATERIALIZED ({joined}) "
        "SELECT l, r, count(*) AS many, NULL AS by FROM paired GROUP BY l, r UNION ALL "
        f"(SELECT l, r, NULL, by FROM paired{where_all(wanted)} ORDER BY by LIMIT %s)"
    )
    return text.encode(), [*parameters, limit]
