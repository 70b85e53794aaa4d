"""Hosts and cards: what was said of them, and what was last measured."""

import pytest

from application.queries.hardware import hardware_series
from application.queries.hardware_hosts import hardware_hosts
from application.queries.hardware_key import hardware_key
from domain.errors import Refused, UnknownThing
from domain.events.series import GpuDevices
from domain.ids import Micros
from tests import factories as a

NOW = Micros(0)
MINUTE = 60_000_000


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("h1/cpu.pct", ("h1", None, "cpu.pct", "%")),
        ("h1/gpu.0.temp", ("h1", 0, "gpu.temp", "°C")),
        ("h1/gpu.12.mem.value", ("h1", 12, "gpu.mem.value", "MiB")),
        ("h1/gpu.0.fan", ("h1", 0, "gpu.fan", None)),
        ("h1/gpu.x.temp", ("h1", None, "gpu.x.temp", None)),
        ("h1/disk/read", ("h1", None, "disk/read", None)),
        ("h1/gpu.99999999999.temp", ("h1", None, "gpu.99999999999.temp", None)),
    ],
)
def test_a_key_says_whose_it_is_and_in_what_it_is_measured(key, parts):
    found = hardware_key(key)
    assert (found.host, found.card, found.metric, found.unit) == parts


def test_the_last_of_everything_stands_by_host_and_card(reports):
    for key, *values in (("a/cpu.pct", 10.0, 20.0), ("a/gpu.10.pct", 1.0), ("a/gpu.2.temp", 60.0, 61.0, 62.0)):
        reports.hardware.put(key, *values)
    reports.hardware.put("b/mem.pct", 5.0)

    first, second = hardware_hosts(reports.views, a.RUN, now=NOW).items

    assert [(one.metric, one.value, one.unit) for one in first.readings] == [("cpu.pct", 20.0, "%")]
    assert [(card.index, [(one.metric, one.value) for one in card.readings]) for card in first.cards] == [
        (2, [("gpu.temp", 62.0)]),
        (10, [("gpu.pct", 1.0)]),
    ]
    assert first.cards[0].last_at == "1970-01-01T00:00:02.000000Z"
    assert (first.last_at, second.host, second.cards) == ("1970-01-01T00:00:02.000000Z", "b", [])
    assert (first.driver, first.cards[0].model, first.cards[0].uuid, first.gpu_attribution) == (None,) * 4


def test_cards_are_described_by_their_node_and_named_by_their_samples(reports):
    gpu = {"driver_version": "570", "devices": [{"index": 0, "name": "H100", "memory_gb": 79.6}, {"index": 1}, "junk"]}
    reports.of(
        a.nodes(nodes=({"node_id": "0", "hostname": "a", "gpu": gpu}, {"node_id": "1", "hostname": "b", "gpu": "x"})),
        a.a_hardware_batch(devices=(GpuDevices(host="a", gpu_uuids={"1": "GPU-1", "x": "?"}, gpu_attribution="pid"),)),
    )
    reports.hardware.put("a/gpu.0.pct", 1.0)
    reports.hardware.put("b/cpu.pct", 1.0)

    first, second = hardware_hosts(reports.views, a.RUN, now=NOW).items

    assert (first.driver, first.gpu_attribution, second.driver) == ("570", "pid", None)
    assert [(one.index, one.model, one.memory_gb, one.uuid, one.last_at is None) for one in first.cards] == [
        (0, "H100", 79.6, None, False),
        (1, None, None, "GPU-1", True),
    ]


def test_a_machine_that_sent_the_snapshot_is_described_by_it_and_no_other(reports):
    gpu = {"driver_version": "570", "devices": [{"index": 0, "name": "H100"}]}
    reports.of(a.an_environment(overview={"hostname": "a"}, hardware={"gpu": gpu}))
    reports.hardware.put("a/gpu.0.pct", 1.0)
    reports.hardware.put("b/gpu.0.pct", 1.0)

    found = hardware_hosts(reports.views, a.RUN, now=NOW).items

    assert [(one.host, one.driver, one.cards[0].model) for one in found] == [("a", "570", "H100"), ("b", None, None)]


def test_a_host_is_silent_only_under_a_job_that_goes_on(restarted):
    restarted.hardware.put("a/cpu.pct", 1.0, attempt=1)
    late = Micros(3 * MINUTE)

    def silent(**asked):
        return [one.silent_since for one in hardware_hosts(restarted.views, a.RUN, **{"now": late, **asked}).items]

    assert silent() == [None]
    restarted.of(a.a_lifecycle("running", attempt=1))
    assert silent() == ["1970-01-01T00:00:00.000000Z"]
    assert silent(now=Micros(3 * MINUTE - 1)) == [None]
    restarted.hardware.put("b/cpu.pct", 1.0, attempt=0)
    assert silent(attempt=0) == [None]
    restarted.of(a.a_lifecycle("succeeded", attempt=1))
    assert silent() == [None, None]


def test_hosts_come_whole_page_by_page(reports, monkeypatch):
    monkeypatch.setattr("application.queries.hardware_hosts._SERIES", 5)
    for host in "abcd":
        for metric in ("cpu.pct", "mem.pct"):
            reports.hardware.put(f"{host}/{metric}", 1.0)

    first = hardware_hosts(reports.views, a.RUN, now=NOW)
    second = hardware_hosts(reports.views, a.RUN, now=NOW, cursor=first.next_cursor)

    assert [(one.host, len(one.readings)) for one in first.items] == [("a", 2), ("b", 2)]
    assert [(one.host, len(one.readings)) for one in second.items] == [("c", 2), ("d", 2)]
    assert second.next_cursor is None


def test_what_cannot_be_asked_is_refused(reports):
    with pytest.raises(UnknownThing):
        hardware_hosts(reports.views, a.RUN, now=NOW, attempt=7)
    with pytest.raises(Refused):
        hardware_hosts(reports.views, a.RUN, now=NOW, cursor="junk")


def test_a_series_says_its_unit_where_all_clients_agree(reports):
    reports.hardware.put("a/gpu.0.power", 400.0)
    reports.hardware.put("a/own", 1.0)

    found = hardware_series(reports.views, a.RUN).items

    assert [(one.key, one.descriptor) for one in found] == [("a/gpu.0.power", {"unit": "W"}), ("a/own", None)]
