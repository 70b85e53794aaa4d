from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.ids import Micros
from domain.rules.error_line import looks_like_error, may_hold_errors
from domain.rules.log_lines import LineState, step

LOGS = Path(__file__).with_name("failure_logs")
MARKED = {
    "bigscience_ecc_error": [3, 20, 21, 22, 23, 24],
    "bigscience_nccl_unhandled_system_error": [2, 3, 4],
    "ckpt": [2, 10, 11],
    "ddp_crash": [10, 12, 14, 16, 25, 27, 28, 43, 44, 55, 64],
    "disk": [5, 10, 12, 14, 25],
    "dlkill": [2, 16],
    "hf_ok": [],
    "hf_vocab": [4, 66],
    "hub": [2, 17, 18, 20, 22, 45, 46],
    "import": [2, 9],
    "nan": [7, 14, 16],
    "ok": [],
    "oomkill": [5, 6],
    "perm": [2, 17],
    "ray_die": [4, 5, 20, 26],
    "term": [],
}
"""Numbers of lines as people count them, from 1; read by eye."""


def shown(name: str) -> list[str]:
    with (LOGS / f"{name}.log").open(newline="") as file:
        lines, _ = step(LineState(), [file.read() + "\n"], Micros(0))
    return [line.text for line in lines]


@pytest.mark.parametrize("name", MARKED)
def test_the_lines_that_say_why_a_job_failed_are_found_and_no_others(name):
    assert [n for n, line in enumerate(shown(name), 1) if looks_like_error(line)] == MARKED[name]


def test_every_log_is_in_the_table():
    assert {path.stem for path in LOGS.glob("*.log")} == set(MARKED)


@pytest.mark.parametrize(
    "line",
    [
        "ERROR: it broke",
        "torch.cuda.OutOfMemoryError: CUDA out of memory",
        "bash: foo: command not found",
        "Segmentation fault (core dumped)",
        "NVRM: Xid (PCI:0000:17:00): 79, GPU has fallen off the bus",
        "make: *** [all] Error 2",
        "process exited with exit code 1",
        "exit status: -9",
        "3 errors, and an error",
        "Error(s) in loading state_dict",
        "critical",
    ],
)
def test_what_reads_like_an_error_is_marked(line):
    assert looks_like_error(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "step=1 loss=2.30",
        "0 errors",
        "finished, no error",
        "error: 0.25",
        "error = .5, next",
        "error=nan",
        "val_error=0.1 error_rate=0.2",
        "on_error called",
        "exited with code 0",
        "exit code 0",
        "terror and mirrors",
        "3 failed, 5 passed",
    ],
)
def test_names_numbers_and_counts_of_none_are_no_errors(line):
    assert not looks_like_error(line)


words = st.sampled_from(
    ["Error", "error", "exit", "code", "1", " ", "=", "0", "KILLED", "fatal", "Exception", "İ", "\t"]
)


@given(st.lists(st.lists(words, max_size=8).map("".join), max_size=5))
def test_no_line_is_missed_where_a_text_is_passed_over(lines):
    if any(map(looks_like_error, lines)):
        assert may_hold_errors("\n".join(lines))
