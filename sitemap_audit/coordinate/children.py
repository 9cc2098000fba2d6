"""The spider and the local workers: processes of this run, each with a way to notice that we died.

A child's standard input is a pipe that only we hold. When the coordinator ends in whatever way, also by
`kill -9`, the child reads the end of that pipe and stops; so no worker outlives its run.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from sitemap_audit import logs
from sitemap_audit.options import Transport


@dataclass(slots=True)
class Children:
    """`stop` ends all of them; ended ones are reaped by `poll`."""

    url: str
    run_id: str
    transport: Transport
    log: Path
    _log: BinaryIO | None = None
    spider: subprocess.Popen[bytes] | None = None
    workers: subprocess.Popen[bytes] | None = None
    _all: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start_spider(self) -> None:
        self.spider = self._start("crawler", "--run", self.run_id)

    def restart_spider(self) -> None:
        """Discovery from the start; what the old process did not say yet is not said any more."""
        if self.spider is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.spider.pid, signal.SIGKILL)
            self.spider.wait()
        self.start_spider()

    def start_workers(self, processes: int) -> None:
        if processes > 0:
            self.workers = self._start("workers", "--processes", str(processes))

    def _start(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        if self._log is None:
            self._log = self.log.open("ab")
        # The server's URL may hold a password, and the transport headers: both go by the environment.
        environment = {
            **os.environ,
            **self.transport.to_environment(),
            **logs.to_environment(),
            "SITEMAP_AUDIT_REDIS": self.url,
        }
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", module, "--exit-with-parent", *arguments],
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
            env=environment,
            # Ctrl-C of the terminal is for the coordinator alone; it tells the children what to do.
            start_new_session=True,
        )
        self._all.append(child)
        return child

    def spider_code(self) -> int | None:
        """Exit code of the spider, None while it runs (or was never started)."""
        return self.spider.poll() if self.spider else None

    def workers_code(self) -> int | None:
        return self.workers.poll() if self.workers else None

    def stop(self, *, seconds: float = 8.0) -> None:
        """SIGTERM, then after `seconds` SIGKILL to what is still there."""
        for child in self._all:
            if child.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    child.send_signal(signal.SIGTERM)
        end = time.monotonic() + seconds
        for child in self._all:
            try:
                child.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            if child.stdin:
                child.stdin.close()
        self._all.clear()
        if self._log:
            self._log.close()
            self._log = None
