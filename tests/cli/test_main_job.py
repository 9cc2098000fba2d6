"""`sitemap-audit run` from end to end: real spider, real workers, real server, sites with known truth."""

from __future__ import annotations

import contextlib
import gzip
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Final

import psutil
import pytest

from sitemap_audit.queue.jobs import count_workers
from sitemap_audit.queue.private import start_valkey, stop_valkey
from sitemap_audit.queue.server import connect
from tests.cli.audit import QUICK, Outcome, call, environment, interrupt, run, start, until
from tests.site.server import Reply, Sites, serve

XMLNS: Final = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*locs: str) -> Reply:
    entries = "".join(f"<url><loc>{loc}</loc></url>\n" for loc in locs)
    return Reply.xml(f'<?xml version="1.0"?>\n<urlset {XMLNS}>\n{entries}</urlset>\n')


def page(path: str) -> Reply:
    return Reply.html(
        f'<title>Page {path}</title><link rel="canonical" href="https://shop.example{path}"><body><p>Words.</p>'
    )


def shop(pages: int, wait_s: float = 0.0) -> Sites:
    """A healthy site of so many pages; each answers after `wait_s`."""
    paths = [f"/p/{n}" for n in range(pages)]
    answers = {p: page(p) for p in paths}
    if wait_s:
        answers = {p: Reply(r.status, r.body, r.headers, wait_s=wait_s) for p, r in answers.items()}
    return {
        "shop.example": {
            "/robots.txt": Reply.text("Sitemap: https://shop.example/sitemap.xml\n"),
            "/sitemap.xml": urlset(*(f"https://shop.example{p}" for p in paths)),
            **answers,
        }
    }


def test_several_sites_make_one_run_and_depth_status_judges_no_head(tmp_path: Path) -> None:
    sites: Sites = {
        **shop(3),
        "b.example": {
            "/sitemap.txt": Reply.text("https://b.example/\n"),
            "/": Reply.html("<title>B</title>"),
        },
    }
    with serve(sites) as site:
        done = call(
            "run", "https://shop.example", "b.example", "--depth", "status", "--out", str(tmp_path / "r"),
            *QUICK, *site.arguments, out=tmp_path / "r",
        )  # fmt: skip
    assert done.code == 0, done.stderr
    assert set(done.verdicts()) == {*(f"https://shop.example/p/{n}" for n in range(3)), "https://b.example/"}
    assert {r["canonical_state"] for r in done.rows("urls.csv")} == {""}
    assert set(done.verdicts().values()) == {"unknown"}
    assert {r["verdict_reason"] for r in done.rows("urls.csv")} == {"depth"}


