"""Every stored shape ever released: one event with all of its fields, and one with only those it cannot do without.

The bytes of each are in `golden/<tag>.<full or minimal>.hex`. Entries and files are added, never edited.
"""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from domain import events as e
from domain.events.sample import Sample, SampleSummary
from domain.events.series import Columns, GpuDevices, InvalidPoint, Provenance
from domain.ids import Attempt, Micros, RoundId, RunId, TrialId

RUN, ATTEMPT, ROUND, TRIAL = RunId("run-1"), Attempt(2), RoundId("ré:1"), TrialId("task-42:sample 0")
AT = Micros(1_767_225_600_000_001)
TS = "2026-01-01T00:00:00.000001+00:00"
DIGEST = "0123456789abcdef" * 4
COLUMNS = Columns(b"\x00\x01", b"\x02", b"\x03\xff", b"\x04", b"\x00\x00\x00\x00\x00\x00\xf8\x3f")

FULL: tuple[e.Event, ...] = (
    e.ArtifactRegistered(
        run=RUN,
        attempt=ATTEMPT,
        kind="checkpoint",
        path="s3://bucket/step_10",
        format="huggingface",
        step=10,
        size_bytes=2**40,
        metrics={"loss": 0.5},
        completion={"apiVersion": "tuneplane/artifact-completion/v1", "files": [{"path": "a", "size_bytes": 1}]},
    ),
    e.BenchmarkScored(
        run=RUN, attempt=ATTEMPT, runner="lm-eval", model="m", benchmark="gsm8k", metric="exact_match", value=0.25
    ),
    e.EnvironmentReported(
        run=RUN, attempt=ATTEMPT, overview={"python": "3.11"}, hardware={"cpu": {"cores": 2}}, packages="a==1\nb==2"
    ),
    e.ExecutionOpened(run=RUN, attempt=ATTEMPT, token_id="t1", expires_at=AT, opened_by="ada"),
    e.HardwareSampled(
        run=RUN,
        attempt=ATTEMPT,
        points=1,
        columns=COLUMNS,
        devices=(GpuDevices(host="h1", pid=7, gpu_uuids={"0": "GPU-1"}, gpu_attribution="pid"),),
    ),
    e.HyperparametersReported(
        run=RUN, attempt=ATTEMPT, params={"lr": 1e-5, "layers": [1, 2], "model": "m", "seed": None, "tied": True}
    ),
    e.IngestTokenIssued(run=RUN, attempt=ATTEMPT, token_id="t2", expires_at=AT, issued_by="ada"),
    e.IngestTokensRevoked(run=RUN, token_ids=("t1", "t2"), revoked_by="ada"),
    e.LifecycleReported(run=RUN, attempt=ATTEMPT, event="succeeded", ts=TS),
    e.LogReported(run=RUN, attempt=ATTEMPT, pieces=("10%\r", "\x1b[31mred\x1b[0m 中文\n", "\x00"), eof=True),
    e.MetricsReported(
        run=RUN,
        attempt=ATTEMPT,
        points=1,
        columns=COLUMNS,
        invalid=(InvalidPoint(4096, 2**63 - 1, "neg_inf", AT),),
        provenance=Provenance(source="tb", producer="rank-0", sequence=2**63 - 1, unit="nats", segment="train"),
    ),
    e.NodesReported(run=RUN, attempt=ATTEMPT, nodes=({"node_id": "n1", "hostname": "h1", "gpu": {"count": 8}},)),
    e.ObservationContractDeclared(run=RUN, attempt=ATTEMPT, contract={"version": 1, "capabilities": ["agent"]}),
    e.ObservationReported(
        run=RUN,
        attempt=ATTEMPT,
        id="e1",
        kind="histogram",
        name="rollout/policy_age",
        ts=TS,
        step=3,
        policy_version=2,
        values={"unit": "versions", "late": False, "turns": 4, "share": 4.0},
        bounds=(0, 1.5),
        counts=(1, 2, 3),
    ),
    e.OutcomeReported(
        run=RUN,
        attempt=ATTEMPT,
        round_id=ROUND,
        trial_id=TRIAL,
        trial_attempt=2**31 - 1,
        status="infra_error",
        training_eligible=False,
        ts=TS,
    ),
    e.PopulationDeclared(run=RUN, attempt=ATTEMPT, round_id=ROUND, expected=100, ts=TS),
    e.ProtocolDeclared(
        run=RUN,
        attempt=ATTEMPT,
        round_id=ROUND,
        dataset_digest=DIGEST,
        cohort_digest=DIGEST,
        verifier_digest=DIGEST,
        settings_digest=DIGEST,
        split="heldout-v1",
        checkpoint="model@revision",
        ts=TS,
    ),
    e.ReportSetAside(
        run=RUN,
        attempt=ATTEMPT,
        standing_stream=UUID("12345678-1234-5678-1234-567812345678"),
        standing_version=3,
        reported_tag="outcome-reported.v1",
        reported=b"\x81\xa4type",
    ),
    e.RunCreated(
        run=RUN, name="grpo", owner="ada", tags=("rl", "maths"), recipe="grpo-7b", framework="nemo-rl", notes="first"
    ),
    e.RunShared(run=RUN, share_id="s1", shared_by="ada"),
    e.SamplesReported(
        run=RUN,
        attempt=ATTEMPT,
        round_id=ROUND,
        step=100,
        chunk_index=0,
        total_chunks=2,
        samples=(Sample(0, "question", "answer", env="tool said 4", reward=-0.5, extra={"source": "gsm8k"}),),
        total_samples=16,
        summary=SampleSummary(avg_reward=0.5, accuracy=0.25, avg_len=12.5, dist=({"reward": 0, "count": 3},)),
    ),
    e.SeriesOpened(run=RUN, family="scalar", number=4096, key="train/loss"),
    e.ShareWithdrawn(run=RUN, share_id="s1", withdrawn_by="ada"),
    e.TrajectoryDeleted(run=RUN, trajectory_id=DIGEST, object_key="trajectories/1", attempt=2, deleted_by="ada"),
    e.TrajectoryStored(
        run=RUN,
        attempt=ATTEMPT,
        trajectory_id=DIGEST,
        scope="training",
        round_id=ROUND,
        trial_id=TRIAL,
        trial_attempt=1,
        total_messages=2000,
        retained_messages=60,
        complete=False,
        capture_policy="sampled",
        object_key="trajectories/1",
        body_digest=DIGEST,
        size_bytes=1_048_576,
        expires_at=AT,
        termination="max_turns",
        collection_policy="7",
        consumption_policy="9",
        diagnostic="low_reward",
        reward=-1.0,
        step=3,
        source_rows=256,
        roles_inferred=True,
    ),
    e.ValidationMetricReported(
        run=RUN, attempt=ATTEMPT, round_id=ROUND, key="gsm8k/acc", value=0.75, unit="ratio", ts=TS
    ),
)

