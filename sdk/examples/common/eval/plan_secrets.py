"""A configuration that holds a secret is refused, since it is kept beside the results and sent as evidence.

Source: SPEC "Keep provider secrets out of the plan".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tuneplane.redaction import names_a_secret, redacted

from common.eval.refused import InputRefused

_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::-)?\}")
"""Names a variable of the environment, which Harbor reads at run time."""
_NOTHING = frozenset({"", "empty", "none", "dummy", "null"})
"""What is written where a client insists on a key and the server needs none."""
_NAMES_A_VARIABLE = re.compile(r"(?:^|[^a-z])(?:name|env|var|variable)$")
"""Endings of settings that hold the name of a secret's variable, not the secret."""
_SETTINGS = ("trial.", "plan.settings.")
"""Elsewhere names are of tasks and paths: one may be about cracking a password."""
_INSTEAD = "put it into the environment of this command, or name the variable: ${NAME}"


def refuse_secrets(value: object, file: str) -> None:
    """Raises `InputRefused` for the first text that looks like a secret, or is a setting named as a secret is."""
    for path, name, text in _texts(value, "", ""):
        if text.lower() in _NOTHING or _REFERENCE.fullmatch(text):
            continue
        named = names_a_secret(name) and not _NAMES_A_VARIABLE.search(name.lower())
        if named and path.startswith(_SETTINGS):
            raise InputRefused(file, path, f"is kept under the name of a secret: {_INSTEAD}")
        if redacted(text) != text:
            raise InputRefused(file, path, f"looks like a secret: {_INSTEAD}")


def _texts(value: object, path: str, name: str) -> Iterator[tuple[str, str, str]]:
    """Each text with its path and the name it is kept under."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, f"{path}.{key}" if path else str(key), str(key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _texts(inner, f"{path}[{at}]", name)
    elif isinstance(value, str):
        yield path, name, value
