"""What a round declares of how it was made: all of it, each part in its own digest, or nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lm_eval.test_rounds import only, planned
from tests.lm_eval.written import record, results, write


@pytest.mark.parametrize(
    ("whole", "records", "gap"),
    [
        (results(versions={}), 3, "the task has no version"),
        (results(versions={"t": "Yaml"}), 3, "the task has no version"),
        (results(lm_eval_version=None), 3, "the harness reports neither its version nor a revision"),
        (results(), 2, "there are records of 2 documents, and 3 were evaluated"),
        (results(effective=None), 3, "there are records of 3 documents, and an unknown number were evaluated"),
        (results(configs={}), 3, "the task's configuration names no split"),
    ],
)
def test_evidence_that_is_not_complete_declares_no_protocol(tmp_path, whole, records, gap):
    write(tmp_path, whole, [record(at) for at in range(records)])
    one = only(tmp_path)
    assert one.evidence.gap == gap
    assert "validation.protocol" not in {event["name"] for event in one.events()}


@pytest.mark.parametrize("name", ["doc_hash", "prompt_hash", "target_hash"])
def test_each_hash_of_each_record_is_needed(tmp_path, name):
    write(tmp_path, results(), [record(0), record(1), record(2, **{name: "short"})])
    assert only(tmp_path).evidence.gap == "1 records have no doc_hash, prompt_hash and target_hash"


def test_two_models_asked_the_same_have_the_same_digests_and_a_changed_part_changes_its_own(tmp_path):
    def fields(name: str, whole: dict[str, Any], **changed: Any) -> dict[str, str]:
        write(tmp_path / name, whole, [{**record(at), **(changed if at == 1 else {})} for at in range(3)])
        found = only(tmp_path / name).evidence.fields
        assert found is not None
        return {key: value for key, value in found.items() if key.endswith("digest")}

    def differing(other: dict[str, str]) -> set[str]:
        return {key for key, value in base.items() if other[key] != value}

    base = fields("base", results())
    config = {"model": "hf", "model_args": {"pretrained": "org/other", "dtype": "float32"}, "model_sha": "d"}
    assert differing(fields("model", results(config=config), acc=0.0)) == set()
    config = {"model": "hf", "model_args": "pretrained=org/model,dtype=bfloat16"}
    assert differing(fields("dtype", results(config=config))) == {"settings_digest"}
    assert differing(fields("prompt", results(), prompt_hash="0" * 64)) == {"settings_digest"}
    assert differing(fields("document", results(), doc_hash="0" * 64)) == {"dataset_digest"}
    assert differing(fields("target", results(), target_hash="0" * 64)) == {"dataset_digest"}
    assert differing(fields("version", results(versions={"t": 2.0}))) == {"verifier_digest"}
    assert differing(fields("cohort", results(), doc_id=9)) >= {"cohort_digest"}


@pytest.mark.parametrize(
    ("changed", "digest"),
    [
        ({"max_length": 4096}, "settings_digest"),
        *(
            ({"config": {**results()["config"], name: value}}, "settings_digest")
            for name, value in (
                ("model", "vllm"),
                ("gen_kwargs", {"temperature": 1}),
                ("random_seed", 1),
                ("numpy_seed", 1),
                ("torch_seed", 1),
                ("fewshot_seed", 1),
                ("model_dtype", "torch.bfloat16"),
            )
        ),
        *(
            ({"configs": {"t": {**results()["configs"]["t"], name: value}}}, digest)
            for name, value, digest in (
                ("generation_kwargs", {"until": ["."]}, "settings_digest"),
                ("repeats", 8, "settings_digest"),
                ("num_fewshot", 5, "settings_digest"),
                ("description", "Be brief.", "settings_digest"),
                ("fewshot_config", {"sampler": "first_n"}, "settings_digest"),
                ("metric_list", [{"metric": "acc", "ignore_case": True}], "verifier_digest"),
                ("process_results", "def process_results(): ...", "verifier_digest"),
                ("doc_to_target", "{{answer}}", "verifier_digest"),
                ("should_decontaminate", True, "verifier_digest"),
                ("filter_list", [{"name": "none", "filter": [{"function": "take_first"}]}], "verifier_digest"),
            )
        ),
        ({"lm_eval_version": "0.4.14"}, "verifier_digest"),
    ],
    ids=str,
)
def test_each_setting_of_asking_and_of_scoring_is_in_its_digest_and_in_no_other(tmp_path, changed, digest):
    declared = []
    for name, whole in (("one", results()), ("other", results(**changed))):
        write(tmp_path / name, whole, [record(at) for at in range(3)])
        declared.append(only(tmp_path / name).evidence.fields)
    one, other = declared
    assert one is not None
    assert other is not None
    assert {key for key, value in one.items() if other[key] != value} == {digest}


def test_the_metric_that_decides_and_the_filter_are_of_the_verifier(tmp_path):
    rows = {"t": {f"{metric},{name}": 0.5 for metric in ("acc", "acc_norm") for name in ("first", "last")}}
    records = [record(at, filter=name, acc_norm=0.0) for at in range(3) for name in ("first", "last")]
    write(tmp_path, results(results=rows), records)
    found = [one.evidence.fields for metric in ("acc", "acc_norm") for one in planned(tmp_path, metric=metric).rounds]
    verifiers = {fields["verifier_digest"] for fields in found if fields is not None}
    settings = {fields["settings_digest"] for fields in found if fields is not None}
    assert (len(found), len(verifiers), len(settings)) == (4, 4, 1)
