"""The synchronous client: each call is one request, delivered when it returns or ReporterError."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tuneplane.answers import count_beside_session
from tuneplane.credentials import CredentialsUnusable, required_credentials
from tuneplane.foreign import Foreign
from tuneplane.observations import now_iso
from tuneplane.parcels import compact
from tuneplane.transport import Outcome, Transport, document
from tuneplane.upload import FileToUpload, FileUnusable, permission, send

_LONGEST_RETRY_SECONDS = 30.0
_UPLOAD_URL = "artifact/upload-url"


class ReporterError(RuntimeError):
    """The request was refused, or could not be delivered in the tries allowed."""

    def __init__(self, message: str, *, status: int = 0, transient: bool = False) -> None:
        super().__init__(message)
        self.status = status
        """HTTP status of the last answer; 0 where none came."""
        self.transient = transient
        """Whether the same call may succeed later."""


class Reporter:
    """Sends to one run. May be shared by threads; calls then follow one another.

    `timeout` and `retry_delay` are in seconds; the delay doubles with each try. 5xx, 429 and
    transport errors are tried `max_attempts` times, any other refusal is final.
    """

    def __init__(
        self,
        endpoint: str,
        run_id: str,
        token: str,
        *,
        timeout: float = 10.0,
        max_attempts: int = 3,
        retry_delay: float = 0.2,
        attempt: int | None = None,
    ) -> None:
        try:
            self._transport = Transport(endpoint, token, timeout=timeout)
        except ValueError as problem:
            raise ReporterError(str(problem)) from None
        self.run_id = run_id
        self.attempt = attempt
        self._max_attempts = max(1, max_attempts)
        self._retry_delay = retry_delay
        self._one_at_a_time = threading.RLock()
        self._renew_stream()

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Reporter | None:
        """The reporter of this job; None where TUNEPLANE_JOB_ENABLED is 0.

        Raises ReporterError for any other switch than 0 and 1, and for missing credentials.
        """
        try:
            found = required_credentials(os.environ if env is None else env)
        except CredentialsUnusable as problem:
            raise ReporterError(str(problem)) from None
        if found is None:
            return None
        return cls(found.endpoint, found.run_id, found.token, attempt=found.attempt)

    def __repr__(self) -> str:
        return f"Reporter(run_id={self.run_id!r}, attempt={self.attempt!r})"

    def __enter__(self) -> Reporter:  # noqa: PYI034 - Self came after 3.9
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; the next call opens another."""
        with self._one_at_a_time:
            self._transport.close()

    def lifecycle(self, event: str) -> bool:
        """`starting`, `running`, `succeeded` or `failed`."""
        return self._send("lifecycle", {"event": event, "ts": now_iso()})

    def artifact(
        self,
        kind: str,
        path: str,
        *,
        format: str,  # noqa: A002 - the published name
        completion: Mapping[str, Any] | None = None,
        step: int | None = None,
        size_bytes: int | None = None,
        metrics: Mapping[str, float] | None = None,
    ) -> bool:
        """Registers what the job produced; `path` is text to show."""
        fields = {"kind": kind, "path": path, "format": format}
        optional = {"completion": completion, "step": step, "size_bytes": size_bytes, "metrics": metrics}
        return self._send("artifact", {**fields, **_present(optional)})

    def upload_artifact(
        self,
        kind: str,
        file: str | os.PathLike[str],
        *,
        format: str,  # noqa: A002 - as `artifact` has it
        completion: Mapping[str, Any] | None = None,
        step: int | None = None,
        metrics: Mapping[str, float] | None = None,
        content_type: str | None = None,
    ) -> str:
        """Uploads one file where the server keeps bodies, and registers it; the path that it is registered under.

        Repeating it is safe and sends nothing that has arrived. Raises ReporterError where the file cannot be read or
        changes meanwhile, where the server refuses it, and where it could not be delivered in the tries allowed.
        """
        with _read_errors_told(), FileToUpload(file) as opened:
            path = self._uploaded(opened, {"kind": kind, **_present({"step": step, "content_type": content_type})})
        whole = completion is None or completion.get("shape") == "file"
        optional = {"completion": completion, "step": step, "metrics": metrics}
        size = {"size_bytes": opened.size_bytes} if whole else {}
        self._send("artifact", {"kind": kind, "path": path, "format": format, **size, **_present(optional)})
        return path

    def metrics_points(self, points: Sequence[Mapping[str, Any]]) -> bool:
        """1 to 2,048 of `{key, step, value, ts}`; `ts` ISO-8601 with offset."""
        return self._send("metrics", {"points": list(points)})

    def series(self, series: Sequence[Mapping[str, Any]]) -> bool:
        """1 to 2,048 points in columns: `{key, steps, values, ts?, invalid?: [{step, kind, ts?}]}`.

        `ts` in epoch seconds; `kind` is `nan`, `pos_inf` or `neg_inf`. Without `ts` it is the time of receipt, and
        the same columns again are one report: what a file without times says may be sent again.
        """
        return self._send("metrics", {"series": list(series)})

    def validation(  # noqa: PLR0913 - the published signature
        self,
        step: int,
        samples: Sequence[Mapping[str, Any]],
        *,
        avg_reward: float | None = None,
        accuracy: float | None = None,
        avg_len: float | None = None,
        dist: Sequence[Mapping[str, Any]] | None = None,
        chunk_index: int = 0,
        total_chunks: int = 1,
        total_samples: int | None = None,
    ) -> bool:
        """One chunk of a round's samples; chunk 0 carries the round's summary."""
        fields = {"step": step, "samples": list(samples)}
        place = {"chunk_index": chunk_index, "total_chunks": total_chunks}
        optional = {
            "avg_reward": avg_reward,
            "accuracy": accuracy,
            "avg_len": avg_len,
            "dist": dist,
            "total_samples": total_samples,
        }
        return self._send("validation", {**fields, **place, **_present(optional)})

    def hardware(self, points: Sequence[Mapping[str, Any]]) -> bool:
        """Hardware samples, as CONTRACT.md has them."""
        return self._send("hardware", {"points": list(points)}, numbered=True)

    def hparams(self, params: Mapping[str, Any]) -> bool:
        """A flat object; later keys merge over earlier ones."""
        return self._send("hparams", {"params": dict(params)})

    def environment(
        self,
        *,
        overview: Mapping[str, Any],
        hardware: Mapping[str, Any],
        packages: str,
    ) -> bool:
        """The environment the job runs in; `packages` in freeze format."""
        fields = {"overview": dict(overview), "hardware": dict(hardware), "packages": packages}
        return self._send("environment", fields)

    def environment_nodes(self, nodes: Sequence[Mapping[str, Any]]) -> bool:
        """`{node_id, hostname, cpu, gpu}` of each node."""
        return self._send("environment/nodes", {"nodes": list(nodes)})

    def benchmark(self, runner: str, model: str, scores: Sequence[Mapping[str, Any]]) -> bool:
        """Scores `{benchmark, metric, value}`; idempotent."""
        return self._send("benchmark", {"runner": runner, "model": model, "scores": list(scores)})

    def observations(self, payload: Mapping[str, Any]) -> bool:
        """`{events, contract}`, either of which may be absent; at most 32 events."""
        events, contract = payload.get("events") or [], payload.get("contract")
        count = (len(events) if isinstance(events, (list, tuple)) else 0) + (contract is not None)
        return self._send("observations", {**payload, "events": events, "contract": contract}, events=count)

    def trajectory(self, trace: Mapping[str, Any] | None = None, **fields: Foreign) -> bool:
        """One trajectory, as a dict or as its fields: `scope`, `round_id`, `trial_id`, … ."""
        return self._send("trajectory", {"trace": {**(trace or {}), **fields}})

    def logs(self, chunks: Iterable[str], *, eof: bool = False) -> bool:
        """Text pieces in order; a piece may end mid-line. `eof` ends the log."""
        pieces = [chunks] if isinstance(chunks, str) else list(chunks)
        return self._send("logs", {"chunks": pieces, "eof": eof}, numbered=True)

    def _renew_stream(self) -> None:
        self._process = os.getpid()
        self._stream = uuid.uuid4().hex
        self._sequences = {"logs": 0, "hardware": 0}

    def _uploaded(self, file: FileToUpload, named: dict[str, Any]) -> str:
        """The path of the file's bytes, which are all there when it returns."""
        wanted = {**named, "filename": file.name, "size_bytes": file.size_bytes, "sha256": file.sha256}
        delay = self._retry_delay
        for tries_left in range(self._max_attempts - 1, -1, -1):
            permitted = permission(self._answered(_UPLOAD_URL, wanted).body)
            if permitted is None:
                message = f"{_UPLOAD_URL}: something else than a TunePlane server answered"
                raise ReporterError(message)
            if permitted.uploaded:
                return permitted.path
            outcome = send(permitted, file)
            if outcome.delivered:
                return permitted.path
            if not outcome.transient or not tries_left:
                break
            time.sleep(min(max(delay, outcome.wait), _LONGEST_RETRY_SECONDS))
            delay *= 2
        message = f"{file.name}: {outcome.reason}"
        raise ReporterError(message, status=outcome.status, transient=outcome.transient)

    def _send(self, path: str, fields: dict[str, Any], *, numbered: bool = False, events: int = 0) -> bool:
        answered = self._answered(path, fields, numbered=numbered)
        if not isinstance((document(answered.body) or {}).get("position"), int):
            message = f"{path}: something else than a TunePlane server answered"
            raise ReporterError(message, status=answered.status)
        if events:
            count_beside_session(self.run_id, events, answered.status, answered.body)
        return True

    def _answered(self, path: str, fields: dict[str, Any], *, numbered: bool = False) -> Outcome:
        if self._process != os.getpid():  # forked: lock, connection and stream are the parent's
            self._one_at_a_time = threading.RLock()
            self._transport.abandon()
            self._renew_stream()
        with self._one_at_a_time:
            body: dict[str, Any] = {"run_id": self.run_id, **fields}
            if self.attempt is not None:
                body.setdefault("attempt", self.attempt)
            if numbered:
                self._sequences[path] += 1
                body["stream"] = f"{self._stream}-{path}"
                body["sequence"] = self._sequences[path]
            try:
                encoded = compact(body)
            except (TypeError, ValueError, RecursionError) as problem:
                message = f"{path}: this cannot be written as JSON: {problem}"
                raise ReporterError(message) from None
            return self._deliver(path, encoded)

    def _deliver(self, path: str, body: bytes) -> Outcome:
        delay = self._retry_delay
        for tries_left in range(self._max_attempts - 1, -1, -1):
            outcome = self._transport.post(path, body)
            if outcome.delivered:
                return outcome
            if not outcome.transient or not tries_left:
                break
            time.sleep(min(max(delay, outcome.wait), _LONGEST_RETRY_SECONDS))
            delay *= 2
        message = f"{path}: {outcome.reason}"
        raise ReporterError(message, status=outcome.status, transient=outcome.transient)


@contextlib.contextmanager
def _read_errors_told() -> Iterator[None]:
    try:
        yield
    except FileUnusable as problem:
        raise ReporterError(str(problem)) from None


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def from_env(env: Mapping[str, str] | None = None) -> Reporter | None:
    """See `Reporter.from_env`."""
    return Reporter.from_env(env)
