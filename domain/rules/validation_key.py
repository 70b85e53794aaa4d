"""What a source-specific validation key says: which dataset, core or aux, and of how many samples a prompt.

Source: SPEC §Method coverage: "Source-specific validation keys retain their dataset, core/aux group and sampling
count." Keys are `val-core/<dataset>/<metric>@<N>` and `val-aux/…`, where the dataset may hold slashes, the metric may
be `<variable>/<statistic>@<N>` and a statistic of resamples may follow: `val-aux/openai/gsm8k/acc/best@8/mean`. What
does not look so is an ordinary key and says nothing.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

_GROUPS: dict[str, Literal["core", "aux"]] = {"val-core": "core", "val-aux": "aux"}
_SAMPLED = re.compile(r"([^@]+)@([1-9][0-9]{0,8})", re.ASCII)
_STATISTICS = frozenset({"mean", "std", "best", "worst", "maj"})
"""Of a variable over the samples of a prompt: the variable stands before them, behind the dataset."""


class ValidationKey(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of one key."""

    dataset: str
    group: Literal["core", "aux"]
    metric: str
    """Without the sampling count: `pass`, `acc/mean`, `acc/best/mean`."""
    sampling_count: int
    """Samples a prompt."""


def validation_key(key: str) -> ValidationKey | None:
    """None for a key of another shape."""
    section, *parts = key.split("/")
    group = _GROUPS.get(section)
    if group is None or not all(parts):
        return None
    for at in (len(parts) - 1, len(parts) - 2):
        sampled = _SAMPLED.fullmatch(parts[at]) if at > 0 else None
        if sampled is not None:
            statistic, count = sampled.groups()
            behind = at - 1 if statistic in _STATISTICS and at > 1 else at
            metric = "/".join([*parts[behind:at], statistic, *parts[at + 1 :]])
            return ValidationKey(
                dataset="/".join(parts[:behind]), group=group, metric=metric, sampling_count=int(count)
            )
    return None