def test_bad_input_of_every_kind_is_a_finding_or_a_line_and_the_audit_goes_on(tmp_path: Path) -> None:
    whole = gzip.compress(urlset(*(f"https://shop.example/z/{n}" for n in range(200))).body)
    sites: Sites = {
        "shop.example": {
            "/robots.txt": Reply.text(
                "Sitemap: /relative.xml\nSitemap: https://shop.example/empty.xml\n"
                "Sitemap: https://shop.example/cut.xml.gz\nSitemap: https://shop.example/page.xml\n"
                "Sitemap: https://shop.example/index.xml\nSitemap: file:///etc/passwd\n"
            ),
            "/relative.xml": urlset(
                "/a",
                "https://shop.example/b c",
                "https://other.example/x",
                "file:///etc/passwd",
                "javascript:alert(1)",
                "",
            ),
            "/empty.xml": Reply.xml(""),
            "/cut.xml.gz": Reply(200, whole[: len(whole) // 2], {"Content-Type": "application/gzip"}),
            "/page.xml": Reply.html("<!doctype html><title>Welcome</title>"),
            "/index.xml": Reply.xml(
                f"<sitemapindex {XMLNS}><sitemap><loc>https://shop.example/index.xml</loc></sitemap></sitemapindex>"
            ),
            "/a": page("/a"),
            "/b%20c": page("/b%20c"),
        }
    }
    with serve(sites) as site:
        done = run("https://shop.example", site.arguments, out=tmp_path / "r")
        asked = {r.host + r.path for r in site.requests()}
    assert done.code == 0, done.stderr
    verdicts = done.verdicts()
    assert verdicts["https://shop.example/a"] == "indexable"
    assert verdicts["https://shop.example/b%20c"] == "indexable"
    assert verdicts["https://other.example/x"] == "unknown"
    assert not any("passwd" in url or "javascript" in url for url in verdicts)
    assert not any("passwd" in url for url in asked)
    files = {r["url"]: r for r in done.rows("sitemaps.csv")}
    assert files["https://shop.example/relative.xml"]["entries"] == "6"
    assert files["https://shop.example/page.xml"]["kind"] == "html"
    assert files["https://shop.example/cut.xml.gz"]["state"] == "partial"
    assert int(files["https://shop.example/cut.xml.gz"]["entries"]) > 0
    assert "sitemap-is-html" in done.findings
    assert sum(p == "shop.example/index.xml" for p in asked) == 1


def test_a_site_without_robots_txt_or_sitemap_says_where_it_looked(tmp_path: Path) -> None:
    with serve({"bare.example": {"/": Reply.html("<title>Nothing</title>")}}) as site:
        done = run("bare.example", site.arguments, out=tmp_path / "r")
    assert done.code == 4, done.stderr
    assert "https://bare.example/sitemap.xml" in done.stdout
    assert done.summary["totals"]["listed"] == 0


def test_an_unknown_host_ends_with_4(tmp_path: Path) -> None:
    done = run("https://no-such-host.invalid", (), "--connect-to", "::127.0.0.1:9", out=tmp_path / "r")
    assert done.code == 4, done.stderr
    assert done.rows("robots.csv")[0]["state"] == "unreachable"


def test_blocked_pages_are_not_asked_unless_the_owner_says_so(tmp_path: Path) -> None:
    sites = shop(2)
    paths = sites["shop.example"]
    assert isinstance(paths, dict)
    paths["/robots.txt"] = Reply.text(
        "User-agent: *\nDisallow: /p/1\n\nSitemap: https://shop.example/sitemap.xml\n"
    )
    with serve(sites) as site:
        done = run("https://shop.example", site.arguments, out=tmp_path / "a")
        assert "/p/1" not in {r.path for r in site.requests()}
        owner = run("https://shop.example", site.arguments, "--inspect-blocked", out=tmp_path / "b")
        assert "/p/1" in {r.path for r in site.requests()}
    for outcome in (done, owner):
        assert outcome.verdicts()["https://shop.example/p/1"] == "blocked"
        (finding,) = outcome.findings["entry-blocked-by-robots"]
        assert "line 2" in finding["reality"]
    assert done.summary["totals"]["skipped"] == {"robots": 1}
    assert owner.summary["totals"]["skipped"] == {}


def test_a_list_from_standard_input_is_audited_like_a_sitemap(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with serve(shop(3)) as site:
        done = call(
            "run", "https://shop.example", "--list", "-", "--out", str(out), *QUICK, *site.arguments,
            out=out, stdin=b"https://shop.example/p/0\nhttps://shop.example/gone\n",
        )  # fmt: skip
    assert done.code == 0, done.stderr
    assert done.verdicts()["https://shop.example/gone"] == "client_error"
    rows = {r["url"]: r for r in done.rows("urls.csv")}
    assert rows["https://shop.example/gone"]["discovered_by"] == "list"
    assert rows["https://shop.example/p/0"]["sitemap_count"] == "2"


def test_sample_and_fail_on(tmp_path: Path) -> None:
    sites = shop(40)
    with serve(sites) as site:
        done = run(
            "https://shop.example",
            site.arguments,
            "--sample",
            "10",
            "--fail-on",
            "notice",
            out=tmp_path / "r",
        )
    totals = done.summary["totals"]
    assert (totals["listed"], totals["checked"], totals["skipped"]) == (40, 10, {"sample": 30})
    assert done.code == 1, done.stderr
    assert list(done.findings) == ["audit-incomplete"]
    assert done.findings["audit-incomplete"][0]["severity"] == "notice"


def test_judge_and_report_make_no_request(tmp_path: Path) -> None:
    with serve(shop(3)) as site:
        done = run("https://shop.example", site.arguments, out=tmp_path / "r")
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


def test_a_run_opens_no_tcp_port(tmp_path: Path) -> None:
    """One machine: our processes talk over a unix socket; nobody can reach them."""
    out = tmp_path / "r"
    with serve(shop(30, wait_s=0.3)) as site:
        process = start(
            "run",
            "https://shop.example",
            "--out",
            str(out),
            *QUICK,
            "--concurrency",
            "2",
            *site.arguments,
            out=out,
        )
        try:
            until(lambda: len(site.requests("shop.example")) > 6, "pages are asked")
            ours = [process.pid, *(p.pid for p in psutil.Process(process.pid).children(recursive=True))]
            assert len(ours) >= 4, "coordinator, server, workers"
            listening = [
                c
                for pid in ours
                for c in psutil.Process(pid).net_connections("inet")
                if c.status == psutil.CONN_LISTEN
            ]
            assert listening == []
        finally:
            process.terminate()
            process.communicate(timeout=20)


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


def test_a_server_that_evicts_is_refused_with_the_mend(tmp_path: Path) -> None:
    socket = Path(f"/tmp/sitemap-audit-evicts-{os.getpid()}.sock")
    server = start_valkey(tmp_path / "server", socket)
    try:
        import redis

        redis.Redis.from_url(f"unix://{socket}").config_set("maxmemory-policy", "allkeys-lru")
        done = run("https://shop.example", (), "--redis", f"unix://{socket}?db=0", out=tmp_path / "r")
    finally:
        stop_valkey(server, socket)
        socket.unlink(missing_ok=True)
    assert done.code == 2
    assert "noeviction" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_scrapy_crawl_works_alone(tmp_path: Path) -> None:
    """The discovery by itself, as any Scrapy project would be run."""
    root = Path(__file__).resolve().parents[2]
    out = tmp_path / "entries.jsonl"
    with serve(shop(5)) as site:
        arguments = dict(zip(site.arguments[::2], site.arguments[1::2], strict=True))
        connect = [
            v for k, v in zip(site.arguments[::2], site.arguments[1::2], strict=True) if k == "--connect-to"
        ]
        subprocess.run(
            [sys.executable, "-m", "scrapy", "crawl", "sitemaps", "-a", "site=https://shop.example", "-O", str(out),
             "-s", f"SITEMAP_AUDIT_CONNECT_TO={' '.join(connect)}",
             "-s", f"SITEMAP_AUDIT_CACERT={arguments['--cacert']}"],
            cwd=root, check=True, capture_output=True, timeout=60, env=environment(),
        )  # fmt: skip
    lines = out.read_text("utf-8").splitlines()
    assert len(lines) == 5
    assert '"loc": "https://shop.example/p/0"' in "\n".join(lines)


def test_requests_go_to_nobody_else(tmp_path: Path) -> None:
    """A thousand foreign hosts in a map: none is asked for a page, few for their robots.txt."""
    sites: dict[str, object] = dict(shop(1))
    foreign = [f"https://h{n}.example/" for n in range(300)]
    paths = sites["shop.example"]
    assert isinstance(paths, dict)
    paths["/sitemap.xml"] = urlset("https://shop.example/p/0", *foreign)
    with serve({**shop(0), "shop.example": paths, "*": {"/robots.txt": Reply.text("")}}) as site:
        done = run("https://shop.example", site.arguments, out=tmp_path / "r")
        foreign_requests = [r for r in site.requests() if r.host != "shop.example"]
    assert done.code == 0, done.stderr
    assert {r.path for r in foreign_requests} == {"/robots.txt"}
    # One that was cut at the end of a box is asked again.
    assert len({r.host for r in foreign_requests}) <= 100
    assert done.summary["totals"]["skipped"] == {"out_of_scope": 300}


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
