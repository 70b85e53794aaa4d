"""Text is kept only cleaned, then cut to what a trajectory may hold, and never counts as complete."""

import hashlib
import json

import pytest
from tuneplane import contract
from tuneplane.parcels import compact

from common.eval import redactor
from common.eval.artifacts import Root
from common.eval.refused import InputRefused
from common.eval.traces import TRACES, Traces
from tests.native_import.cohort import an_atif, left, same


def kept(tmp_path, trajectory: object, clean=same) -> dict | None:
    left(tmp_path, "a", trajectory=trajectory)
    with Root(tmp_path) as root, root.attempt("a") as folder:
        assert folder is not None
        return Traces(1, clean).trajectory(folder)


def users(*texts: str) -> dict:
    return an_atif(*({"source": "user", "message": one} for one in texts))


def test_text_is_always_sampled_and_incomplete_even_where_all_of_it_is_there(tmp_path):
    given = users("one", "two")

    assert kept(tmp_path, given) == {
        "messages": [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}],
        "total_messages": 2,
        "complete": False,
        "capture_policy": "sampled",
        "source_sha256": hashlib.sha256(json.dumps(given).encode()).hexdigest(),
    }


def test_a_long_message_is_cut_after_it_was_cleaned(tmp_path):
    secret = "SECRET"
    told = "x" * (contract.MESSAGE_CHARS - 3) + secret + "y" * 50
    found = kept(tmp_path, users(told), lambda text: text.replace(secret, "-"))

    assert found is not None
    (message,) = found["messages"]
    assert len(message["content"]) == contract.MESSAGE_CHARS
    assert message["content"].endswith("x…[truncated]")
    whole = kept(tmp_path, users("x" * contract.MESSAGE_CHARS))
    assert whole is not None
    assert whole["messages"][0]["content"] == "x" * contract.MESSAGE_CHARS


def test_a_secret_across_the_cut_is_seen_whole_by_the_redactor(tmp_path):
    half_out = "x" * (contract.MESSAGE_CHARS - len(contract.TRUNCATED_MARK) - 3) + "SECRET" + "y" * 100
    found = kept(tmp_path, users(half_out), lambda text: text.replace("SECRET", "------"))

    assert found is not None
    assert "SEC" not in found["messages"][0]["content"]


def test_of_more_than_1024_messages_the_first_are_kept_and_all_are_counted(tmp_path):
    found = kept(tmp_path, users(*(f"m{at}" for at in range(1025))))

    assert found is not None
    assert [one["content"] for one in found["messages"]] == [f"m{at}" for at in range(1024)]
    assert found["total_messages"] == 1025


@pytest.mark.parametrize(("letter", "times"), [("x", 200), ("ä", 40), ("\x01", 20), ("😀", 20)])
def test_a_trajectory_stays_below_one_mebibyte_as_it_is_sent(tmp_path, letter, times):
    found = kept(tmp_path, users(*([letter * 16_000] * times)))

    assert found is not None
    names = {"scope": "validation", "round_id": "r" * 128, "trial_id": "t" * 128, "trial_attempt": 2**31 - 1}
    trace = {**names, **found, "termination": "\x01" * 256}
    assert len(compact(trace)) <= contract.TRAJECTORY_BYTES
    assert 1 <= len(found["messages"]) < found["total_messages"]


def test_half_a_character_is_shown_as_one_that_cannot_be(tmp_path):
    found = kept(tmp_path, users("a\ud800b", "\ud83d\ude00"))

    assert found is not None
    assert [one["content"] for one in found["messages"]] == ["a\ufffdb", "😀"]


def test_an_input_of_more_than_four_mebibytes_is_refused(tmp_path):
    with pytest.raises(InputRefused, match=r"trajectory\.json: is larger than 4,194,304 bytes"):
        kept(tmp_path, b" " * (4 * 1024 * 1024 + 1))


def test_an_attempt_without_a_trajectory_or_with_none_of_its_own_keeps_no_text(tmp_path):
    assert kept(tmp_path, None) is None
    copied = an_atif({"source": "user", "message": "m", "is_copied_context": True})
    assert kept(tmp_path, copied) is None


@pytest.mark.parametrize("limit", [-1, TRACES + 1])
def test_a_limit_out_of_range_is_refused(limit):
    with pytest.raises(InputRefused, match="--trace-limit: has to be 0 to 128"):
        Traces(limit, same)


def test_text_without_a_redactor_is_refused():
    with pytest.raises(InputRefused, match="only with a --redactor"):
        Traces(1, None)
    assert Traces(0, None).clean is None


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with redactors."""
    (tmp_path / "redactors_of_a_test.py").write_text(
        "def clean(text): return text.replace('SECRET', 'x')\n"
        "def breaks(text): raise KeyError(text)\n"
        "def forgets(text): text.upper()\n"
        "number = 5\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return "redactors_of_a_test"


def test_a_redactor_of_the_project_is_called(project):
    assert redactor.load(f"{project}:clean")("a SECRET") == "a x"


@pytest.mark.parametrize(
    ("named", "rule"),
    [
        ("clean", "has to be written package.module:function"),
        ("a b:clean", "has to be written package.module:function"),
        ("redactors_of_a_test:", "has to be written package.module:function"),
        ("no_such_module_here:clean", "no_such_module_here cannot be imported"),
        ("redactors_of_a_test:absent", "has no function absent"),
        ("redactors_of_a_test:number", "has no function number"),
    ],
)
def test_a_redactor_that_cannot_be_had_is_refused(project, named, rule):
    with pytest.raises(InputRefused, match=rule):
        redactor.load(named)


def test_a_redactor_that_breaks_is_named_without_the_text(project):
    with pytest.raises(InputRefused) as refused:
        redactor.load(f"{project}:breaks")("a SECRET")
    assert str(refused.value) == "--redactor: redactors_of_a_test:breaks raised KeyError"
    assert refused.value.__suppress_context__


def test_a_redactor_that_returns_no_text_is_refused(project):
    with pytest.raises(InputRefused, match="returned NoneType, and has to return text"):
        redactor.load(f"{project}:forgets")("a")
