"""Hosts that misbehave, and hosts that two audits ask at once: what the site sees and what the reports say."""

from __future__ import annotations

import os
import threading
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from sitemap_audit.queue.private import start_valkey, stop_valkey
from tests.cli.audit import Outcome, call, run, start
from tests.site.server import End, Reply, Seen, Site, Sites, in_turn, serve

pytestmark = pytest.mark.xdist_group("hosts")

XMLNS: Final = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
SHOP: Final = "https://shop.example"
WIRE_S: Final = 0.25
"""So long after a 429 was sent a request may have been on its way, on a machine that runs other tests."""


def urlset(*locs: str) -> Reply:
    entries = "".join(f"<url><loc>{loc}</loc></url>\n" for loc in locs)
    return Reply.xml(f'<?xml version="1.0"?>\n<urlset {XMLNS}>\n{entries}</urlset>\n')


def page(path: str) -> Reply:
    return Reply.html(f"<title>{path}</title><p>Words.")


def limited(after: str) -> Reply:
    return Reply(429, b"", {"Retry-After": after} if after else {})


PAGES: Final = 4
BAD: Final = {
    "reset.example": Reply(steps=lambda: [End.RESET]),
    "broken.example": Reply(503),
    "forbids.example": Reply(403),
    "years.example": limited("315360000"),
}
"""Hosts all of whose pages answer so, for ever; their robots.txt is sound."""
LIES: Final = {
    "negative.example": "-5",
    "soon.example": "soon",
    "past.example": "Wed, 01 Jan 2020 00:00:00 GMT",
    "zero.example": "0",
    "silent.example": "",
}
"""Retry-After of one 429; after that the host is sound."""


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Counter[str]]:
    """One audit of all of them beside a sound host, and how often each host was asked for a page."""
    out = tmp_path_factory.mktemp("hosts") / "r"
    bad = [f"https://{host}/{n}" for host in BAD for n in range(PAGES)]
    lies = [f"https://{host}/{n}" for host in LIES for n in range(PAGES)]
    good = [f"{SHOP}/{n}" for n in range(20)]
    names_map = Reply.text(f"Sitemap: {SHOP}/sitemap.xml\n")
    sites: Sites = {
        "shop.example": {
            "/robots.txt": names_map,
            "/sitemap.xml": urlset(*good, *bad, *lies),
            "*": page("shop"),
        },
        **{host: {"/robots.txt": names_map, "*": reply} for host, reply in BAD.items()},
        **{
            host: {"/robots.txt": names_map, "*": in_turn(limited(after), page(host))}
            for host, after in LIES.items()
        },
    }
    scope = [word for host in (*BAD, *LIES) for word in ("--scope", host)]
    with serve(sites) as site:
        done = run(SHOP, site.arguments, *scope, "--depth", "head", out=out, timeout=90)
        asked = Counter(r.host for r in site.requests() if r.path[1:].isdigit())
    assert done.code in (0, 3), done.stderr
    return done, asked


def test_the_account_is_exact_whatever_hosts_do(audited: tuple[Outcome, Counter[str]]) -> None:
    done, _ = audited
    totals = done.summary["totals"]
    unchecked = sum(totals["unchecked"].values())
    assert totals["listed"] == 20 + PAGES * (len(BAD) + len(LIES))
    assert totals["listed"] == totals["checked"] + sum(totals["skipped"].values()) + unchecked
    assert totals["unchecked"] == {"rate_limited": PAGES}, (
        "only who asks for years of patience is not checked"
    )
    assert done.code == 3


def test_each_host_has_its_own_verdict_and_harms_no_other(audited: tuple[Outcome, Counter[str]]) -> None:
    done, _ = audited
    of_host: dict[str, set[tuple[str, str]]] = {}
    for row in done.rows("urls.csv"):
        host = row["url"].split("/")[2]
        of_host.setdefault(host, set()).add((row["verdict"], row["verdict_reason"]))
    assert of_host["shop.example"] == {("indexable", "")}
    assert {v for v, _ in of_host["reset.example"]} == {"unreachable"}
    assert {v for v, _ in of_host["broken.example"]} == {"server_error"}
    assert of_host["years.example"] == {("unknown", "rate_limited")}
    for host in LIES:
        assert of_host[host] == {("indexable", "")}, host


