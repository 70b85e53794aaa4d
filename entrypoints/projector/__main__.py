"""`python -m entrypoints.projector`: a projector alone, on the database that `TUNEPLANE_DATABASE_URL` names.

SIGTERM and SIGINT end it after its current batch.
"""

from __future__ import annotations

import logging
import os
import sys

from entrypoints.projector.process import run_projector
from entrypoints.settings import read


def main() -> None:
    """Runs until it is asked to stop."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stderr)
    settings = read(os.environ)
    if settings.database_url is None:
        raise SystemExit("TUNEPLANE_DATABASE_URL must name the database to project.")
    run_projector(settings.database_url)


if __name__ == "__main__":
    main()
