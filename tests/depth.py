"""How hard properties are tried: some examples in each run, many more when asked for.

`SITEMAP_AUDIT_DEEP=1 python tests/check.py` (CONTRIBUTING.md) tries thirty times as many as a usual run.
"""

from __future__ import annotations

import os
from typing import Final

DEEP: Final = os.environ.get("SITEMAP_AUDIT_DEEP", "") not in ("", "0")


def examples(usual: int) -> int:
    """So many examples of a property: a third of `usual` (25 at least) in each run, ten times `usual` in a deep one."""
    return 10 * usual if DEEP else min(usual, max(25, usual // 3))
