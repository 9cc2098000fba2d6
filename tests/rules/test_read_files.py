"""Rules about files and entries over what the reader really says of bytes: its words and theirs are the same."""

from __future__ import annotations

import gzip
from dataclasses import asdict
from typing import Any

import pytest

from sitemap_audit.facts import Entry, SitemapFile, SitemapSource
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from sitemap_audit.rules import all_rules

SITE = "https://example.com"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
URL = f"<url><loc>{SITE}/a</loc></url>"
GOOD = f"<urlset {NS}>{URL}</urlset>".encode()
RULES = [rule for rule in all_rules() if rule.area in ("sitemap", "entry")]
ROBOTS = {"origin": SITE, "robots_url": f"{SITE}/robots.txt", "state": "missing", "status": 404}


def read(data: bytes, url: str) -> tuple[list[Entry], SitemapFile]:
    """The facts of a file with these bytes, declared in robots.txt."""
    reader = SitemapReader(url, source=SitemapSource.ROBOTS)
    entries = reader.feed(data)
    more, file = reader.close(SitemapEnd(status=200, final_url=url, bytes_wire=len(data)))
    return entries + more, file


def row(fact: Entry | SitemapFile) -> dict[str, Any]:
    """A line of a table; maps as DuckDB takes them, empty lists as the store leaves them."""
    values = {
        name: value
        for name, value in asdict(fact).items()
        if name not in ("alternates", "is_child", "robots")
    }
    if values.get("namespaces") is not None:
        values["namespaces"] = {
            "key": list(values["namespaces"]),
            "value": list(values["namespaces"].values()),
        }
    return {name: list(v) or None if isinstance(v, tuple) else v for name, v in values.items()}


def urlset(inside: str, namespaces: str = NS) -> bytes:
    return f"<urlset {namespaces}>{inside}</urlset>".encode()


CASES: list[tuple[str, bytes, set[str]]] = [
    ("map.xml", GOOD, set()),
    ("map.xml", GOOD[:-20], {"sitemap-truncated", "sitemap-xml-malformed"}),
    ("map.xml.gz", gzip.compress(GOOD + b" " * 70_000)[:-60], {"sitemap-truncated"}),
    ("map.xml.gz", gzip.compress(gzip.compress(GOOD)), {"sitemap-gzip-bad"}),
    ("map.xml.gz", GOOD, {"sitemap-gzip-bad"}),
    ("map.xml", b"", {"sitemap-empty"}),
    ("map.xml", urlset(""), {"sitemap-empty"}),
    ("map.xml", b'<?xml version="1.0" encoding="ISO-8859-2"?>' + GOOD, {"sitemap-not-utf8"}),
    ("map.xml", urlset(URL, NS.replace("http:", "https:")), {"sitemap-namespace-wrong"}),
    ("map.xml", urlset(URL, "").replace(b"urlset ", b"urlset"), {"sitemap-namespace-wrong"}),
    ("map.xml", b"<response><a/></response>", {"sitemap-root-unknown"}),
    ("map.xml", b'{"urls": []}', {"sitemap-root-unknown"}),
    (
        "map.xml",
        urlset(f"<url><loc>{SITE}/a</loc><image:image><image:loc>{SITE}/i</image:loc></image:image></url>"),
        {"sitemap-extension-namespace-missing", "sitemap-xml-malformed"},
    ),
    (
        "map.xml",
        urlset(
            f"<url><loc>{SITE}/a</loc><image:image><image:loc>{SITE}/i</image:loc></image:image></url>",
            NS + ' xmlns:image="https://www.google.com/schemas/sitemap-image/1.1"',
        ),
        {"sitemap-extension-namespace-missing"},
    ),
    ("map.txt", f"{SITE}/a\nurl,lastmod\n".encode(), {"sitemap-text-format", "entry-loc-not-absolute"}),
    ("map.xml", urlset("<url><lastmod>2026-01-01</lastmod></url>" + URL), {"entry-loc-missing"}),
    ("map.xml", urlset(f"<url><loc>{SITE}/a</loc><loc>{SITE}/b</loc></url>"), {"entry-loc-missing"}),
    ("map.xml", urlset("<url><loc>https://example.com:99999/</loc></url>" + URL), {"entry-loc-invalid"}),
    ("map.xml", urlset(f"<url><loc>{SITE}/#/a</loc></url>"), {"entry-loc-fragment"}),
    ("map.xml", urlset(f"<url><loc>{SITE}/a;jsessionid=8A3F</loc></url>"), {"entry-loc-session-id"}),
    ("map.xml", urlset(f"<url><loc>{SITE}/a?utm_source=x</loc></url>"), {"entry-loc-parameters"}),
    ("map.xml", urlset(f"<url><loc>{SITE}/gemüse</loc></url>"), {"entry-loc-not-encoded"}),
    ("map.xml", urlset(f"<url><loc>{SITE}/{'a' * 2_048}</loc></url>"), {"entry-loc-too-long"}),
    ("map.xml", urlset("<url><loc>http://localhost:3000/a</loc></url>"), {"entry-private-host"}),
    ("map.xml", urlset(URL + URL), {"entry-duplicate-in-file"}),
    ("map.xml", urlset(f"<url><loc>{SITE}/a</loc><priority>0.5</priority></url>"), {"entry-hints-ignored"}),
]


COMPARES = frozenset({"entry-duplicate-across-files", "entry-variant-duplicate", "sitemap-duplicate-file"})
"""Hold one file against another: the files of the cases are not of one site."""


def address(number: int, name: str) -> str:
    return f"{SITE}/{number}-{name}"


@pytest.fixture(scope="module")
def said(bench: Any) -> dict[str, set[str]]:
    """Address of a file → rules that fired on it; all files are judged at once."""
    facts = [read(data, address(n, name)) for n, (name, data, _) in enumerate(CASES)]
    bench.load(
        {
            "sitemap_files": [row(file) for _, file in facts],
            "entries": [row(e) for entries, _ in facts for e in entries],
            "robots_files": [ROBOTS],
        }
    )
    fired: dict[str, set[str]] = {}
    for finding in bench.found([rule for rule in RULES if rule.id not in COMPARES]):
        fired.setdefault(finding["sitemap"], set()).add(finding["rule"])
    return fired


@pytest.mark.parametrize(
    "number", range(len(CASES)), ids=lambda n: f"{n} {' '.join(sorted(CASES[n][2])) or 'good'}"
)
def test_the_reader_and_the_rules_speak_one_language(said: dict[str, set[str]], number: int) -> None:
    name, _, expected = CASES[number]
    assert said.get(address(number, name), set()) == expected
