"""Pages that kill, hang or starve their worker, and a worker that was stopped: the rest of the run does not suffer.

No real document is known to do the former, so a hook in the workers does it for three pages; it
also shortens leases and boxes, so that a loss takes seconds.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Final

import psutil
import pytest

from tests.cli.audit import QUICK, Outcome, start, until
from tests.cli.slow_site import SHOP, asked, no_traceback, slow_shop, whole
from tests.site.server import Reply, serve

HOOK: Final = """
import os, signal, sys
from sitemap_audit import settings
settings.LEASE_MS, settings.LEASE_REFRESH_S, settings.CRASH_LOSSES = 1200, 0.25, 2
settings.BATCH_BOX_S, settings.BATCH_CPU_SPARE_S = 0.5, 0.5
if "--work" in sys.orig_argv:
    from workers.check import Check
    answered = Check.answered
    def hostile(self, answer):
        if b"deadly" in answer.body:
            os.kill(os.getpid(), signal.SIGKILL)
        while b"endless" in answer.body:
            pass
        if b"hungry" in answer.body:
            bytearray(2 << 30)
        return answered(self, answer)
    Check.answered = hostile
"""


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python runs this in every process that the test starts."""
    folder = tmp_path / "hook"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(HOOK)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))


@pytest.mark.usefixtures("hook")
def test_pages_that_end_their_worker_are_crashed_and_all_others_checked(tmp_path: Path) -> None:
    sites = slow_shop(1, 3)
    paths = sites["shop.example"]
    assert isinstance(paths, dict)
    poison = [f"{SHOP}/{name}" for name in ("deadly", "endless", "hungry")]
    for url in poison:
        paths[url.removeprefix(SHOP)] = Reply.html(f"<title>{url.rpartition('/')[2]}</title>")
    listed = paths["/map0.xml"].body
    more = "".join(f"<url><loc>{url}</loc></url>\n" for url in poison)
    paths["/map0.xml"] = Reply.xml(listed.decode().replace("</urlset>", f"{more}</urlset>"))
    out = tmp_path / "r"
    with serve(sites) as site:
        process = start("run", SHOP, "--out", str(out), *QUICK[:-1], "2", *site.arguments, out=out)
        _, stderr = process.communicate(timeout=120)
    assert process.returncode == 3, stderr.decode()
    done = Outcome(3, "", "", out)
    verdicts = done.verdicts()
    assert len(verdicts) == 6
    reasons = {row["url"]: row["verdict_reason"] for row in done.rows("urls.csv")}
    assert {url for url, reason in reasons.items() if reason == "crashed"} == set(poison)
    assert {verdicts[f"{SHOP}/0/{n}"] for n in range(3)} == {"indexable"}
    totals = done.summary["totals"]
    assert (totals["listed"], totals["checked"], totals["unchecked"]) == (6, 3, {"crashed": 3})
    assert "it is planned again in halves" in (out / "audit.log").read_text("utf-8")
    no_traceback(out)


@pytest.mark.usefixtures("hook")
def test_a_worker_that_was_stopped_and_goes_on_changes_nothing(tmp_path: Path) -> None:
    """Its batch was given to another one meanwhile: what it still says is kept if it is first, never twice."""
    out = tmp_path / "r"
    with serve(slow_shop(1, 60, page_s=0.2)) as site:
        process = start("run", SHOP, "--out", str(out), *QUICK[:-1], "2", *site.arguments, out=out)
        until(lambda: asked(site, "/0/") > 6, "pages are asked")
        busy = [
            p
            for p in psutil.Process(process.pid).children(recursive=True)
            if p.status() != psutil.STATUS_ZOMBIE
            and "--work" in (line := p.cmdline())
            and "slow" not in " ".join(line)
        ]
        busy[0].send_signal(signal.SIGSTOP)
        time.sleep(5)
        busy[0].send_signal(signal.SIGCONT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr.decode()
    no_traceback(out)
    whole(out, 60)
