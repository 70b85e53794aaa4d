"""/schema: OpenAPI 3.1, complete for every route, ingest bodies included, and nothing loaded from elsewhere."""

import re

import pytest

from entrypoints.http.ingest.routes import ROUTES
from entrypoints.http.openapi import BODIES, PREFIX


@pytest.fixture(scope="module")
def schema(server):
    answer = server.client.get("/schema")
    assert answer.status_code == 200
    return answer.json()


def test_it_is_openapi_3_1(schema):
    assert schema["openapi"].startswith("3.1")


def test_every_ingest_path_says_what_it_takes_and_answers(schema):
    assert len(BODIES) == len(ROUTES)
    for path, body in BODIES.items():
        operation = schema["paths"][PREFIX + path]["post"]
        for kind in ("application/json", "application/msgpack"):
            assert operation["requestBody"]["content"][kind]["schema"]["$ref"].endswith(f"/{body.__name__}")
        assert {"200", "400", "401", "403", "413", "415", "422", "503"} <= set(operation["responses"])
        assert operation["security"]


def test_both_shapes_of_metrics_are_described(schema):
    metrics = schema["components"]["schemas"]["Metrics"]["properties"]
    assert {"run_id", "attempt", "points", "series", "stream", "sequence"} == set(metrics)
    assert {"key", "steps", "values", "ts", "invalid"} == set(schema["components"]["schemas"]["Series"]["properties"])
    assert schema["components"]["schemas"]["Point"]["required"] == ["key", "step", "value"]


def test_every_reference_leads_somewhere(schema):
    for name in set(re.findall(r'#/components/schemas/([^"\']+)', str(schema))):
        assert name in schema["components"]["schemas"], name


def test_every_operation_says_how_it_refuses(schema):
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            assert "application/problem+json" in str(operation["responses"]), (method, path)


def test_no_page_asks_another_host_for_anything(server):
    assert "://" not in re.sub(
        r"https?://(?:json-schema\.org|spec\.openapis\.org)[^\"']*", "", server.client.get("/schema").text
    ).replace("s3://", "")
    for page in ("/schema/scalar", "/schema/swagger", "/schema/redoc"):
        assert server.client.get(page).status_code == 404
