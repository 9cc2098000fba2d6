"""What an answer of /robots.txt means (definitions 6.1)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import orjson
import pytest

from sitemap_audit.facts import ErrorClass, Hop, RobotsPast, RobotsState
from sitemap_audit.formats.robots import read_robots
from sitemap_audit.formats.robots_policy import (
    Effect,
    Outage,
    RobotsPolicy,
    copy_words,
    effect_of,
    is_html_answer,
    outage_of,
    robots_file,
    state_of,
)

ROBOTS = "https://shop.example/robots.txt"
HOUR, DAY = 3_600.0, 86_400.0
FAILED = (RobotsState.SERVER_ERROR, RobotsState.UNREACHABLE)
COPY = read_robots(b"User-agent: *\nDisallow: /old\n")
COPIED_AT = datetime(2026, 11, 28, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "error", "redirect", "html", "state"),
    [
        (200, None, None, False, "ok"),
        (206, None, None, False, "ok"),
        (200, None, None, True, "html"),
        (200, ErrorClass.RESET, None, False, "unreachable"),
        (200, ErrorClass.BAD_HTTP, None, True, "unreachable"),
        (None, ErrorClass.DNS, None, False, "unreachable"),
        (None, None, None, False, "unreachable"),
        (302, None, "loop", False, "redirect_limit"),
        (301, None, "too_long", False, "redirect_limit"),
        (301, None, "bad_location", False, "redirect_limit"),
        (300, None, None, False, "redirect_limit"),
        (302, ErrorClass.TIMEOUT, None, False, "unreachable"),
        (401, None, None, False, "forbidden"),
        (403, None, None, True, "forbidden"),
        (400, None, None, False, "missing"),
        (404, None, None, True, "missing"),
        (404, ErrorClass.RESET, None, False, "missing"),
        (410, None, None, False, "missing"),
        (451, None, None, False, "missing"),
        (429, None, None, False, "server_error"),
        (500, None, None, True, "server_error"),
        (503, ErrorClass.RESET, None, False, "server_error"),
    ],
)
def test_state(
    status: int | None, error: ErrorClass | None, redirect: str | None, html: bool, state: str
) -> None:
    assert state_of(status, error, redirect, html) == state


@pytest.mark.parametrize(
    ("body", "content_type", "html"),
    [
        (b"<!doctype html><title>Shop</title>", "text/plain", True),
        (b"<p>Shop</p>", "Text/HTML; charset=utf-8", True),
        (b"<p>Shop</p>", "text/plain", False),
        (b"<p>Shop</p>", None, False),
        (b"", "text/html", False),
        (b"# nothing here\n", "text/html", False),
        (b"User-agent: *\nDisallow: /<x>\n", "text/html", False),
    ],
)
def test_a_page_in_place_of_the_file(body: bytes, content_type: str | None, html: bool) -> None:
    assert is_html_answer(read_robots(body), content_type) is html


@pytest.mark.parametrize(
    ("state", "effect"),
    [
        (RobotsState.OK, "rules"),
        (RobotsState.HTML, "rules"),
        (RobotsState.MISSING, "no_limits"),
        (RobotsState.FORBIDDEN, "no_limits"),
        (RobotsState.REDIRECT_LIMIT, "no_limits"),
    ],
)
@pytest.mark.parametrize("mode", ["google", "rfc"])
def test_answers_mean_the_same_in_both_modes(state: RobotsState, effect: str, mode: str) -> None:
    assert effect_of(state, mode, outage=Outage(age_s=40 * DAY, last_good=COPY)) == effect


@pytest.mark.parametrize(
    ("outage", "google", "rfc"),
    [
        (Outage(), "paused", "disallow_all"),
        (Outage(last_good=COPY), "paused", "last_good"),
        (Outage(age_s=12 * HOUR - 1, last_good=COPY), "paused", "last_good"),
        (Outage(age_s=12 * HOUR, last_good=COPY), "last_good", "last_good"),
        (Outage(age_s=12 * HOUR), "no_limits", "disallow_all"),
        (Outage(age_s=24 * HOUR, last_good=COPY), "last_good", "disallow_all"),
        (Outage(age_s=30 * DAY, last_good=COPY), "last_good", "disallow_all"),
        (Outage(age_s=30 * DAY + 1, last_good=COPY), "no_limits", "no_limits"),
        (Outage(age_s=30 * DAY + 1, site_answers=False), "paused", "no_limits"),
        (Outage(last_good=COPY, copy_age_s=24 * HOUR - 1), "paused", "last_good"),
        (Outage(last_good=COPY, copy_age_s=24 * HOUR), "paused", "disallow_all"),
        (Outage(age_s=12 * HOUR, last_good=COPY, copy_age_s=40 * DAY), "last_good", "disallow_all"),
    ],
)
@pytest.mark.parametrize("state", FAILED)
def test_outages(state: RobotsState, outage: Outage, google: str, rfc: str) -> None:
    assert effect_of(state, status=503, outage=outage) == google
    assert effect_of(state, "rfc", status=503, outage=outage) == rfc


def test_429_is_an_outage_for_google_only() -> None:
    assert effect_of(RobotsState.SERVER_ERROR, "google", status=429) is Effect.PAUSED
    assert effect_of(RobotsState.SERVER_ERROR, "rfc", status=429) is Effect.NO_LIMITS


TEXT = read_robots(
    b"User-agent: bot\nAllow: /a\nDisallow: /a\nDisallow: /b\nCrawl-delay: 2\n\n"
    b"User-agent: *\nDisallow: /a\nSitemap: /s.xml\n"
)


def test_a_verdict_names_the_rule_and_what_the_star_group_says() -> None:
    policy = RobotsPolicy(ROBOTS, RobotsState.OK, TEXT)
    tie = policy.verdict("Bot", "https://shop.example/a1")
    assert (tie.allowed, tie.rule, tie.line, tie.group_line, tie.tie_line) == (True, "Allow: /a", 2, 1, 3)
    assert (tie.star_allowed, tie.robots_url, tie.state) == (False, ROBOTS, RobotsState.OK)
    blocked = policy.verdict("bot", "https://shop.example/b")
    assert (blocked.allowed, blocked.rule, blocked.line, blocked.star_allowed) == (
        False,
        "Disallow: /b",
        4,
        True,
    )
    other = policy.verdict("other", "https://shop.example/a")
    assert (other.allowed, other.line, other.group_line, other.star_allowed) == (False, 8, 7, None)
    free = policy.verdict("other", "https://shop.example/")
    assert (free.allowed, free.rule, free.line, free.group_line, free.star_allowed) == (
        True,
        None,
        None,
        None,
        None,
    )


def test_without_a_star_group_there_is_nothing_to_say_of_it() -> None:
    policy = RobotsPolicy(ROBOTS, RobotsState.OK, read_robots(b"User-agent: bot\nDisallow: /\n"))
    assert policy.verdict("bot", "https://shop.example/a").star_allowed is None
    assert policy.verdict("other", "https://shop.example/a").allowed is True


def test_a_pause_is_unknown_and_never_blocked() -> None:
    policy = RobotsPolicy(ROBOTS, RobotsState.UNREACHABLE, None)
    verdict = policy.verdict("bot", "https://shop.example/a")
    assert (policy.effect, verdict.allowed, verdict.line, verdict.state) == (
        Effect.PAUSED,
        None,
        None,
        "unreachable",
    )
    assert policy.effective("bot") is None
    assert policy.second_opinion("bot", "https://shop.example/a") is None


def test_rfc_blocks_all_but_the_file_itself() -> None:
    policy = RobotsPolicy(ROBOTS, RobotsState.SERVER_ERROR, None, "rfc", status=500)
    assert policy.verdict("bot", "https://shop.example/a").allowed is False
    assert policy.verdict("bot", ROBOTS).allowed is True
    assert policy.verdict("bot", "https://shop.example/a").allowed is False
    assert policy.effective("bot") == "disallow_all"


@pytest.mark.parametrize("state", [RobotsState.MISSING, RobotsState.FORBIDDEN, RobotsState.REDIRECT_LIMIT])
def test_a_body_beside_an_error_status_holds_no_rules(state: RobotsState) -> None:
    policy = RobotsPolicy(ROBOTS, state, TEXT)
    assert policy.verdict("bot", "https://shop.example/b").allowed is True
    assert policy.effective("bot") == "allow_all"
    assert policy.crawl_delay("bot") is None


def test_the_last_good_copy_decides_and_is_named() -> None:
    outage = Outage(age_s=13 * HOUR, last_good=COPY, last_good_at=COPIED_AT)
    policy = RobotsPolicy(ROBOTS, RobotsState.SERVER_ERROR, TEXT, outage=outage)
    verdict = policy.verdict("bot", "https://shop.example/old")
    assert verdict.allowed is False
    assert verdict.rule == "Disallow: /old (last good copy of 2026-11-28 09:30 UTC)"
    assert policy.verdict("bot", "https://shop.example/b").allowed is True


@pytest.mark.parametrize(
    ("past", "words"),
    [
        (RobotsPast(last_good=b"", last_good_at=COPIED_AT), "of 2026-11-28 09:30 UTC, 26 hours old"),
        (
            RobotsPast(last_good=b"", last_good_at=COPIED_AT + timedelta(hours=25)),
            "of 2026-11-29 10:30 UTC, 1 hour old",
        ),
        (
            RobotsPast(last_good=b"", last_good_at=COPIED_AT + timedelta(days=9)),
            "of 2026-12-07 09:30 UTC, 0 hours old",
        ),
    ],
)
def test_how_old_the_copy_is(past: RobotsPast, words: str) -> None:
    assert (
        copy_words(outage_of(past, COPIED_AT + timedelta(hours=26, minutes=59))) == f"last good copy {words}"
    )


def test_an_outage_goes_on_from_its_first_failure() -> None:
    failed_at = COPIED_AT + timedelta(hours=20)
    assert outage_of(None, failed_at) == Outage()
    assert outage_of(RobotsPast(outage_since=COPIED_AT), failed_at) == Outage(age_s=20 * HOUR)
    fresh = outage_of(RobotsPast(last_good=b"Allow: /", last_good_at=COPIED_AT), failed_at)
    assert (fresh.age_s, fresh.copy_age_s) == (0, 20 * HOUR)


@pytest.mark.parametrize(("state", "kept"), [(RobotsState.SERVER_ERROR, True), (RobotsState.MISSING, False)])
def test_the_fact_names_the_copy_of_an_outage(state: RobotsState, kept: bool) -> None:
    past = RobotsPast(last_good=b"", last_good_at=COPIED_AT, last_good_sha256="ab")
    failed_at = COPIED_AT + timedelta(hours=3)
    file = robots_file(RobotsPolicy(ROBOTS, state, None), None, past=past, fetched_at=failed_at)
    assert (file.last_good_at, file.last_good_sha256) == ((COPIED_AT, "ab") if kept else (None, None))
    assert file.outage_since == (failed_at if kept else None)


@pytest.mark.parametrize(
    ("lines", "asked", "kept"),
    [
        ("User-agent: *\nCrawl-delay: 100\n", 100, 10),
        ("User-agent: *\nCrawl-delay: 10\n", 10, 10),
        ("User-agent: sitemap-audit\nCrawl-delay: 100\n", 100, 30),
        ("User-agent: sitemap-audit\nCrawl-delay: 12\n\nUser-agent: *\nCrawl-delay: 100\n", 12, 12),
        ("User-agent: sitemap-audit\nDisallow: /x\n\nUser-agent: *\nCrawl-delay: 100\n", None, None),
    ],
)
def test_a_crawl_delay_is_kept_up_to_a_cap(lines: str, asked: float | None, kept: float | None) -> None:
    text = read_robots(lines.encode())
    policy = RobotsPolicy(ROBOTS, RobotsState.OK, text)
    assert (policy.crawl_delay("sitemap-audit"), policy.kept_delay("sitemap-audit")) == (asked, kept)
    file = robots_file(policy, text)
    assert (file.crawl_delay_s, file.crawl_delay_kept_s) == (asked, kept)


def test_policy_of_a_bot() -> None:
    policy = RobotsPolicy(ROBOTS, RobotsState.OK, TEXT)
    assert (policy.effective("bot"), policy.effective("other")) == ("mixed", "mixed")
    assert (policy.crawl_delay("Bot"), policy.crawl_delay("other")) == (2.0, None)
    assert policy.second_opinion("bot", "https://shop.example/b") is False


def test_modes() -> None:
    text = read_robots(b"User-agents: bot\nDisallow: /\n")
    href = "https://shop.example/a"
    assert RobotsPolicy(ROBOTS, RobotsState.OK, text).verdict("bot", href).allowed is False
    assert RobotsPolicy(ROBOTS, RobotsState.OK, text, "rfc").verdict("bot", href).allowed is True


def test_the_fact_of_a_good_answer() -> None:
    policy = RobotsPolicy(ROBOTS, RobotsState.OK, TEXT)
    hop = Hop(n=1, url=ROBOTS, status=301, location_raw="/r", location="https://shop.example/r")
    fact = robots_file(
        policy,
        TEXT,
        bots=("bot", "*"),
        first_status=301,
        status=200,
        hops=[hop],
        final_url="https://shop.example/r",
        content_type="text/plain",
        fetched_at=COPIED_AT,
        total_ms=12,
    )
    assert (fact.origin, fact.state, fact.status, fact.hops, fact.bytes) == (
        "https://shop.example",
        RobotsState.OK,
        200,
        (hop,),
        TEXT.size,
    )
    assert (len(fact.groups), len(fact.rules), fact.sha256, fact.lines) == (2, 4, TEXT.sha256, 9)
    assert fact.effective == {"bot": "mixed", "*": "mixed"}
    assert [(line.raw, line.abs, line.same_host) for line in fact.sitemaps] == [
        ("/s.xml", "https://shop.example/s.xml", True)
    ]
    assert orjson.loads(orjson.dumps(fact, option=orjson.OPT_UTC_Z))["fetched_at"] == "2026-11-28T09:30:00Z"


def test_the_fact_of_a_failed_answer() -> None:
    policy = RobotsPolicy(ROBOTS, RobotsState.SERVER_ERROR, TEXT, status=503)
    fact = robots_file(policy, TEXT, bots=("bot",), status=503, error_detail="x" * 400, truncated=True)
    assert (fact.rules, fact.sitemaps, fact.effective, fact.bytes) == ((), (), None, TEXT.size)
    assert fact.error_detail is not None
    assert (len(fact.error_detail), fact.cut_at) == (300, 512_000)
    nothing = robots_file(
        RobotsPolicy("http://shop.example:8080/robots.txt", RobotsState.UNREACHABLE, None), None
    )
    assert (nothing.origin, nothing.sha256, nothing.bytes) == ("http://shop.example:8080", None, 0)


def test_the_fact_of_a_page() -> None:
    text = read_robots(b"<!doctype html>\nSitemap: https://shop.example/s.xml\n")
    fact = robots_file(RobotsPolicy(ROBOTS, RobotsState.HTML, text), text, bots=("*",))
    assert (fact.is_html, fact.effective, len(fact.sitemaps)) == (True, {"*": "allow_all"}, 1)


@pytest.mark.parametrize(
    ("raw", "absolute", "same_host"),
    [
        ("https://shop.example/s.xml", "https://shop.example/s.xml", True),
        ("http://shop.example:8080/s.xml", "http://shop.example:8080/s.xml", True),
        ("https://cdn.example/s.xml", "https://cdn.example/s.xml", False),
        ("https://shop.example/a b.xml", "https://shop.example/a%20b.xml", True),
        ("s.xml", "https://shop.example/s.xml", True),
        ("//shop.example/s.xml", "https://shop.example/s.xml", True),
        ("", None, False),
        ("<https://shop.example/s.xml>", None, False),
        ('"/s.xml"', None, False),
        ("httр://shop.example/s.xml", None, False),
        ("ftp://shop.example/s.xml", None, False),
        ("mailto:a@shop.example", None, False),
    ],
)
def test_sitemap_values(raw: str, absolute: str | None, same_host: bool) -> None:
    text = read_robots(f"Sitemap: {raw}\n".encode())
    fact = robots_file(RobotsPolicy(ROBOTS, RobotsState.OK, text), text)
    assert [(line.raw, line.abs, line.same_host) for line in fact.sitemaps] == [(raw, absolute, same_host)]
