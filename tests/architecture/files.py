"""The files that the tests of this folder look at."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
LAYERS = ("domain", "application", "adapters", "entrypoints")
CLIENT = "sdk/tuneplane"
EXAMPLES = "sdk/examples"


def modules(*folders: str) -> list[Path]:
    """The Python modules below these folders, relative to the project's root."""
    return sorted(path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py"))


def tracked() -> list[Path]:
    """Every file that a clone has, relative to the project's root."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [Path(name) for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
