"""The messages of an ATIF trajectory: in order, each text cleaned, whatever version wrote it."""

import json

import pytest

from common.eval.atif import messages
from common.eval.refused import InputRefused
from tests.native_import.cohort import SAMPLES, an_atif, same

CALL = {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}


def read(trajectory: object, clean=same) -> list[dict]:
    return list(messages(json.dumps(trajectory).encode(), "a/agent/trajectory.json", clean))


def refusal(trajectory: object) -> tuple[str, str]:
    with pytest.raises(InputRefused) as refused:
        read(trajectory)
    assert refused.value.file == "a/agent/trajectory.json"
    return refused.value.field, refused.value.rule


def test_a_step_of_system_user_or_agent_is_one_message():
    found = read(an_atif(*({"source": one, "message": one} for one in ("system", "user", "user", "agent"))))

    assert [(one["role"], one["content"]) for one in found] == [
        ("system", "system"),
        ("user", "user"),
        ("user", "user"),
        ("assistant", "agent"),
    ]


def test_a_call_stands_in_its_step_and_what_came_back_is_a_message_of_the_tool():
    results = {"results": [{"source_call_id": "c1", "content": "hello.txt"}]}
    step = {"source": "agent", "message": "Looking.", "tool_calls": [CALL], "observation": results}

    assert read(an_atif({**step, "metrics": {"completion_tokens": 5}})) == [
        {
            "role": "assistant",
            "content": 'Looking.\n\nbash({"command": "ls"})',
            "tool_name": "bash",
            "tool_call_id": "c1",
            "tokens": 5,
        },
        {"role": "tool", "content": "hello.txt", "tool_name": "bash", "tool_call_id": "c1"},
    ]


def test_each_further_call_of_a_step_is_a_message_of_its_own_so_that_its_result_finds_it():
    calls = [CALL, {"tool_call_id": "c2", "function_name": "done"}]
    results = {"results": [{"source_call_id": "c2", "content": None}, {"source_call_id": "c1", "content": "x"}]}
    found = read(an_atif({"source": "agent", "message": "", "tool_calls": calls, "observation": results}))

    assert [(one["role"], one["content"], one["tool_call_id"]) for one in found] == [
        ("assistant", 'bash({"command": "ls"})', "c1"),
        ("assistant", "done({})", "c2"),
        ("tool", "", "c2"),
        ("tool", "x", "c1"),
    ]


def test_an_observation_without_a_call_is_a_message_of_a_tool_without_a_name():
    for source in ("agent", "system"):
        step = {"source": source, "message": "", "observation": {"results": [{"content": "seen"}]}}
        assert read(an_atif(step))[-1] == {"role": "tool", "content": "seen"}


def test_parts_of_a_message_are_its_text_and_a_word_for_each_picture():
    parts = [
        {"type": "text", "text": "see"},
        {"type": "image", "source": {"media_type": "image/png", "path": "secret/path.png"}},
        {"type": "audio"},
    ]
    assert read(an_atif({"source": "user", "message": parts}))[0]["content"] == "see\n[image]\n[audio]"


def test_copied_context_reasoning_and_embedded_trajectories_are_left_out():
    found = read(
        an_atif(
            {"source": "user", "message": "of another trajectory", "is_copied_context": True},
            {"source": "agent", "message": "mine", "reasoning_content": "private"},
            subagent_trajectories=[{"trajectory_id": "t", "steps": [{"message": "inner"}]}],
        )
    )
    assert [one["content"] for one in found] == ["mine"]


def test_messages_arguments_observations_names_and_call_ids_are_all_cleaned_apart():
    seen: list[str] = []

    def clean(text: str) -> str:
        seen.append(text)
        return text.replace("SECRET", "x")

    call = {"tool_call_id": "SECRET-id", "function_name": "SECRET-name", "arguments": {"SECRET": ["SECRET ü"]}}
    step = {
        "source": "agent",
        "message": "SECRET-words",
        "tool_calls": [call],
        "observation": {"results": [{"source_call_id": "SECRET-id", "content": "SECRET-seen"}]},
    }
    found = read(an_atif({"source": "user", "message": "SECRET-asked"}, step), clean)

    assert found == [
        {"role": "user", "content": "x-asked"},
        {
            "role": "assistant",
            "content": 'x-words\n\nx-name({"x": ["x ü"]})',
            "tool_name": "x-name",
            "tool_call_id": "x-id",
        },
        {"role": "tool", "content": "x-seen", "tool_name": "x-name", "tool_call_id": "x-id"},
    ]
    assert {
        "SECRET-asked",
        "SECRET-words",
        "SECRET-name",
        "SECRET-id",
        "SECRET-seen",
        '{"SECRET": ["SECRET ü"]}',
    } <= set(seen)


