"""Reporting from Python: what `simple_evaluate` returned, or what the harness wrote."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tuneplane.integrations.lm_eval.delivery import Plan, Sent, plan_folder, plan_results, send
from tuneplane.integrations.lm_eval.rounds import Choices
from tuneplane.reporter import Reporter
from tuneplane.retention import cap_from


def report(results: Mapping[str, Any] | None, reporter: Reporter | None, choices: Choices | None = None) -> Sent | None:
    """Sends what `simple_evaluate(..., log_samples=True)` returned; the same rounds as its files would be.

    None where there is nothing to send (the harness returns None on all ranks but the first) or nobody to send to.
    Raises ResultsRefused before anything is sent, ReporterError where something could not be delivered.
    """
    if results is None or reporter is None:
        return None
    return send(plan_results(results, choices or choices_here()), reporter)


def report_folder(place: str | Path, reporter: Reporter, choices: Choices | None = None) -> tuple[Plan, Sent]:
    """Sends every evaluation at `place`, a folder or a results file; the plan says what was refused.

    Raises ReporterError where something could not be delivered; repeating is safe.
    """
    plan = plan_folder([Path(place)], choices or choices_here())
    return plan, send(plan, reporter)


def choices_here() -> Choices:
    """The usual ones, with the text cap of the environment. Raises CapUnusable."""
    return Choices(text_cap=cap_from(os.environ))
