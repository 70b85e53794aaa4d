"""Completions of a server that speaks OpenAI's chat protocol, through the standard library alone.

One request a problem and no retry: what fails is an execution error of that trial, and a retry is a trial attempt.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tuneplane.redaction import redacted

from common.eval.refused import InputRefused

_ANSWER_BYTES = 16 * 1024 * 1024
_SAID_CHARS = 200


class NoCompletion(RuntimeError):
    """The server gave no completion."""


class Sampling(NamedTuple):
    """What the request says beside the prompt."""

    model: str
    """A name for routing; it proves no weights."""
    temperature: float
    max_tokens: int
    seed: int | None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The key goes to the host that was named, and nowhere else."""

    def redirect_request(self, *args: Any, **more: Any) -> None:  # noqa: ANN401 - the library's
        del args, more


class Endpoint:
    """`endpoint(prompt)` is one completion. May be called by several threads."""

    def __init__(self, base: str, sampling: Sampling, key: str = "", timeout: float = 120.0) -> None:
        """`base` ends in `/v1` with most servers; `timeout` is in seconds."""
        if urlsplit(base).scheme not in ("http", "https") or not urlsplit(base).hostname:
            raise InputRefused("--endpoint", "", f"{redacted(base)!r} is no http(s) address")
        self._address = f"{base.rstrip('/')}/chat/completions"
        self._sampling = sampling
        self._key = key
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirect)

    def __call__(self, prompt: str) -> str:
        """Raises NoCompletion."""
        answer = self._answer(prompt)
        try:
            text = json.loads(answer)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError):
            raise NoCompletion("the answer holds no choices[0].message.content") from None
        if not isinstance(text, str):
            raise NoCompletion("choices[0].message.content is no text")
        return text

    def _answer(self, prompt: str) -> bytes:
        asked = {name: value for name, value in self._sampling._asdict().items() if value is not None}
        body = json.dumps({**asked, "messages": [{"role": "user", "content": prompt}]}).encode()
        headers = {
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {self._key}"} if self._key else {}),
        }
        request = urllib.request.Request(self._address, body, headers)  # noqa: S310 - the scheme is checked
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                content: bytes = answer.read(_ANSWER_BYTES)
        except urllib.error.HTTPError as refused:
            with refused:
                said = refused.read(_SAID_CHARS).decode("utf-8", "replace")
            raise NoCompletion(redacted(f"HTTP {refused.code}: {said}")) from None
        except (OSError, ValueError) as problem:
            raise NoCompletion(redacted(f"{type(problem).__name__}: {problem}")) from None
        return content