def test_a_host_that_wants_years_is_asked_no_more(audited: tuple[Outcome, Counter[str]]) -> None:
    _, asked = audited
    assert asked["years.example"] <= 4, "what was on the wire: one request a connection"
    assert asked["shop.example"] == 20
    assert asked["broken.example"] == 2 * PAGES, "a second look each"
    for host in LIES:
        assert asked[host] == PAGES + 1, host


def test_who_turns_us_away_is_no_finding_about_its_pages(audited: tuple[Outcome, Counter[str]]) -> None:
    done, _ = audited
    about = Counter(
        rule
        for rule, rows in done.findings.items()
        for row in rows
        if "years.example" in row["url"] and not rule.startswith(("robots-", "audit-"))
    )
    assert about == {}
    (incomplete,) = done.findings["audit-incomplete"]
    assert "rate_limited" in incomplete["reality"]


def counted_site(pages: int, limit_at: int) -> tuple[Sites, list[float]]:
    """A shop that answers one page 429 with Retry-After 2, whoever asks; and when it did."""
    lock, seen, said = threading.Lock(), [0], list[float]()

    def answer(request: Seen) -> Reply:
        if request.path == "/robots.txt":
            return Reply.text(f"Sitemap: {SHOP}/sitemap.xml\n")
        if request.path == "/sitemap.xml":
            return urlset(*(f"{SHOP}/{n}" for n in range(pages)))
        with lock:
            seen[0] += 1
            if seen[0] == limit_at:
                said.append(request.at)
                return limited("2")
        return page(request.path)

    return {"shop.example": answer}, said


def worst_second(site: Site) -> int:
    times = sorted(r.at for r in site.requests("shop.example"))
    return max(sum(begin <= at < begin + 1 for at in times) for begin in times)


def test_two_audits_of_one_host_keep_one_promise_together(tmp_path: Path) -> None:
    rate, pages = 10, 25
    socket = Path(f"/tmp/sitemap-audit-two-{os.getpid()}.sock")
    server = start_valkey(tmp_path / "server", socket)
    sites, limits = counted_site(pages, limit_at=20)
    try:
        with serve(sites) as site:
            audits = [
                start(
                    "run", SHOP, "--out", str(tmp_path / name), "--rate", str(rate), "--workers", "1",
                    "--redis", f"unix://{socket}?db=0", "--depth", "head", *site.arguments, out=tmp_path / name,
                )
                for name in ("a", "b")
            ]  # fmt: skip
            said = [audit.communicate(timeout=90)[1].decode() for audit in audits]
            assert [audit.returncode for audit in audits] == [0, 0], said
            assert worst_second(site) <= rate + 1
            (at,) = limits
            late = [r.at - at for r in site.requests("shop.example") if WIRE_S < r.at - at < 1.95]
            assert late == [], "seconds after the 429, in the two seconds that it asked for"
    finally:
        stop_valkey(server, socket)
        socket.unlink(missing_ok=True)
    for name in ("a", "b"):
        assert set(Outcome(0, "", "", tmp_path / name).verdicts().values()) == {"indexable"}


def test_a_crawl_delay_is_never_undercut(tmp_path: Path) -> None:
    """Not even between robots.txt itself and what follows it, nor between discovery and checks."""
    sites: Sites = {
        "shop.example": {
            "/robots.txt": Reply.text(f"User-agent: *\nCrawl-delay: 0.8\n\nSitemap: {SHOP}/sitemap.xml\n"),
            "/sitemap.xml": urlset(*(f"{SHOP}/{n}" for n in range(4))),
            "*": page("shop"),
        }
    }
    with serve(sites) as site:
        done = call(
            "run", SHOP, "--out", str(tmp_path / "r"), "--rate", "0", "--workers", "2", *site.arguments,
            out=tmp_path / "r",
        )  # fmt: skip
        times = [r.at for r in site.requests("shop.example")]
    assert done.code == 0, done.stderr
    assert len(times) >= 6
    assert min(b - a for a, b in pairwise(times)) > 0.75
