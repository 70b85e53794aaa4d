"""Every setting of the server, read once: from the environment, then from the command line.

Nothing else reads the environment. Documented for people in docs/settings.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

PREFIX = "TUNEPLANE_"


class SettingsUnreadable(Exception):
    """A setting has a value that cannot be used."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What an installation may choose. Each field is `TUNEPLANE_<FIELD>` in the environment."""

    database_url: str | None = None
    """PostgreSQL >= 15. None: an embedded one in `data`."""
    data: Path = Path(".tuneplane")
    """Folder of the embedded PostgreSQL and of bodies."""
    host: str = "127.0.0.1"
    port: int = 8420
    tls_cert: Path | None = None
    tls_key: Path | None = None
    behind_proxy: bool = False
    """Something in front of this server ends TLS; only then may it listen beyond loopback without a certificate."""
    allowed_hosts: tuple[str, ...] = ()
    """Names this server answers to beside loopback and the host of `ingest_url`; `*` is any."""
    ingest_url: str | None = None
    """Address of this server as training nodes reach it. None: the address it listens on."""
    ingest_token_days: int = 30
    """Life of an ingest token; it must cover the longest training job."""
    trajectory_days: int = 7
    """After so many days the body of a trajectory expires."""
    artifact_bytes: int = 5 * 1024**3
    """Largest artifact that may be uploaded."""
    s3_bucket: str | None = None
    """Where bodies are kept. None: as files in `data`. Credentials come from where AWS tools look for them."""
    s3_endpoint: str | None = None
    """Of a store other than Amazon's."""
    s3_region: str | None = None
    s3_prefix: str | None = None
    """Put before every key, as in `tuneplane/`. None: nothing."""

    def __repr__(self) -> str:
        return "Settings(…)"  # the database's address may hold a password, and what is printed may be logged

    @property
    def scheme(self) -> str:
        """What a browser on this machine speaks to it."""
        return "https" if self.tls_cert else "http"

    @property
    def address(self) -> str:
        """Where it listens, as an address to open."""
        host = "127.0.0.1" if self.host in {"0.0.0.0", "::"} else self.host  # noqa: S104 - recognised, not bound
        return f"{self.scheme}://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def public_address(self) -> str:
        """Where training nodes reach it, without a trailing slash."""
        return (self.ingest_url or self.address).rstrip("/")

    @property
    def bodies(self) -> Path:
        """Folder of bodies when they are files."""
        return self.data / "bodies"


def variable(field: str) -> str:
    """The environment variable of a field."""
    return PREFIX + field.upper()


def read(environment: Mapping[str, str]) -> Settings:
    """The settings of this environment; empty variables count as unset. Raises `SettingsUnreadable`."""
    chosen: dict[str, object] = {}
    for field in Settings.__struct_fields__:
        text = environment.get(variable(field), "").strip()
        if text:
            chosen[field] = _parsed(field, text)
    return Settings(**chosen)  # type: ignore[arg-type]  # each value was made by the parser of its field


def _parsed(field: str, text: str) -> object:
    try:
        return _PARSERS.get(field, str)(text)
    except ValueError as problem:
        shown = "it" if field == "database_url" else repr(text)
        raise SettingsUnreadable(f"{variable(field)}: {shown} cannot be used: {problem}") from None


def _flag(text: str) -> bool:
    if text not in {"0", "1"}:
        raise ValueError("it must be 0 or 1")
    return text == "1"


def _number(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise ValueError(f"it must be a whole number from {least:,} to {most:,}")
        return int(text)

    return parse


def _address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise ValueError("it must begin with http:// or https://")
    return text


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip().lower() for name in text.split(",") if name.strip())


_PARSERS: dict[str, Callable[[str], object]] = {
    "data": Path,
    "port": _number(0, 65_535),
    "tls_cert": Path,
    "tls_key": Path,
    "behind_proxy": _flag,
    "allowed_hosts": _names,
    "ingest_url": _address,
    "s3_endpoint": _address,
    "ingest_token_days": _number(1, 3_650),
    "trajectory_days": _number(1, 3_650),
    "artifact_bytes": _number(1, 5 * 1024**4),
}
