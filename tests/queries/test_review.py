import pytest

from application.queries.review import LOOKED_AT, review
from domain.errors import UnknownRun
from domain.ids import RunId
from tests import factories as a

OTHER = RunId("run-2")


@pytest.fixture
def two(reports):
    reports.of(a.a_run(run=OTHER), a.an_execution(run=OTHER, token_id="t2"))
    return reports


def declared(run, **descriptor):
    return a.a_contract(run=run, contract={"semantics": {"rate": descriptor}})


def metrics(reports, **asked):
    return review(reports.views, a.RUN, OTHER, now=a.NOON, **asked).metrics


def test_metrics_of_either_run_stand_side_by_side(two):
    two.scalars.put("loss", 3.0, 2.0)
    two.scalars.put("rate", 0.5)
    two.scalars.put("rate", 0.6, run=OTHER)
    two.scalars.put("zeta", 1.0, run=OTHER)

    found = [(one.key, one.left and one.left.last, one.right and one.right.last) for one in metrics(two).items]

    assert found == [("loss", 2.0, None), ("rate", 0.5, 0.6), ("zeta", None, 1.0)]


@pytest.mark.parametrize(
    ("left", "right", "comparison", "ahead"),
    [
        ("v1", "v1", "same", "right"),
        ("v1", "v2", "different", None),
        ("v1", None, "absent", None),
        (None, None, "absent", None),
    ],
)
def test_nothing_is_ranked_without_one_comparison_identity(two, left, right, comparison, ahead):
    two.scalars.put("rate", 0.5)
    two.scalars.put("rate", 0.6, run=OTHER)
    for run, identity in ((a.RUN, left), (OTHER, right)):
        asserted = {} if identity is None else {"comparison_id": identity}
        two.of(declared(run, direction="higher", **asserted))

    (found,) = metrics(two).items

    assert (found.comparison, found.ahead) == (comparison, ahead)
    assert (found.left.comparison_id, found.left.direction, found.left.unit) == (left, "higher", None)


def test_metrics_page_and_filter_over_both_runs(two):
    for key in "aceg":
        two.scalars.put(key, 1.0)
    for key in "bceh":
        two.scalars.put(key, 1.0, run=OTHER)

    found: list[str] = []
    cursor = None
    for _ in range(3):
        page = metrics(two, limit=2, cursor=cursor)
        found += [one.key for one in page.items]
        cursor = page.next_cursor

    assert (found, cursor) == (["a", "b", "c", "e", "g", "h"], None)
    assert [one.key for one in metrics(two, q="H").items] == ["h"]


def test_only_metrics_that_differ_are_listed_where_they_are_asked_for(two):
    for key in "abcd":
        two.scalars.put(key, 1.0)
        two.scalars.put(key, 2.0 if key == "b" else 1.0, run=OTHER)
    two.scalars.put("c", 3.0)
    two.scalars.put("e", 1.0)

    first = metrics(two, differing=True, limit=2)
    second = metrics(two, differing=True, limit=2, cursor=first.next_cursor)

    assert [one.key for one in first.items] == ["b", "c"]
    assert ([one.key for one in second.items], second.next_cursor) == (["e"], None)
    assert [one.key for one in metrics(two, differing=True, q="C").items] == ["c"]


def test_a_page_of_those_that_differ_ends_where_enough_was_looked_at_and_goes_on(two):
    for number in range(LOOKED_AT + 2):
        for run in (a.RUN, OTHER):
            two.scalars.put(f"m{number:04}", 1.0, run=run)
    two.scalars.put(f"m{LOOKED_AT + 1:04}", 2.0)

    first = metrics(two, differing=True)
    second = metrics(two, differing=True, cursor=first.next_cursor)

    assert first.items == []
    assert [one.key for one in second.items] == [f"m{LOOKED_AT + 1:04}"]


def test_the_same_value_with_another_identity_differs(two):
    for run in (a.RUN, OTHER):
        two.scalars.put("rate", 0.5, run=run)
    two.of(declared(a.RUN, comparison_id="v1"))

    assert [one.key for one in metrics(two, differing=True).items] == ["rate"]


def test_benchmarks_are_grouped_and_none_is_ranked(two):
    two.of(
        a.a_benchmark_score(value=0.5),
        a.a_benchmark_score(run=OTHER, value=0.6, model="other"),
        a.a_benchmark_score(run=OTHER, metric="acc"),
        a.a_benchmark_score(run=OTHER, value=0.7, model="third"),
    )

    found = review(two.views, a.RUN, OTHER, now=a.NOON).benchmarks

    assert [(one.benchmark, one.metric, [score.value for score in one.left]) for one in found] == [
        ("gsm8k", "acc", []),
        ("gsm8k", "exact_match", [0.5]),
    ]
    assert [(score.model, score.value) for score in found[1].right] == [("third", 0.7), ("other", 0.6)]


def test_both_runs_are_named_and_must_exist(two):
    found = review(two.views, a.RUN, OTHER, now=a.NOON)

    assert (found.left.run_id, found.right.run_id, found.left.status) == (a.RUN, OTHER, "created")
    with pytest.raises(UnknownRun):
        review(two.views, a.RUN, RunId("nowhere"), now=a.NOON)
