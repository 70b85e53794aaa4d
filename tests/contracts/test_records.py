"""Every adapter of records answers alike."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, NewType

import msgspec
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.memory.records import MemoryRecords
from adapters.postgres import record_sql
from adapters.postgres.records import PostgresRecords, RecordBatch
from application.ports.records import Records, RecordTable, Where
from domain.errors import Refused

Place = NewType("Place", str)


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    run: Place
    number: int
    kind: Literal["oak", "elm"] = "oak"
    height: float | None = None
    felled: bool = False
    label: str | None = None
    marks: tuple[str, ...] = ()
    rings: tuple[int, ...] = ()
    notes: dict[str, str] = {}


TREE = RecordTable(
    name="tree",
    record=Tree,
    key=("run", "number"),
    columns=("kind", "height", "felled", "label", "marks"),
    indexes=(("run", "height"), ("label",)),
)
IN_WOOD = Where("run", "=", "wood")


def a_tree(number: int = 1, **changes: Any) -> Tree:
    return Tree(**{"run": "wood", "number": number, **changes})


def numbers(trees: Sequence[Tree]) -> list[int]:
    return [tree.number for tree in trees]


@pytest.fixture(scope="module")
def connection(postgres: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres, autocommit=True) as conn:
        conn.execute("CREATE DATABASE records_contract")
        with psycopg.connect(postgres, dbname="records_contract", autocommit=True) as own:
            own.execute("CREATE SCHEMA trees")
            for statement in record_sql.create("trees", TREE):
                own.execute(statement)
            yield own
        conn.execute("DROP DATABASE records_contract WITH (FORCE)")


@pytest.fixture(params=["memory", "postgres", "postgres read"])
def plant(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Puts trees and answers the records to ask."""
    if request.param == "memory":
        yield partial(planted, MemoryRecords())
        return
    conn = request.getfixturevalue("connection")
    with conn.transaction(force_rollback=True):
        batch = RecordBatch("trees", (TREE,))
        batch.use(conn)
        yield partial(planted if request.param == "postgres" else planted_and_flushed, batch)


def planted(records: Records, *trees: Tree) -> Records:
    for tree in trees:
        records.put(TREE, tree)
    return records


def planted_and_flushed(batch: RecordBatch, *trees: Tree) -> PostgresRecords:
    planted(batch, *trees)
    batch.flush()
    return PostgresRecords(batch._connection, {TREE: "trees"})


def test_a_record_comes_back_whole_by_its_key(plant):
    tree = a_tree(7, height=1.5, label="a\u2028b", marks=('x"', "\\", "é", ""), rings=(1, 2), notes={"n\0": "\0"})
    assert plant(tree, a_tree(8)).get(TREE, "wood", 7) == tree


def test_a_key_without_a_record_has_none(plant):
    records = plant(a_tree(1))
    assert records.get(TREE, "wood", 2) is None
    assert records.get(TREE, "garden", 1) is None


def test_the_last_put_of_a_key_stands(plant):
    records = plant(a_tree(1, label="old", height=1.0), a_tree(1, label="new"))
    assert records.get(TREE, "wood", 1) == a_tree(1, label="new")
    assert records.find(TREE, Where("label", "=", "old")) == []
    assert records.count(TREE) == 1


def test_a_record_replaced_in_a_later_batch_is_found_by_its_new_columns(plant):
    plant(a_tree(1, label="old", marks=("m",)))
    records = plant(a_tree(1, label="new"))
    assert numbers(records.find(TREE, Where("label", "=", "new"))) == [1]
    assert records.find(TREE, Where("marks", "has", "m")) == []


def test_records_come_in_order_of_the_key(plant):
    records = plant(a_tree(2), a_tree(10), a_tree(1), a_tree(1, run="Wood"))
    assert [(tree.run, tree.number) for tree in records.find(TREE)] == [
        ("Wood", 1),
        ("wood", 1),
        ("wood", 2),
        ("wood", 10),
    ]


