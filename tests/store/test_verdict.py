"""Definitions 5, line by line: what fits, and the near miss that must fall through to another line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import pytest

from sitemap_audit.store.judge_settings import JudgeSettings

Row = dict[str, Any]
U, V, W = "https://example.com/u", "https://example.com/v", "https://example.com/w"
OK: Row = {
    "url_key": U,
    "requested_url": U,
    "discovered_by": "sitemap",
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "final_url": U,
    "final_key": U,
    "hop_count": 0,
    "content_type": "text/html; charset=utf-8",
    "sniffed_type": "html",
    "canonical_state": "self",
    "canonical": U,
    "allowed": True,
    "robots_state": "ok",
    "noindex": False,
}
DEAD: Row = OK | {
    "first_status": None,
    "status": None,
    "final_url": None,
    "final_key": None,
    "content_type": None,
    "sniffed_type": None,
    "canonical_state": None,
    "canonical": None,
    "noindex": None,
}
UNASKED: Row = {
    "url_key": U,
    "requested_url": U,
    "discovered_by": "sitemap",
    "state": "skipped",
    "allowed": True,
    "robots_state": "ok",
}
MOVED: Row = OK | {"first_status": 301, "hop_count": 1, "final_url": V, "final_key": V}
NO_BODY: Row = OK | {"canonical_state": None, "canonical": None, "sniffed_type": None, "noindex": False}
BLOCKED: Row = {
    "allowed": False,
    "robots_line": 12,
    "robots_rule": "Disallow: /x",
    "robots_state": "ok",
}


Verdict = tuple[str, str | None]


@pytest.fixture
def verdict_of(load: Callable[..., duckdb.DuckDBPyConnection]) -> Callable[..., Verdict]:
    """The verdict of U, whose line is the first one given."""

    def judge(
        page: Row, *others: Row, hops: Sequence[Row] = (), settings: JudgeSettings | None = None
    ) -> Verdict:
        con = load({"pages": [page, *others], "hops": hops}, settings)
        found = con.execute("SELECT verdict, verdict_reason FROM urls WHERE url_key = ?", [U]).fetchone()
        assert found is not None
        return found[0], found[1]

    return judge


LINES: list[tuple[str, Row, tuple[str, str | None]]] = [
    # 0 unknown: whatever was skipped or left unchecked, but for robots
    *(
        (f"skipped: {reason}", UNASKED | {"reason": reason}, ("unknown", reason))
        for reason in ("own_agent", "out_of_scope", "excluded", "private_host", "sample", "limit")
    ),
    *(
        (
            f"unchecked: {reason}",
            UNASKED | {"state": "unchecked", "reason": reason},
            ("unknown", reason),
        )
        for reason in ("rate_limited", "challenge", "robots_expensive", "stopped", "crashed")
    ),
    (
        "crawling is paused",
        UNASKED
        | {"state": "unchecked", "reason": "robots_paused", "allowed": None, "robots_state": "unreachable"},
        ("unknown", "robots_paused"),
    ),
    (
        "paused, but read by --inspect-blocked",
        OK | {"allowed": None, "robots_state": "server_error"},
        ("unknown", "robots_paused"),
    ),
    ("robots never looked at is no pause", OK | {"allowed": None, "robots_state": None}, ("indexable", None)),
    (
        "out of scope wins over what robots.txt says",
        UNASKED | BLOCKED | {"reason": "out_of_scope"},
        ("unknown", "out_of_scope"),
    ),
    (
        "own agent blocked, and the bot too: blocked",
        UNASKED | BLOCKED | {"reason": "own_agent"},
        ("blocked", "line 12: Disallow: /x"),
    ),
    (
        "skipped for another bot, allowed to this one",
        UNASKED | {"reason": "robots"},
        ("unknown", "robots"),
    ),
    ("a bot wall that counts as an answer", OK | {"challenge": True}, ("unknown", "challenge")),
    ("a 429 is ours", OK | {"first_status": 429, "status": 429}, ("unknown", "rate_limited")),
    (
        "a 429 is no fault though the reason says so",
        OK | {"state": "unchecked", "reason": "rate_limited", "first_status": 429, "status": 429},
        ("unknown", "rate_limited"),
    ),
    # 1 unreachable
    ("no answer", DEAD | {"error_class": "timeout"}, ("unreachable", "timeout")),
    (
        "no answer, and blocked (inspected): the host is down",
        DEAD | BLOCKED | {"error_class": "dns"},
        ("unreachable", "dns"),
    ),
    (
        "a page that broke off behind its head is not known to be sound",
        OK | {"error_class": "timeout"},
        ("unknown", "timeout"),
    ),
    (
        "a noindex that was seen before a page broke off counts",
        OK | {"error_class": "reset", "noindex": True, "noindex_sources": ["meta:robots"]},
        ("noindex", "meta:robots"),
    ),
    (
        "an answer that was cut is one",
        NO_BODY | {"error_class": "reset"},
        ("unknown", "reset"),
    ),
    # 2 blocked
    (
        "blocked, not fetched",
        UNASKED | BLOCKED | {"reason": "robots"},
        ("blocked", "line 12: Disallow: /x"),
    ),
    ("blocked, and read all the same", OK | BLOCKED, ("blocked", "line 12: Disallow: /x")),
    ("blocked, though it is gone", OK | BLOCKED | {"status": 404}, ("blocked", "line 12: Disallow: /x")),
    (
        "rfc mode: robots.txt out of reach",
        UNASKED | {"reason": "robots", "allowed": False, "robots_state": "unreachable"},
        ("blocked", "robots_unreachable"),
    ),
    (
        "rfc mode: robots.txt 5xx",
        UNASKED | {"reason": "robots", "allowed": False, "robots_state": "server_error"},
        ("blocked", "robots_unreachable"),
    ),
    (
        "the worker says robots, no verdict stored",
        UNASKED | {"reason": "robots", "allowed": None, "robots_state": None},
        ("blocked", "robots"),
    ),
    # 3 redirect
    ("loop", MOVED | {"redirect_flags": ["loop"]}, ("redirect", "loop")),
    ("too long", MOVED | {"redirect_flags": ["too_long", "cross_host"]}, ("redirect", "too_long")),
    (
        "no usable Location",
        MOVED | {"hop_count": 0, "status": 301, "redirect_flags": ["bad_location"]},
        ("redirect", "bad_location"),
    ),
    ("ends well", MOVED, ("redirect", "indexable")),
    ("ends in a 404", MOVED | {"status": 404}, ("redirect", "client_error")),
    ("ends in a noindex", MOVED | {"noindex": True}, ("redirect", "noindex")),
    (
        "ends nowhere",
        MOVED | {"status": None, "canonical_state": None, "error_class": "timeout"},
        ("redirect", "unreachable"),
    ),
    (
        "ends in the private net",
        MOVED | {"status": None, "canonical_state": None, "error_class": "private_host"},
        ("redirect", "private_host"),
    ),
    (
        "ends out of scope, not followed",
        MOVED | {"status": 301, "canonical_state": None, "reason": "out_of_scope"},
        ("redirect", "out_of_scope"),
    ),
    (
        "304 moves nobody but is 3xx",
        MOVED | {"first_status": 304, "status": 304, "hop_count": 0},
        ("redirect", "304"),
    ),
    (
        "refresh at once, followed",
        OK | {"hop_count": 1, "final_url": V, "final_key": V},
        ("redirect", "indexable"),
    ),
    ("refresh at once, not followed", OK | {"refresh": {"seconds": 0.0, "url": V}}, ("redirect", "unknown")),
    ("refresh header at once", OK | {"refresh_header": {"seconds": 0.0, "url": V}}, ("redirect", "unknown")),
    ("refresh to itself", OK | {"refresh": {"seconds": 0.0, "url": U + "#top"}}, ("indexable", None)),
    ("refresh later", OK | {"refresh": {"seconds": 5.0, "url": V}}, ("indexable", None)),
    ("refresh without a target", OK | {"refresh": {"seconds": 0.0, "url": None}}, ("indexable", None)),
    # 4 client and server errors
    ("404", OK | {"first_status": 404, "status": 404, "canonical_state": None}, ("client_error", "404")),
    ("401", OK | {"first_status": 401, "status": 401, "canonical_state": None}, ("client_error", "401")),
    ("503", OK | {"first_status": 503, "status": 503, "canonical_state": None}, ("server_error", "503")),
    ("a 404 with noindex is a 404", OK | {"status": 404, "noindex": True}, ("client_error", "404")),
    # 5 soft 404
    (
        "looks like an error page",
        OK | {"soft404_points": {"points": 0.8, "reasons": ["title", "short"]}},
        ("soft_404", "title, short"),
    ),
    (
        "just below",
        OK | {"soft404_points": {"points": 0.69, "reasons": ["title"]}},
        ("indexable", None),
    ),
    (
        "noindex adds a little",
        OK | {"soft404_points": {"points": 0.65, "reasons": ["title"]}, "noindex": True},
        ("soft_404", "title, noindex"),
    ),
    (
        "a shell is capped",
        OK | {"soft404_points": {"points": 0.9, "reasons": ["title"]}, "shell": True},
        ("indexable", None),
    ),
    (
        "a long text speaks against it",
        OK | {"soft404_points": {"points": 0.9, "reasons": ["title"]}, "main_text_len": 1_500},
        ("indexable", None),
    ),
    # 6 not a document
    (
        "style sheet",
        OK | {"content_type": "text/css", "sniffed_type": "text"},
        ("not_a_document", "text/css"),
    ),
    (
        "zip of an unknown type",
        OK | {"content_type": "application/octet-stream", "sniffed_type": "binary"},
        ("not_a_document", "application/octet-stream"),
    ),
    ("no type, binary", OK | {"content_type": None, "sniffed_type": "binary"}, ("not_a_document", "binary")),
    ("font", OK | {"content_type": "font/woff2", "sniffed_type": "binary"}, ("not_a_document", "font/woff2")),
    ("PDF", OK | {"content_type": "application/pdf", "sniffed_type": "pdf"}, ("indexable", None)),
    (
        "PDF that calls itself bytes",
        OK | {"content_type": "application/octet-stream", "sniffed_type": "pdf"},
        ("indexable", None),
    ),
    (
        "office file",
        OK
        | {
            "content_type": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "sniffed_type": "binary",
        },
        ("indexable", None),
    ),
    ("image", OK | {"content_type": "image/webp", "sniffed_type": "image"}, ("indexable", None)),
    (
        "a script that is gone is a 404",
        OK | {"content_type": "text/javascript", "status": 404},
        ("client_error", "404"),
    ),
    # 7 noindex
    (
        "meta robots",
        OK | {"noindex": True, "noindex_sources": ["meta:robots"]},
        ("noindex", "meta:robots"),
    ),
    (
        "header for the bot, and another bot's tag",
        OK | {"noindex": True, "noindex_sources": ["meta:bingbot", "header:googlebot"]},
        ("noindex", "header:googlebot"),
    ),
    (
        "expired",
        OK | {"noindex": True, "noindex_sources": ["unavailable_after"]},
        ("noindex", "unavailable_after"),
    ),
    (
        "only another bot",
        OK | {"noindex": False, "noindex_sources": ["meta:bingbot"]},
        ("indexable", None),
    ),
    (
        "noindex before canonical",
        OK | {"noindex": True, "noindex_sources": ["header"], "canonical_state": "other", "canonical": V},
        ("noindex", "header"),
    ),
    # not read, not judged
    ("depth status", NO_BODY, ("unknown", "depth")),
    (
        "depth status, but a header decides",
        NO_BODY | {"noindex": True, "noindex_sources": ["header"]},
        ("noindex", "header"),
    ),
    (
        "depth status, but the type decides",
        NO_BODY | {"content_type": "application/zip"},
        ("not_a_document", "application/zip"),
    ),
    ("cut by our limit before the head ended", NO_BODY | {"truncated": True}, ("unknown", "truncated")),
    (
        "too expensive to parse, though it was cut as well",
        NO_BODY | {"head_refused": "memory", "truncated": True},
        ("unknown", "head_refused"),
    ),
    ("204 is no page", NO_BODY | {"first_status": 204, "status": 204}, ("unknown", "204")),
    # 8 canonicalised
    ("canonical elsewhere", OK | {"canonical_state": "other", "canonical": V}, ("canonicalised", V)),
    *(
        (f"canonical {state}", OK | {"canonical_state": state, "canonical": None}, ("indexable", None))
        for state in ("none", "conflict", "invalid", "ignored")
    ),
    # 10
    ("nothing against it", OK, ("indexable", None)),
]


@pytest.fixture(scope="module")
def verdicts(load: Callable[..., duckdb.DuckDBPyConnection]) -> dict[str, Verdict]:
    """All lines in one table, each under a key of its own."""
    con = load({"pages": [page | {"url_key": title} for title, page, _ in LINES]})
    found = con.execute("SELECT url_key, verdict, verdict_reason FROM urls").fetchall()
    return {title: (verdict, reason) for title, verdict, reason in found}


@pytest.mark.parametrize(
    ("title", "wanted"), [(line[0], line[2]) for line in LINES], ids=[line[0] for line in LINES]
)
def test_line_of_the_table(verdicts: dict[str, Verdict], title: str, wanted: Verdict) -> None:
    assert verdicts[title] == wanted


def test_a_redirect_takes_the_verdict_of_its_target_s_own_line(verdict_of: Callable[..., Verdict]) -> None:
    target = OK | BLOCKED | {"url_key": V, "requested_url": V}
    assert verdict_of(MOVED, target) == ("redirect", "blocked")


def test_a_target_that_nobody_could_check_says_nothing_against_what_was_read(
    verdict_of: Callable[..., Verdict],
) -> None:
    target = UNASKED | {"url_key": V, "state": "unchecked", "reason": "stopped"}
    assert verdict_of(MOVED, target) == ("redirect", "indexable")


def test_a_redirect_into_a_blocked_url_was_not_followed(verdict_of: Callable[..., Verdict]) -> None:
    page = MOVED | {"status": 301, "canonical_state": None}
    hop = {"url_key": U, "n": 1, "url": U, "status": 301, "location": V, "robots_allowed": False}
    assert verdict_of(page, hops=[hop]) == ("redirect", "blocked")


def test_only_the_last_hop_tells_whether_the_end_is_blocked(verdict_of: Callable[..., Verdict]) -> None:
    hops = [
        {"url_key": U, "n": 1, "url": U, "robots_allowed": False},
        {"url_key": U, "n": 2, "url": W, "robots_allowed": True},
    ]
    assert verdict_of(MOVED | {"hop_count": 2}, hops=hops) == ("redirect", "indexable")


def test_a_refresh_that_was_not_followed_takes_the_line_of_its_target(
    verdict_of: Callable[..., Verdict],
) -> None:
    gone = OK | {"url_key": V, "requested_url": V, "status": 404}
    assert verdict_of(OK | {"refresh": {"seconds": 0.0, "url": V}}, gone) == ("redirect", "client_error")


def test_another_verdict_bot_reads_its_own_sources(verdict_of: Callable[..., Verdict]) -> None:
    page = OK | {"noindex": True, "noindex_sources": ["header:googlebot", "meta:bingbot"]}
    settings = JudgeSettings(verdict_bot="bingbot", thresholds={"soft404_report": 0.7})
    assert verdict_of(page, settings=settings) == ("noindex", "meta:bingbot")
