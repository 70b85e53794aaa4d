"""Records of two lists side by side, counted and listed in PostgreSQL."""

# ruff: noqa: S608 - texts are put together from quoted identifiers and from words of this module

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from adapters.postgres.record_sql import Parameters, conditions, quoted, type_of, where_all
from adapters.postgres.records import PostgresRecords
from application.ports.record_pairs import Pair, Paired, PairedItem, Pairing
from application.ports.records import R, RecordTable, Scalar, Where
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
    """What is counted is a join of everything; what is listed, of what can be left of each side beforehand.

    Pairs are chosen behind a fence (OFFSET 0), so that the join stays a full one, which is made by merging or hashing
    alone: with a table that is new, of which little is known, another way through both sides takes seconds.
    """
    _, of = paired_columns(table, pairing.by, pairing.of)
    counted, parameters = _joined(schema, table, pairing, (pairing.left, pairing.right))
    listed, more = _joined(schema, table, pairing, _narrowed(pairing, among, after), None if among else limit)
    same = f"l IS NOT DISTINCT FROM %s::{type_of(of)} AND r IS NOT DISTINCT FROM %s::{type_of(of)}"
    wanted = [" OR ".join([f"({same})"] * len(among)).join("()")] if among else []
    pairs = [value(of, one) for pair in among or () for one in pair]
    text = (
        f"SELECT l, r, count(*) AS many, NULL AS by FROM ({counted}) counted GROUP BY l, r UNION ALL "
        f"(SELECT l, r, NULL, by FROM ({listed} OFFSET 0) listed{where_all(wanted)} ORDER BY by LIMIT %s)"
    )
    return text.encode(), [*parameters, *more, *pairs, limit]


def _narrowed(pairing: Pairing, among: Collection[Pair] | None, after: Scalar) -> tuple[Sequence[Where], ...]:
    """What to ask of each side of a list. Where a side may be missing, the other has to be known whole."""
    behind = () if after is None else (Where(pairing.by, ">", after),)
    if not among or any(None in pair for pair in among):
        return (*pairing.left, *behind), (*pairing.right, *behind)
    lefts, rights = (Where(pairing.of, "in", tuple(set(ones))) for ones in zip(*among, strict=True))
    return (*pairing.left, *behind, lefts), (*pairing.right, *behind, rights)


def _joined(
    schema: str, table: RecordTable[R], pairing: Pairing, sides: Iterable[Sequence[Where]], first: int | None = None
) -> tuple[str, Parameters]:
    """Both sides, or the `first` of each, which hold the first of both."""
    by, of = paired_columns(table, pairing.by, pairing.of)
    texts: list[str] = []
    parameters: Parameters = []
    for where in sides:
        tests, values = conditions(table, where)
        chosen = f"SELECT {quoted(by.name)} AS by, {quoted(of.name)} AS of FROM {quoted(schema, table.name)}"
        texts.append(f"{chosen}{where_all(tests)}{'' if first is None else ' ORDER BY by LIMIT %s'}")
        parameters += values if first is None else [*values, first]
    return f"SELECT by, l.of AS l, r.of AS r FROM ({texts[0]}) l FULL JOIN ({texts[1]}) r USING (by)", parameters
