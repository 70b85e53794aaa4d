"""What the server is told of an evaluation: population, protocol, outcomes, reasons, and text where it is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tuneplane import observations
from tuneplane.clipping import fitting
from tuneplane.contract import OUTCOME_STATUSES
from tuneplane.retention import retained, spread

from common.eval.math_evidence import Evidence, Execution
from common.eval.math_problems import Problem, Problems
from common.eval.math_trial import prompt_of

_REASONS = 10


class Report(NamedTuple):
    """All of it follows from the evidence, so it is the same however often it is made."""

    problems: Problems
    evidence: Evidence
    protocol: Mapping[str, str] | None
    """None: something of it is not known, so none is declared."""

    def events(self) -> Iterator[dict[str, Any]]:
        round_id, begun = self.evidence.round_id, self.evidence.started_at
        yield observations.population(round_id, len(self.problems.items), ts=begun)
        if self.protocol is not None:
            yield observations.protocol(round_id, ts=begun, **self.protocol)
        for one in self.evidence.executions:
            yield observations.outcome(
                round_id,
                one.trial_id,
                status=one.status,
                training_eligible=False,  # held out
                trial_attempt=one.trial_attempt,
                ts=one.ended_at,
            )
        for one in self.evidence.executions:
            if one.reason:
                yield observations.trial_reason(round_id, one.trial_id, one.trial_attempt, one.reason, ts=one.ended_at)

    def texts(self, cap: int | None) -> Iterator[dict[str, Any]]:
        """Trajectories of trials evenly apart: of a cohort of up to 128 all, of a larger one 32; `cap` overrides."""
        items, current = self.problems.items, self.evidence.current()
        kept = retained(len(items), cap)
        for at in spread(len(items), kept):
            one = current.get(items[at].trial_id)
            if one is not None:
                yield self._text(items[at], one, "all" if kept == len(items) else "sampled")

    def summary(self) -> str:
        counts = Counter(one.status for one in self.evidence.current().values())
        scored = counts["success"] + counts["failure"]
        rate = f"{counts['success'] / scored:.1%} of the {scored:,} scored" if scored else "unknown, nothing is scored"
        reasons = Counter(one.reason for one in self.evidence.current().values() if one.reason)
        told = ", ".join(f"{status} {counts[status]:,}" for status in OUTCOME_STATUSES)
        listed = [f"  {count:,}: {reason}" for reason, count in reasons.most_common(_REASONS)]
        more = len(reasons) - len(listed)
        return "\n".join(
            [
                f"round: {self.evidence.round_id}",
                f"{len(self.problems.items):,} trials: {told}",
                f"success rate: {rate}",
                *(["without a verdict:", *listed] if listed else []),
                *([f"  and {more:,} other reasons, all in the evidence"] if more else []),
            ]
        )

    def _text(self, problem: Problem, one: Execution, policy: str) -> dict[str, Any]:
        said = [("user", prompt_of(problem))]
        if one.completion is not None:
            said.append(("assistant", one.completion))
        messages, whole = fitting([{"role": role, "content": text} for role, text in said])
        return {
            "scope": "validation",
            "round_id": self.evidence.round_id,
            "trial_id": one.trial_id,
            "trial_attempt": one.trial_attempt,
            "messages": messages,
            "total_messages": len(said),
            "complete": whole,
            "capture_policy": policy,
            **({"termination": one.reason} if one.reason else {}),
        }