MINIMAL: tuple[e.Event, ...] = (
    e.ArtifactRegistered(run=RUN, attempt=ATTEMPT, kind="log", path="/out/log.txt", format="text"),
    e.EnvironmentReported(run=RUN, attempt=ATTEMPT),
    e.HardwareSampled(run=RUN, attempt=ATTEMPT, points=1, columns=COLUMNS),
    e.LifecycleReported(run=RUN, attempt=ATTEMPT, event="running"),
    e.LogReported(run=RUN, attempt=ATTEMPT, pieces=()),
    e.MetricsReported(run=RUN, attempt=ATTEMPT, points=1, columns=COLUMNS),
    e.ObservationReported(run=RUN, attempt=ATTEMPT, id="e1", kind="event", name="n", ts=TS),
    e.OutcomeReported(
        run=RUN,
        attempt=ATTEMPT,
        round_id=ROUND,
        trial_id=TRIAL,
        trial_attempt=0,
        status="success",
        training_eligible=True,
    ),
    e.PopulationDeclared(run=RUN, attempt=ATTEMPT, round_id=ROUND, expected=0),
    e.ProtocolDeclared(
        run=RUN,
        attempt=ATTEMPT,
        round_id=ROUND,
        dataset_digest=DIGEST,
        cohort_digest=DIGEST,
        verifier_digest=DIGEST,
        settings_digest=DIGEST,
        split="s",
        checkpoint="c",
    ),
    e.RunCreated(run=RUN, name="grpo", owner="ada"),
    e.SamplesReported(
        run=RUN,
        attempt=ATTEMPT,
        round_id=ROUND,
        step=100,
        chunk_index=1,
        total_chunks=2,
        samples=(Sample(8, "question", "answer"),),
    ),
    e.RunShared(run=RUN, share_id="s1", shared_by="ada"),
    e.TrajectoryStored(
        run=RUN,
        attempt=ATTEMPT,
        trajectory_id=DIGEST,
        scope="validation",
        round_id=ROUND,
        trial_id=TRIAL,
        trial_attempt=0,
        total_messages=2,
        retained_messages=2,
        complete=True,
        capture_policy="all",
        object_key="trajectories/1",
        body_digest=DIGEST,
        size_bytes=100,
        expires_at=AT,
    ),
    e.ValidationMetricReported(run=RUN, attempt=ATTEMPT, round_id=ROUND, key="k", value=2.0, unit="native"),
)
"""Types with fields that may be left out; the others have one shape."""

GROWN: tuple[e.Event, ...] = (e.RunShared(run=RUN, share_id="s1", shared_by="ada", name="paper", expires_at=AT),)
"""Types that gained fields after their first release, all of them given; their full shape is that of the first."""

RELEASED: tuple[tuple[Literal["full", "minimal", "grown"], e.Event], ...] = (
    *(("full", event) for event in FULL),
    *(("minimal", event) for event in MINIMAL),
    *(("grown", event) for event in GROWN),
)
