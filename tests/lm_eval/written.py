"""Folders as lm_eval leaves them: its real files under their own names, and larger ones made like them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parents[1] / "samples" / "lm-eval"
TIME = "2026-12-01T20-15-02.017795"
MATHS_TIME = "2026-01-21T03-44-18.458309"


def dummy_run(folder: Path) -> Path:
    """A multiple choice task and a generated one with two filters, five documents each."""
    made = folder / "i82qcls7"
    made.mkdir(parents=True)
    shutil.copy(SAMPLES / "dummy_results_limit5.json", made / f"results_{TIME}.json")
    for task in ("tp_mc", "tp_gen"):
        shutil.copy(SAMPLES / f"dummy_samples_{task}_{TIME}.jsonl", made / f"samples_{task}_{TIME}.jsonl")
    return made


def maths_run(folder: Path) -> Path:
    """A public run of 5,000 documents, of which the records of ten are there; a second task has none."""
    made = folder / "RylanSchaeffer__mem_Qwen3-93M"
    made.mkdir(parents=True)
    shutil.copy(SAMPLES / f"eee_results_{MATHS_TIME}.json", made / f"results_{MATHS_TIME}.json")
    name = f"samples_math_perturbed_full_{MATHS_TIME}.jsonl"
    shutil.copy(SAMPLES / f"eee_{name}", made / name)
    return made


def results(task: str = "t", *, effective: int | None = 3, **more: Any) -> dict[str, Any]:
    """Of one task with `acc` alone."""
    rows = {task: {"alias": task, "acc,none": 0.5, "acc_stderr,none": "N/A"}}
    counts = {} if effective is None else {"n-samples": {task: {"original": effective, "effective": effective}}}
    configs = {task: {"task": task, "test_split": "test", "output_type": "multiple_choice"}}
    config = {"model": "hf", "model_args": "pretrained=org/model,dtype=float32", "model_sha": "abc"}
    known = {"versions": {task: 1.0}, "lm_eval_version": "0.4.13", "date": 1796156101.5}
    return {"results": rows, "configs": configs, "config": config, **counts, **known, **more}


def record(doc_id: int | str, **more: Any) -> dict[str, Any]:
    """Of one document, right by `acc` unless said otherwise."""
    hashes = {name: hashlib.sha256(f"{name} {doc_id}".encode()).hexdigest() for name in ("doc_hash", "prompt_hash")}
    target = hashlib.sha256(b"0").hexdigest()
    asked = {"gen_args_0": {"arg_0": f"Q: {doc_id}?\nA:", "arg_1": " yes"}}
    answered = {"resps": [[["-0.5", "True"]]], "filtered_resps": [["-0.5", "True"]]}
    known = {"doc_id": doc_id, "doc": {"q": str(doc_id)}, "target": "0", "arguments": asked, **answered}
    return {**known, "filter": "none", "metrics": ["acc"], **hashes, "target_hash": target, "acc": 1.0, **more}


def write(folder: Path, whole: dict[str, Any], records: Iterable[dict[str, Any]] | None, task: str = "t") -> Path:
    """The results file; without records there is no samples file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"results_{TIME}.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    if records is not None:
        with samples_of(folder, task).open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in records)
    return path


def samples_of(folder: Path, task: str = "t") -> Path:
    return folder / f"samples_{task}_{TIME}.jsonl"


def large_run(folder: Path, count: int) -> Path:
    """Of `count` documents with a prompt of some 2,000 characters; every third is right."""
    prompt = "Consider the following problem. " * 60
    asked = {"gen_args_0": {"arg_0": prompt, "arg_1": " yes"}}
    records = (record(at, acc=float(at % 3 == 0), arguments=asked) for at in range(count))
    write(folder, results(effective=count), records)
    return folder
