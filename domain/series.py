"""Scalar series, hardware series, and the batches of points that fill them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domain.events import HardwareSampled, MetricsReported, SeriesOpened
from domain.events.series import Family
from domain.ids import RunId, StreamId, stream_id
from domain.placement import Placement
from domain.rules import exact_resend, first_accepted_wins, one_writer_at_a_time, series_limit, writer_session


def series_stream(run: RunId, family: Family) -> StreamId:
    """The run's series of a family: version = number."""
    return stream_id(run, "series", family)


def open_series(run: RunId, family: Family, known: Mapping[str, int], keys: Sequence[str]) -> list[Placement]:
    """Numbers for those of `keys` that `known` (all of the run's series) lacks, in the order given.

    Raises `SeriesLimitReached` where the run has no room for all of them.
    """
    new = list(dict.fromkeys(key for key in keys if key not in known))
    series_limit.check(known, new)
    stream = series_stream(run, family)
    return [
        one_writer_at_a_time.place(SeriesOpened(run=run, family=family, number=number, key=key), stream, number)
        for number, key in enumerate(new, len(known) + 1)
    ]


def report_numbered(event: MetricsReported | HardwareSampled, session: str, sequence: int) -> Placement:
    """A batch of our client."""
    return writer_session.place(event, _channel(event), session, sequence)


def report_unnumbered(event: MetricsReported | HardwareSampled, body_digest: bytes) -> Placement:
    """A batch of another client; `body_digest` is the SHA-256 of its body after inflating."""
    return exact_resend.place(event, _channel(event), body_digest)


def report_collected_scalar(event: MetricsReported, observation_id: str) -> Placement:
    """One point that a collector sent as an observation: its id is its identity."""
    return first_accepted_wins.place(event, stream_id(event.run, event.attempt, "observation", observation_id))


def _channel(event: MetricsReported | HardwareSampled) -> str:
    return "metrics" if isinstance(event, MetricsReported) else "hardware"
