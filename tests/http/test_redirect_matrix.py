"""The redirect matrix: one path a kind on a loopback server, one run of the product, the hops exactly as stored.

Each row: what is listed, what it answers, the hops (status, kind where it is no plain redirect, location; `-` is
no usable one), how the page ends, its flags and its verdict. URLs without a host are of http://shop.example.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import duckdb
import pytest

from tests.cli.audit import Outcome, run
from tests.site.server import End, Reply, Seen, Steps, serve

pytestmark = pytest.mark.xdist_group("matrix")

SHOP = "http://shop.example"
LONG = "/" + "l" * 8_192


def moved(location: str | bytes, status: int = 301, body: bytes = b"") -> Reply:
    """A redirect whose Location is sent as these bytes."""
    value = location.encode() if isinstance(location, str) else location

    def steps() -> Steps:
        length = str(len(body)).encode()
        return [
            b"HTTP/1.1 %d Moved\r\nLocation: %b\r\nContent-Length: %b\r\n\r\n" % (status, value, length),
            body,
        ]

    return Reply(steps=steps)


def raw(text: bytes) -> Reply:
    return Reply(steps=lambda: [text, End.CLOSE])


def meta(target: str, seconds: str = "0", status: int = 200, **headers: str) -> Reply:
    return Reply.html(
        f'<title>r</title><meta http-equiv="refresh" content="{seconds}; url={target}">', status, **headers
    )


class Row(NamedTuple):
    """`hops`: parted by commas. `end`: status or error class, and the final URL."""

    path: str
    reply: Reply
    hops: str
    end: str
    flags: str = ""
    verdict: str = "redirect"


MATRIX = (
    # statuses
    Row("/301", moved("/ok"), "301 /ok", "200 /ok"),
    Row("/302", moved("/ok", 302), "302 /ok", "200 /ok", "temporary"),
    Row("/303", moved("/ok", 303), "303 /ok", "200 /ok", "temporary"),
    Row("/307", moved("/ok", 307), "307 /ok", "200 /ok", "temporary"),
    Row("/308", moved("/ok", 308), "308 /ok", "200 /ok"),
    Row("/300", moved("/ok", 300), "", "300 /300"),
    Row("/304", moved("/ok", 304), "", "304 /304"),
    Row("/305", moved("/ok", 305), "", "305 /305"),
    Row("/201", moved("/ok", 201), "", "201 /201", "", "unknown"),
    # forms of Location
    Row("/form/relative", moved("../ok"), "301 /ok", "200 /ok"),
    Row("/form/here", moved("ok"), "301 /form/ok", "200 /form/ok"),
    Row("/form/query", moved("?a=1"), "301 /form/query?a=1", "200 /form/query?a=1"),
    Row("/form/protocol-relative", moved("//other.example/x"), "301 http://other.example/x", "200 http://other.example/x", "cross_host"),
    Row("/form/backslashes", moved("\\\\other.example\\x"), "301 http://other.example/x", "200 http://other.example/x", "cross_host"),
    Row("/form/upper", moved("HTTP://SHOP.EXAMPLE:80/ok"), "301 /ok", "200 /ok"),
    Row("/form/fragment", moved("/ok#part"), "301 /ok", "200 /ok"),
    Row("/form/user-info", moved("http://user:secret@other.example/x"), "301 http://other.example/x", "200 http://other.example/x", "cross_host"),
    Row("/form/dots", moved("/a/./b/../../ok"), "301 /ok", "200 /ok"),
    Row("/form/blanks", moved("  /ok \t"), "301 /ok", "200 /ok"),
    Row("/form/blank-inside", moved("/o k"), "301 /o%20k", "200 /o%20k"),
    Row("/form/tab-inside", moved("/o\tk"), "301 /ok", "200 /ok"),
    Row("/form/control", moved(b"/o\x01k"), "301 /o%01k", "200 /o%01k"),
    Row("/form/utf-8", moved("/café"), "301 /caf%C3%A9", "200 /caf%C3%A9"),
    Row("/form/latin-1", moved(b"/caf\xe9"), "301 /caf%E9", "200 /caf%E9"),
    Row("/form/idn", moved("http://bücher.example/"), "301 http://xn--bcher-kva.example/", "200 http://xn--bcher-kva.example/", "cross_host to_root"),
    Row("/form/to-root", moved("/"), "301 /", "200 /", "to_root"),
    Row("/form/other-scheme", moved("https://shop.example/ok"), "301 https://shop.example/ok", "200 https://shop.example/ok"),
    Row("https://shop.example/form/downgrade", moved("http://shop.example/ok"), "301 /ok", "200 /ok", "downgrade"),
    Row("/form/www", moved("http://www.shop.example/form/www"), "301 http://www.shop.example/form/www", "200 http://www.shop.example/form/www", "cross_host"),
    # unusable ones
    Row("/bad/none", Reply(301), "301 -", "301 /bad/none", "bad_location"),
    Row("/bad/empty", moved(""), "301 -", "301 /bad/empty", "bad_location"),
    Row("/bad/blanks", moved(" \t "), "301 -", "301 /bad/blanks", "bad_location"),
    Row("/bad/bracket", moved("http://[::1"), "301 -", "301 /bad/bracket", "bad_location"),
    Row("/bad/host", moved("http://shop example/"), "301 -", "301 /bad/host", "bad_location"),
    Row("/bad/port", moved("http://shop.example:99999/"), "301 -", "301 /bad/port", "bad_location"),
    Row("/bad/file", moved("file:///etc/passwd"), "301 -", "301 /bad/file", "bad_location"),
    Row("/bad/mixed-case", moved("FiLe:///etc/passwd"), "301 -", "301 /bad/mixed-case", "bad_location"),
    Row("/bad/javascript", moved("javascript:alert(1)"), "301 -", "301 /bad/javascript", "bad_location"),
    Row("/bad/data", moved("data:text/html,x"), "301 -", "301 /bad/data", "bad_location"),
    Row("/bad/ftp", moved("ftp://shop.example/"), "301 -", "301 /bad/ftp", "bad_location"),
    Row("/bad/mail", moved("mailto:a@shop.example"), "301 -", "301 /bad/mail", "bad_location"),
    Row("/bad/long", moved(LONG), "301 -", "301 /bad/long", "bad_location"),
    Row("/bad/megabyte", moved("/" + "m" * (1 << 20)), "301 -", "301 /bad/megabyte", "bad_location"),
    Row("/bad/nul", moved(b"/o\0k"), "301 -", "301 /bad/nul", "bad_location"),
    Row("/bad/two", raw(b"HTTP/1.1 301 M\r\nLocation: /ok\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"), "301 -", "301 /bad/two", "bad_location"),
    # chains
    Row("/loop/self", moved("/loop/self"), "301 /loop/self", "301 /loop/self", "loop"),
    Row("/loop/fragment", moved("#x"), "301 /loop/fragment", "301 /loop/fragment", "loop"),
    Row("/loop/a", moved("/loop/b"), "301 /loop/b, 302 /loop/a", "302 /loop/b", "loop temporary"),
    Row("/chain/10", moved("/chain/9"), ", ".join(f"301 /chain/{n}" for n in range(9, -1, -1)), "200 /chain/0"),
    Row("/chain/11", moved("/chain/10"), ", ".join(f"301 /chain/{n}" for n in range(10, -1, -1)), "301 /chain/1", "too_long"),
    Row("/to/missing", moved("/missing"), "301 /missing", "404 /missing"),
    Row("/to/broken", moved("/broken"), "301 /broken", "500 /broken"),
    Row("/to/reset", moved("/reset"), "301 /reset", "reset /reset"),
    Row("/to/blocked", moved("/blocked/x"), "301 /blocked/x", "none /blocked/x"),
    Row("/to/private", moved("http://127.0.0.1:81/x"), "301 http://127.0.0.1:81/x", "private_host http://127.0.0.1:81/x", "cross_host"),
    Row("/body/with", moved("/ok", body=b"<title>moved</title>"), "301 /ok", "200 /ok"),
    Row("/body/short", raw(b"HTTP/1.1 301 M\r\nLocation: /ok\r\nContent-Length: 99\r\n\r\nshort"), "301 /ok", "200 /ok"),
    Row("/body/cookie", raw(b"HTTP/1.1 302 M\r\nLocation: /body/cookie\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n"), "302 /body/cookie", "302 /body/cookie", "loop temporary"),
    # refreshes of the page
    Row("/meta/0", meta("/ok"), "200 meta_refresh /ok", "200 /ok"),
    Row("/meta/relative", meta("../ok"), "200 meta_refresh /ok", "200 /ok"),
    Row("/meta/fraction", meta("/ok", "0.9"), "", "200 /meta/fraction", "", "indexable"),
    Row("/meta/5", meta("/ok", "5"), "", "200 /meta/5", "", "indexable"),
    Row("/meta/self", meta("/meta/self"), "", "200 /meta/self", "", "indexable"),
    Row("/meta/not-found", meta("/ok", status=404), "", "404 /meta/not-found", "", "client_error"),
    Row("/meta/bad", meta("file:///etc/passwd"), "", "200 /meta/bad", "", "indexable"),
    Row("/meta/foreign", meta("http://foreign.example/"), "200 meta_refresh http://foreign.example/", "200 /meta/foreign", "cross_host to_root"),
    Row("/meta/blocked", meta("/blocked/y"), "200 meta_refresh /blocked/y", "200 /meta/blocked"),
    Row("/meta/twice", meta("/meta/0"), "200 meta_refresh /meta/0", "200 /meta/0"),
    Row("/meta/then-301", meta("/301"), "200 meta_refresh /301, 301 /ok", "200 /ok"),
    Row("/meta/after-301", moved("/meta/0"), "301 /meta/0, 200 meta_refresh /ok", "200 /ok"),
    Row("/meta/loop", meta("/meta/back"), "200 meta_refresh /meta/back, 301 /meta/loop", "301 /meta/back", "loop"),
    Row("/header/0", Reply.html("<title>r</title>", Refresh="0; url=/ok"), "200 refresh_header /ok", "200 /ok"),
    Row("/header/bare", Reply.html("<title>r</title>", Refresh="0;/ok"), "200 refresh_header /ok", "200 /ok"),
    Row("/header/3", Reply.html("<title>r</title>", Refresh="3; url=/ok"), "", "200 /header/3", "", "indexable"),
    Row("/header/both", meta("/missing", Refresh="0; url=/ok"), "200 refresh_header /ok", "200 /ok"),
    Row("/header/301", Reply(301, b"", {"Location": "/ok", "Refresh": "0; url=/missing"}), "301 /ok", "200 /ok"),
)  # fmt: skip

ASKED: list[Seen] = []
"""Every request of the run."""
FURTHER = {
    "/loop/b": moved("/loop/a", 302),
    "/missing": Reply.html("<title>no</title>", 404),
    "/broken": Reply.html("<title>no</title>", 500),
    "/reset": raw(b""),
    "/meta/back": moved("/meta/loop"),
    "/chain/0": Reply.html("<title>end</title>"),
    **{f"/chain/{n}": moved(f"/chain/{n - 1}") for n in range(1, 10)},
}


def listed(row: Row) -> str:
    return row.path if "://" in row.path else SHOP + row.path


def answer(seen: Seen) -> Reply:
    if seen.path == "/robots.txt":
        return Reply.text(f"User-agent: *\nDisallow: /blocked/\nSitemap: {SHOP}/sitemap.xml\n")
    if seen.path == "/sitemap.xml":
        locs = "".join(f"<url><loc>{listed(row)}</loc></url>" for row in MATRIX)
        return Reply.xml(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')
    for row in MATRIX:
        if listed(row) == f"{seen.scheme}://{seen.host}{seen.path}":
            return row.reply
    return FURTHER.get(seen.path) or Reply.html("<title>fine</title><p>" + "a page " * 40)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcome]:
    out = tmp_path_factory.mktemp("matrix") / "run"
    with serve({"*": answer}) as site:
        # Ports 80 and 443 of any host lead to the site; 127.0.0.1:81 stands for a private address.
        further = ("--header", "X-Key: secret", "--scope", "other.example", "--depth", "head")
        outcome = run(SHOP, site.arguments, *further, out=out, timeout=180)
        ASKED.extend(site.log)
        yield outcome


class Told(NamedTuple):
    """What is stored of a row."""

    hops: str
    end: str
    flags: str
    verdict: str


def short(url: str | None) -> str:
    return "-" if url is None else url.removeprefix(SHOP)


@pytest.fixture(scope="module")
def stored(outcome: Outcome) -> dict[str, Told]:
    """Requested URL → what the facts and urls.csv say of it."""
    assert outcome.code == 0, outcome.stderr
    rows: list[tuple[Any, ...]] = duckdb.execute(
        "SELECT requested_url, hops, status, error_class, final_url, redirect_flags "
        f"FROM read_parquet('{outcome.out}/facts/pages/*.parquet') WHERE discovered_by = 'sitemap'"
    ).fetchall()
    verdicts = outcome.verdicts()
    told = {}
    for url, hops, status, error, final, flags in rows:
        steps = [
            " ".join([str(h["status"]), *([h["kind"]] if h["kind"] != "http" else []), short(h["location"])])
            for h in hops or ()
        ]
        told[url] = Told(
            ", ".join(steps),
            f"{status or error or 'none'} {short(final)}",
            " ".join(flags or ()),
            verdicts[url],
        )
    return told


@pytest.mark.parametrize("row", MATRIX, ids=lambda row: row.path)
def test_the_matrix(stored: dict[str, Told], row: Row) -> None:
    assert stored[listed(row)] == Told(row.hops, row.end, row.flags, row.verdict)


def test_who_gets_the_header_of_the_user(stored: dict[str, Told]) -> None:
    """The exact origins of SITE and its www twin, decided anew at each hop; nobody gets Referer or a cookie."""
    origins: dict[bool, set[str]] = {True: set(), False: set()}
    for seen in ASKED:
        origins[seen.header("x-key") is not None].add(f"{seen.scheme}://{seen.host}")
        assert {name for name, _ in seen.headers} - {"x-key"} == {
            "host",
            "user-agent",
            "accept",
            "accept-encoding",
        }
    twins = {
        f"{scheme}://{host}" for scheme in ("http", "https") for host in ("shop.example", "www.shop.example")
    }
    assert origins[True] <= twins
    assert len(origins[True]) >= 3
    assert origins[False] == {"http://other.example", "http://xn--bcher-kva.example"}
