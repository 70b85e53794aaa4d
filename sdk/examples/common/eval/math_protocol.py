"""The protocol of a math evaluation, where all of it is known.

Digests are declarations of whoever evaluates. What the program can see it hashes itself; what it cannot see, the
serving runtime and the weights above all, has to be declared, or there is no protocol.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tuneplane import observations

from common.eval import math_answer, math_units, math_verifier, strict_json
from common.eval.math_problems import Problems
from common.eval.refused import InputRefused


class Declared(NamedTuple):
    """What the person says; None: not said."""

    checkpoint: str | None
    """An immutable reference to the weights."""
    split: str | None
    settings: Any
    """JSON: all that bears on the result and that the command line does not say."""
    verifier_digest: str | None
    """Of a verifier of one's own."""


def own_verifier_digest() -> str:
    """SHA-256 of the source of the verifier that comes with this program."""
    digest = hashlib.sha256()
    for module in (math_verifier, math_answer, math_units):
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()


def protocol(problems: Problems, seen: Mapping[str, Any], said: Declared) -> tuple[dict[str, str] | None, list[str]]:
    """The protocol's fields, or None and what is missing. `seen` is what the program knows of the settings.

    The endpoint's name of the model among them is no setting: two checkpoints that are served under names of their own
    and evaluated alike can be compared.
    Raises `InputRefused` for what no protocol may say.
    """
    missing = [
        option
        for option, value in (
            ("--checkpoint", said.checkpoint),
            ("--split", said.split),
            ("--settings", said.settings),
            ("--verifier-digest", said.verifier_digest),
        )
        if value is None
    ]
    if missing:
        return None, missing
    how = {name: value for name, value in seen.items() if name != "model"}
    settings = strict_json.digest({"seen": how, "declared": said.settings})
    found = {
        "dataset_digest": problems.dataset_digest,
        "cohort_digest": problems.cohort_digest,
        "verifier_digest": str(said.verifier_digest),
        "settings_digest": settings,
        "split": str(said.split),
        "checkpoint": str(said.checkpoint),
    }
    try:
        observations.protocol("round", **found)
    except observations.ObservationRefused as refused:
        raise InputRefused("protocol", "", str(refused)) from None
    return found, []
