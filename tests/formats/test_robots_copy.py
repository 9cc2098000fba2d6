"""A robots.txt from its fact: the same verdicts by the same lines, in both modes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitemap_audit.facts import RobotsFile, RobotsState
from sitemap_audit.formats.robots import RobotsMode, RobotsText, read_robots
from sitemap_audit.formats.robots_copy import body_of
from sitemap_audit.formats.robots_match import crawl_delay, rules_for
from sitemap_audit.formats.robots_policy import RobotsPolicy, robots_file
from tests.depth import examples

URL = "https://shop.example/robots.txt"


def fact(text: RobotsText) -> RobotsFile:
    return robots_file(RobotsPolicy(URL, RobotsState.OK, text), text)


def said(text: RobotsText) -> tuple[object, ...]:
    return (
        text.rules_hash,
        [(b.tokens, b.star, b.rules) for b in text.blocks],
        # Only the first agent line of a group is kept: without it, the group begins at another one.
        [(b.tokens, b.star, [r[:3] for r in b.rules]) for b in text.rfc_blocks],
        [(s.line, s.raw) for s in text.sitemaps],
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"# nothing\n\n",
        b"User-agent: *\nDisallow: /a # why\n\n\nAllow: /a/b\nSitemap: https://shop.example/s.xml\n",
        b"Disallow: /nobody\nuseragent: Bot/2\nUser-agents: other\nDisalow /x\nCrawl-delay: 5\n",
        b"User-agent: a\n# c\nUser-agent: b\nDisallow: /1\nUser-agent: *\nUser-agent: c\n\nDisallow:\n",
        b"User-agent: *\nfoo: bar\nUser-agent: bot\nDisallow: /caf\xe9\n",
        "\ufeffUser-agent: *\r\nDisallow: /caf\u00e9\r\n".encode(),
        b"User-agent: bot\nDisallow: /" + b"x" * 600 + b"\nNoindex: /y\n",
    ],
)
def test_what_binds_is_kept(body: bytes) -> None:
    text = read_robots(body)
    copy = read_robots(body_of(fact(text)))
    assert said(copy) == said(text)
    assert crawl_delay(copy, "bot") == crawl_delay(text, "bot")


LINE = st.sampled_from(
    [
        "User-agent: *",
        "User-agent: bot",
        "useragent: Bot/1",
        "User-agents: other",
        "user agent other",
        "Disallow: /a*b$",
        "Disallow:",
        "Allow: /a",
        "Allowed: /c",
        "Disalow /b",
        "Disallow: \u017c",
        "Sitemap: /s.xml",
        "site-map: x",
        "Crawl-delay: 2",
        "Noindex: /n",
        "foo: bar",
        "what is this",
        "# comment",
        "",
    ]
)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(LINE, max_size=25), st.sampled_from(RobotsMode))
def test_any_file(lines: list[str], mode: RobotsMode) -> None:
    text = read_robots("\n".join(lines).encode())
    copy = read_robots(body_of(fact(text)))
    assert said(copy) == said(text)
    for bot in ("bot", "other", "third"):
        for path in ("/a", "/aXb", "/b", "/c", "/n"):
            assert rules_for(copy, bot, mode).match(path) == rules_for(text, bot, mode).match(path)


def test_a_body_that_is_cut_stays_below_the_limit() -> None:
    text = read_robots(b"User-agent: *\n" + b"Disallow: /aaaaaaaaaaaaaaaa\n" * 30_000)
    assert len(body_of(fact(text))) <= 512_000