def test_text_sorts_by_code_point(plant):
    records = plant(*(a_tree(n, label=label) for n, label in enumerate(["é", "z", "Z", "a", "\uffff", "\U0001f333"])))
    found = records.find(TREE, IN_WOOD, order=("label",))
    assert [tree.label for tree in found] == ["Z", "a", "z", "é", "\uffff", "\U0001f333"]


def test_none_sorts_first_and_last_when_descending(plant):
    records = plant(a_tree(1, height=2.0), a_tree(2), a_tree(3, height=-1.0))
    assert numbers(records.find(TREE, order=("height",))) == [2, 3, 1]
    assert numbers(records.find(TREE, order=("height",), descending=True)) == [1, 3, 2]


def test_ties_are_broken_by_the_key_in_the_same_direction(plant):
    records = plant(a_tree(1), a_tree(3), a_tree(2, felled=True))
    assert numbers(records.find(TREE, order=("felled",), descending=True)) == [2, 3, 1]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("order", [(), ("height",), ("kind", "height"), ("number",), ("height", "label")])
def test_pages_behind_the_last_record_seen_are_the_whole_list(plant, order, descending):
    heights = [None, 1.0, None, 2.0, 1.0, None, 3.0]
    trees = [a_tree(n, height=height, label=None if n % 2 else "l") for n, height in enumerate(heights)]
    records = plant(*trees)
    whole = records.find(TREE, IN_WOOD, order=order, descending=descending)
    seen: list[Tree] = []
    after = None
    while page := records.find(TREE, IN_WOOD, order=order, descending=descending, after=after, limit=2):
        assert len(page) <= 2
        seen += page
        after = tuple(getattr(page[-1], field) for field in (*order, *TREE.key))
    assert seen == whole
    assert sorted(numbers(seen)) == list(range(7))


def test_a_cursor_of_another_shape_is_refused(plant):
    records = plant(a_tree(1))
    for after in [(), ("wood",), ("wood", 1, 2), ("wood", "x"), ("wood\0", 1), ("wood", 1 << 63), ("wood", True)]:
        with pytest.raises(Refused):
            records.find(TREE, after=after)


@pytest.mark.parametrize(
    ("op", "value", "found"),
    [("=", 2.0, [2]), ("<", 2.0, [1]), ("<=", 2.0, [1, 2]), (">", 2.0, [3]), (">=", 2.0, [2, 3]), ("=", None, [4])],
)
def test_comparisons_leave_out_none(plant, op, value, found):
    records = plant(a_tree(1, height=1.0), a_tree(2, height=2.0), a_tree(3, height=3.0), a_tree(4))
    assert numbers(records.find(TREE, Where("height", op, value))) == found
    assert records.count(TREE, Where("height", op, value)) == len(found)


def test_nothing_is_less_or_more_than_none(plant):
    records = plant(a_tree(1, height=1.0), a_tree(2))
    assert records.find(TREE, Where("height", ">=", None)) == []


def test_in_finds_one_of_several_none_included(plant):
    records = plant(a_tree(1, label="a"), a_tree(2, label="b"), a_tree(3), a_tree(4, label="c"))
    assert numbers(records.find(TREE, Where("label", "in", ("a", "c")))) == [1, 4]
    assert numbers(records.find(TREE, Where("label", "in", ("a", None)))) == [1, 3]
    assert records.find(TREE, Where("label", "in", ())) == []


@pytest.mark.parametrize(
    ("needle", "found"),
    [
        ("OAK", [1]),
        ("%", [2]),
        ("_", [3]),
        ("\\", [4]),
        (".*", [5]),
        ("ÜB", [6]),
        ("ü", [6]),
        ("", [1, 2, 3, 4, 5, 6]),
        ("(?i)", []),
        ("***=o", []),
        ("[", [5]),
        ("b\n c", [6]),
    ],
)
def test_contains_is_literal_in_any_case(plant, needle, found):
    labels = ["old oak", "5%", "a_b", "c\\d", "e.*[f]", "überb\n C"]
    records = plant(*(a_tree(n, label=label) for n, label in enumerate(labels, 1)), a_tree(9))
    assert numbers(records.find(TREE, Where("label", "contains", needle))) == found


