"""The server as programs and jobs speak to it."""

import http.client
import json
import uuid
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

TS = "2026-01-01T00:00:00Z"


class Answer(NamedTuple):
    status: int
    body: Any
    """Decoded where it is JSON, else text."""
    headers: dict[str, str]


class Api:
    """One connection a call."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.token = token

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> Answer:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=60)
        headers = {"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            content = answer.read().decode()
        finally:
            connection.close()
        decoded = json.loads(content) if "json" in answer.headers.get_content_type() else content
        return Answer(answer.status, decoded, {name.lower(): value for name, value in answer.getheaders()})

    def get(self, path: str, **query: Any) -> Any:
        answer = self.call("GET", f"{path}?{urlencode(query, doseq=True)}" if query else path)
        assert answer.status == 200, answer
        return dict(answer.body)

    def open_run(self, name: str = "a run") -> "Job":
        """A new run with its first attempt."""
        made = self.call("POST", "/api/runs", {"name": name, "run_id": f"t-{uuid.uuid4().hex[:12]}"})
        assert made.status == 201, made
        return self.open_attempt(made.body["run_id"])

    def open_attempt(self, run_id: str) -> "Job":
        opened = self.call("POST", f"/api/runs/{run_id}/executions", {})
        assert opened.status == 201, opened
        return Job(self, opened.body)


class Job:
    """One execution attempt, as a launcher hands it to a training job."""

    def __init__(self, api: Api, opened: dict[str, Any]) -> None:
        self.api = api
        self.run_id: str = opened["run_id"]
        self.attempt: int = opened["attempt"]
        self.token: str = opened["token"]
        self.endpoint: str = opened["endpoint"]
        self.env: dict[str, str] = opened["env"]
        self.position: int = opened["position"]
        """Of the last thing it was told was stored."""

    def post(self, path: str, /, **body: Any) -> dict[str, Any]:
        """A report that is accepted."""
        answer = self.api.call("POST", f"/api/ingest/{path}", {"run_id": self.run_id, **body}, self.token)
        assert answer.status == 200, answer
        self.position = max(self.position, answer.body["position"])
        return dict(answer.body)

    def points(self, key: str, *values: float, first_step: int = 0) -> dict[str, Any]:
        rows = [{"key": key, "step": step, "value": value, "ts": TS} for step, value in enumerate(values, first_step)]
        return self.post("metrics", points=rows)

    def get(self, path: str = "", /, **query: Any) -> Any:
        """An answer that has taken in everything this job reported."""
        return self.api.get(f"/api/runs/{self.run_id}{path}", **{"min_position": self.position, **query})
