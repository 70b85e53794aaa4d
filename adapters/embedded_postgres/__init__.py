"""A private PostgreSQL for a machine that has none, run from the binaries in a wheel."""
