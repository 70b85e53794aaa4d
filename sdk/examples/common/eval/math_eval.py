"""Evaluates a model on math problems: `python -m common.eval.math_eval --problems … --output … --endpoint …`.

Each problem is generated and verified, and what became of it is written to the evidence file at once. Then, where it is
asked for, the round is sent in batches of 32: population, protocol where all of it is known, outcomes, reasons, text.

Exit codes: 0 every trial has a verdict (and all was delivered); 1 some trials ended without one, the rest as with 0;
2 an input was refused, or there is no job to send it to, and nothing was generated or sent; 3 the evidence is whole and
its delivery failed. The same command may be given again after each: what is done is not done twice.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from tuneplane.bulk import TakesResults, send_observations, send_text
from tuneplane.contract import DIGEST_PATTERN
from tuneplane.destination import NoDestination, job_for, shown
from tuneplane.reporter import Reporter, ReporterError
from tuneplane.retention import CapUnusable, cap_from
from tuneplane.terminal import NowAndThen, tell, tell_lines

from common.eval import math_verifier, plug, strict_json
from common.eval.math_endpoint import Endpoint, Sampling
from common.eval.math_evidence import Evidence
from common.eval.math_problems import Problem, Problems, read_problems
from common.eval.math_protocol import Declared, own_verifier_digest, protocol
from common.eval.math_report import Report
from common.eval.math_trial import PROMPT, Generate, Verify, execute
from common.eval.refused import InputRefused

WITHOUT_VERDICT = 1
REFUSED = 2
NOT_DELIVERED = 3
_TELL_SECONDS = 5.0
_SETTINGS_BYTES = 1024 * 1024
_KEY = "OPENAI_API_KEY"
_NAME = re.compile(r"\A[A-Za-z0-9_.-]{1,64}\Z")
_OWN = "common.eval.math_verifier:verify"


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code."""
    given = parser().parse_args(arguments)
    try:
        cap, job = cap_from(os.environ), _job(given)
        report = evaluated(given)
    except (InputRefused, CapUnusable, NoDestination) as refused:
        tell(f"refused: {refused}")
        return REFUSED
    tell_lines(sys.stdout, [*report.summary().splitlines(), f"evidence: {given.output}"])
    try:
        if job is not None:
            with job as (reporter, page):
                if page:
                    tell(shown(page, reporter))
                count, texts, before = deliver(report, reporter, cap if given.text else 0)
                kept = f", {before:,} texts kept otherwise before" if before else ""
                tell(f"delivered to {reporter.run_id}: {count:,} observations, {texts:,} texts{kept}")
    except (NoDestination, ReporterError) as problem:
        tell(f"not delivered: {problem}")
        tell(f"The evidence {given.output} is kept; give the same command again.")
        return NOT_DELIVERED
    scored = all(one.status in {"success", "failure"} for one in report.evidence.current().values())
    return 0 if scored else WITHOUT_VERDICT


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="python -m common.eval.math_eval", description=__doc__)
    top.add_argument("--problems", type=Path, required=True, help='JSON lines: {"id"?, "problem"|"question", "answer"}')
    top.add_argument("--output", type=Path, required=True, help="the evidence file; an earlier one is gone on with")
    top.add_argument("--name", default="problems", help="stands in the round's id (problems)")
    top.add_argument("--limit", type=int, metavar="N", help="the first N problems; they are the population then")
    top.add_argument("--retry", action="store_true", help="run trials that ended in an execution error once more")
    top.add_argument("--workers", type=int, default=1, metavar="N", help="trials at a time (1)")
    source = top.add_mutually_exclusive_group(required=True)
    source.add_argument("--generator", metavar="PKG.MOD:FUNC", help="your function: a prompt's completion")
    source.add_argument("--endpoint", metavar="URL", help=f"an OpenAI-compatible server, as …/v1; its key: {_KEY}")
    top.add_argument("--model", help="the endpoint's name for the model")
    top.add_argument("--temperature", type=float, default=0.0)
    top.add_argument("--max-tokens", type=int, default=2048)
    top.add_argument("--seed", type=int)
    top.add_argument("--timeout", type=float, default=120.0, metavar="SECONDS", help="for one completion (120)")
    top.add_argument("--verifier", default=_OWN, metavar="PKG.MOD:FUNC", help="your function: (completion, expected)")
    protocol_of = top.add_argument_group("protocol", "declared where all four are known")
    protocol_of.add_argument("--checkpoint", metavar="REF", help="an immutable reference to the weights")
    protocol_of.add_argument("--split", help="which part of the dataset this is")
    protocol_of.add_argument(
        "--settings", type=Path, help="JSON: runtime, context, tools, network, and what else bears"
    )
    protocol_of.add_argument("--verifier-digest", metavar="SHA256", help="of your own verifier")
    delivery = top.add_argument_group("delivery")
    delivery.add_argument("--upload", action="store_true", help="send the round to the job this runs in")
    delivery.add_argument("--job", metavar="NAME", help="send it to a new job of this name")
    delivery.add_argument("--run-id", metavar="ID", help="send it to another attempt of this run")
    delivery.add_argument("--text", action="store_true", help="send prompts and completions, too: of 128 all, else 32")
    return top


