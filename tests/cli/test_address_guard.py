"""The address guard in the whole product: every spelling of a forbidden address through every way in.

One run over a site that names all of them. Nothing can leave the machine (sealed.py); a canary listens on
loopback at the very port that the SITE has, so only the address stands between it and the audit.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ada_url
import duckdb
import pytest

from tests.cli.audit import run
from tests.cli.sealed import seal
from tests.http.spellings import SPELLINGS
from tests.site.server import Reply, Seen, serve

HOST = "site.example"
ENTRANCES = (
    "site-redirect",
    "robots-line",
    "map-redirect",
    "index-child",
    "robots-redirect",
    "loc",
    "page-redirect",
    "meta-refresh",
    "refresh-header",
    "canonical",
    "link-header",
    "hreflang",
)


class Canary:
    """Listens on 127.0.0.1 and, where there is one, on ::1; counts who comes."""

    def __init__(self) -> None:
        self.met = 0
        first = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port: int = first.getsockname()[1]
        self._listeners = [first]
        with contextlib.suppress(OSError):
            self._listeners.append(socket.create_server(("::1", self.port), family=socket.AF_INET6))
        self._threads = [
            threading.Thread(target=self._count, args=(s,), daemon=True) for s in self._listeners
        ]
        for thread in self._threads:
            thread.start()

    def _count(self, listener: socket.socket) -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            self.met += 1
            peer.close()

    def close(self) -> None:
        for listener in self._listeners:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for thread in self._threads:
            thread.join(5)


class Trap:
    """The site: for each entrance and each spelling one way to a forbidden address."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.origin = f"http://{HOST}:{port}"

    def target(self, entrance: str, n: int) -> str:
        return f"http://{SPELLINGS[n]}:{self.port}/{entrance}/{n}.xml"

    def href(self, entrance: str, n: int) -> str:
        """The target as it is recorded."""
        return str(ada_url.URL(self.target(entrance, n)).href)

    def leads(self, entrance: str, n: int) -> bool:
        """Is there a target at all? Link and Refresh are read as latin-1, and `--scope` knows no dot at the end."""
        in_scope = entrance in ENTRANCES[5:]
        return not (entrance in ("link-header", "refresh-header") and not SPELLINGS[n].isascii()) and not (
            in_scope and SPELLINGS[n].endswith("t.")
        )

    def fact(self, entrance: str, n: int) -> tuple[str, str]:
        """Kind and URL of the fact that says that it was refused."""
        kind = (
            "page" if entrance in ENTRANCES[5:] else "robots" if entrance == "robots-redirect" else "sitemap"
        )
        return kind, self.href(entrance, n)

    def by_spelling(self, entrance: str) -> list[str]:
        return [self.target(entrance, n) for n in range(len(SPELLINGS))]

    def robots(self) -> Reply:
        lines = [f"Sitemap: {self.origin}/sitemap.xml", f"Sitemap: {self.origin}/index.xml"]
        lines += [f"Sitemap: {target}" for target in self.by_spelling("robots-line")]
        lines += [f"Sitemap: {self.origin}/map-redirect/{n}.xml" for n in range(len(SPELLINGS))]
        return Reply.text("User-agent: *\nAllow: /\n" + "\n".join(lines) + "\n")

    def sitemap(self) -> Reply:
        pages = [f"{self.origin}/{entrance}/{n}" for entrance in ENTRANCES[6:] for n in range(len(SPELLINGS))]
        pages += [f"http://r{n}.{HOST}:{self.port}/page" for n in range(len(SPELLINGS))]
        pages += self.by_spelling("loc")
        locs = "".join(f"<url><loc>{page}</loc></url>\n" for page in pages)
        return Reply.xml(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')

    def index(self) -> Reply:
        locs = "".join(f"<sitemap><loc>{t}</loc></sitemap>\n" for t in self.by_spelling("index-child"))
        return Reply.xml(
            f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</sitemapindex>'
        )

    def answer(self, seen: Seen) -> Reply:
        host = seen.host.partition(":")[0]
        if host != HOST:
            n = int(host.partition(".")[0][1:])
            return (
                Reply.to(self.target("robots-redirect", n))
                if seen.path == "/robots.txt"
                else Reply.html("ok")
            )
        fixed = {"/robots.txt": self.robots, "/sitemap.xml": self.sitemap, "/index.xml": self.index}
        if seen.path in fixed:
            return fixed[seen.path]()
        _, entrance, *rest = seen.path.split("/")
        if entrance not in ENTRANCES or not rest or not rest[0].removesuffix(".xml").isdigit():
            return Reply.html("<title>Home</title>")
        target = self.target(entrance, int(rest[0].removesuffix(".xml")))
        in_head = {
            "meta-refresh": f'<meta http-equiv=refresh content="0; url={target}">',
            "canonical": f'<link rel=canonical href="{target}">',
            "hreflang": f'<link rel=alternate hreflang=de href="{target}">',
        }
        if entrance in in_head:
            return Reply.html(f"<title>{entrance}</title>{in_head[entrance]}")
        if entrance == "refresh-header":
            return Reply.html("<title>refresh</title>", Refresh=f"0; url={target}")
        if entrance == "link-header":
            return Reply.html("<title>link</title>", Link=f'<{target}>; rel="canonical"')
        return Reply.to(target)


def facts(out: Path, kind: str, columns: str) -> list[tuple[Any, ...]]:
    return duckdb.execute(f"SELECT {columns} FROM read_parquet('{out}/facts/{kind}/*.parquet')").fetchall()


def refusals(out: Path) -> set[tuple[str, str]]:
    """(kind of fact, URL) of all that was refused by the guard, and says so."""
    pages = facts(out, "pages", "requested_url, state, reason, error_class")
    sitemaps = facts(out, "sitemaps", "url, error_class, hops[1].location")
    robots = facts(out, "robots", "origin, error_class, hops[1].location")
    return (
        {("page", url) for url, *why in pages if why == ["skipped", "private_host", "private_host"]}
        | {("sitemap", to or url) for url, error, to in sitemaps if error == "private_host"}
        | {("robots", to or url) for url, error, to in robots if error == "private_host"}
    )


@pytest.fixture
def canary() -> Iterator[Canary]:
    canary = Canary()
    yield canary
    canary.close()


def test_no_way_in_leads_to_a_forbidden_address(
    tmp_path: Path, canary: Canary, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = seal(tmp_path / "seal")
    monkeypatch.setenv("PYTHONPATH", str(log.parent))
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{canary.port}")  # would be met as well
    trap = Trap(canary.port)
    with serve({"*": trap.answer}) as site:
        hosts = [HOST, *(f"r{n}.{HOST}" for n in range(len(SPELLINGS)))]
        arguments = [
            word
            for host in hosts
            for word in ("--connect-to", f"{host}:{trap.port}:127.0.0.1:{site.http_port}")
        ]
        scope = {str(ada_url.URL(trap.target("loc", n)).hostname) for n in range(len(SPELLINGS))} | {
            f"*.{HOST}"
        }
        arguments += [word for host in sorted(scope) for word in ("--scope", host)]
        sites = [f"{trap.origin}/site-redirect/{n}.xml" for n in range(len(SPELLINGS))]
        outcome = run(
            trap.origin + "/",
            arguments,
            *sites,
            "--concurrency",
            "32",
            "--depth",
            "head",
            out=tmp_path / "run",
            timeout=180,
        )
        assert outcome.code == 0, outcome.stderr
    found = refusals(outcome.out)
    cases = [
        (entrance, n) for entrance in ENTRANCES for n in range(len(SPELLINGS)) if trap.leads(entrance, n)
    ]
    missing = [f"{entrance}: {SPELLINGS[n]}" for entrance, n in cases if trap.fact(entrance, n) not in found]
    assert missing == []
    sockets = [line.split() for line in log.read_text().splitlines()]
    assert {(word, host, int(port)) for word, host, port in sockets if word != "refused"} == {
        ("loopback", "127.0.0.1", site.http_port)
    }
    refused = sum(word == "refused" for word, _, _ in sockets)
    counted = {
        "spellings": len(SPELLINGS),
        "ways in": len(ENTRANCES),
        "cases": len(cases),
        "facts": len(found),
        "sockets refused": refused,
        "canary": canary.met,
    }
    assert counted["spellings"] >= 60, counted
    assert counted["cases"] >= 900, counted
    assert counted["facts"] >= counted["cases"], counted
    assert counted["sockets refused"] >= 400, counted
    assert counted["canary"] == 0, counted
    moved = facts(outcome.out, "pages", "error_class, hops[1].location, first_status, status").count
    assert all(
        moved(("private_host", trap.href("page-redirect", n), 301, None)) == 1 for n in range(len(SPELLINGS))
    )
    reasons = {row["verdict_reason"] for row in outcome.rows("urls.csv") if "/page-redirect/" in row["url"]}
    assert reasons == {"private_host"}
