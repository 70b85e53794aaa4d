"""Rows of which little is wanted."""

from __future__ import annotations

import io
import json
import math
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tuneplane.rollouts import json_rows
from tuneplane.rollouts.json_rows import rows

WANTED = frozenset({"content", "rewards"})
texts = st.text('a"\\{}[]:, \né数', max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
keys = st.sampled_from(["content", "rewards", "content\\", 'a"b', "{", "idx", "é"])


def read(data: bytes, wanted: frozenset[str] = WANTED):
    return list(rows(io.BytesIO(data), wanted))


@given(st.lists(st.dictionaries(keys, values, max_size=5), max_size=4), st.integers(1, 40), st.booleans())
def test_the_wanted_fields_are_what_a_whole_parser_finds_wherever_the_pieces_part(objects, piece, plain):
    data = "".join(json.dumps(one, ensure_ascii=plain) + "\n" for one in objects).encode("utf-8", "surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_rows, "PIECE_BYTES", piece)
        found = read(data)
    for row, one in zip(found, objects, strict=True):
        assert not row.problem
        assert row.fields == {key: value for key, value in one.items() if key in WANTED}


def test_a_row_that_is_cut_off_anywhere_is_said_to_be():
    line = json.dumps({"idx": 1, "content": [["a\\", 'b"']], "rewards": [1.0]}).encode()
    for end in range(1, len(line)):
        (row,) = read(line[:end])
        assert (row.problem, row.ended, row.fields) == ("is cut off", False, {}), line[:end]
    (whole,) = read(line)
    assert (whole.problem, whole.ended) == ("", False)
    assert read(line + b"\n")[0].ended


def test_rows_are_numbered_without_blank_lines_and_each_fault_stays_in_its_row():
    found = read(b'\n{"rewards": 1}\r\n  \n[1]\nword\n{"rewards": 2} {}\n{"rewards": oops}\n{"rewards": 3}\n')
    assert [(row.number, row.fields, row.problem[:30]) for row in found] == [
        (0, {"rewards": 1}, ""),
        (1, {}, "is no JSON object"),
        (2, {}, "is no JSON object"),
        (3, {}, "holds more than one JSON objec"),
        (4, {}, "holds what is no JSON: Expecti"),
        (5, {"rewards": 3}, ""),
    ]


@pytest.mark.parametrize("line", ['{"rewards": 1, "rewards": 0}', '{"content": [{"role": "user", "role": "tool"}]}'])
def test_a_row_in_which_a_wanted_key_stands_twice_says_neither(line):
    (row,) = read(line.encode())
    assert row.fields == {}
    assert "twice" in row.problem


def test_not_a_number_and_infinities_are_read_as_python_wrote_them():
    (row,) = read(json.dumps({"rewards": [math.nan, math.inf]}).encode())
    assert [repr(one) for one in row.fields["rewards"]] == ["nan", "inf"]


def test_a_key_inside_another_field_is_not_taken_for_a_wanted_one():
    (row,) = read(b'{"extra": {"content": "no"}, "note": "\\"content\\": 1", "content": "yes"}')
    assert row.fields == {"content": "yes"}


def test_bytes_that_are_no_text_are_a_fault_of_their_row():
    assert [row.problem[:21] for row in read(b'{"content": "\xff"}\n{"content": "a"}\n')] == [
        "holds what is no JSON",
        "",
    ]


def test_a_wanted_field_beyond_its_bound_is_not_held():
    (long, next_one) = read(b'{"content": "' + b"x" * (json_rows.FIELD_BYTES + 1) + b'"}\n{"content": "a"}\n')
    assert long.problem == "has a field 'content' of more than 4,194,304 bytes"
    assert next_one.fields == {"content": "a"}


def test_megabytes_of_what_is_not_wanted_are_never_held(tmp_path):
    path = tmp_path / "rows.jsonl"
    numbers = ", ".join(["0.8352431654930115"] * 500_000)  # 10 MB, as a parsed list some 16 MB more
    with path.open("w") as file:
        for at in range(3):
            file.write(f'{{"content": ["q", "a"], "token_ids": [[{numbers}]], "rewards": [{at}.0]}}\n')
    tracemalloc.start()
    with path.open("rb") as file:
        found = [row.fields for row in rows(file, WANTED)]
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [one["rewards"] for one in found] == [[0.0], [1.0], [2.0]]
    assert held < 1_000_000
