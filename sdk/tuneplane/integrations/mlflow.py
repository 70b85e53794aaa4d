"""`python -m tuneplane.integrations.mlflow DIR`: MLflow's file store or SQLite store becomes runs.

DIR is a file store (`mlruns`), an SQLite file, or a directory that holds either as `mlruns` and `mlflow.db`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Callable

from tuneplane.moving import command, mlflow_database, mlflow_files
from tuneplane.moving.files import folder, is_regular
from tuneplane.moving.source import Found

if TYPE_CHECKING:
    from collections.abc import Sequence


def runs(root: Path, tell: Callable[[str], None]) -> Iterator[Found]:
    """The runs of the stores at `root`. Raises SourceRefused."""
    if root.is_file():
        yield from mlflow_database.runs(root.resolve(), tell)
        return
    stores = 0
    folder(root)
    if is_regular(root / "mlflow.db"):
        stores += 1
        yield from mlflow_database.runs(root / "mlflow.db", tell)
    for place in (root, root / "mlruns"):
        if mlflow_files.is_store(place):
            stores += 1
            yield from mlflow_files.runs(place, tell)
    if not stores:
        tell(f"{root}: neither experiments with a meta.yaml nor an mlflow.db")


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    return command.main("mlflow", runs, arguments)


if __name__ == "__main__":
    sys.exit(main())
