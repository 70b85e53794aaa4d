"""The tables of log, access and projections, as numbered steps; see `runner.py`."""
