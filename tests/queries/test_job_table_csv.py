import csv
import io

from application.queries.job_column import columns
from application.queries.job_table_csv import table_csv

NOON = 1_767_268_800_000_000


def told(names, *lines) -> list[list[str]]:
    text = table_csv(columns(list(names)), lines)
    assert text.endswith("\r\n")
    return list(csv.reader(io.StringIO(text)))


def test_columns_are_named_as_addresses_name_them_and_units_are_said():
    names = ["name", "config:lr", "last:eval/accuracy", "duration"]
    assert told(names) == [["name", "config:lr", "last:eval/accuracy", "duration_seconds"]]


def test_numbers_are_as_they_are_and_what_is_unknown_is_empty():
    names = ["attempt", "config:lr", "last:loss", "config:amp", "started", "duration", "tags"]
    line = [0, 1e-05, -0.1, True, NOON, 1_500_000, ("a", "b")]
    assert told(names, line, [None] * 7)[1:] == [
        ["0", "1e-05", "-0.1", "true", "2026-01-01T12:00:00.000000Z", "1.5", "a, b"],
        [""] * 7,
    ]


def test_no_text_of_a_job_is_a_formula():
    names = ["name", "config:x", "tags", "config:=key"]
    line = ["=1+1", "+2", ("@a", "b"), '-x,\n"y"']
    assert told(names, line)[1] == ["'=1+1", "'+2", "'@a, b", '\'-x,\n"y"']
