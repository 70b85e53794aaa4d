"""How much of the planned population of a round was scored; no percentage where the plan is not sound.

Source: SPEC "Unknown population, an empty denominator or excess distinct trials never produces a fabricated
percentage", RULINGS "Evaluation".
"""

from __future__ import annotations

from typing import Literal

PopulationState = Literal["declared", "unknown", "exceeded"]


def population_state(expected: int | None, reported: int) -> PopulationState:
    """What is known of the population: `expected` trials were declared (None: nothing was), `reported` were seen."""
    if expected is None:
        return "unknown"
    return "exceeded" if reported > expected else "declared"


def scoring_coverage(expected: int | None, reported: int, success: int, failure: int) -> float | None:
    """From 0 to 1; None where the population is unknown, exceeded or 0."""
    if not expected or population_state(expected, reported) != "declared":
        return None
    return (success + failure) / expected


def not_reported(expected: int | None, reported: int) -> int | None:
    """Declared trials nobody reported yet; None where the population is unknown or exceeded."""
    if expected is None or reported > expected:
        return None
    return expected - reported
