"""One native record, in a form that is the same from a samples file and from `simple_evaluate`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Union

from tuneplane.foreign import Foreign
from tuneplane.integrations.lm_eval.results import as_scalar

DocId = Union[int, str]
Hashes = tuple[bytes, bytes, bytes]
"""Of document, prompt and target."""

_HASHES = ("doc_hash", "prompt_hash", "target_hash")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_OWN = frozenset(("doc", "arguments", "resps", "filtered_resps", "target"))


class Asked(NamedTuple):
    """One request to the model and what came back."""

    arguments: list[Foreign]
    """The prompt, then generation settings (an object) or the continuation that was scored (text)."""
    answers: list[Foreign]
    """One for each repeat: text, or log-likelihood and whether it was the greedy one."""


def hashes_of(record: Mapping[str, Any]) -> Hashes | None:
    """None where one of them is missing."""
    texts = [record.get(name) for name in _HASHES]
    if not all(isinstance(text, str) and _DIGEST.fullmatch(text) for text in texts):
        return None
    document, prompt, target = (bytes.fromhex(str(text)) for text in texts)
    return document, prompt, target


def asked(record: Mapping[str, Any]) -> list[Asked]:
    """Files name the arguments (`gen_args_0`, `arg_0`), the harness itself has lists."""
    requests = [_in_order(one, "arg_") for one in _in_order(record.get("arguments"), "gen_args_")]
    answers = _leaves_as_text(record.get("resps"))
    answers = answers if isinstance(answers, list) else []
    lists = [one if isinstance(one, list) else [one] for one in answers]
    lists += [[] for _ in requests[len(lists) :]]
    return [Asked(one, lists[at]) for at, one in enumerate(requests)]


def filtered(record: Mapping[str, Any]) -> Foreign:
    return _leaves_as_text(record.get("filtered_resps"))


def fingerprint(record: Mapping[str, Any]) -> bytes:
    """The same for the same facts, wherever the record came from; the document itself is in by its hash."""
    metrics = {key: value for key, value in record.items() if key not in _OWN}
    content = [metrics, asked(record), filtered(record), str(record.get("target"))]
    if hashes_of(record) is None:
        content.append(record.get("doc"))
    text = json.dumps(content, sort_keys=True, default=as_plain, skipkeys=True)
    return hashlib.sha256(text.encode()).digest()


def as_plain(value: Foreign) -> Foreign:
    """What the harness itself writes in place of a value that JSON does not know."""
    scalar = as_scalar(value)
    if scalar is not value:
        return scalar
    return sorted(map(str, value)) if isinstance(value, (set, frozenset)) else str(value)


def _in_order(value: Foreign, prefix: str) -> list[Foreign]:
    if isinstance(value, Mapping):
        numbered = [key for key in value if isinstance(key, str) and key[len(prefix) :].isdigit()]
        return [value[key] for key in sorted(numbered, key=lambda key: int(key[len(prefix) :]))]
    return list(value) if isinstance(value, (list, tuple)) else []


def _leaves_as_text(value: Foreign) -> Foreign:
    return [_leaves_as_text(one) for one in value] if isinstance(value, (list, tuple)) else str(value)
