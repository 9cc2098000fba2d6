"""`--verbose`: what spider and workers write into audit.log, on stderr as well, while the run goes on."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sitemap_audit import logs
from sitemap_audit.formats.escape import visible

LOOK_S: Final = 0.2
LINE_CHARS: Final = 300


class Follower:
    """Says each new line of a file, from its present end on, until `close`."""

    def __init__(self, path: Path, tell: Callable[[str], None]) -> None:
        self._path = path
        self._tell = tell
        self._ended = threading.Event()
        self._at = path.stat().st_size if path.exists() else 0
        self._thread = threading.Thread(target=self._follow, name="follow", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Say what is left, then stop."""
        self._ended.set()
        self._thread.join(5)

    def _follow(self) -> None:
        last = False
        while not last:
            last = self._ended.wait(LOOK_S)
            self._say_new()

    def _say_new(self) -> None:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._at)
            found = file.read()
        whole = found[: found.rfind(b"\n") + 1]
        self._at += len(whole)
        for line in whole.decode("utf-8", "replace").split("\n"):
            if not line or logs.is_own(line):
                continue  # Said by ourselves already.
            if line.startswith("{"):
                print(line, file=sys.stderr, flush=True)  # An event of another process, as it stands.
            else:
                self._tell(visible(line, LINE_CHARS))
