"""Reading robots.txt: lines, groups and oddities (definitions 6.2, 6.3)."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.facts import Group, RobotsLine, RobotsRule, RobotsSitemapLine, UnsupportedLine
from sitemap_audit.formats.robots import RobotsText, agent_token, read_robots
from sitemap_audit.formats.robots_match import crawl_delay
from sitemap_audit.settings import PROBLEMS_MAX, ROBOTS_LINE_MAX_BYTES, ROBOTS_MAX_BYTES


def rules(body: bytes) -> list[tuple[int, str, str, int]]:
    return [(r.line, r.field, r.path, r.group_line) for r in read_robots(body).rules]


def test_a_usual_file() -> None:
    text = read_robots(
        b"# ours\nUser-agent: A\nUser-agent: *\n\nDisallow: /x # not here\nAllow: /x/y\n"
        b"Sitemap: https://shop.example/s.xml\nUser-agent: B\nDisallow:\n"
    )
    assert text.groups == (Group(2, ("A", "*")), Group(8, ("B",)))
    assert text.rules == (
        RobotsRule(5, "disallow", "/x", 2),
        RobotsRule(6, "allow", "/x/y", 2),
        RobotsRule(9, "disallow", "", 8),
    )
    assert text.sitemaps == (RobotsSitemapLine(7, "https://shop.example/s.xml"),)
    assert (text.lines, text.encoding_ok, text.charset_guess, text.bom, text.cut_at) == (
        9,
        True,
        "utf-8",
        False,
        None,
    )
    assert not text.unknown_lines + text.typos
    assert not text.unsupported


@pytest.mark.parametrize("eol", [b"\n", b"\r", b"\r\n"])
def test_line_ends(eol: bytes) -> None:
    assert rules(eol.join([b"User-agent: *", b"", b"Disallow: /a"])) == [(3, "disallow", "/a", 1)]


@pytest.mark.parametrize("sign", ["\v", "\f", "\x85", "\u2028"])
def test_what_ends_no_line(sign: str) -> None:
    body = f"User-agent: *\nDisallow: /a{sign}Disallow: /b\n".encode()
    assert [(line, path) for line, _, path, _ in rules(body)] == [(2, f"/a{sign}Disallow: /b")]


def test_nul_ends_a_line_and_lf_cr_are_two_ends() -> None:
    assert rules(b"User-agent: *\nDisallow: /a\0Allow: /\n\rDisallow: /b") == [
        (2, "disallow", "/a", 1),
        (4, "disallow", "/b", 1),
    ]


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"])
def test_a_mark_or_a_part_of_it_is_skipped_once(mark: bytes) -> None:
    assert len(read_robots(mark + b"User-agent: *\n").groups) == 1
    assert len(read_robots(mark + b"\xef\xbb\xbfUser-agent: *\n").groups) == 0
    assert len(read_robots(b"\n" + mark + b"User-agent: *\n").groups) == 0
    assert read_robots(mark + b"User-agent: *\n").bom is (len(mark) == 3)


def test_cut_at_the_limit_in_the_middle_of_a_rule() -> None:
    start = b"User-agent: *\n#" + b"x" * (ROBOTS_MAX_BYTES - 28) + b"\n"
    body = start + b"Disallow: /abc\nDisallow: /d"
    text = read_robots(body)
    assert ROBOTS_MAX_BYTES - len(start) == 12
    assert [r.path for r in text.rules] == ["/a"]
    assert (text.cut_at, text.size) == (ROBOTS_MAX_BYTES, len(body))
    assert read_robots(body[:ROBOTS_MAX_BYTES]).cut_at is None


def test_a_cut_through_a_character_is_no_wrong_encoding() -> None:
    body = b"#" + b"x" * (ROBOTS_MAX_BYTES - 2) + "ż".encode()
    assert read_robots(body).encoding_ok
    assert not read_robots(body[:ROBOTS_MAX_BYTES]).encoding_ok


def test_long_lines_are_cut() -> None:
    body = b"User-agent: *\nDisallow: /" + b"a" * ROBOTS_LINE_MAX_BYTES + b"\nDisallow: /b\n"
    first, second = (path for _, _, path, _ in rules(body))
    assert len(first) == ROBOTS_LINE_MAX_BYTES - len("Disallow: ")
    assert second == "/b"


@pytest.mark.parametrize(
    "line",
    [
        "Disallow: /x",
        "DISALLOW:/x",
        " disallow\t:\t/x ",
        "Disalow: /x",
        "disallaw: /x",
        "Disallows: /x",
        "Disallow /x",
        "Disallow\t\t/x",
        "Disallow= /x",
        "dissallow-all: /x",
    ],
)
def test_spellings_of_a_rule(line: str) -> None:
    assert rules(f"User-agent: *\n{line}\n".encode()) == [(2, "disallow", "/x", 1)]


@pytest.mark.parametrize(
    "line",
    [
        "disllow: /x",
        "Dis allow: /x",
        "Disallow /x /y",
        "Disallow = /x",
        "Disallow:: /x",
        ": /x",
        "- Disallow: /x",
        "Disallow",
        "Disallow\v/x",
        "\u00a0Disallow: /x",
        "block: /x",
    ],
)
def test_what_is_no_such_rule(line: str) -> None:
    assert (2, "disallow", "/x", 1) not in rules(f"User-agent: *\n{line}\n".encode())


def test_typos_are_kept_where_they_are_accepted() -> None:
    text = read_robots(
        b"user-agent: *\nUseragent: b\nDisalow: /a\nDisallow /b\nSite-map: x\nAllowed: /c\nAllow: /d\n"
    )
    assert text.typos == (
        RobotsLine(2, "Useragent: b"),
        RobotsLine(3, "Disalow: /a"),
        RobotsLine(4, "Disallow /b"),
        RobotsLine(5, "Site-map: x"),
        RobotsLine(6, "Allowed: /c"),
    )
    assert text.unknown_lines == ()


def test_unsupported_and_unknown_lines_are_two_things() -> None:
    text = read_robots(
        b"User-agent: *\nCrawl-delay: 5\nNOINDEX: /a\nHost: shop.example\nFoo: bar\nBlock /a\n# Noindex: /\n"
    )
    assert text.unsupported == (
        UnsupportedLine(2, "crawl-delay", "5"),
        UnsupportedLine(3, "noindex", "/a"),
        UnsupportedLine(4, "host", "shop.example"),
    )
    assert text.unknown_lines == (RobotsLine(5, "Foo: bar"), RobotsLine(6, "Block /a"))


def test_many_unknown_lines_are_not_all_kept() -> None:
    text = read_robots(b"junk\n" * (PROBLEMS_MAX + 5) + b"x" * 9_000)
    assert (len(text.unknown_lines), text.lines) == (PROBLEMS_MAX, PROBLEMS_MAX + 6)
    assert len(read_robots(b"x" * 9_000).unknown_lines[0].text) == 200


@pytest.mark.parametrize(
    "between", ["", "\n\n", "# c\n", "Sitemap: x\n", "Foo: bar\n", "Crawl-delay: 1\n", "Noindex: /\n"]
)
def test_what_does_not_end_a_header(between: str) -> None:
    text = read_robots(f"User-agent: A\n{between}User-agent: B\nDisallow: /\n".encode())
    assert [g.agents for g in text.groups] == [("A", "B")]


@pytest.mark.parametrize("between", ["Disallow:\n", "Allow: /\n", "Disalow: /x\n"])
def test_what_ends_a_header(between: str) -> None:
    text = read_robots(f"User-agent: A\n{between}User-agent: B\nDisallow: /\n".encode())
    assert [g.agents for g in text.groups] == [("A",), ("B",)]


def test_rules_in_front_of_any_agent_belong_to_nobody() -> None:
    text = read_robots(b"Disallow: /a\n\nUser-agent: *\nDisallow: /b\n")
    assert [(r.path, r.group_line) for r in text.rules] == [("/a", 0), ("/b", 3)]
    assert [[r.value for r in b.rules] for b in text.blocks] == [[b"/b"]]


@pytest.mark.parametrize(
    ("value", "token"),
    [
        (b"Bot/2.1", "bot"),
        (b"My-Bot_x", "my-bot_x"),
        (b"Bot Two", "bot"),
        (b"007Bot", ""),
        (b"*bot", ""),
        (b"", ""),
    ],
)
def test_tokens(value: bytes, token: str) -> None:
    assert agent_token(value) == token


@pytest.mark.parametrize(
    ("value", "star"), [("*", True), ("* bots", True), ("*\tx", True), ("*bot", False), ("**", False)]
)
def test_the_star_agent(value: str, star: bool) -> None:
    assert read_robots(f"User-agent: {value}\n".encode()).blocks[0].star is star


def test_values_of_other_encodings() -> None:
    text = read_robots("User-agent: *\nDisallow: /café\nSitemap: https://shop.example/ż\n".encode("cp1250"))
    assert (text.encoding_ok, text.charset_guess) == (False, "latin-1")
    assert text.rules[0].path == "/café"
    assert read_robots(b"User-agent: *\nDisallow: /a\0b\n").encoding_ok


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_utf_16_is_told(codec: str, mark: str) -> None:
    text = read_robots((mark + "User-agent: *\nDisallow: /\n").encode(codec))
    assert (text.encoding_ok, text.charset_guess) == (False, codec.replace("-", "").replace("utf", "utf-"))
    assert text.rules == ()


def test_a_picture_is_no_text() -> None:
    text = read_robots(bytes(range(256)) * 8)
    assert (text.encoding_ok, text.charset_guess) == (False, "binary")


@pytest.mark.parametrize(
    "body",
    [
        b"<!DOCTYPE html><p>x",
        b"\xef\xbb\xbf \n<HTML>",
        b"<!-- c --><html>",
        "\ufeff<html>".encode("utf-16-le"),
        b"<html>\nDisallow: /\n",
        b"<html>\nUser-agent: *\n",
    ],
)
def test_html(body: bytes) -> None:
    assert read_robots(body).is_html


@pytest.mark.parametrize(
    "body", [b"", b"# <html>\n", b"<html>\nUser-agent: *\nDisallow: /x\n", b"<p>", b"x <html>", b"<htmlx>"]
)
def test_no_html(body: bytes) -> None:
    assert not read_robots(body).is_html


def test_the_hash_of_the_rules_is_about_the_rules() -> None:
    a = read_robots(b"User-agent: A\nDisallow: /a%2f\nAllow: /b\n\nUser-agent: *\nDisallow: /\nSitemap: x\n")
    b = read_robots(b"# c\nuseragent: *\nDisallow: /\nUser-agent: a/2\nAllow: /b\nDisalow: /a%2F # c\n")
    c = read_robots(b"User-agent: A\nDisallow: /a%2f\nAllow: /B\n\nUser-agent: *\nDisallow: /\n")
    assert a.rules_hash == b.rules_hash != c.rules_hash
    assert a.sha256 != b.sha256


@pytest.mark.parametrize(
    ("body", "token", "seconds"),
    [
        ("User-agent: *\nCrawl-delay: 5\n", "sitemap-audit", 5.0),
        ("User-agent: Sitemap-Audit\nDisallow: /x\nCrawl-delay: 0.5\n", "sitemap-audit", 0.5),
        ("User-agent: A\nCrawl-delay: 5\nUser-agent: *\nDisallow: /\n", "b", None),
        ("User-agent: A\nCrawl-delay: 5\nUser-agent: *\nDisallow: /\n", "a", 5.0),
        ("User-agent: A\nCrawl-delay: 1\nUser-agent: B\nCrawl-delay: 2\n", "b", 2.0),
        ("User-agent: B\nDisallow: /\n\nUser-agent: *\nCrawl-delay: 5\n", "b", None),
        ("User-agent: *\nCrawl-delay: ten\nCrawl-delay: 3\n", "b", 3.0),
        ("User-agent: *\nCrawl-delay: -1\n", "b", None),
        ("User-agent: *\nCrawl-delay: 1e5\n", "b", None),
        ("Crawl-delay: 5\nUser-agent: *\n", "b", None),
    ],
)
def test_crawl_delay(body: str, token: str, seconds: float | None) -> None:
    assert crawl_delay(read_robots(body.encode()), token) == seconds


def test_a_header_of_many_agents_over_many_rules_stays_small() -> None:
    letters = "abcdefghijkl"
    names = [a + b + c + "bot" for a in letters for b in letters for c in letters][:1_700]
    body = "".join(f"User-agent: {n}\n" for n in names) + "".join(f"Disallow: /{n}\n" for n in range(2_000))
    text = read_robots(body.encode())
    assert (len(text.groups), len(text.rules), len(text.blocks)) == (1, 2_000, 1)
    assert len(text.named) == 1_700


ROBOTS_BYTES = st.binary(max_size=300) | st.lists(
    st.sampled_from(
        [
            b"User-agent",
            b"Disallow",
            b"allow",
            b"Sitemap",
            b"Crawl-delay",
            b": ",
            b":",
            b" ",
            b"\n",
            b"\r",
            b"\0",
            b"*",
            b"/a",
            b"$",
            b"#",
            b"%4",
            b"%41",
            b"\xef\xbb\xbf",
            b"\xff",
            b"<html>",
            b"Bot",
            b"1.5",
            b"\v",
            b"\xc5\xbc",
        ]
    ),
    max_size=40,
).map(b"".join)


@given(ROBOTS_BYTES)
def test_nothing_raises_and_facts_are_json(body: bytes) -> None:
    text = read_robots(body)
    check_lines(text)
    facts = [text.groups, text.rules, text.sitemaps, text.unsupported, text.unknown_lines, text.typos]
    assert orjson.loads(orjson.dumps(facts))
    assert all(rule.line <= text.lines for rule in text.rules)
    assert all(line.line <= text.lines for line in (*text.unknown_lines, *text.typos))


def check_lines(text: RobotsText) -> None:
    starts = {group.line for group in text.groups}
    assert all(rule.group_line in starts | {0} for rule in text.rules)
    assert sum(len(block.rules) for block in text.blocks) == sum(rule.group_line > 0 for rule in text.rules)
