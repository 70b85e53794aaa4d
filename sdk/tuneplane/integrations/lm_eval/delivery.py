"""Plans made of results, and the sending of them. A plan reads and checks everything before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Callable, NamedTuple

from tuneplane.bulk import send_observations, send_text
from tuneplane.contract import METRIC_KEY_CHARS
from tuneplane.integrations.lm_eval.files import ResultFiles, find
from tuneplane.integrations.lm_eval.names import as_identity
from tuneplane.integrations.lm_eval.refusals import ResultsRefused
from tuneplane.integrations.lm_eval.results import Evaluation, evaluation, read_results
from tuneplane.integrations.lm_eval.rounds import PREFIX, Choices, Round, rounds_of
from tuneplane.integrations.lm_eval.sources import HeldRecords, SamplesFile, Source
from tuneplane.reporter import Reporter

_SCORES_PER_REQUEST = 100


class Plan(NamedTuple):
    """What will be sent, and what was refused."""

    rounds: list[Round]
    scores: dict[str, list[dict[str, Any]]]
    """Benchmark scores by model; of several evaluations of one model the newest counts."""
    refused: list[ResultsRefused]
    left_out: list[str]
    """Aggregates that are no finite numbers, and so no scores."""


class Sent(NamedTuple):
    events: int
    texts: int
    texts_kept_before: int
    """Trials of which the server already keeps a text with other bytes: the first stands."""
    scores: int


def plan_folder(places: Iterable[Path], choices: Choices) -> Plan:
    """Of every evaluation at these places; what is refused takes nothing else with it."""
    plan = Plan([], {}, [], [])
    read: list[tuple[Evaluation, dict[str, Source]]] = []
    for place in places:
        try:
            found = find(place)
        except ResultsRefused as refusal:
            plan.refused.append(refusal)
            continue
        plan.refused.extend(found.refused)
        read.extend(_read(found.evaluations, plan.refused))
    for run, sources in sorted(read, key=lambda one: one[0].began or ""):
        _plan_evaluation(plan, run, sources, choices)
    return plan


def plan_results(results: Mapping[str, Any], choices: Choices) -> Plan:
    """Of what `simple_evaluate` returned. Raises ResultsRefused."""
    run = evaluation(results, "simple_evaluate")
    samples = results.get("samples") or {}
    if not isinstance(samples, Mapping):
        raise ResultsRefused(run.file, "samples", "has to be an object with a list for each task")
    sources: dict[str, Source] = {task: HeldRecords(f"samples of {task}", held) for task, held in samples.items()}
    plan = Plan([], {}, [], [])
    _plan_evaluation(plan, run, sources, choices)
    if plan.refused:
        raise plan.refused[0]
    return plan


def send(plan: Plan, reporter: Reporter, tell: Callable[[str], None] = lambda _: None) -> Sent:
    """Outcomes of all rounds, then scores, then text. `tell` hears of the progress.

    May be repeated: what the server has counts once. Raises ReporterError where something is not delivered, and
    ResultsRefused where a file changed meanwhile; what was sent before stands.
    """
    events = scores = texts = before = 0
    for number, one in enumerate(plan.rounds, 1):
        where = f"round {number} of {len(plan.rounds)}, {one.round_id}"
        events += send_observations(reporter, one.events(), partial(_tell_events, tell, where))
    for model, rows in plan.scores.items():
        for start in range(0, len(rows), _SCORES_PER_REQUEST):
            reporter.benchmark(PREFIX, as_identity(model, METRIC_KEY_CHARS), rows[start : start + _SCORES_PER_REQUEST])
            scores += len(rows[start : start + _SCORES_PER_REQUEST])
    for trace in _traces(plan.rounds):
        kept = send_text(reporter, trace)
        texts += kept
        before += not kept
        tell(f"{texts:,} texts")
    return Sent(events, texts, before, scores)


def _tell_events(tell: Callable[[str], None], where: str, sent: int) -> None:
    tell(f"{where}: {sent:,} events")


def _traces(rounds: Iterable[Round]) -> Iterator[dict[str, Any]]:
    for one in rounds:
        yield from one.trajectories()


def _read(
    evaluations: Iterable[ResultFiles], refused: list[ResultsRefused]
) -> Iterator[tuple[Evaluation, dict[str, Source]]]:
    for files in evaluations:
        try:
            run = read_results(files.results)
        except ResultsRefused as refusal:
            refused.append(refusal)
        else:
            yield run, {task: SamplesFile(path) for task, path in files.samples.items()}


def _plan_evaluation(plan: Plan, run: Evaluation, sources: Mapping[str, Source], choices: Choices) -> None:
    for name, source in sources.items():
        if name not in run.tasks:
            rule = f"is of the task {name}, of which {run.file} has no row"
            plan.refused.append(ResultsRefused(source.name, "file", rule))
    for task in run.tasks.values():
        try:
            plan.rounds.extend(rounds_of(run, task, sources.get(task.name), choices))
        except ResultsRefused as refusal:
            plan.refused.append(refusal)
    plan.left_out.extend(run.no_numbers)
    _take_scores(plan.scores.setdefault(run.model, []), run.scores)


def _take_scores(known: list[dict[str, Any]], newer: list[dict[str, Any]]) -> None:
    """A later evaluation's score takes an earlier one's place: each is sent once, so that a repeat says the same."""
    by_name = {(one["benchmark"], one["metric"]): one for one in known}
    for one in newer:
        benchmark, metric = (as_identity(one[key], METRIC_KEY_CHARS) for key in ("benchmark", "metric"))
        by_name[benchmark, metric] = {"benchmark": benchmark, "metric": metric, "value": one["value"]}
    known[:] = by_name.values()
