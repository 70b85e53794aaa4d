from __future__ import annotations

from domain.environment import report_environment, report_nodes
from tests.domain.given import given
from tests.factories import an_environment, nodes


def test_a_changed_environment_is_recorded_and_the_latest_again_changes_nothing():
    changed = an_environment(packages="a==2")
    given(report_environment(an_environment())).when(report_environment(changed), report_environment(changed)).then(
        changed, duplicates=1
    )


def test_nodes_that_report_for_themselves_do_not_displace_each_other():
    given(report_nodes(nodes("n1")), report_nodes(nodes("n2"))).when(
        report_nodes(nodes("n1")), report_nodes(nodes("n2"))
    ).then(duplicates=2)


def test_a_changed_node_is_recorded():
    moved = nodes(nodes=({"node_id": "n1", "hostname": "elsewhere"},))
    given(report_nodes(nodes("n1"))).when(report_nodes(moved)).then(moved)


def test_the_order_of_nodes_makes_no_other_place():
    assert report_nodes(nodes("n1", "n2")).stream == report_nodes(nodes("n2", "n1")).stream
