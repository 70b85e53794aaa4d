"""Run in an environment with lm_eval: evaluates its dummy model on two local tasks, as a script and in files.

python real_run.py FOLDER ENDPOINT    writes the results into FOLDER/out and reports what was returned to ENDPOINT
"""

import json
import random
import sys
from pathlib import Path

from lm_eval import simple_evaluate  # type: ignore[import-not-found]
from lm_eval.loggers import EvaluationTracker  # type: ignore[import-not-found]
from lm_eval.tasks import TaskManager  # type: ignore[import-not-found]
from tuneplane.integrations.lm_eval import report
from tuneplane.reporter import Reporter

CHOICE = """
task: local_choice
dataset_path: json
dataset_kwargs: {{data_files: {{test: {folder}/choice.jsonl}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "Q: {{{{question}}}}\\nA:"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: answer
metric_list: [{{metric: acc, aggregation: mean, higher_is_better: true}}]
metadata: {{version: 1.0}}
"""
WRITTEN = """
task: local_written
dataset_path: json
dataset_kwargs: {{data_files: {{test: {folder}/written.jsonl}}}}
test_split: test
output_type: generate_until
doc_to_text: "Say {{{{answer}}}}:"
doc_to_target: "{{{{answer}}}}"
repeats: 2
generation_kwargs: {{until: ["\\n"], do_sample: true}}
filter_list:
  - {{name: first, filter: [{{function: take_first}}]}}
  - {{name: vowels, filter: [{{function: regex, regex_pattern: "(o)"}}, {{function: take_first}}]}}
metric_list: [{{metric: exact_match, aggregation: mean, higher_is_better: true}}]
metadata: {{version: 2.0}}
"""


def main(folder: Path, endpoint: str) -> None:
    choice = [{"question": f"{at}?", "choices": ["a", "b"], "answer": at % 2} for at in range(7)]
    written = [{"answer": answer} for answer in ("lol", "o", "no")]
    for name, task, rows in (("choice", CHOICE, choice), ("written", WRITTEN, written)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / f"{name}.yaml").write_text(task.format(folder=folder))
    random.seed(1)
    tracker = EvaluationTracker(output_path=str(folder / "out"))
    found = simple_evaluate(
        model="dummy",
        tasks=["local_choice", "local_written"],
        task_manager=TaskManager(include_path=str(folder)),
        limit=5,
        log_samples=True,
        evaluation_tracker=tracker,
        bootstrap_iters=0,
    )
    with Reporter(endpoint, "run-1", "token") as reporter:
        report(found, reporter)
    samples = found.pop("samples")
    tracker.save_results_aggregated(results=found, samples=samples)
    for task, records in samples.items():
        tracker.save_results_samples(task_name=task, samples=records)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
