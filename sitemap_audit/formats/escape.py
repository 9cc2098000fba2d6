"""Text of a site made safe to show: no terminal, log or editor obeys it.

C0 and C1 controls, DEL, bidi controls and line separators become visible escapes (\\x1b, \\u202e). One
escaper for terminal, progress and log.
"""

from __future__ import annotations

import re
from typing import Final

_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def visible(text: str, limit: int | None = None) -> str:
    """`text` with its unsafe characters escaped, cut to `limit` characters with an ellipsis."""
    shown = _UNSAFE.sub(_visible, text)
    if limit is not None and len(shown) > limit:
        return shown[: max(0, limit - 1)] + "…"
    return shown
