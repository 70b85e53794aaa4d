"""Which metric decides a trial, and what its value means. Source: CONTRACT, lm-evaluation-harness results.

The first of `exact_match`, `acc`, `acc_norm` that the filter has decides; 1 is success, 0 is failure, and anything
else, or a line without it, is unscored.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from tuneplane.integrations.lm_eval.results import Task, as_finite, as_scalar

DECIDING = ("exact_match", "acc", "acc_norm")


def deciding_metric(task: Task, present: Collection[str], chosen: str | None) -> str | None:
    """`chosen` where the filter has it; None where no metric may decide. One of which less is better never does."""
    for metric in (chosen, *DECIDING):
        if metric in present and metric not in task.lower_is_better:
            return metric
    return None


def verdict(metric: str | None, record: Mapping[str, Any]) -> tuple[str, str | None]:
    """The status, and for an unscored one the reason."""
    if metric is None:
        return "unscored", f"none of {', '.join(DECIDING)} is among its metrics"
    if metric not in record:
        return "unscored", f"the record has no {metric}"
    value = as_scalar(record[metric])
    if value in (0, 1) and isinstance(value, (bool, int, float)):
        return ("success" if value == 1 else "failure"), None
    number = as_finite(value)
    said = "no finite number" if number is None else f"{number:g}, neither 0 nor 1"
    return "unscored", f"{metric} is {said}"
