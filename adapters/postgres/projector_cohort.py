"""Versions that stand at the same position move together: one row holds the position of all of them.

Only who holds the locks of its members moves a cohort; who holds some of them takes those out of it first. A cohort
that is moved with another number of members than its driver knows of is a `Fenced` transaction.
"""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.projector_tracked import Fenced, Tracked

POSITIONS = "projection JOIN projection_cohort ON projection_cohort.id = projection.cohort"
"""Every version with its position; for FROM."""


def join(conn: Connection[TupleRow], group: Sequence[Tracked]) -> None:
    """Makes one cohort of versions that stand at the same position. Raises `Fenced` where they do not."""
    cohorts = sorted({one.cohort for one in group})
    if len(cohorts) > 1:
        with conn.transaction():
            _hold(conn, cohorts, group[0].position)
            _move(conn, group, cohorts[0])
        for one in group:
            one.cohort = cohorts[0]


def leave(conn: Connection[TupleRow], group: Sequence[Tracked]) -> None:
    """Gives versions of one cohort a cohort of their own, where they stand."""
    with conn.transaction():
        _hold(conn, [group[0].cohort], group[0].position)
        row = conn.execute(
            "INSERT INTO projection_cohort (position) VALUES (%s) RETURNING id", (group[0].position,)
        ).fetchone()
        cohort = 0 if row is None else int(row[0])
        _move(conn, group, cohort)
    for one in group:
        one.cohort = cohort


def set_apart(conn: Connection[TupleRow], held: Sequence[Tracked]) -> None:
    """Takes the versions this session drives out of cohorts that others belong to as well."""
    rows = conn.execute("SELECT cohort, count(*) FROM projection GROUP BY cohort").fetchall()
    members = {int(cohort): int(count) for cohort, count in rows}
    by_cohort: dict[int, list[Tracked]] = {}
    for one in held:
        by_cohort.setdefault(one.cohort, []).append(one)
    for cohort, group in by_cohort.items():
        if members.get(cohort) != len(group):
            leave(conn, group)


def remove_empty(conn: Connection[TupleRow]) -> None:
    """Removes cohorts without members."""
    conn.execute("DELETE FROM projection_cohort c WHERE NOT EXISTS (SELECT FROM projection WHERE cohort = c.id)")


def _hold(conn: Connection[TupleRow], cohorts: Sequence[int], position: int) -> None:
    """Keeps the cohorts where they are until the transaction ends."""
    rows = conn.execute(
        "SELECT position FROM projection_cohort WHERE id = ANY(%s) ORDER BY id FOR UPDATE", (list(cohorts),)
    ).fetchall()
    if rows != [(position,)] * len(cohorts):
        raise Fenced


def _move(conn: Connection[TupleRow], group: Sequence[Tracked], cohort: int) -> None:
    moved = conn.execute(
        "UPDATE projection p SET cohort = %s"
        " FROM unnest(%s::text[], %s::int4[], %s::int8[]) AS mine(name, number, cohort)"
        " WHERE p.name = mine.name AND p.version = mine.number AND p.cohort = mine.cohort",
        (cohort, [one.name for one in group], [one.number for one in group], [one.cohort for one in group]),
    )
    if moved.rowcount != len(group):
        raise Fenced
    remove_empty(conn)
