"""A run whose parts die or whose disk is full: each listed URL once in the end, one clear line, a way on."""

from __future__ import annotations

import resource
import signal
from pathlib import Path

from tests.cli.audit import QUICK, call, start, until
from tests.cli.slow_site import SHOP, asked, child, slow_shop, whole
from tests.site.server import serve


def test_a_killed_server_comes_back_and_nothing_is_missing(tmp_path: Path) -> None:
    """In the middle of discovery: what the log of the server lacks would be missing in silence."""
    out = tmp_path / "r"
    with serve(slow_shop(3, 20, file_s=0.5, page_s=0.02)) as site:
        process = start(
            "run", SHOP, "--out", str(out), *QUICK, "--concurrency", "1", *site.arguments, out=out
        )
        until(lambda: asked(site, "/0/") > 3, "pages of the first file are asked")
        child(process.pid, "valkey").kill()
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr.decode()
    assert "Traceback" not in stderr.decode()
    assert "60 = checked 60" in stdout.decode()
    whole(out, 60)


def test_a_signal_before_the_first_request_leaves_a_run_that_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with serve(slow_shop(1, 3)) as site:
        process = start("run", SHOP, "--out", str(out), *QUICK, *site.arguments, out=out)
        until(lambda: (out / ".lock").exists(), "the run has begun")
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=30)
        assert process.returncode == 130, stderr.decode()
        assert "Traceback" not in stderr.decode()
        if (out / "run.json").exists():
            assert f"sitemap-audit resume {out}" in stderr.decode()
            done = call("resume", str(out), out=out)
            assert done.code == 0, done.stderr
            whole(out, 3)


def test_a_folder_that_takes_no_report_is_one_line(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with serve(slow_shop(1, 2)) as site:
        assert call("run", SHOP, "--out", str(out), *QUICK, *site.arguments, out=out).code == 0
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, before[1]))  # the command inherits it
    try:
        done = call("report", str(out), out=out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert done.code == 2
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    whole(out, 2)


def test_a_report_of_a_run_that_goes_on_agrees_with_itself(tmp_path: Path) -> None:
    """Each reads one fixed list of finished parts, however they grow meanwhile."""
    out = tmp_path / "r"
    with serve(slow_shop(1, 200, page_s=0.25)) as site:
        process = start("run", SHOP, "--out", str(out), *QUICK, *site.arguments, out=out)
        until(lambda: any(out.glob("facts/pages/0*")), "the first part is there")
        checked: list[int] = []
        while process.poll() is None and len(checked) < 3:
            done = call("report", str(out), "--format", "json,csv", out=out)
            assert done.code in (0, 3), done.stderr
            totals = done.summary["totals"]
            assert totals["listed"] == 200
            parts = totals["checked"] + sum(totals["skipped"].values()) + sum(totals["unchecked"].values())
            assert parts == 200
            assert len(done.rows("urls.csv")) == 200
            checked.append(totals["checked"])
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr.decode()
    assert checked
    assert checked == sorted(checked)
    whole(out, 200)
