"""The trackers whose history can be brought in. Light to import: their readers are not loaded."""

from __future__ import annotations

from typing import NamedTuple


class Tracker(NamedTuple):
    module: str
    """Has `runs`, and can be run by itself."""
    about: str
    place: str
    """What is named on the command line."""


TRACKERS = {
    "tensorboard": Tracker(
        "tuneplane.integrations.tensorboard",
        "Imports a TensorBoard log directory: every directory that holds event files becomes a run.",
        "a TensorBoard log directory",
    ),
    "trackio": Tracker(
        "tuneplane.integrations.trackio",
        "Imports the runs of Trackio's local projects.",
        "a directory that holds Trackio projects (<project>.db), or one such file",
    ),
    "wandb": Tracker(
        "tuneplane.integrations.wandb",
        "Imports the runs that wandb wrote to disk (WANDB_MODE=offline, or beside what it sent).",
        "a directory that holds W&B runs, such as ./wandb",
    ),
    "mlflow": Tracker(
        "tuneplane.integrations.mlflow",
        "Imports the runs of an MLflow store on disk.",
        "a file store (mlruns), an SQLite file, or a directory that holds mlruns or mlflow.db",
    ),
}