def _job(given: argparse.Namespace) -> AbstractContextManager[tuple[Reporter, str]] | None:
    """Where it is sent; None where nobody asked for that. Raises NoDestination before anything is generated."""
    if given.upload or given.job or given.run_id:
        return job_for(os.environ, given.job, given.run_id, ["evaluation"])
    return None


def evaluated(given: argparse.Namespace) -> Report:
    """Runs what has not run yet. Raises `InputRefused`, before anything is generated."""
    for option, value in (("--limit", given.limit), ("--workers", given.workers)):
        if value is not None and value < 1:
            raise InputRefused(option, "", "has to be a whole number from 1")
    if not _NAME.match(given.name):
        raise InputRefused("--name", "", "has to be 1 to 64 letters, digits, dots, dashes and underscores")
    problems = read_problems(given.problems, given.limit)
    generate, seen = _generator(given)
    verify: Verify = math_verifier.verify if given.verifier == _OWN else plug.function(given.verifier, "--verifier")
    said = Declared(
        given.checkpoint,
        given.split,
        given.settings and strict_json.read(given.settings, _SETTINGS_BYTES),
        _verifier_digest(given),
    )
    declared, missing = protocol(problems, seen, said)
    if missing:
        tell(f"no protocol is declared, so this round cannot be matched with another: without {', '.join(missing)}")
    inputs = {
        "dataset_digest": problems.dataset_digest,
        "cohort_digest": problems.cohort_digest,
        "settings": seen,
        "verifier": given.verifier,
        "declared": said._asdict(),
    }
    with Evidence(given.output, given.name, inputs) as evidence:
        _run(list(_waiting(problems, evidence, retry=given.retry)), evidence, generate, verify, given.workers)
    return Report(problems, evidence, declared)


def deliver(report: Report, reporter: TakesResults, cap: int | None) -> tuple[int, int, int]:
    """Sends all of it, in order; how many observations and texts that is, and texts kept otherwise before.

    Raises ReporterError: what was sent stands, and all of it may be sent again.
    """
    count = send_observations(reporter, report.events())
    kept = [send_text(reporter, trace) for trace in report.texts(cap)]
    return count, sum(kept), len(kept) - sum(kept)


def _waiting(problems: Problems, evidence: Evidence, *, retry: bool) -> Iterator[tuple[Problem, int]]:
    """Trials to run, and the attempt each of them is."""
    current = evidence.current()
    for one in problems.items:
        before = current.get(one.trial_id)
        if before is None:
            yield one, 0
        elif retry and before.status == "infra_error":
            yield one, before.trial_attempt + 1


def _run(
    waiting: Sequence[tuple[Problem, int]], evidence: Evidence, generate: Generate, verify: Verify, workers: int
) -> None:
    """What has ended is in the evidence, whatever ends the rest: each trial is written before the next begins."""

    def one(trial: tuple[Problem, int]) -> None:
        evidence.add(execute(*trial, generate, verify))

    with ThreadPoolExecutor(workers) as pool:
        try:
            now_and_then = NowAndThen(_TELL_SECONDS)
            for count, _ in enumerate(pool.map(one, waiting), start=1):
                if now_and_then.due():
                    tell(f"{count:,} of {len(waiting):,} trials")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _generator(given: argparse.Namespace) -> tuple[Generate, dict[str, Any]]:
    """The function, and what is known of the settings of the generation."""
    if given.generator:
        return plug.function(given.generator, "--generator"), {"generator": given.generator, "prompt": PROMPT}
    if not given.model:
        raise InputRefused("--model", "", "is needed with --endpoint")
    sampling = Sampling(given.model, given.temperature, given.max_tokens, given.seed)
    endpoint = Endpoint(given.endpoint, sampling, os.environ.get(_KEY, ""), given.timeout)
    return endpoint, {**sampling._asdict(), "timeout": given.timeout, "prompt": PROMPT}


def _verifier_digest(given: argparse.Namespace) -> str | None:
    """Of the verifier that comes with this program it is known."""
    if given.verifier_digest is None:
        return own_verifier_digest() if given.verifier == _OWN else None
    if not re.match(DIGEST_PATTERN, given.verifier_digest):
        raise InputRefused("--verifier-digest", "", "has to be a SHA-256: 64 lowercase hex digits")
    return str(given.verifier_digest)


if __name__ == "__main__":
    sys.exit(main())
