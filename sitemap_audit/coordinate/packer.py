"""The packer of a run: a process at the lowest priority that makes Parquet of what was stored as lines.

It is not needed for a run to end well: what it did not do is done then, or by whoever reads. It keeps a long
run from leaving everything to the end, and a resume or a report in the middle of it from waiting.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from sitemap_audit.settings import PACK_AHEAD


@dataclass(slots=True)
class Packer:
    """`log` takes what the process says."""

    facts: Path
    log: Path
    _process: subprocess.Popen[bytes] | None = None
    _rows: int = 0

    def at_work(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def stored(self, rows: int) -> None:
        """So many rows were stored, and their messages forgotten: start a packer when it is worth it."""
        self._rows += rows
        if self._rows >= PACK_AHEAD and not self.at_work():
            self.close()
            self._rows = 0
            with self.log.open("ab") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "sitemap_audit.store.pack", str(self.facts)],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )

    def close(self) -> None:
        """End it where it stands: what it did not finish stays as it was."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process = None
