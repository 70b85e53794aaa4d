"""What lm_eval wrote, as rounds: counts by hand, names, evidence, aggregates."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tuneplane.integrations.lm_eval.delivery import Plan, plan_folder
from tuneplane.integrations.lm_eval.rounds import Choices, Round

from tests.lm_eval.written import MATHS_TIME, SAMPLES, dummy_run, maths_run, record, results, samples_of, write


def planned(*places: Path, **choices: Any) -> Plan:
    return plan_folder(places, Choices(**choices))


def only(*places: Path, **choices: Any) -> Round:
    (one,) = planned(*places, **choices).rounds
    return one


def statuses(one: Round) -> dict[str, str]:
    return {
        event["values"]["trial_id"]: event["values"]["status"]
        for event in one.events()
        if event["name"] == "validation.outcome"
    }


def test_every_filter_is_a_round_with_each_document_once(tmp_path):
    plan = planned(dummy_run(tmp_path))
    assert [one.round_id.rpartition(":")[0] for one in plan.rounds] == [
        "lm-eval:tp_mc:none",
        "lm-eval:tp_gen:flexible-extract",
        "lm-eval:tp_gen:strict-match",
    ]
    assert plan.refused == []
    choice, *generated = plan.rounds
    right, wrong = "success", "failure"
    assert statuses(choice) == dict(zip([f"tp_mc:{at}" for at in range(5)], [right] + [wrong] * 4, strict=True))
    for one in generated:
        assert statuses(one) == {f"tp_gen:{at}": wrong for at in range(5)}
    events = [event for one in plan.rounds for event in one.events()]
    assert {event["ts"] for event in events} == {"2026-12-01T20:15:01.772431+00:00"}
    assert {event["values"]["training_eligible"] for event in events if "training_eligible" in event["values"]} == {
        False
    }
    assert {event["values"]["expected"] for event in events if "expected" in event["values"]} == {5}


def test_community_files_under_names_of_their_own_are_told_apart_by_their_time(tmp_path):
    for path in SAMPLES.glob("*"):
        shutil.copy(path, tmp_path)
    plan = planned(tmp_path)
    assert {one.round_id.rpartition(":")[0]: (one.expected, *one.trials.counts().values()) for one in plan.rounds} == {
        "lm-eval:tp_mc:none": (5, 1, 4, 0, 0),
        "lm-eval:tp_gen:strict-match": (5, 0, 5, 0, 0),
        "lm-eval:tp_gen:flexible-extract": (5, 0, 5, 0, 0),
        "lm-eval:math_perturbed_full:none": (5000, 0, 10, 0, 0),
        "lm-eval:math_rephrased_full:none": (5000, 0, 0, 0, 0),
    }
    (refused,) = plan.refused  # the file of the harness before 0.4
    assert Path(refused.file).name == "bloom-1b1_gsm8k_8-shot.json"
    assert refused.field == "results.gsm8k.acc"
    assert "before lm_eval 0.4" in refused.rule


def test_one_results_file_is_taken_with_the_samples_beside_it(tmp_path):
    folder = maths_run(tmp_path)
    records, aggregate = planned(folder / f"results_{MATHS_TIME}.json").rounds
    assert len(statuses(records)) == 10
    assert list(aggregate.events())[1:] == [
        event for event in aggregate.events() if event["name"] == "validation.metric"
    ]
    assert [(key, value) for key, value, _ in aggregate.metrics] == [
        ("exact_match", 0.0004),
        ("exact_match_stderr", 0.0002828144211304471),
    ]
    assert aggregate.evidence.gap == "there are no records of its trials (lm_eval --log_samples)"


def test_the_same_results_are_the_same_round_wherever_they_lie_and_in_whatever_order(tmp_path):
    records = [record(at) for at in range(3)]
    write(tmp_path / "a", results(), records)
    write(tmp_path / "b", results(), records[::-1])
    write(tmp_path / "c", results(), [*records, records[1]])
    first, second, third = (only(tmp_path / name) for name in "abc")
    assert first.round_id == second.round_id == third.round_id
    assert (first.trials.repeated, third.trials.repeated) == (0, 1)


@pytest.mark.parametrize(
    ("whole", "changed"),
    [
        (results(effective=4), {}),
        (results(date=1796156102.5), {}),
        (results(versions={"t": 2.0}), {}),
        (results(results={"t": {"acc,none": 0.6}}), {}),
        (results(), {"acc": 0.0}),
        (results(), {"resps": [[["-0.6", "True"]]]}),
        (results(), {"target": "1"}),
        (results(), {"doc_id": 7}),
    ],
)
def test_changed_inputs_are_another_round(tmp_path, whole, changed):
    write(tmp_path / "a", results(), [record(0), record(1), record(2)])
    write(tmp_path / "b", whole, [record(0), record(1), {**record(2), **changed}])
    assert only(tmp_path / "a").round_id != only(tmp_path / "b").round_id


def test_what_the_caller_declares_is_in_the_name_of_the_round(tmp_path):
    write(tmp_path, results(), [record(at) for at in range(3)])
    plain, named = only(tmp_path), only(tmp_path, prefix="heldout-100", checkpoint="policy@100")
    assert named.round_id.startswith("heldout-100:t:none:")
    assert plain.round_id.rpartition(":")[2] != named.round_id.rpartition(":")[2]
    assert (plain.evidence.fields["checkpoint"], named.evidence.fields["checkpoint"]) == (
        "org/model@abc",
        "policy@100",
    )


def test_of_two_records_that_contradict_each_other_the_first_stands_and_there_is_no_protocol(tmp_path):
    write(tmp_path, results(), [record(0), record(1), record(2), record(1, acc=0.0)])
    one = only(tmp_path)
    assert set(statuses(one).values()) == {"success"}
    assert one.trials.contradicted == 1
    assert one.evidence.gap == "1 records contradict an earlier one of the same document"


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (1, "success"),
        (True, "success"),
        (0.0, "failure"),
        (False, "failure"),
        (0.5, "unscored"),
        (float("nan"), "unscored"),
        (float("inf"), "unscored"),
        ("1.0", "unscored"),
        ([1.0, 3], "unscored"),
        (None, "unscored"),
        (-0.0, "failure"),
        (10**400, "unscored"),
    ],
)
def test_only_one_and_zero_are_verdicts(tmp_path, value, status):
    write(tmp_path, results(effective=1), [record(0, acc=value)])
    assert statuses(only(tmp_path)) == {"t:0": status}


def test_a_record_without_the_deciding_metric_is_unscored_and_says_why(tmp_path):
    there, gone = record(0), record(1)
    del gone["acc"]
    write(tmp_path, results(effective=2), [there, gone])
    one = only(tmp_path)
    assert statuses(one) == {"t:0": "success", "t:1": "unscored"}
    assert [trace.get("termination") for trace in one.trajectories()] == [None, "the record has no acc"]
    said = [event["values"] for event in one.events() if event["name"] == "trial.reason"]
    assert [(values["trial_id"], values["reason"]) for values in said] == [("t:1", "the record has no acc")]


def test_the_first_of_the_binary_metrics_decides_unless_another_is_chosen(tmp_path):
    row = {"acc_norm,none": 0.0, "acc,none": 1.0, "prompt_level_strict_acc,none": 0.0, "perplexity,none": 3.5}
    values = {"acc": 1.0, "acc_norm": 0.0, "prompt_level_strict_acc": 0.0}
    write(tmp_path, results(effective=1, results={"t": row}), [record(0, metrics=list(values), **values)])
    assert statuses(only(tmp_path)) == {"t:0": "success"}
    chosen = only(tmp_path, metric="prompt_level_strict_acc")
    assert (chosen.trials.metric, statuses(chosen)) == ("prompt_level_strict_acc", {"t:0": "failure"})
    assert {key: unit for key, _, unit in chosen.metrics} == {
        "acc": "ratio",
        "acc_norm": "ratio",
        "prompt_level_strict_acc": "native",
        "perplexity": "native",
    }


def test_a_metric_of_which_less_is_better_decides_nothing(tmp_path):
    write(tmp_path, results(effective=1, higher_is_better={"t": {"acc": False}}), [record(0)])
    assert statuses(only(tmp_path)) == {"t:0": "unscored"}


def test_a_task_without_a_binary_metric_is_unscored_and_keeps_its_aggregates(tmp_path):
    row = {"word_perplexity,none": 12.5, "word_perplexity_stderr,none": "N/A"}
    loglik = record(0, metrics=["word_perplexity"], word_perplexity=[-12.0, 4])
    del loglik["acc"]
    write(tmp_path, results(effective=1, results={"t": row}), [loglik])
    one = only(tmp_path)
    assert statuses(one) == {"t:0": "unscored"}
    assert one.metrics == [("word_perplexity", 12.5, "native")]


def test_aggregates_that_are_no_numbers_are_left_out_and_named(tmp_path):
    write(tmp_path, results(results={"t": {"acc,none": float("nan"), "acc_stderr,none": "N/A"}}), None)
    plan = planned(tmp_path)
    assert plan.rounds[0].metrics == []
    assert plan.left_out == ["t acc,none"]
    assert plan.scores == {"org/model": []}


@pytest.mark.parametrize("subtasks", [{}, {"mmlu": ["t"]}], ids=["older files", "with subtasks"])
def test_a_group_is_a_score_counted_once_and_no_round(tmp_path, subtasks):
    rows = {"mmlu": {"acc,none": 0.4, "alias": "mmlu"}, "t": {"acc,none": 0.4}}
    whole = results(results=rows, groups={"mmlu": rows["mmlu"]}, group_subtasks=subtasks)
    write(tmp_path, whole, [record(at) for at in range(3)])
    plan = planned(tmp_path)
    assert [one.task.name for one in plan.rounds] == ["t"]
    assert [(one["benchmark"], one["metric"]) for one in plan.scores["org/model"]] == [
        ("mmlu", "acc,none"),
        ("t", "acc,none"),
    ]


def test_several_evaluations_are_rounds_of_their_own_and_the_newest_gives_the_scores(tmp_path):
    older = write(tmp_path, results(date=1.0), [record(at) for at in range(3)])
    newer = results(date=2.0, results={"t": {"acc,none": 0.75}})
    (tmp_path / "results_2026-12-02T00-00-00.000001.json").write_text(json.dumps(newer))
    plan = planned(tmp_path)
    assert [(one.began, len(one.trials.by_document)) for one in plan.rounds] == [
        ("1970-01-01T00:00:01+00:00", 3),
        ("1970-01-01T00:00:02+00:00", 0),
    ]
    assert plan.scores == {"org/model": [{"benchmark": "t", "metric": "acc,none", "value": 0.75}]}
    assert older.exists()


def test_the_newest_gives_the_scores_in_whatever_order_the_places_are_named(tmp_path):
    for name, date, score in (("older", 1.0, 0.5), ("newer", 2.0, 0.75)):
        write(tmp_path / name, results(date=date, results={"t": {"acc,none": score}}), None)
    for places in (("older", "newer"), ("newer", "older")):
        plan = planned(*(tmp_path / name for name in places))
        assert plan.scores == {"org/model": [{"benchmark": "t", "metric": "acc,none", "value": 0.75}]}


@pytest.mark.parametrize(
    ("config", "model"),
    [
        ({"model": "hf", "model_args": "pretrained=https://me:secret@host/model"}, "https://[redacted]@host/model"),
        ({"model": "hf", "model_args": {"path": "https://me:secret@host/model"}}, "https://[redacted]@host/model"),
        ({"model": "hf_" + "a1" * 15}, "[redacted]"),
    ],
)
def test_a_models_name_tells_no_secret(tmp_path, config, model):
    write(tmp_path, results(config=config), [record(at) for at in range(3)])
    plan = planned(tmp_path)
    assert list(plan.scores) == [model]
    assert plan.rounds[0].evidence.fields is not None
    assert plan.rounds[0].evidence.fields["checkpoint"] == f"{model} (revision not reported)"


def test_an_unknown_population_is_not_declared(tmp_path):
    write(tmp_path, results(effective=None), [record(0)])
    assert [event["name"] for event in only(tmp_path).events()] == ["validation.metric", "validation.outcome"]


def test_a_population_of_none_is_a_population(tmp_path):
    write(tmp_path, results(effective=0), [])
    assert [event["values"].get("expected") for event in only(tmp_path).events()] == [0, None]


def test_hostile_and_long_names_stay_within_the_contract_and_apart(tmp_path):
    for task in ("x" * 300, "x" * 301, "\x1b[31m\x00\n"):
        whole = results(task)
        (tmp_path / f"results_2026-12-01T20-15-02.01779{len(task) % 10}.json").write_text(json.dumps(whole))
    plan = planned(tmp_path)
    assert len({one.round_id for one in plan.rounds}) == 3
    assert all(len(one.round_id) <= 128 and one.round_id.isprintable() for one in plan.rounds)
    write(tmp_path / "long", results(effective=1), [record("d" * 200)])
    (trial,) = statuses(only(tmp_path / "long"))
    assert len(trial) == 128


def test_a_last_line_that_was_cut_off_is_not_counted_and_said(tmp_path):
    write(tmp_path, results(), [record(0), record(1)])
    with samples_of(tmp_path).open("a") as file:
        file.write(json.dumps(record(2))[:-40])
    one = only(tmp_path)
    assert len(statuses(one)) == 2
    assert one.evidence.gap == "the last line of the samples file is cut off"
