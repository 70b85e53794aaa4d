"""The outermost layer: hosts, security headers, counts; and health."""

import msgspec
import pytest

from entrypoints.http.gate import SECURITY_HEADERS, allowed_hosts
from entrypoints.settings import Settings

ADDRESSES = ["/healthz", "/nothing", "/api/ingest/metrics", "/api/runs", "/schema"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_answer_carries_the_security_headers(server, address):
    answer = server.client.get(address)
    for name, value in SECURITY_HEADERS:
        assert answer.headers[name.decode()] == value.decode()
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "default-src 'self'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8420", "127.0.0.1:1", "[::1]:80", "[::1]", "testserver.local"]
)
def test_its_own_names_are_answered(server, host):
    assert server.client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        "[::2]",
        "a\tb",
        "localhost:1@evil.example",
        "[::1]evil",
    ],
)
@pytest.mark.parametrize("address", ADDRESSES)
def test_other_names_are_400_everywhere(server, host, address):
    answer = server.client.get(address, headers={"Host": host})
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
    assert "TUNEPLANE_ALLOWED_HOSTS" in answer.json()["detail"]


@pytest.mark.parametrize("hosts", [("localhost", "evil.example"), ("localhost", "localhost")])
def test_more_than_one_host_is_400(server, hosts):
    answer = server.client.get("/healthz", headers=[("Host", host) for host in hosts])
    assert answer.status_code == 400


def test_the_host_of_the_ingest_address_is_answered_too():
    settings = Settings(ingest_url="https://tuneplane.example:8443/x", host="10.0.0.7")
    assert {"tuneplane.example", "10.0.0.7", "localhost"} <= allowed_hosts(settings)


def test_an_ingest_address_without_a_host_opens_no_nameless_door():
    assert "" not in allowed_hosts(Settings(ingest_url="http://:8420"))


def test_what_was_answered_is_counted(server, job):
    def count(line):
        lines = server.client.get("/metrics").text.splitlines()
        return sum(int(one.rpartition(" ")[2]) for one in lines if one.startswith(line))

    taken = 'tuneplane_http_requests_total{area="ingest",status="200"}'
    refused = 'tuneplane_http_requests_total{area="ingest",status="422"}'
    before = (count(taken), count(refused), count('tuneplane_reported_total{fate="accepted"}'))
    job.post("logs", chunks=["a"])
    job.post("logs", chunks=1)
    after = (count(taken), count(refused), count('tuneplane_reported_total{fate="accepted"}'))
    assert [new - old for new, old in zip(after, before, strict=True)] == [1, 1, 1]
    assert count("tuneplane_log_position") == server.container.event_log().head().position


def test_metrics_are_prometheus_text(server):
    answer = server.client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    for line in answer.text.splitlines():
        assert line.startswith("# ") or msgspec.json.decode(line.rpartition(" ")[2]) >= 0


def test_it_is_alive_and_ready(server):
    assert server.client.get("/healthz").json() == {"ok": True}
    assert server.client.get("/readyz").json() == {"position": server.container.event_log().head().position}
