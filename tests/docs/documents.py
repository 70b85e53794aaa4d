"""The documents that people read, and what in them is code."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("sdk/*.md")]
)
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def text(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def blocks(document: str, language: str | None = None) -> list[str]:
    """Fenced code, of one language or of all."""
    return [code for kind, code in _BLOCK.findall(text(document)) if language in {None, kind}]


def code(document: str) -> list[str]:
    """Every line of a block, and every piece of inline code."""
    lines = [line for block in blocks(document) for line in block.splitlines()]
    return lines + _INLINE.findall(_BLOCK.sub("", text(document)))
