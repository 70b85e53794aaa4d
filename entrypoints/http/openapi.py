"""OpenAPI 3.1 at /schema, as JSON: Litestar's, completed with what handlers of raw bodies take and answer."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from entrypoints.http.errors import PROBLEM_JSON, Problem
from entrypoints.http.ingest.answer import HEAD_HEADER, POSITION_HEADER, Answer
from entrypoints.http.ingest.body import JSON, MESSAGEPACK, Report
from entrypoints.http.ingest.wire import (
    artifact,
    benchmark,
    environment,
    hardware,
    hparams,
    lifecycle,
    logs,
    metrics,
    observations,
    trajectory,
    upload_url,
    validation,
)

PREFIX = "/api/ingest"
BODIES: dict[str, type[Report]] = {
    "/metrics": metrics.Metrics,
    "/hardware": hardware.Hardware,
    "/hparams": hparams.Hyperparameters,
    "/logs": logs.Logs,
    "/validation": validation.Validation,
    "/artifact": artifact.Artifact,
    "/benchmark": benchmark.Benchmark,
    "/environment": environment.Environment,
    "/environment/nodes": environment.Nodes,
    "/observations": observations.Observations,
    "/lifecycle": lifecycle.Lifecycle,
    "/trajectory": trajectory.TrajectoryReport,
    "/artifact/upload-url": upload_url.UploadUrl,
}
_REFUSALS = {
    "400": "The body cannot be read.",
    "401": "No token, or an unknown one.",
    "403": "The token is expired, revoked, or of another run.",
    "409": "The identity is taken by other bytes.",
    "413": "The body is over this path's cap.",
    "415": "A Content-Type or Content-Encoding that this path does not take.",
    "422": "A rule or limit is broken; nothing was stored.",
    "429": "Too much at once; nothing was stored.",
    "503": "Not now; nothing was stored. Retry-After says when.",
}
_REF = "#/components/schemas/{name}"


class CompleteSchema(JsonRenderPlugin):
    """Renders the document; asks no other host for anything."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """Every route with its bodies and refusals."""
        completed = complete(msgspec.json.decode(super().render(request, openapi_schema)))
        return msgspec.json.encode(completed)


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """The document with ingest bodies, answers, security and the one shape of errors."""
    kinds: list[type[msgspec.Struct]] = [*BODIES.values(), Answer, Problem, artifact.Completion]
    _, schemas = msgspec.json.schema_components(kinds, ref_template=_REF)
    components = document.setdefault("components", {})
    components.setdefault("schemas", {}).update(schemas)
    components.setdefault("securitySchemes", {}).update(
        {
            "ingestToken": {"type": "apiKey", "in": "header", "name": "X-TunePlane-Token"},
            "ingestBearer": {"type": "http", "scheme": "bearer"},
        }
    )
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            operation["responses"].setdefault("default", _refusal("Not done; the body says why."))
            if method == "post" and path.startswith(f"{PREFIX}/"):
                _complete_ingest(operation, BODIES[path.removeprefix(PREFIX)])
    return document


def _complete_ingest(operation: dict[str, Any], body: type[Report]) -> None:
    schema = {"$ref": _REF.format(name=body.__name__)}
    operation["requestBody"] = {
        "required": True,
        "content": {kind: {"schema": schema} for kind in (JSON, MESSAGEPACK[0])},
    }
    operation["security"] = [{"ingestToken": []}, {"ingestBearer": []}]
    if body is not upload_url.UploadUrl:
        operation["responses"]["200"] = {
            "description": "Stored.",
            "headers": {name: {"schema": {"type": "string"}} for name in (POSITION_HEADER, HEAD_HEADER)},
            "content": {JSON: {"schema": {"$ref": _REF.format(name="Answer")}}},
        }
    operation["responses"].update({status: _refusal(text) for status, text in _REFUSALS.items()})


def _refusal(description: str) -> dict[str, Any]:
    return {
        "description": description,
        "content": {PROBLEM_JSON: {"schema": {"$ref": _REF.format(name="Problem")}}},
    }


def openapi_config(version: str) -> OpenAPIConfig:
    """The document alone: no page that loads scripts from elsewhere."""
    return OpenAPIConfig(
        title="TunePlane", version=version, path="/schema", render_plugins=[CompleteSchema(path=["/", "/openapi.json"])]
    )
