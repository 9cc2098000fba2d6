"""The option --bot: product tokens as robots.txt knows them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sitemap_audit.errors import UsageError


def read_bots(names: Sequence[str]) -> tuple[str, ...]:
    """The bots in lower case, each once. Raises UsageError for what no User-agent line can name."""
    for name in names:
        if name != "*" and not re.fullmatch(r"[A-Za-z_-]+", name, re.ASCII):
            raise UsageError(
                f"--bot {name!r}: robots.txt knows bots by their product token, made of letters, _ and - "
                "(Googlebot, not Googlebot/2.1)"
            )
    return tuple(dict.fromkeys(n.lower() for n in names))