def test_has_asks_for_one_of_a_tuple_exactly(plant):
    records = plant(a_tree(1, marks=("a", "b,c")), a_tree(2, marks=("A",)), a_tree(3))
    assert numbers(records.find(TREE, Where("marks", "has", "b,c"))) == [1]
    assert numbers(records.find(TREE, Where("marks", "has", "A"))) == [2]


def test_conditions_hold_together(plant):
    records = plant(a_tree(1, kind="elm"), a_tree(2), a_tree(3, kind="elm", felled=True), a_tree(1, run="garden"))
    assert numbers(records.find(TREE, IN_WOOD, Where("kind", "=", "elm"), Where("felled", "=", False))) == [1]


@pytest.mark.parametrize(
    "condition",
    [
        Where("label", "=", "\0"),
        Where("label", "contains", "\0"),
        Where("label", "=", "\ud800"),
        Where("label", "=", 1),
        Where("number", "=", 1 << 63),
        Where("number", "=", True),
        Where("height", "<", float("nan")),
        Where("height", "<", 10**400),
        Where("marks", "=", "a"),
        Where("marks", "has", "\0"),
        Where("number", "contains", "1"),
        Where("label", "in", ("a", "\0")),
        Where("label", "in", "a"),
    ],
)
def test_a_condition_that_no_column_can_meet_is_refused(plant, condition):
    with pytest.raises(Refused):
        plant(a_tree(1)).find(TREE, condition)


def test_a_field_that_is_no_column_cannot_be_asked(plant):
    records = plant(a_tree(1))
    with pytest.raises(TypeError):
        records.find(TREE, Where("notes", "=", "x"))
    with pytest.raises(TypeError):
        records.find(TREE, order=("marks",))


@pytest.mark.parametrize(
    "changes",
    [
        {"run": "a\0"},
        {"number": 1 << 63},
        {"height": float("inf")},
        {"label": "\ud800"},
        {"marks": ("\0",)},
        {"kind": None},
        {"label": "é" * 1300},
    ],
)
def test_a_record_that_a_column_cannot_hold_is_refused(plant, changes):
    with pytest.raises(Refused):
        plant(a_tree(**changes))


def test_what_comes_back_is_not_what_was_put(plant):
    tree = a_tree(1, notes={"a": "b"})
    records = plant(tree)
    tree.notes["a"] = "c"
    found = records.get(TREE, "wood", 1)
    found.notes["a"] = "d"
    assert records.get(TREE, "wood", 1).notes == {"a": "b"}


@pytest.mark.parametrize(
    "changes",
    [
        {"key": ()},
        {"key": ("run", "label")},
        {"key": ("marks",)},
        {"columns": ("notes",)},
        {"columns": ("rings",)},
        {"columns": ("nothing",)},
        {"indexes": (("notes",),)},
        {"name": 'tree"; DROP'},
    ],
)
def test_declarations_that_no_adapter_can_keep_are_refused(changes: dict[str, Any]):
    with pytest.raises(TypeError):
        record_sql.create("trees", msgspec.structs.replace(TREE, **changes))


texts = st.one_of(
    st.sampled_from(["", "a", "A", "ab", "%", "_", "\\", '"', "ü", "Ü", "ß", "{}", "NULL", "\U0001f333"]),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4),
)
heights = st.one_of(
    st.none(), st.sampled_from([0.0, -0.0, 1.0, 5e-324, -1.5]), st.floats(allow_nan=False, allow_infinity=False)
)
integers = st.one_of(st.integers(0, 4), st.integers(-(1 << 63), (1 << 63) - 1))
trees = st.builds(
    Tree,
    run=st.sampled_from(["", "wood", "Wood", "é"]),
    number=integers,
    kind=st.sampled_from(["oak", "elm"]),
    height=heights,
    felled=st.booleans(),
    label=st.none() | texts,
    marks=st.lists(texts, max_size=3).map(tuple),
)
operators = st.sampled_from(["=", "<", "<=", ">", ">="])
conditions = st.one_of(
    st.builds(Where, st.just("run"), st.just("="), st.sampled_from(["", "wood", "Wood", "é"])),
    st.builds(Where, st.just("height"), operators, heights),
    st.builds(Where, st.just("number"), operators, integers),
    st.builds(Where, st.just("felled"), operators, st.none() | st.booleans()),
    st.builds(Where, st.just("label"), operators, st.none() | texts),
    st.builds(Where, st.just("label"), st.just("contains"), texts),
    st.builds(Where, st.just("label"), st.just("in"), st.lists(st.none() | texts, max_size=3).map(tuple)),
    st.builds(Where, st.just("marks"), st.just("has"), texts),
)
orders = st.lists(st.sampled_from(["run", "number", "kind", "height", "felled", "label"]), max_size=3).map(tuple)


