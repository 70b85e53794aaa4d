"""What a logged row, and a meta.yaml, say: each kind of value, and the ones that have no place here."""

import json

import pytest
from tuneplane.moving.distributions import of_edges
from tuneplane.moving.flat_yaml import flat_yaml
from tuneplane.moving.source import LeftOut, SourceRefused, Unread
from tuneplane.moving.values import row_items
from tuneplane.single_keys import parsed

from tests.moving.samples import points_of


def said(**values):
    return list(row_items(values, 3, 5.0))


def test_numbers_are_points_and_nested_names_are_joined():
    assert said(a=1, b={"c": {"d": -0.5}}) == [("a", 3, 5.0, 1.0), ("b.c.d", 3, 5.0, -0.5)]


def test_what_is_not_finite_is_a_point_too_bare_or_as_text():
    row = json.loads('{"a": NaN, "b": "NaN", "c": "Infinity", "d": -Infinity}')
    found = points_of(row_items(row, 3, 5.0))
    assert [str(value) for _, _, _, value in found] == ["nan", "nan", "inf", "-inf"]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "boolean"),
        ("words", "text"),
        (None, "null"),
        ([1, 2], "list"),
        ({"_type": "image-file", "path": "x"}, "image-file"),
        ({"_type": "histogram", "packedBins": {}}, "histogram (packed otherwise than in bins and values)"),
        ({"_type": "histogram", "bins": [0, 1], "values": [1, 2]}, "histogram (2 edges for 2 counts)"),
        (
            {"_type": "histogram", "bins": [0, 0, 1], "values": [True, 2]},
            "histogram (packed otherwise than in bins and values)",
        ),
    ],
)
def test_what_has_no_place_is_left_out_by_its_kind(value, kind):
    assert said(a=value) == [LeftOut(kind)]


def test_a_histogram_keeps_its_counts():
    assert said(h={"_type": "histogram", "bins": [0, 1, 2], "values": [4, 6]}) == [
        of_edges("h", 3, 5.0, [0, 1, 2], [4, 6])
    ]


def test_what_no_number_can_hold_is_said():
    assert said(a=10**400) == [Unread("'a': an integer too large for a number")]
    deep: dict = {"x": 1.0}
    for _ in range(40):
        deep = {"x": deep}
    (found,) = said(**deep)
    assert isinstance(found, Unread)
    assert found.reason.endswith("nested deeper than 32 levels")
    with pytest.raises(ValueError, match="nested too deep"):
        parsed("[" * 100_000)


def test_meta_yaml_is_read_as_mlflow_writes_it(tmp_path):
    path = tmp_path / "meta.yaml"
    path.write_text(
        "end_time: null\nexperiment_id: '0'\nrun_name: a long name that goes\n  on in the next line\n"
        "status: 3\ntags: []\nquoted: 'it''s'\ndouble: \"a\\tb\"\nempty:\n"
    )
    assert flat_yaml(path) == {
        "end_time": None,
        "experiment_id": "0",
        "run_name": "a long name that goes on in the next line",
        "status": "3",
        "tags": None,
        "quoted": "it's",
        "double": "a\tb",
        "empty": None,
    }
    path.write_text('a: "\\x"\n')
    with pytest.raises(SourceRefused, match="a quoted text that cannot be read"):
        flat_yaml(path)
    path.write_text("a" * (1024 * 1024 + 1))
    with pytest.raises(SourceRefused, match="at most 1048576 bytes are read"):
        flat_yaml(path)
