"""What a worker process tells its parent of each batch, for `--metrics`: one JSON line in a pipe.

The parent adds up, so that the figures outlive a worker that dies; what a killed worker had not told is the part
of one batch. Nobody waits: a parent that does not read costs a worker nothing but the line.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Final, Self

import orjson

PIPE_VARIABLE: Final = "SITEMAP_AUDIT_TALLY_FD"
LINE_BYTES: Final = 4_096
"""So much is written to a pipe at once (PIPE_BUF): lines of several workers do not mix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchTally:
    """One batch that ended. `results` of page_fact.result_of; `failed`: it ended in the middle of something."""

    queue: str
    seconds: float
    results: Mapping[str, int] = field(default_factory=dict)
    failed: bool = False

    def line(self) -> bytes:
        return orjson.dumps(asdict(self), option=orjson.OPT_APPEND_NEWLINE)

    @classmethod
    def read(cls, line: bytes) -> Self:
        return cls(**orjson.loads(line))


def tell(tally: BatchTally) -> None:
    """Tell the parent, if it wants to know."""
    number = os.environ.get(PIPE_VARIABLE)
    line = tally.line()
    if number is None or len(line) > LINE_BYTES:
        return
    # The pipe is full, or its reader is gone: figures are no reason to stop.
    with contextlib.suppress(OSError):
        os.write(int(number), line)
