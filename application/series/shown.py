"""How the rows of a chart are shown: by step or by time, and smoothed or not."""

from __future__ import annotations

from typing import Literal

import msgspec

from application.ports.series_view import Chart
from application.series.smoothing import exponential_mean
from domain.errors import Refused

Axis = Literal["step", "time"]


class Shown(msgspec.Struct, frozen=True):
    """What to do to the rows of every chart of an answer."""

    axis: Axis = "step"
    smooth: float | None = None
    """Weight of the exponential mean, in [0, 1); None: no mean."""

    def of(self, chart: Chart) -> Chart:
        """The chart so. The mean is that of the `mean` column in the order of the rows."""
        ordered = chart if self.axis == "step" else by_time(chart)
        if self.smooth is None:
            return ordered
        return msgspec.structs.replace(ordered, smoothed=exponential_mean(ordered.mean, self.smooth))


AS_REPORTED = Shown()


def shown_as(axis: Axis = "step", smooth: float | None = None) -> Shown:
    """Raises `Refused` for a weight that is none."""
    if smooth is not None and not 0 <= smooth < 1:
        raise Refused.at("smooth", "must be at least 0 and below 1")
    return Shown(axis, smooth)


def by_time(chart: Chart) -> Chart:
    """The same rows in order of time: reporters may rewind steps, and clocks may be apart."""
    order = sorted(range(len(chart.time)), key=chart.time.__getitem__)
    return Chart(
        step=[chart.step[at] for at in order],
        time=[chart.time[at] for at in order],
        min=[chart.min[at] for at in order],
        max=[chart.max[at] for at in order],
        mean=[chart.mean[at] for at in order],
        last=[chart.last[at] for at in order],
        count=[chart.count[at] for at in order],
        exact=chart.exact,
    )
