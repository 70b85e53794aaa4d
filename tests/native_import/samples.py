"""What Harbor 0.26.0, 0.18.0, 0.6.0 and a public benchmark wrote (tests/samples), as a plan and its directories.

The outcome of each file was read off it by hand.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.native_import.cohort import SAMPLES, a_plan, a_trial, left

NO_FILE = "RewardFileNotFoundError"
HALF = "the reward 'reward' is 0.5, neither 0 nor 1"
START = "EnvironmentStartTimeoutError: Environment start timed out after 0.6 seconds"
VERIFIER = "VerifierTimeoutError: Verifier execution timed out after 1.0 seconds"
AGENT = "AgentTimeoutError: Agent execution timed out after 1.0 seconds"
NONE = "no reward: the verifier gave none"
EMPTY = "no reward: the verifier's list of rewards is empty"
UNNAMED = "2 rewards, none of them called `reward`: correctness, style"

OLDER: dict[str, tuple[str, str | None]] = {
    "hello-file__oracle": ("success", None),
    "hello-file__nop": ("failure", None),
    "hello-file__raises": ("unscored", "ValueError"),
    "hello-file__timeout": ("success", AGENT),
    "multi-reward__oracle": ("success", None),
    "partial-reward__oracle": ("unscored", HALF),
    "empty-rewards__oracle": ("unscored", EMPTY),
    "no-name-reward__oracle": ("unscored", UNNAMED),
    "no-reward__oracle": ("unscored", NO_FILE),
    "slow-verifier__oracle": ("infra_error", VERIFIER),
}
LATEST: dict[str, tuple[str, str | None]] = {
    "beam-pipeline-builder-refac-001__6apbeoW": ("success", None),
    "bool-reward__oracle": ("success", None),
    "bustub-hyperloglog-impl-001__H3miQeM": ("unscored", "the reward 'reward' is 0.1667, neither 0 nor 1"),
    "hello-file__62M97oJ": ("failure", None),
    "hello-file__8pgHSN9": ("success", None),
    "hello-file__Raises": ("unscored", "ValueError"),
    "hello-file__TinyAtif": ("success", None),
    "hello-file__disabled_verifier": ("unscored", NONE),
    "hello-file__envstart_timeout": ("infra_error", START),
    "hello-file__hLM5ukt": ("failure", None),
    "hello-file__nop": ("failure", None),
    "hello-file__onksGBV": ("success", None),
    "hello-file__oracle": ("success", None),
    "multi-reward__oracle": ("success", None),
    "no-reward__98DnCei": ("unscored", NO_FILE),
    "no-reward__9ArXjVX": ("unscored", NO_FILE),
    "no-reward__TpmyQBf": ("unscored", NO_FILE),
    "no-reward__oracle": ("unscored", NO_FILE),
    "no-reward__pJTkHXd": ("unscored", NO_FILE),
    "partial-reward__KwST53Q": ("unscored", HALF),
    "partial-reward__PymJxp3": ("unscored", HALF),
    "partial-reward__kE62WmF": ("unscored", HALF),
    "partial-reward__kKNh8vw": ("unscored", HALF),
    "partial-reward__oracle": ("unscored", HALF),
    "slow-agent__solved_then_timeout": ("success", AGENT),
    "slow-agent__unsolved_timeout": ("failure", AGENT),
    "slow-verifier__timeout": ("infra_error", VERIFIER),
}
JOB = "demo-job"
"""Not a trial's result: the job's."""
BY_HAND = {"harbor": LATEST, "harbor-0.18.0": OLDER, "harbor-0.6.0": OLDER}
COUNTS = {
    "expected": 48,  # 27 of 0.26.0 and the public benchmark, 10 of each older version, and one that nobody executed
    "reported": 47,
    "success": 14,  # 8 and 3 and 3
    "failure": 6,  # 4 and 1 and 1
    "infra_error": 4,  # 2 and 1 and 1
    "unscored": 23,  # 13 and 5 and 5
    "not_reported": 1,
}
RATE = "70.0 %: 14 of 20 scored"
COVERAGE = "41.7 %: 20 scored of 48 planned"


def sample(version: str, name: str) -> bytes:
    return (SAMPLES / version / f"{name}.result.json").read_bytes()


def real_results(root: Path) -> dict[str, Any]:
    """The plan of all of them, and their directories beneath `root`; of one trial there is text."""
    trials = [a_trial("never-executed", "0")]
    for version, names in BY_HAND.items():
        for name in names:
            text = (SAMPLES / "atif/tiny-agent_v1.8_run-here.json").read_bytes() if name.endswith("TinyAtif") else None
            left(root, f"{version}/{name}", sample(version, name), text)
            trials.append(a_trial(name, version, f"{version}/{name}"))
    return a_plan(*trials)
