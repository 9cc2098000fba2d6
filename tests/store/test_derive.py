"""Where URLs are listed, one line a URL, what may be judged, and an account that always adds up."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from sitemap_audit.store.accounting import account
from sitemap_audit.store.derive import derive, derive_previous

A, B = "https://example.com/a", "https://example.com/b"
ONE, TWO = "https://example.com/one.xml", "https://example.com/two.xml"
READ: dict[str, Any] = {
    "url_key": A,
    "requested_url": A,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "canonical_state": "self",
    "sniffed_type": "html",
    "allowed": True,
    "robots_state": "ok",
    "main_hash": "00ff00ff00ff00ff",
}


@pytest.fixture
def con(empty: Callable[[], duckdb.DuckDBPyConnection]) -> duckdb.DuckDBPyConnection:
    """Every table, empty."""
    return empty()


def put(con: duckdb.DuckDBPyConnection, table: str, **row: Any) -> None:
    con.execute(
        f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values())
    )


def rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return con.execute(sql).fetchall()


def test_the_smallest_sitemap_and_position_speaks_whichever_arrived_first(
    con: duckdb.DuckDBPyConnection,
) -> None:
    put(con, "entries", url_key=A, loc=A + "?2", sitemap=TWO, position=1, line=3, lastmod="2026-03-01")
    put(con, "entries", url_key=A, loc=A + "?1b", sitemap=ONE, position=9, line=4, lastmod="2026-01-01")
    put(con, "entries", url_key=A, loc=A + "?1a", sitemap=ONE, position=2, line=80)
    derive(con)
    assert rows(con, "SELECT url, sitemap, line, claim, lastmod::VARCHAR, sitemap_count FROM listing") == [
        (A + "?1a", ONE, 80, f"listed in {ONE}, line 80", "2026-03-01 00:00:00", 2)
    ]
    assert rows(con, "SELECT url, listed, sitemaps, sitemap_count FROM urls") == [
        (A + "?1a", True, [ONE, TWO], 2)
    ]


def test_a_line_that_is_not_known_is_not_taken_from_another_file(con: duckdb.DuckDBPyConnection) -> None:
    put(con, "entries", url_key=A, loc=A, sitemap=ONE, position=1)
    put(con, "entries", url_key=A, loc=A, sitemap=TWO, position=1, line=7)
    derive(con)
    assert rows(con, "SELECT sitemap, line, claim FROM listing") == [(ONE, None, f"listed in {ONE}")]


def test_raw_spellings_are_kept_five_at_most(con: duckdb.DuckDBPyConnection) -> None:
    for n in range(7):
        put(con, "entries", url_key=A, loc=A, loc_raw=f"{A}#{n}", sitemap=ONE, position=n, line=n)
    put(con, "entries", url_key=B, loc=B, loc_raw=B, sitemap=ONE, position=9, line=9)
    derive(con)
    assert rows(con, "SELECT url_key, listed_as FROM urls ORDER BY url_key") == [
        (A, [f"{A}#{n}" for n in range(5)]),
        (B, [B]),
    ]


@pytest.mark.parametrize(
    ("file", "way"),
    [
        ({"kind": "urlset", "source": "robots"}, "sitemap"),
        ({"kind": "rss", "source": "feed_link"}, "feed"),
        ({"kind": "atom", "source": "option"}, "feed"),
        ({"kind": "text", "source": "list"}, "list"),
        (None, "sitemap"),
    ],
)
def test_how_a_listed_url_was_found(
    con: duckdb.DuckDBPyConnection, file: dict[str, Any] | None, way: str
) -> None:
    if file is not None:
        put(con, "sitemap_files", url=ONE, url_key=ONE, **file)
    put(con, "entries", url_key=A, loc=A, sitemap=ONE, position=1, line=1)
    put(con, "pages", **READ, discovered_by="canonical")
    derive(con)
    assert rows(con, "SELECT discovered_by FROM urls") == [(way,)]


def test_a_sitemap_names_before_a_feed(con: duckdb.DuckDBPyConnection) -> None:
    put(con, "sitemap_files", url=ONE, url_key=ONE, kind="atom", source="robots")
    for sitemap in (ONE, TWO):
        put(con, "entries", url_key=A, loc=A, sitemap=sitemap, position=1, line=1)
    derive(con)
    assert rows(con, "SELECT discovered_by FROM urls") == [("sitemap",)]


def test_urls_holds_what_is_listed_and_what_was_looked_at_but_no_probes(
    con: duckdb.DuckDBPyConnection,
) -> None:
    put(con, "entries", url_key=A, loc=A, sitemap=ONE, position=1, line=1)
    put(con, "entries", loc_raw="not a url", sitemap=ONE, position=2, line=2)
    put(con, "pages", **READ | {"url_key": B, "requested_url": B}, discovered_by="canonical")
    put(con, "pages", **READ | {"url_key": B + "x"}, discovered_by="probe")
    derive(con)
    derive(con)  # rebuilt at will
    assert rows(
        con, "SELECT url_key, url, listed, state, reason, verdict, discovered_by FROM urls ORDER BY ALL"
    ) == [
        (A, A, True, "unchecked", "stopped", "unknown", "sitemap"),
        (B, B, False, "checked", None, "indexable", "canonical"),
    ]
    assert rows(con, "SELECT url_key, tried, reason FROM seen ORDER BY ALL") == [
        (A, False, "never_tried"),
        (B, True, None),
    ]


def test_url_id_is_the_hash_of_the_key(con: duckdb.DuckDBPyConnection) -> None:
    put(con, "entries", url_key=A, loc=A, sitemap=ONE, position=1, line=1)
    derive(con)
    assert rows(con, "SELECT url_id FROM urls") == [(hashlib.sha256(A.encode()).hexdigest()[:16],)]


NEEDS = ("tried", "response", "head", "content", "robots", "blocked_page")
SEEN: list[tuple[str, dict[str, Any], set[str], str | None]] = [
    ("all of it", READ, set(), None),
    ("no page line", {}, {"tried", "response", "head", "content", "robots"}, "never_tried"),
    (
        "timeout",
        {"state": "checked", "error_class": "timeout", "allowed": True},
        {"response", "head", "content"},
        "timeout",
    ),
    (
        "limit of ours",
        {"state": "skipped", "reason": "limit", "allowed": True},
        {"tried", "response", "head", "content"},
        "limit",
    ),
    (
        "blocked, not fetched: blocked is a verdict, but nobody knows what is there",
        {"state": "skipped", "reason": "robots", "allowed": False},
        {"response", "head", "content", "blocked_page"},
        "robots",
    ),
    ("blocked, but read", READ | {"allowed": False}, set(), None),
    (
        "a 404 has no head to judge",
        READ | {"status": 404, "canonical_state": None, "main_hash": None},
        set(),
        None,
    ),
    (
        "a redirect whose end does not answer",
        READ
        | {
            "first_status": 301,
            "status": None,
            "canonical_state": None,
            "main_hash": None,
            "error_class": "dns",
            "hop_count": 1,
        },
        {"head", "content"},
        "dns",
    ),
    ("content not read", READ | {"main_hash": None}, {"content"}, "depth"),
    ("a PDF has no content to read", READ | {"main_hash": None, "sniffed_type": "pdf"}, set(), None),
    (
        "depth status",
        READ | {"main_hash": None, "canonical_state": None, "sniffed_type": None},
        {"head", "content"},
        "depth",
    ),
    (
        "cut by our limit",
        READ | {"main_hash": None, "truncated": True},
        {"content"},
        "truncated",
    ),
    (
        "too expensive to parse",
        READ | {"main_hash": None, "canonical_state": None, "head_refused": "depth"},
        {"head", "content"},
        "head_refused",
    ),
    ("cut, but everything was read", READ | {"truncated": True}, set(), None),
    (
        "crawling is paused",
        {"state": "unchecked", "reason": "robots_paused", "robots_state": "unreachable"},
        {"tried", "response", "head", "content", "robots"},
        "robots_paused",
    ),
    (
        "paused, but read",
        READ | {"allowed": None, "robots_state": "unreachable"},
        {"tried", "robots"},
        "robots_paused",
    ),
    (
        "bot wall",
        {"state": "unchecked", "reason": "challenge", "first_status": 403, "status": 403, "allowed": True},
        {"tried", "response", "head", "content"},
        "challenge",
    ),
]


def test_what_may_be_judged(con: duckdb.DuckDBPyConnection) -> None:
    """All cases in one table, each under a key of its own."""
    for title, page, _, _ in SEEN:
        put(con, "entries", url_key=title, loc=A, sitemap=ONE, position=1, line=1)
        if page:
            put(con, "pages", **page | {"url_key": title})
    derive(con)
    for title, _, missing, reason in SEEN:
        ((*found, why),) = rows(con, f"SELECT {', '.join(NEEDS)}, reason FROM seen WHERE url_key = '{title}'")
        assert {need for need, known in zip(NEEDS, found, strict=True) if not known} == missing, title
        assert why == reason, title


def test_needs_of_the_whole_run(con: duckdb.DuckDBPyConnection) -> None:
    for key in (A, B, A + "new"):
        put(con, "entries", url_key=key, loc=key, sitemap=ONE, position=1, line=1)
    derive(con)
    assert rows(con, "SELECT DISTINCT previous_run, links, access_log FROM seen") == [(False, False, False)]
    put(con, "links", from_key=A, to_key=B)
    put(con, "access_log", line="x")
    put(con, "previous_pages", **READ)
    put(con, "previous_entries", url_key=B, loc=B, sitemap=ONE, position=1, line=1)
    derive(con)
    assert rows(con, "SELECT url_key, previous_run, links, access_log FROM seen ORDER BY ALL") == [
        (A, True, True, True),
        (A + "new", True, True, True),
        (B, False, True, True),
    ]


def test_the_earlier_run_has_urls_with_verdicts_too(con: duckdb.DuckDBPyConnection) -> None:
    put(con, "previous_entries", url_key=A, loc=A, sitemap=ONE, position=1, line=1)
    put(con, "previous_pages", **READ | {"status": 410, "first_status": 410})
    derive_previous(con)
    derive(con)
    assert rows(con, "SELECT url_key, verdict, listed FROM previous_urls") == [(A, "client_error", True)]
    assert rows(con, "FROM urls") == []


def test_listed_is_checked_and_skipped_and_unchecked(con: duckdb.DuckDBPyConnection) -> None:
    pages: list[dict[str, Any]] = [
        READ,
        {"state": "skipped", "reason": "robots"},
        {"state": "skipped", "reason": "out_of_scope"},
        {"state": "skipped", "reason": "out_of_scope"},
        {"state": "unchecked", "reason": "rate_limited"},
        {"state": "checked", "error_class": "dns"},
        {},
        {},
    ]
    for n, page in enumerate(pages):
        put(con, "entries", url_key=f"{A}{n}", loc=f"{A}{n}", sitemap=ONE, position=n, line=n)
        put(con, "entries", url_key=f"{A}{n}", loc=f"{A}{n}", sitemap=TWO, position=n, line=n)
        if page:
            put(con, "pages", **dict(page) | {"url_key": f"{A}{n}"})
    put(con, "pages", **READ | {"url_key": B}, discovered_by="hreflang")
    derive(con)
    counts = account(con)
    assert (counts.listed, counts.unique, counts.checked) == (8, 9, 2)
    assert counts.skipped == {"robots": 1, "out_of_scope": 2}
    assert counts.unchecked == {"rate_limited": 1, "stopped": 2}
    assert counts.listed == counts.checked + sum(counts.skipped.values()) + sum(counts.unchecked.values())
    assert rows(con, "SELECT count(*) FROM urls WHERE verdict IS NULL") == [(0,)]
