"""`sitemap-audit run` from end to end: real spider, real workers, real server, sites with known truth."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import psutil

from sitemap_audit.queue.private import start_valkey, stop_valkey
from tests.cli.audit import QUICK, call, run, start, until
from tests.cli.shop import XMLNS, page, shop, urlset
from tests.site.server import Reply, Sites, serve


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
    assert set(done.findings) == {"audit-incomplete", "lastmod-missing"}
    assert done.findings["audit-incomplete"][0]["severity"] == "notice"


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
