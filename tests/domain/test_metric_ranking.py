import pytest

from domain.rules.metric_ranking import MetricEvidence, ahead, comparison_among, comparison_verdict


def said(value: float | None = 1.0, comparison_id: str | None = "suite:v1", direction: str | None = "higher"):
    return MetricEvidence(value=value, comparison_id=comparison_id, direction=direction)


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        ("suite:v1", "suite:v1", "same"),
        ("suite:v1", "suite:v2", "different"),
        (None, "suite:v1", "absent"),
        ("suite:v1", None, "absent"),
        (None, None, "absent"),
        ("", "", "absent"),
    ],
)
def test_identities_are_the_same_only_where_both_assert_one(left, right, verdict):
    assert comparison_verdict(said(comparison_id=left), said(comparison_id=right)) == verdict


@pytest.mark.parametrize(
    ("direction", "left", "right", "found"),
    [
        ("higher", 2.0, 1.0, "left"),
        ("higher", 1.0, 2.0, "right"),
        ("lower", 2.0, 1.0, "right"),
        ("lower", 1.0, 2.0, "left"),
        ("higher", 1.0, 1.0, "equal"),
        ("neutral", 2.0, 1.0, None),
        (None, 2.0, 1.0, None),
        ("higher", None, 1.0, None),
        ("lower", 1.0, None, None),
    ],
)
def test_who_is_ahead_follows_the_direction(direction, left, right, found):
    assert ahead(said(left, direction=direction), said(right, direction=direction)) == found


@pytest.mark.parametrize(("left", "right"), [(None, None), ("suite:v1", "suite:v2"), ("suite:v1", None)])
def test_nobody_is_ahead_without_one_identity(left, right):
    assert ahead(said(2.0, left), said(1.0, right)) is None


def test_nobody_is_ahead_where_the_directions_differ():
    assert ahead(said(2.0, direction="higher"), said(1.0, direction="lower")) is None


@pytest.mark.parametrize(
    ("identities", "verdict"),
    [
        (["a", "a", "a"], "same"),
        (["a"], "same"),
        (["a", "b", "a"], "different"),
        (["a", None, "a"], "absent"),
        (["a", "", "b"], "absent"),
        ([None], "absent"),
    ],
)
def test_among_several_runs_each_must_assert_the_one_identity(identities, verdict):
    assert comparison_among(identities) == verdict


@pytest.mark.parametrize("left", ["a", "b", "", None])
@pytest.mark.parametrize("right", ["a", "b", "", None])
def test_two_runs_among_themselves_are_as_two_side_by_side(left, right):
    assert comparison_among([left, right]) == comparison_verdict(said(comparison_id=left), said(comparison_id=right))
