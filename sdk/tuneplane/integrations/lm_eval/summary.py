"""What a plan holds, for people: a line of counts for each round, and what is missing in plain words."""

from __future__ import annotations

from collections.abc import Iterator

from tuneplane.integrations.lm_eval.delivery import Plan
from tuneplane.integrations.lm_eval.rounds import Round
from tuneplane.terminal import shown


def lines(plan: Plan) -> Iterator[str]:
    for one in plan.rounds:
        yield from _round(one)
    scores = sum(map(len, plan.scores.values()))
    yield f"{len(plan.rounds)} rounds, {scores} benchmark scores"
    for name in plan.left_out:
        yield f"no number, left out: {shown(name)}"
    for refusal in plan.refused:
        yield f"refused: {refusal}"


def _round(one: Round) -> Iterator[str]:
    counts = one.trials.counts()
    reported = len(one.trials.by_document)
    planned = "planned unknown" if one.expected is None else f"{one.expected:,} planned"
    said = ", ".join(f"{counts[status]:,} {status}" for status in ("success", "failure", "unscored"))
    yield one.round_id
    if one.source is None:
        yield f"  {planned}; aggregates alone, no outcomes: there are no records of its trials (lm_eval --log_samples)"
    else:
        yield f"  {planned}, {reported:,} reported: {said}; decided by {one.trials.metric or 'no metric'}"
        yield f"  text of {one.keeps_text_of:,}"
    yield f"  protocol: {'declared' if one.evidence.fields else f'none, {one.evidence.gap}'}"
    if one.metrics:
        yield "  " + ", ".join(f"{shown(key)} {value:g} ({unit})" for key, value, unit in one.metrics)
    if one.trials.repeated:
        yield f"  {one.trials.repeated:,} records say the same again and count once"
    if one.trials.contradicted:
        yield f"  {one.trials.contradicted:,} records contradict an earlier one of the same document: the first stands"
    if one.source is not None and one.source.torn():
        yield "  the last line of the samples file is cut off and not counted"
