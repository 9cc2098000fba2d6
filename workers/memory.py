"""How the memory of a worker process is looked after."""

from __future__ import annotations

import gc
from typing import Final

_YOUNG_OBJECTS: Final = 20_000
"""New containers until the collector looks at them. A page makes some hundred, and none of them in a cycle: at
Python's own 700 the collector took a sixth of a worker's time. What is in a cycle waits for some 50 pages more."""


def settle() -> None:
    """Call it once, when everything is imported: what is there now stays, and is not looked at again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, 20, 20)
