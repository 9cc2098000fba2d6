"""What disturbs a run, and what is left of it: nothing is lost, and the result is that of an undisturbed run."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from sitemap_audit.queue.jobs import count_workers
from sitemap_audit.queue.private import start_valkey, stop_valkey
from sitemap_audit.queue.server import connect
from tests.cli.audit import QUICK, Outcome, call, interrupt, run, start, until
from tests.cli.shop import shop
from tests.site.server import serve

pytestmark = pytest.mark.xdist_group("undisturbed")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    out = tmp_path_factory.mktemp("calm") / "r"
    with serve(shop(120)) as site:
        return run("https://shop.example", site.arguments, out=out)


def same_result(calm: Outcome, out: Path) -> None:
    """Every listed URL once, and the same verdicts."""
    assert Outcome(0, "", "", out).verdicts() == calm.verdicts()


def worker_processes(parent: int) -> list[psutil.Process]:
    """Worker processes of a run (on the main queue); a child that ended just now is none."""
    found = []
    for child in psutil.Process(parent).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            line = child.cmdline()
            if "--work" in line and "slow" not in " ".join(line):
                found.append(child)
    return found


def test_judge_and_report_make_no_request(tmp_path: Path, undisturbed: Outcome) -> None:
    """The site is gone, and the reports come out the same."""
    done = replace(undisturbed, out=tmp_path / "r")
    shutil.copytree(undisturbed.out, done.out)
    before = {
        n: (done.out / n).read_bytes() for n in ("urls.csv", "findings.csv", "sitemaps.csv", "robots.csv")
    }
    for name in before:
        (done.out / name).unlink()
    again = call("judge", str(done.out), out=done.out)
    assert again.code == 0, again.stderr
    assert {n: (done.out / n).read_bytes() for n in before} == before
    frog = call("report", str(done.out), "--csv-style", "screaming-frog", "--format", "csv", out=done.out)
    assert frog.code == 0, frog.stderr
    assert set(done.rows("urls.csv")[0]) >= {
        "Address",
        "Status Code",
        "Indexability",
        "Canonical Link Element 1",
    }


def test_a_killed_worker_loses_nothing(tmp_path: Path, undisturbed: Outcome) -> None:
    out = tmp_path / "r"
    with serve(shop(120, wait_s=0.1)) as site:
        process = start("run", "https://shop.example", "--out", str(out), *QUICK, *site.arguments, out=out)
        try:
            until(lambda: len(site.requests("shop.example")) > 12, "pages are asked")
            (victim,) = worker_processes(process.pid)
            victim.send_signal(signal.SIGKILL)
            killed = time.monotonic()
            _, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
        again = min(r.at for r in site.requests("shop.example") if r.at > killed + 0.5) - killed
        asked = Counter(r.path for r in site.requests("shop.example"))
    assert process.returncode == 0, stderr.decode()
    same_result(undisturbed, out)
    assert sum(asked.values()) - len(asked) <= 120, "at most the batch of the dead worker is asked twice"
    assert again <= 12, "seconds until its URLs are asked again"


def test_ctrl_c_and_resume(tmp_path: Path, undisturbed: Outcome) -> None:
    out = tmp_path / "r"
    with serve(shop(120, wait_s=0.1)) as site:
        process = start("run", "https://shop.example", "--out", str(out), *QUICK, *site.arguments, out=out)
        until(lambda: len(site.requests("shop.example")) > 30, "pages are asked")
        code, said = interrupt(process)
        assert code == 130, said
        assert f"sitemap-audit resume {out}" in said
        asked = len(site.requests("shop.example"))
        done = call("resume", str(out), out=out)
        assert done.code == 0, done.stderr
        again = len(site.requests("shop.example")) - asked
    same_result(undisturbed, out)
    assert again < 120, "what was checked is not asked again"
    refused = call("resume", str(out), out=out)
    assert refused.code == 2
    assert "nothing is left" in refused.stderr


def test_kill_9_of_the_coordinator_and_resume(tmp_path: Path, undisturbed: Outcome) -> None:
    out = tmp_path / "r"
    with serve(shop(120, wait_s=0.1)) as site:
        process = start("run", "https://shop.example", "--out", str(out), *QUICK, *site.arguments, out=out)
        until(lambda: len(site.requests("shop.example")) > 30, "pages are asked")
        workers = worker_processes(process.pid)
        assert workers
        process.kill()
        process.communicate(timeout=10)
        _, alive = psutil.wait_procs(workers, timeout=15)
        assert not [p for p in alive if p.status() != psutil.STATUS_ZOMBIE], "workers outlive nobody"
        done = call("resume", str(out), out=out)
    assert done.code == 0, done.stderr
    same_result(undisturbed, out)


def test_workers_of_another_place_join_by_url(tmp_path: Path, undisturbed: Outcome) -> None:
    out = tmp_path / "r"
    socket = Path(f"/tmp/sitemap-audit-test-{os.getpid()}.sock")
    server = start_valkey(tmp_path / "server", socket)
    url = f"unix://{socket}?db=0"
    workers: list[subprocess.Popen[bytes]] = []
    try:
        with serve(shop(120, wait_s=0.05)) as site:
            for _ in range(2):
                workers.append(start("worker", "--redis", url, "--processes", "1", *site.arguments, out=out))
            with connect(url) as client:
                until(lambda: count_workers(client) == 2, "both workers have joined")
            done = call(
                "run", "https://shop.example", "--out", str(out), "--rate", "0", "--workers", "0", "--redis", url,
                *site.arguments, out=out, timeout=90,
            )  # fmt: skip
        assert done.code == 0, done.stderr
        shares = done.summary["run"]["workers"]
        assert len(shares) == 2, shares
        assert min(shares.values()) > 0
        assert (
            sum(shares.values()) == 120 + 3
        )  # and addresses that cannot exist: two at the root, one below /p/
        same_result(undisturbed, out)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.communicate(timeout=15)
        stop_valkey(server, socket)
        socket.unlink(missing_ok=True)
    assert [worker.returncode for worker in workers] == [0, 0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda s: s.name)
def test_a_signal_to_the_whole_process_group_is_a_stop(tmp_path: Path, number: signal.Signals) -> None:
    """What `timeout`, a closed terminal and service managers do: the private server gets it too."""
    out = tmp_path / "r"
    with serve(shop(120, wait_s=0.3)) as site:
        process = start("run", "https://shop.example", "--out", str(out), *QUICK, *site.arguments, out=out)
        until(lambda: len(site.requests("shop.example")) > 12, "pages are asked")
        os.killpg(process.pid, number)
        _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130, stderr.decode()
    assert f"sitemap-audit resume {out}" in stderr.decode()
    assert "Traceback" not in stderr.decode()
