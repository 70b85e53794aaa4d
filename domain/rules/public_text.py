"""What of a job's configuration strangers may read: no secret, no host, no person, no place on a disk.

A safety net behind the client's own redaction, and stricter: what is masked needlessly costs little here.
Source: SPEC "public job shares", OPENINGS (passwords, keys and tokens in configs).
"""

from __future__ import annotations

import re
from collections.abc import Collection

NOT_SHOWN = "[not shown]"

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECRET = frozenset((
    "secret", "secrets", "password", "passwd", "passphrase", "passcode", "passkey", "pass", "pwd", "pw", "pin", "otp",
    "credential", "credentials", "cookie", "dsn", "apikey", "accesskey", "privatekey", "authorization",
))  # fmt: skip
_SECRET_UNLESS_NUMBER = frozenset(("token", "tokens", "key", "keys", "auth", "pat", "jwt", "salt", "signature"))
"""`max_tokens: 512` is no secret."""
_PLACE = frozenset((
    "host", "hosts", "hostname", "node", "nodes", "nodelist", "addr", "address", "ip", "server", "endpoint", "url",
    "uri", "user", "username", "uid", "owner", "author", "email", "mail", "home", "cwd", "proxy", "account", "entity",
    "team", "machine", "master", "worker", "bucket", "by",
))  # fmt: skip
_BETWEEN = re.compile(r"([\s\"'`,;()\[\]{}<>]+)")
_LOOKS_SECRET = re.compile(
    r"(?<![A-Za-z0-9])(?:tp_[a-z]+_|hf_\w{16}|sk-[\w-]{16}|gh[pousr]_\w{16}|github_pat_\w{16}|glpat-[\w-]{16}"
    r"|xox[a-z]-[\w-]{10}|(?:AKIA|ASIA)[A-Z0-9]{16}|eyJ[\w-]{10,}\.[\w-]{10})"
)
_RANDOM = re.compile(r"[A-Za-z0-9+]{32,}")
_HEX = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{32,64}(?![0-9a-fA-F])")
"""Keys of trackers look so, and what was computed from something, which `_COMPUTED` names."""
_COMPUTED = frozenset(("revision", "rev", "commit", "sha", "digest", "hash", "checkpoint", "version"))
_KINDS = (re.compile(r"[a-z]"), re.compile(r"[A-Z]"), re.compile(r"\d"))
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){3,7}")
_ON_A_DISK = re.compile(r"(?:~|[A-Za-z]:)?[/\\]")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|true|false|null")
_LONGEST_WORD = 512
_SHORTEST_NAME = 3
_SHORTEST_CREDENTIAL = 8


def public_value(path: str, text: str, names: Collection[str] = ()) -> str:
    """The value at `path` of a configuration as strangers may read it; `names`: of hosts and people, hidden too."""
    if text and _keeps_back(path, text):
        return NOT_SHOWN
    return public_text(text, names)


def public_text(text: str, names: Collection[str] = ()) -> str:
    """`text` without what looks like a secret, an address, a folder or one of `names`."""
    if NOT_SHOWN in text:
        return NOT_SHOWN.join(public_text(part, names) for part in text.split(NOT_SHOWN))
    if "-----BEGIN" in text:
        return NOT_SHOWN
    hidden = {name.lower() for name in names if len(name) >= _SHORTEST_NAME and not name.isdigit()}
    shown: list[str] = []
    named = ""
    for word in _BETWEEN.split(text):
        if not word or _BETWEEN.fullmatch(word):
            shown.append(word)
            continue
        if word in {":", "="}:
            shown.append(word)
            named += word
            continue
        shown.append(NOT_SHOWN if _belongs(named, word) else _word(word, hidden))
        named = word
    return "".join(shown)


def _belongs(named: str, word: str) -> bool:
    """Whether the word before names what this word must not tell.

    As in `--token x`, `"password": "x"`, `["password", "x"]`, `Bearer x`.
    """
    if re.split("[:=]", named)[-1].lower() in {"bearer", "basic"}:
        return len(word) >= _SHORTEST_CREDENTIAL and any(letter.isdigit() for letter in word)
    is_name = named.startswith("-") or named.endswith((":", "=")) or named.lower() in _SECRET
    return is_name and "=" not in named[:-1] and not word.startswith("-") and _keeps_back(named, word)


def _word(word: str, hidden: Collection[str]) -> str:
    if len(word) > _LONGEST_WORD or _looks_secret(word):
        return NOT_SHOWN
    if "://" in word:
        return _address(word)
    if _MAIL.search(word) or _IP.fullmatch(word):
        return NOT_SHOWN
    name, mark, value = word.partition("=" if "=" in word else ":")
    if mark and value and name and not _ON_A_DISK.match(word):
        return f"{name}{mark}{NOT_SHOWN if _keeps_back(name, value) else _word(value, hidden)}"
    if _ON_A_DISK.match(word):
        word = "…/" + re.split(r"[/\\]", word)[-1]
    return "".join(NOT_SHOWN if part.lower() in hidden else part for part in _parts(word, hidden))


def _address(word: str) -> str:
    before, _, _ = word.partition("://")
    name, mark, scheme = before.rpartition("=")
    return f"{name}{mark}{scheme}://{NOT_SHOWN}"


def _parts(word: str, hidden: Collection[str]) -> list[str]:
    """The word cut where one of the hidden names stands in it, as a word of its own."""
    if not hidden:
        return [word]
    anyone = "|".join(re.escape(name) for name in sorted(hidden, key=len, reverse=True))
    return re.split(rf"(?<!\w)({anyone})(?!\w)", word, flags=re.IGNORECASE)


def _looks_secret(word: str) -> bool:
    if _LOOKS_SECRET.search(word):
        return True
    return any(all(kind.search(part) for kind in _KINDS) for part in _RANDOM.findall(word))


def _keeps_back(path: str, text: str) -> bool:
    """Whether the name alone says that the value is nothing for strangers."""
    words = {word.lower() for word in _WORD.findall(path)}
    if words & _SECRET or any(word.endswith(("password", "passwd", "secret", "apikey")) for word in words):
        return True
    if _HEX.search(text) and not words & _COMPUTED:
        return True
    return bool(words & (_SECRET_UNLESS_NUMBER | _PLACE)) and not _NUMBER.fullmatch(text)