def test_a_name_or_call_id_that_a_message_may_not_carry_is_left_out():
    for changes in ({"function_name": "n" * 257}, {"function_name": "a\nb"}, {"function_name": ""}):
        (found,) = read(an_atif({"source": "agent", "message": "m", "tool_calls": [{**CALL, **changes}]}))
        assert "tool_name" not in found
    for unfit in ({"tool_call_id": "c" * 129}, {"tool_call_id": "\x7f"}, {"tool_call_id": None}):
        (found,) = read(an_atif({"source": "agent", "message": "m", "tool_calls": [{**CALL, **unfit}]}))
        assert "tool_call_id" not in found


def test_tokens_that_are_no_count_stay_unknown():
    for count in (None, -1, "5", True, 1.5):
        (found,) = read(an_atif({"source": "agent", "message": "m", "metrics": {"completion_tokens": count}}))
        assert "tokens" not in found


@pytest.mark.parametrize("version", ["ATIF-v1.0", "ATIF-v1.5", "ATIF-v1.8", "ATIF-v1.17"])
def test_every_version_from_one_on_is_read_with_fields_absent_and_unknown(version):
    trajectory = {
        "schema_version": version,
        "steps": [{"source": "agent", "new": {}}, {"step_id": 2, "source": "user", "message": None}],
        "unknown": 1,
    }
    assert [one["role"] for one in read(trajectory)] == ["assistant", "user"]


@pytest.mark.parametrize("version", ["ATIF-v0.9", "ATIF-v2.0", "1.5", "ATIF-v1.", "ATIF-v1.5\n", None, 1.5], ids=repr)
def test_any_other_format_is_refused(version):
    assert refusal(an_atif(schema_version=version))[0] == "schema_version"


@pytest.mark.parametrize(
    ("trajectory", "field"),
    [
        ([], ""),
        (an_atif(steps=[]), "steps"),
        (an_atif(steps={}), "steps"),
        (an_atif(steps=["x"]), "steps[0]"),
        (an_atif({"source": "tool"}), "steps[0].source"),
        (an_atif({"message": "m"}), "steps[0].source"),
        (an_atif({"source": "user", "message": 5}), "steps[0].message"),
        (an_atif({"source": "user", "message": [1]}), "steps[0].message[0]"),
        (an_atif({"source": "user", "message": [{"type": "text", "text": 1}]}), "steps[0].message[0].text"),
        (an_atif({"source": "user", "step_id": 2}), "steps[0].step_id"),
        (an_atif({"source": "user"}, {"source": "user", "step_id": 3}), "steps[1].step_id"),
        (an_atif({"source": "user", "step_id": True}), "steps[0].step_id"),
        (an_atif({"source": "agent", "tool_calls": {}}), "steps[0].tool_calls"),
        (an_atif({"source": "agent", "tool_calls": [1]}), "steps[0].tool_calls[0]"),
        (an_atif({"source": "agent", "tool_calls": [{"function_name": 1}]}), "steps[0].tool_calls[0].function_name"),
        (an_atif({"source": "agent", "observation": []}), "steps[0].observation"),
        (an_atif({"source": "agent", "observation": {"results": [1]}}), "steps[0].observation.results[0]"),
        (
            an_atif({"source": "agent", "tool_calls": [CALL], "observation": {"results": [{"source_call_id": "c9"}]}}),
            "steps[0].observation.results[0].source_call_id",
        ),
        (an_atif({"source": "agent", "metrics": 5}), "steps[0].metrics"),
    ],
    ids=str,
)
def test_a_structure_that_is_not_atif_is_refused_with_the_field(trajectory, field):
    assert refusal(trajectory)[0] == field


MESSAGES = {
    "claude-code_1.0.0_v1.7_representative": 11,  # 9 steps, 2 results
    "claude-code_unknown_v1.7_sample-session": 7,  # 5 steps, 2 results
    "nat_v1.7_exmp01": 5,
    "nat_v1.7_exmp02": 4,  # 3 steps, 1 result
    "nat_v1.7_exmp03": 3,
    "openhands_v1.5_hello-world": 7,  # 6 steps, 1 result
    "terminus2_v1.6_ctx-summarization": 18,  # 10 steps, 8 results, one of them the system's
    "terminus2_v1.6_subagent-summary": 2,  # 5 steps, 3 of them copied from another trajectory
    "terminus2_v1.6_timeout": 7,  # 4 steps, 3 results
    "tiny-agent_v1.8_run-here": 3,  # 2 steps, 1 result
}
"""Counted by hand: steps that are no copied context, calls after the first of a step, and results."""


def test_every_kept_trajectory_is_counted_here():
    assert {path.stem for path in (SAMPLES / "atif").iterdir()} == set(MESSAGES)


@pytest.mark.parametrize("name", MESSAGES)
def test_what_real_agents_wrote_is_read_message_by_message(name):
    found = list(messages((SAMPLES / "atif" / f"{name}.json").read_bytes(), name, same))
    assert len(found) == MESSAGES[name]
