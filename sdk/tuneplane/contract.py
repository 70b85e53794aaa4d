"""What client and server agree on: limits, names and identity formulas of the wire.

The one module of this package that the server imports. Standard library only. Changing a value
here changes the interface of every published client.
"""

from __future__ import annotations

import hashlib
import json

# Sizes of one request body, in bytes after inflating. Anything larger is refused with 413.
METRICS_BODY_BYTES = 3 * 512 * 1024
LOGS_BODY_BYTES = 1024 * 1024
HARDWARE_BODY_BYTES = 1024 * 1024
HPARAMS_BODY_BYTES = 262_144
ENVIRONMENT_BODY_BYTES = 4 * 1024 * 1024
OBSERVATIONS_BODY_BYTES = 256 * 1024 + 128 * 1024
VALIDATION_BODY_BYTES = 2_099_200
TRAJECTORY_BODY_BYTES = 1_050_624
ARTIFACT_BODY_BYTES = 1_126_400
SMALL_BODY_BYTES = 64 * 1024
"""lifecycle, benchmark, artifact/upload-url."""

# Scalars
INT64_MAX = 2**63 - 1
POINTS_PER_BATCH = 2048
SERIES_PER_RUN = 4096
METRIC_KEY_CHARS = 512
INVALID_KINDS = ("nan", "pos_inf", "neg_inf")
STREAM_PATTERN = r"\A[A-Za-z0-9_.-]{1,128}\Z"
"""Writer sessions: a nonce fresh for each client process, with a sequence from 1."""
RUN_ID_PATTERN = r"\A[A-Za-z0-9_.-]{1,128}\Z"

# Observations
EVENTS_PER_CALL = 32
"""What public callers may send at once; the server takes up to EVENTS_PER_REQUEST."""
EVENTS_PER_REQUEST = 128
EVENT_BYTES = 16_384
"""Of one event as compact UTF-8 JSON."""
EVENT_KINDS = ("event", "histogram", "health", "scalar")
EVENT_ID_CHARS = 128
EVENT_NAME_CHARS = 256
EVENT_TS_CHARS = 64
EVENT_VALUES = 32
EVENT_VALUE_KEY_CHARS = 64
EVENT_TEXT_CHARS = 512
HISTOGRAM_BOUNDS = 64
CONTRACT_BYTES = 128 * 1024
CONTRACT_DESCRIPTORS = 4096
CAPABILITIES = ("agent", "async", "mixed", "environment", "moe", "speculative")
DIRECTIONS = ("higher", "lower", "neutral")
DISPLAYS = ("ratio", "percent", "number")
TRANSPORT_HEALTH = "transport"
INVALID_METRICS_HEALTH = "invalid_metrics"
LOG_DELIVERY_HEALTH = "log_delivery"

# Evaluation
POPULATION = "validation.population"
PROTOCOL = "validation.protocol"
VALIDATION_METRIC = "validation.metric"
OUTCOME = "validation.outcome"
TRIAL_REASON = "trial.reason"
"""An ordinary event, not a reserved one, so that every server takes it: why a trial attempt ended as it did."""
RESERVED_NAMES = (POPULATION, PROTOCOL, VALIDATION_METRIC, OUTCOME)
OUTCOME_STATUSES = ("success", "failure", "infra_error", "unscored")
NEVER_ELIGIBLE = ("infra_error", "unscored")
METRIC_UNITS = ("ratio", "native")
DIGEST_FIELDS = ("dataset_digest", "cohort_digest", "verifier_digest", "settings_digest")
DIGEST_PATTERN = r"\A[0-9a-f]{64}\Z"
ROUND_ID_CHARS = 128
TRIAL_ID_CHARS = 128
INT31_MAX = 2**31 - 1
PROTOCOL_TEXT_CHARS = 512

# Validation samples
SAMPLES_PER_REQUEST = 2000
SAMPLE_FIELD_BYTES = 128 * 1024
SAMPLE_BYTES = 256 * 1024
SAMPLE_CHUNKS = 4096
DISTRIBUTION_BYTES = 64 * 1024
FIELD_CHARS_DEFAULT = 12_000
SAMPLES_PER_CHUNK_DEFAULT = 8
TRUNCATED_MARK = "…[truncated]"

# Trajectories
TRAJECTORY_BYTES = 1024 * 1024
TRAJECTORY_MESSAGES = 1024
MESSAGE_CHARS = 16_384
SCOPES = ("validation", "training")
ROLES = ("system", "user", "assistant", "tool")
CAPTURE_POLICIES = ("all", "sampled")
DIAGNOSTICS = ("failure", "anomaly", "low_reward", "representative")
POLICY_CHARS = 256
TOOL_CALL_ID_CHARS = 128

# Artifacts
ARTIFACT_KINDS = ("checkpoint", "hf_export", "eval_report", "merged_model", "log", "capsule")
ARTIFACT_PATH_CHARS = 4096
ARTIFACT_FORMAT_CHARS = 256
COMPLETION_VERSION = "tuneplane/artifact-completion/v1"
COMPLETION_FILES = 4096
COMPLETION_SHAPES = ("file", "directory")
COMPLETION_EVIDENCE = ("producer-exited", "producer-notification")

# Lifecycle
LIFECYCLE_EVENTS = ("starting", "running", "succeeded", "failed")

# Hardware
GPU_ATTRIBUTIONS = ("pid", "sticky", "mem", "none")


def _identity(parts: list[object]) -> str:
    """Hex SHA-256 of the parts as JSON with Python's default separators and ASCII escapes."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def validation_event_id(name: str, *parts: object) -> str:
    """Id of a reserved observation: `parts` are round_id, then key, or trial_id and trial_attempt."""
    return "validation:" + _identity([name, *parts])


def trial_reason_event_id(round_id: str, trial_id: str, trial_attempt: int) -> str:
    """Id of the one `trial.reason` of a trial attempt."""
    return "reason:" + _identity([TRIAL_REASON, round_id, trial_id, trial_attempt])


def trajectory_id(scope: str, round_id: str, trial_id: str, trial_attempt: int) -> str:
    """Identity of a trajectory, 64 hex digits."""
    return _identity([scope, round_id, trial_id, trial_attempt])


def completion_digest(completion: dict[str, object]) -> str:
    """Digest of an artifact completion: everything but `digest` itself, sorted, compact ASCII JSON."""
    rest = {name: value for name, value in completion.items() if name != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
