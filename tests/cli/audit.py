"""Runs the command as its user does, in a process, against sites of tests/site."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-P", "-m", "sitemap_audit"]
STARTED: list[subprocess.Popen[bytes]] = []
"""What `start` started; conftest.py ends it whatever the test came to."""
QUICK = ("--rate", "0", "--recheck-after", "0", "--workers", "1")


@dataclass(frozen=True)
class Outcome:
    code: int
    stdout: str
    stderr: str
    out: Path

    def rows(self, name: str) -> list[dict[str, str]]:
        with (self.out / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    @property
    def summary(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads((self.out / "summary.json").read_bytes())
        return data

    @property
    def findings(self) -> dict[str, list[dict[str, str]]]:
        """By rule."""
        found: dict[str, list[dict[str, str]]] = {}
        for row in self.rows("findings.csv"):
            found.setdefault(row["rule"], []).append(row)
        return found

    def verdicts(self) -> dict[str, str]:
        """URL → verdict of every line of urls.csv; a URL that stands twice is an error."""
        rows = self.rows("urls.csv")
        verdicts = {row["url"]: row["verdict"] for row in rows}
        assert len(verdicts) == len(rows), "a URL stands twice in urls.csv"
        return verdicts


def call(*arguments: str, out: Path, timeout: float = 60, stdin: bytes | None = None) -> Outcome:
    """Run a command to its end. Nothing that it started may outlive it."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        stdin=None if stdin is not None else subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout,
        check=False,
        cwd=out.parent,
        env=environment(),
    )
    text = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in text[1], text[1]
    return Outcome(done.returncode, *text, out)


def run(site: str, arguments: Sequence[str], *further: str, out: Path, timeout: float = 60) -> Outcome:
    """`sitemap-audit run`, quickly: no rate limit, no wait for second looks, one worker."""
    return call("run", site, "--out", str(out), *QUICK, *arguments, *further, out=out, timeout=timeout)


def environment() -> dict[str, str]:
    """Of the test, without what would lead to somebody's server."""
    return {k: v for k, v in os.environ.items() if not k.startswith("SITEMAP_AUDIT_")}


def start(*arguments: str, out: Path) -> subprocess.Popen[bytes]:
    """Start a command; the test ends it by its handle, or its end does."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=out.parent,
        env=environment(),
        start_new_session=True,
    )
    STARTED.append(process)
    return process


def until(true: Callable[[], bool], what: str, seconds: float = 40) -> None:
    """Wait for something that must come to be."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.02)


def interrupt(process: subprocess.Popen[bytes], seconds: float = 20) -> tuple[int, str]:
    """Ctrl-C, and what it said."""
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=seconds)
    return process.returncode, stderr.decode()
