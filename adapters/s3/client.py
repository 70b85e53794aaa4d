"""One bucket and how it is reached. Credentials come from where AWS tools look for them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import boto3
from botocore.config import Config

CONNECT_SECONDS = 2
READ_SECONDS = 3
"""A store that stands still for longer is away: whoever asked is told to come back."""
TRIES = 2
"""Both of them end before a client of ours gives up, which is after 10 s."""
CONNECTIONS = 8
"""At one time, of this process."""


class Bucket:
    """The part of a bucket below `prefix`. A client is made when it is first needed; threads share it."""

    def __init__(self, name: str, *, endpoint: str | None = None, region: str | None = None, prefix: str = "") -> None:
        """`endpoint` None is Amazon's own; `prefix` is put before every key as it is."""
        self.name = name
        self.prefix = prefix
        self._endpoint = endpoint
        self._region = region

    @cached_property
    def client(self) -> Any:  # noqa: ANN401 - boto3 makes its clients at run time, without types
        """Of boto3."""
        style = "auto" if self._endpoint is None else "path"
        config = Config(
            signature_version="s3v4",
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"mode": "standard", "total_max_attempts": TRIES},
            max_pool_connections=CONNECTIONS,
            s3={"addressing_style": style},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_supported",
        )
        session = boto3.session.Session()
        return session.client("s3", endpoint_url=self._endpoint, region_name=self._region, config=config)
