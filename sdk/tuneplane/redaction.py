"""What must not leave the job: tokens by their look, values by the name they are kept under."""

from __future__ import annotations

import re

MASK = "[redacted]"

_LOOKS_SECRET = re.compile(
    r"tp_(?:pat|ing)_[A-Za-z0-9_.\-]+"
    r"|\bhf_[A-Za-z0-9]{20,}"
    r"|\bsk-[A-Za-z0-9_\-]{20,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"
    r"|\bxox[abprs]-[A-Za-z0-9\-]{10,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\beyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]*"
    r"|(?i:\bbearer\s+)[A-Za-z0-9_.~+/\-]{8,}=*"
)
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)")
_SECRET_WORDS = frozenset((
    "token", "tokens", "secret", "secrets", "password", "passwd", "passphrase", "pwd", "credential",
    "credentials", "auth", "authorization", "cookie", "apikey", "accesskey", "privatekey", "pat", "dsn",
))  # fmt: skip
_SECRET_PAIRS = frozenset(
    [("api", "key"), ("access", "key"), ("private", "key"), ("secret", "key"), ("account", "key"), ("wandb", "key")]
)
_VOCABULARY = frozenset((
    "pad", "eos", "bos", "unk", "sep", "cls", "mask", "image", "video", "audio", "stop", "start", "end",
    "special", "additional", "decoder", "think", "tool", "system", "user", "assistant", "max", "min",
    "num", "per", "total", "n",
))  # fmt: skip
"""Words before `token` that make it a tokenizer's, not a door key."""


def redacted(text: str) -> str:
    """`text` with everything that looks like a token or a password in an address masked."""
    return _IN_ADDRESS.sub(MASK, _LOOKS_SECRET.sub(MASK, text))


def names_a_secret(name: str) -> bool:
    """Whether a variable or parameter of this name is to be taken for a secret."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    words = [word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word]
    if any(pair in _SECRET_PAIRS for pair in zip(words, words[1:])):
        return True
    found = [index for index, word in enumerate(words) if word in _SECRET_WORDS]
    if any(not words[index].startswith("token") for index in found):
        return True
    return any(not _VOCABULARY.intersection(words[:index]) for index in found)


def kept(name: str, value: str) -> str:
    """The value to show under a name: masked where the name or the value tells of a secret."""
    return MASK if value and names_a_secret(name) else redacted(value)


def redacted_command(words: list[str]) -> list[str]:
    """A command line without the values of options such as `--api-key X` or `--token=X`."""
    shown: list[str] = []
    hide = False
    for word in words:
        name, equals, value = word.partition("=")
        if hide and not word.startswith("-"):
            shown.append(MASK)
        elif equals and names_a_secret(name):
            shown.append(f"{name}={MASK}" if value else word)
        else:
            shown.append(redacted(word))
        hide = word.startswith("-") and not equals and names_a_secret(word)
    return shown
