"""Values flattened, and what differs between two configurations, two environments, or the nodes of one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tuneplane.redaction import MASK

from application.queries.config_diff import REDACTED, config_diff, holding, leaves
from application.queries.declared_contract import declared_contract
from application.queries.environment import GpuModel, Node, gpu_models, packages, packages_csv
from application.queries.hyperparameters import hyperparameters_csv
from application.queries.node_differences import node_differences
from tests import factories as a


def flat(tree):
    return [(one.path, one.kind, one.text) for one in leaves(tree)]


def test_nested_values_are_flattened_with_their_kinds_and_numbers_stay_as_sent():
    tree = {
        "optim": {"lr": 1e-05, "betas": [0.9, 0.999], "fused": True},
        "seed": 7,
        "warmup": 1.0,
        "big": 2**62,
        "name": "Qwen/é",
        "none": None,
        "empty": {},
        "data": [{"path": "a"}, {"path": "b", "deep": [[1], 2]}],
    }
    assert flat(tree) == [
        ("big", "whole number", "4611686018427387904"),
        ("data[0].path", "text", "a"),
        ("data[1].deep[0]", "list of 1", "[1]"),
        ("data[1].deep[1]", "whole number", "2"),
        ("data[1].path", "text", "b"),
        ("empty", "object", "{}"),
        ("name", "text", "Qwen/é"),
        ("none", "null", "null"),
        ("optim.betas", "list of 2", "[0.9, 0.999]"),
        ("optim.fused", "true or false", "true"),
        ("optim.lr", "number", "1e-05"),
        ("seed", "whole number", "7"),
        ("warmup", "number", "1.0"),
    ]


def test_names_that_meet_lose_no_value():
    assert flat({"a.b": 1, "a": {"b": 2}}) == [("a.b", "whole number", "1"), ("a.b #2", "whole number", "2")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(left=st.dictionaries(st.text(max_size=3), JSON), right=st.dictionaries(st.text(max_size=3), JSON))
def test_every_value_of_both_sides_is_told_once_and_sides_mirror(left, right):
    one, other = leaves(left), leaves(right)
    found, mirrored = config_diff(one, other), config_diff(other, one)
    assert len({leaf.path for leaf in one}) == len(one)
    assert len(found.only_left) + len(found.changed) + found.same == len(one)
    assert len(found.only_right) + len(found.changed) + found.same == len(other)
    assert (mirrored.only_left, mirrored.only_right, mirrored.same) == (found.only_right, found.only_left, found.same)
    assert config_diff(one, one).same == len(one)


def test_what_was_sent_otherwise_is_changed_even_where_python_takes_it_for_equal():
    left = leaves({"a": 1, "b": True, "c": "1", "d": 0.1, "e": "x", "gone": 0})
    right = leaves({"a": 1.0, "b": 1, "c": 1, "d": 0.1, "e": "y", "new": None})
    found = config_diff(left, right)
    assert [(one.path, one.left.text, one.right.text) for one in found.changed] == [
        ("a", "1", "1.0"),
        ("b", "true", "1"),
        ("c", "1", "1"),
        ("e", "x", "y"),
    ]
    assert ([one.path for one in found.only_left], [one.path for one in found.only_right]) == (["gone"], ["new"])
    assert found.same == 1


def test_a_search_finds_names_and_values_in_any_case():
    known = leaves({"optim": {"LR": 1e-05}, "model": "Qwen3-lr"})
    assert [one.path for one in holding(known, "lr")] == ["model", "optim.LR"]
    assert [one.path for one in holding(known, "E-05")] == ["optim.LR"]
    assert len(holding(known, "")) == 2


def test_what_the_client_redacted_is_told_and_nothing_else_is_masked():
    known = {one.path: one for one in leaves({"api_key": MASK, "url": f"https://{MASK}@h", "token_ids": [1]})}
    assert REDACTED == MASK
    assert [path for path, one in known.items() if one.redacted] == ["api_key", "url"]
    assert known["token_ids"].text == "[1]"


def test_two_redacted_values_are_not_said_to_be_the_same():
    known = leaves({"api_key": MASK, "seed": 1})
    found = config_diff(known, known)
    assert ([one.path for one in found.hidden], found.same, found.changed) == (["api_key"], 1, [])
    assert config_diff(known, leaves({"api_key": "x"})).changed[0].path == "api_key"


def test_packages_are_read_by_name_whatever_its_spelling_and_odd_lines_stay():
    text = "PyYAML==6.0\ntyping_extensions==4.1\n-e git+https://x#egg=y\nlocal @ file:///w/a.whl\n\nodd\n"
    assert [(one.path, one.text) for one in packages(text)] == [
        ("-e git+https://x#egg=y", ""),
        ("local", "file:///w/a.whl"),
        ("odd", ""),
        ("pyyaml", "6.0"),
        ("typing-extensions", "4.1"),
    ]


@pytest.mark.parametrize("junk", [None, "gpu", [], {"devices": "x"}, {"devices": [1, {"index": 0}]}])
def test_devices_nobody_described_are_no_models(junk):
    assert gpu_models(junk) == []


def test_devices_are_counted_by_model():
    devices = [{"name": "H100", "memory_gb": 80}] * 7 + [{"name": "A100"}]
    assert gpu_models({"devices": devices}) == [
        GpuModel(name="H100", memory_gb=80.0, devices=7),
        GpuModel(name="A100", memory_gb=None, devices=1),
    ]


def test_nodes_are_told_apart_by_what_they_say_and_not_by_their_names():
    nodes = [
        Node(node_id=name, hostname=name, cpu={"cores": 8}, gpu=gpu, reported_at="")
        for name, gpu in (("n1", {"driver": "1"}), ("n2", {"driver": "2"}), ("n3", {"driver": "1"}), ("n4", None))
    ]
    (found,) = node_differences(nodes)
    assert found.path == "gpu.driver"
    assert [(one.value and one.value.text, one.nodes) for one in found.groups] == [
        ("1", ["n1", "n3"]),
        ("2", ["n2"]),
        (None, ["n4"]),
    ]
    assert node_differences(nodes[:1]) == []


def test_files_of_values_keep_numbers_and_run_no_formula(reports):
    reports.of(a.hyperparameters(params={"lr": -1.5, "=cmd": "=1+1"}), a.an_environment(packages="=x==-1\n"))
    assert "".join(hyperparameters_csv(reports.views, a.RUN)).splitlines() == [
        "path,kind,value",
        "'=cmd,text,'=1+1",
        "lr,number,-1.5",
    ]
    assert "".join(packages_csv(reports.views, a.RUN)).splitlines() == ["name,version", "'=x,'-1"]


def test_the_contract_is_shown_as_it_was_declared(reports):
    assert declared_contract(reports.views, a.RUN) is None
    said = {
        "capabilities": ["agent", 3],
        "recipe": "grpo",
        "method": 7,
        "semantics": {"b/rate": {"unit": "fraction", "direction": "higher"}, "a": "junk"},
    }
    reports.of(a.a_contract(contract=said))
    found = declared_contract(reports.views, a.RUN)
    assert found is not None
    assert (found.attempt, found.versions, found.capabilities) == (0, 1, ["agent", "3"])
    assert [(one.path, one.text) for one in found.method] == [("recipe", "grpo")]
    assert [(one.key, [leaf.text for leaf in one.said]) for one in found.descriptors] == [
        ("b/rate", ["higher", "fraction"])
    ]
