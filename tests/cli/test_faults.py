"""A run whose parts die or whose disk is full: each listed URL once in the end, one clear line, a way on."""

from __future__ import annotations

import resource
import signal
from pathlib import Path
from typing import Final

import psutil

from tests.cli.audit import QUICK, Outcome, call, start, until
from tests.site.server import Reply, Site, Sites, serve

XMLNS: Final = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
SHOP: Final = "https://shop.example"


def slow_shop(files: int, pages: int, *, file_s: float = 0.0, page_s: float = 0.0) -> Sites:
    """So many sitemaps of so many pages each; files and pages answer after a while."""
    paths: dict[str, Reply] = {
        "/robots.txt": Reply.text("".join(f"Sitemap: {SHOP}/map{n}.xml\n" for n in range(files)))
    }
    for n in range(files):
        names = [f"/{n}/{k}" for k in range(pages)]
        entries = "".join(f"<url><loc>{SHOP}{name}</loc></url>\n" for name in names)
        body = f'<?xml version="1.0"?>\n<urlset {XMLNS}>\n{entries}</urlset>\n'.encode()
        paths[f"/map{n}.xml"] = Reply(200, body, {"Content-Type": "application/xml"}, wait_s=file_s)
        for name in names:
            html = f'<title>{name}</title><link rel="canonical" href="{SHOP}{name}"><p>Words.</p>'.encode()
            paths[name] = Reply(200, html, {"Content-Type": "text/html"}, wait_s=page_s)
    return {"shop.example": paths}


def child(parent: int, *words: str) -> psutil.Process:
    """The process below `parent` whose command line holds these words."""
    for process in psutil.Process(parent).children(recursive=True):
        line = " ".join(process.cmdline())
        if all(word in line for word in words):
            return process
    raise AssertionError(f"no process with {words}")


def whole(out: Path, urls: int) -> None:
    """Every listed URL stands once in the report, checked and sound."""
    verdicts = Outcome(0, "", "", out).verdicts()
    assert len(verdicts) == urls
    assert set(verdicts.values()) == {"indexable"}


def asked(site: Site, prefix: str) -> int:
    return sum(r.path.startswith(prefix) for r in site.requests("shop.example"))


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


def test_a_full_disk_is_one_line_and_the_run_goes_on_later(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with serve(slow_shop(1, 60, page_s=0.1)) as site:
        process = start("run", SHOP, "--out", str(out), *QUICK, *site.arguments, out=out)
        until(lambda: asked(site, "/0/") > 12, "pages are asked")
        # The coordinator can write no file any more beyond some bytes, as on a full disk.
        psutil.Process(process.pid).rlimit(psutil.RLIMIT_FSIZE, (16, psutil.RLIM_INFINITY))
        _, stderr = process.communicate(timeout=40)
        said = stderr.decode().strip().splitlines()
        assert process.returncode == 2, said
        assert [line for line in said if "sitemap-audit resume" in line] == said[-1:], said
        assert "Traceback" not in stderr.decode()
        done = call("resume", str(out), out=out)
    assert done.code == 0, done.stderr
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