@given(
    forest=st.lists(trees, max_size=12),
    where=st.lists(conditions, max_size=2),
    order=orders,
    descending=st.booleans(),
    size=st.integers(1, 4),
)
@settings(max_examples=200, deadline=None)
def test_both_adapters_answer_alike(connection, forest, where, order, descending, size):
    memory = MemoryRecords()
    with connection.transaction(force_rollback=True):
        batch = RecordBatch("trees", (TREE,))
        batch.use(connection)
        records = planted_and_flushed(batch, *forest)
        planted(memory, *forest)
        ask: dict[str, Any] = {"order": order, "descending": descending}
        whole = memory.find(TREE, *where, **ask)
        assert records.find(TREE, *where, **ask) == whole
        assert records.count(TREE, *where) == memory.count(TREE, *where) == len(whole)
        for place in range(0, len(whole), size):
            after = tuple(getattr(whole[place], field) for field in (*order, *TREE.key))
            page = memory.find(TREE, *where, **ask, after=after, limit=size)
            assert page == whole[place + 1 : place + 1 + size]
            assert records.find(TREE, *where, **ask, after=after, limit=size) == page


def test_a_batch_that_was_forgotten_reads_what_is_stored(connection):
    with connection.transaction(force_rollback=True):
        batch = RecordBatch("trees", (TREE,))
        batch.use(connection)
        planted_and_flushed(batch, a_tree(1, label="kept"))
        batch.put(TREE, a_tree(1, label="lost"))
        assert batch.get(TREE, "wood", 1) == a_tree(1, label="lost")
        batch.forget()
        assert batch.get(TREE, "wood", 1) == a_tree(1, label="kept")
        assert batch.take_waiting() == []


def test_a_put_that_changes_nothing_writes_nothing(connection):
    with connection.transaction(force_rollback=True):
        batch = RecordBatch("trees", (TREE,))
        batch.use(connection)
        planted_and_flushed(batch, a_tree(1, label="kept"))
        batch.put(TREE, a_tree(1, label="kept"))
        assert batch.take_waiting() == []


def test_different_values_of_a_column_that_begins_an_index_come_in_order(plant):
    labels = ["b", "a", None, "B%", "b", "é", "zz"]
    records = plant(*(a_tree(number, label=label) for number, label in enumerate(labels)))

    assert records.distinct(TREE, "label", most=10) == ["B%", "a", "b", "zz", "é"]
    assert records.distinct(TREE, "label", most=2) == ["B%", "a"]
    assert records.distinct(TREE, "label", contains="b", most=10) == ["B%", "b"]
    assert records.distinct(TREE, "label", contains="b%", most=10) == ["B%"]
    assert records.distinct(TREE, "label", contains="zz", most=3) == []


def test_records_are_counted_by_the_values_of_a_column_under_the_conditions(plant):
    kinds = [("oak", "a"), ("oak", None), ("elm", "a"), ("oak", "a")]
    records = plant(*(a_tree(number, kind=kind, label=label) for number, (kind, label) in enumerate(kinds)))

    assert records.count_by(TREE, "label", IN_WOOD) == {"a": 3, None: 1}
    assert records.count_by(TREE, "label", IN_WOOD, Where("kind", "=", "oak")) == {"a": 2, None: 1}
    assert records.count_by(TREE, "felled", Where("number", ">", 1)) == {False: 2}
    assert records.count_by(TREE, "kind", Where("number", ">", 9)) == {}


def test_nothing_has_no_different_values(plant):
    assert plant().distinct(TREE, "label", most=10) == []
