"""Which trials keep their text, and what it says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tuneplane.contract import MESSAGE_CHARS, TRAJECTORY_BYTES
from tuneplane.integrations.lm_eval.delivery import plan_folder
from tuneplane.integrations.lm_eval.rounds import Choices
from tuneplane.integrations.lm_eval.text import trajectory
from tuneplane.retention import CapUnusable, cap_from, retained

from tests.lm_eval.written import dummy_run, record, results, write


def kept(folder, count: int, cap: int | None = None, effective: int | None = None) -> list[dict[str, Any]]:
    write(folder, results(effective=count if effective is None else effective), [record(at) for at in range(count)])
    (one,) = plan_folder([folder], Choices(text_cap=cap)).rounds
    return list(one.trajectories())


@pytest.mark.parametrize(("cohort", "expected"), [(0, 0), (1, 1), (128, 128), (129, 32), (10_000, 32)])
def test_cohorts_of_up_to_128_keep_all_text_and_larger_ones_that_of_32(cohort, expected):
    assert retained(cohort, None) == expected


def test_the_cohort_is_what_was_planned_not_what_is_there(tmp_path):
    assert len(kept(tmp_path, 40, effective=128)) == 40
    traces = kept(tmp_path, 40, effective=129)
    assert len(traces) == 32
    assert {trace["capture_policy"] for trace in traces} == {"sampled"}


def test_a_whole_cohort_is_captured_whole_and_a_part_of_it_is_spread_over_all(tmp_path):
    assert {trace["capture_policy"] for trace in kept(tmp_path, 3)} == {"all"}
    assert {trace["capture_policy"] for trace in kept(tmp_path, 3, effective=5000)} == {"sampled"}
    assert [trace["trial_id"] for trace in kept(tmp_path, 130)] == [f"t:{at * 130 // 32}" for at in range(32)]


@pytest.mark.parametrize(("cap", "expected"), [(0, []), (2, ["t:0", "t:1"]), (1000, ["t:0", "t:1", "t:2"])])
def test_a_cap_overrides_and_zero_keeps_none(tmp_path, cap, expected):
    assert [trace["trial_id"] for trace in kept(tmp_path, 3, cap)] == expected


def test_the_cap_is_read_from_the_environment_or_refused():
    name = "TUNEPLANE_JOB_VAL_UPLOAD_SAMPLES"
    assert [cap_from(env) for env in ({}, {name: ""}, {name: "0"}, {name: " 64 "})] == [None, None, 0, 64]
    for text in ("-1", "all", "1.5", "²"):
        with pytest.raises(CapUnusable, match=name):
            cap_from({name: text})


def test_scored_continuations_are_the_evaluators_words_and_a_generation_is_the_models(tmp_path):
    choice, _, strict = plan_folder([dummy_run(tmp_path)], Choices()).rounds
    first = next(choice.trajectories())
    assert [one["role"] for one in first["messages"]] == ["user", "tool", "tool"]
    assert first["messages"][0]["content"] == "Q: What is 0+0?\nA:"
    assert first["messages"][1]["content"].splitlines() == [
        'scored, not generated: " 0" has log-likelihood, greedy: -0.10905784593110368, False',
        'scored, not generated: " 1" has log-likelihood, greedy: -0.5512672460905512, False',
        'scored, not generated: " none — ünïcode" has log-likelihood, greedy: -0.7065614098668896, False',
    ]
    assert first["messages"][2]["content"].splitlines()[1:] == ["target: 0", "acc: 1.0", "acc_norm: 0.0"]
    generated = next(strict.trajectories())
    assert [(one["role"], one["content"]) for one in generated["messages"]] == [
        ("user", "Question: Compute 0 times 3.\nAnswer:"),
        ("assistant", "lol"),
        ("tool", 'filter strict-match: ["[invalid]"]\ntarget: 0\nexact_match: 0.0'),
    ]
    assert (generated["complete"], generated["total_messages"]) == (True, 3)


def said(**more: Any) -> dict[str, Any]:
    return trajectory(record(0, **more), "none", sampled=False)


def test_a_chat_is_shown_by_its_turns():
    turns = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "2+2?"}, {"type": "image"}]},
    ]
    asked = {"gen_args_0": {"arg_0": [json.dumps(turns)], "arg_1": {"until": []}}}
    found = said(arguments=asked, resps=[["4", "five"]])
    assert [(one["role"], one["content"]) for one in found["messages"]][:4] == [
        ("system", "Be brief."),
        ("user", '2+2?\n{"type": "image"}'),
        ("assistant", "4"),
        ("assistant", "five"),
    ]


def test_text_that_only_looks_like_a_chat_stays_text():
    asked = {"gen_args_0": {"arg_0": '[{"role"', "arg_1": {}}}
    assert said(arguments=asked, resps=[["x"]])["messages"][0] == {"role": "user", "content": '[{"role"'}


def test_long_text_is_cut_with_a_mark_and_called_incomplete():
    asked = {"gen_args_0": {"arg_0": "x" * 20_000, "arg_1": {}}}
    found = said(arguments=asked, resps=[["answer"]])
    assert len(found["messages"][0]["content"]) == MESSAGE_CHARS
    assert found["messages"][0]["content"].endswith("…[truncated]")
    assert (found["complete"], found["total_messages"], len(found["messages"])) == (False, 3, 3)


def test_a_document_never_outgrows_what_is_taken():
    asked = {f"gen_args_{at}": {"arg_0": f"{at} " + "é" * 17_000, "arg_1": {}} for at in range(100)}
    found = said(arguments=asked, resps=[["a"]] * 100)
    assert len(json.dumps(found, ensure_ascii=False).encode()) < TRAJECTORY_BYTES
    assert found["total_messages"] == 201
    assert found["complete"] is False
    assert len(found["messages"]) < 100


def test_records_of_a_strange_shape_still_say_what_they_hold():
    found = said(arguments=None, resps=None, filtered_resps=None, target=None, metrics="acc")
    assert [one["content"] for one in found["messages"]] == ['filter none: "None"\ntarget: None']
    scored = said(resps=[[[["-0.5", "x"], "True"]]])["messages"][1]
    assert scored["content"].endswith("has log-likelihood, greedy: ['-0.5', 'x'], True")
