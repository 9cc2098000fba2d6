"""Matching robots rules: own cases of both modes, and Google's parser as the oracle (definitions 6.3 to 6.5)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitemap_audit.formats.robots import RobotsMode, read_robots
from sitemap_audit.formats.robots_match import Match, protego_allows, rules_for
from sitemap_audit.formats.robots_patterns import robots_path
from tests.depth import examples
from tests.formats.robots_oracle import BODY, HOST, URL_PATH, corpus_files, decisions_of, oracle


def match(rules: str, url: str, mode: str = "google") -> Match:
    return rules_for(read_robots(f"User-agent: *\n{rules}".encode()), "bot", mode).match(HOST + url)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://shop.example", "/"),
        ("https://shop.example/a?b#c", "/a?b"),
        ("https://shop.example?b", "/?b"),
        ("https://shop.example;b", "/;b"),
        ("https://shop.example#/a", "/"),
        ("https://shop.example/a://b/c", "/a://b/c"),
        ("//shop.example/a", "/a"),
        ("shop.example/a", "/a"),
        ("/a", "/a"),
        ("", "/"),
        ("https://shop.example/ż b\x01", "/%C5%BC%20b%01"),
        ("https://shop.example/%c5%bc%7e%zz%", "/%C5%BC%7E%zz%"),
        ("https://shop.example/\ud800", "/%ED%A0%80"),
    ],
)
def test_the_path_that_is_matched(url: str, path: str) -> None:
    assert robots_path(url) == path


def test_the_line_is_the_first_with_the_winning_field_and_length() -> None:
    found = match("Disallow: /\nAllow: /ab\nDisallow: /*b\nDisallow: /ab\nAllow: /a*\nAllow: /ab\n", "/abc")
    assert found == Match(True, "Allow: /ab", 3, 1, 4)
    assert match("Disallow: /x\nDisallow: /x\n", "/x") == Match(False, "Disallow: /x", 2, 1, None)
    assert match("Disallow: /x\n", "/y") == Match(True, None, None, None, None)


@pytest.mark.parametrize(
    ("rules", "url", "allowed"),
    [
        ("Disallow: /a", "/ab", False),
        ("Disallow: /a", "/b/a", True),
        ("Disallow: *a", "/b/a", False),
        ("Disallow: a", "/a", True),
        ("Disallow: /a$", "/a", False),
        ("Disallow: /a$", "/a?", True),
        ("Disallow: /*.pdf$", "/x.pdf", False),
        ("Disallow: /*.pdf$", "/x.pdf?a", True),
        ("Disallow: /a*b*c$", "/axbxbc", False),
        ("Disallow: /a*b*c$", "/acb", True),
        ("Disallow: /a*bab$", "/abab", False),
        ("Disallow: /ab*bab$", "/abab", True),
        ("Disallow: /*$", "/", False),
        ("Disallow: $", "/", True),
        ("Disallow: /a$b", "/a$b", False),
        ("Disallow: /\nAllow: /$", "/", True),
        ("Disallow: /\nAllow: /$", "/a", False),
        ("Disallow: /ż", "/%C5%BC", False),
        ("Disallow: /%c5%bc", "/%C5%BC", False),
        ("Disallow: /a\nAllow: /*", "/a", True),
        ("Disallow: /aa\nAllow: /*", "/aa", False),
        ("Disallow: /\nAllow: /d/index.html", "/d/", True),
        ("Disallow: /\nAllow: /*/index.htm?x", "/d/", True),
        ("Disallow: /\nAllow: /d/index.html", "/d/x", False),
        ("Disallow: /\nAllow: /d/index.php", "/d/", False),
        ("Disallow: /robots.txt", "/robots.txt", False),
    ],
)
def test_google(rules: str, url: str, allowed: bool) -> None:
    assert match(rules, url).allowed is allowed


@pytest.mark.parametrize(
    ("rules", "url", "google", "rfc"),
    [
        ("Disallow: /", "/robots.txt", False, True),
        ("Disallow: /", "/robots.txt?x", False, False),
        ("Disallows: /", "/a", False, True),
        ("Disalow: /", "/a", False, False),
        ("Disallow /a", "/a", False, True),
        ("Disallow= /a", "/a", False, True),
        ("Disallow: /b", "/%62", True, False),
        ("Disallow: /%62", "/b", True, False),
        ("Disallow: /~a", "/%7Ea", True, False),
        ("Disallow: /a%2Fb", "/a/b", True, True),
        ("Disallow: /a%24", "/a$", True, False),
        ("Disallow: /a%24", "/a", True, True),
        ("Disallow: /a%2Ac", "/a*c", True, False),
        ("Disallow: /a%2Ac", "/abc", True, True),
        ("Disallow: /a$b", "/a%24b", True, False),
        ("Disallow: /a b", "/a%20b", True, False),
        ("Disallow: /?u=https://x", "/?u=https%3A%2F%2Fx", True, False),
        ("Disallow: /?u=https%3a%2f%2fx", "/?u=https://x", True, False),
        ("Disallow: /*%2Fx", "/?u=%2Fx", False, False),
        ("Disallow: /a%3A", "/a:", True, True),
        ("Disallow: /%7Eab\nAllow: /~ab", "/~ab", True, True),
        ("Disallow: /?u=/x\nAllow: /?u=*x", "/?u=/x", True, True),
        ("Disallow: /?u=/xy\nAllow: /?u=*x", "/?u=%2Fxy", True, False),
    ],
)
def test_where_the_modes_differ(rules: str, url: str, google: bool, rfc: bool) -> None:
    assert match(rules, url).allowed is google
    assert match(rules, url, "rfc").allowed is rfc


def test_a_misspelt_agent_line_in_rfc_mode() -> None:
    text = read_robots(b"User-agents: bot\nDisallow: /\n\nUseragent: other\nDisallow: /\n")
    assert not rules_for(text, "bot").match("/a").allowed
    assert rules_for(text, "bot", RobotsMode.RFC).match("/a").allowed
    assert not rules_for(text, "other", RobotsMode.RFC).match("/a").allowed


GROUPS = b"User-agent: Google-Bot/2\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n\nUser-agent: google-bot\nDisallow: /c\n"


@pytest.mark.parametrize(
    ("bot", "blocked"),
    [
        ("google-bot", "ac"),
        ("GOOGLE-BOT", "ac"),
        ("google-bot-image", "b"),
        ("google", "b"),
        ("Google-Bot/2", "b"),
        ("*", "b"),
        ("", "b"),
    ],
)
def test_whose_rules(bot: str, blocked: str) -> None:
    rules = rules_for(read_robots(GROUPS), bot)
    assert "".join(p for p in "abc" if not rules.match(f"/{p}").allowed) == blocked
    assert rules.named is ("a" in blocked)


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ("", "allow_all"),
        ("Disallow:\n", "allow_all"),
        ("Disallow: private\n", "allow_all"),
        ("Disallow: /\nAllow: /\n", "allow_all"),
        ("Disallow: /a\nAllow: /a\n", "allow_all"),
        ("Disallow: *\nAllow: /\n", "allow_all"),
        ("Disallow: /\n", "disallow_all"),
        ("Disallow: *\n", "disallow_all"),
        ("Disallow: /*$\n", "disallow_all"),
        ("Disallow: /**\nAllow: /a\n", "disallow_all"),
        ("Disallow: /\nDisallow: /a\nAllow:\n", "disallow_all"),
        ("Disallow: /\nAllow: /$\n", "mixed"),
        ("Disallow: /\nAllow: /index.html\n", "mixed"),
        ("Disallow: /$\n", "mixed"),
        ("Disallow: /a\n", "mixed"),
        ("Disallow: /*/*\n", "mixed"),
        ("Disallow: /a\nAllow: /ab\n", "mixed"),
    ],
)
def test_effective(rules: str, says: str) -> None:
    assert rules_for(read_robots(f"User-agent: *\n{rules}".encode()), "bot").effective() == says


def test_many_wildcards_are_still_exact() -> None:
    """Beyond 64 patterns a head is looked up by parts of its patterns: the same answers."""
    lines = [f"Disallow: /*part{n}x{'*' if n % 3 == 0 else ''}end{n}" for n in range(300)]
    lines += ["Allow: /*a", "Disallow: /*", "Allow: /*part7xend7$", "Disallow: /*b*c*d"]
    rules = rules_for(read_robots("\n".join(["User-agent: *", *lines]).encode()), "bot")
    assert rules.match(HOST + "/q").line == 303
    assert rules.match(HOST + "/qa").rule == "Allow: /*a"
    assert rules.match(HOST + "/part7xend7").rule == "Allow: /*part7xend7$"
    assert rules.match(HOST + "/part7xend7z").rule == "Disallow: /*part7xend7"
    assert rules.match(HOST + "/part9x-end9").rule == "Disallow: /*part9x*end9"
    assert rules.match(HOST + "/b-c-d").rule == "Disallow: /*b*c*d"


def test_hostile_patterns_are_no_trouble() -> None:
    rules = rules_for(read_robots(b"User-agent: *\nDisallow: /" + b"*a" * 8_000 + b"$\n"), "bot")
    assert not rules.match(HOST + "/" + "a" * 8_000).allowed
    assert rules.match(HOST + "/" + "a" * 16_000 + "b").allowed


def test_the_second_opinion_is_about_the_chosen_rules() -> None:
    text = read_robots(
        b"\xef\xbb\xbfUser-agent: bot/2\nDisallow: /a\vb\nDisallow: /x\n\nUser-agent: *\nDisallow: /\n"
    )
    assert protego_allows(text, "bot", HOST + "/y")
    assert not protego_allows(text, "bot", HOST + "/x")
    assert not protego_allows(text, "other", HOST + "/y")
    # Protego adds an escape where Google's parser compares as written.
    assert not protego_allows(read_robots(b"User-agent: *\nDisallow: /~a\n"), "bot", HOST + "/%7Ea")


@settings(max_examples=examples(120), deadline=None)
@given(BODY, st.sampled_from(["bot", "other", "third", ""]), st.lists(URL_PATH, min_size=1, max_size=6))
def test_google_s_parser_agrees(body: bytes, bot: str, paths: list[str]) -> None:
    rules = rules_for(read_robots(body), bot)
    for path in paths:
        allowed, line = oracle(body, bot, HOST + path)
        found = rules.match(HOST + path)
        assert found.allowed is allowed
        if found.line is not None:
            assert found.line == line


MANY = st.lists(
    st.builds(
        "{}: {}{}\n".format,
        st.sampled_from(["Allow", "Disallow"]),
        st.sampled_from(["/", "/*", "*", "/a*"]),
        st.text("abc/.*$?", max_size=9),
    ),
    min_size=70,
    max_size=90,
)


@settings(max_examples=examples(40), deadline=None)
@given(MANY, st.lists(st.text("abc/.?", max_size=20), min_size=1, max_size=6))
def test_google_s_parser_agrees_on_many_wildcards(lines: list[str], paths: list[str]) -> None:
    body = ("User-agent: *\n" + "".join(lines)).encode()
    rules = rules_for(read_robots(body), "bot")
    for path in paths:
        url = f"{HOST}/{path}"
        assert rules.match(url).allowed is oracle(body, "bot", url)[0]


@settings(max_examples=examples(60), deadline=None)
@given(
    BODY | st.binary(max_size=200),
    st.text(max_size=40) | URL_PATH,
    st.text(max_size=10),
    st.sampled_from(RobotsMode),
)
def test_nothing_raises(body: bytes, url: str, bot: str, mode: RobotsMode) -> None:
    rules = rules_for(read_robots(body), bot, mode)
    rules.match(url)
    assert rules.effective() in {"allow_all", "disallow_all", "mixed"}
    rules.second_opinion(HOST + "/a?b")


@settings(max_examples=examples(60), deadline=None)
@given(BODY, st.lists(URL_PATH, min_size=1, max_size=8), st.sampled_from(RobotsMode))
def test_effective_is_what_the_matches_say(body: bytes, paths: list[str], mode: RobotsMode) -> None:
    rules = rules_for(read_robots(body), "bot", mode)
    answers = {rules.match(path).allowed for path in paths if path != "/robots.txt"}
    says = rules.effective()
    if says != "mixed":
        assert answers <= {says == "allow_all"}


@pytest.mark.skipif(not corpus_files(), reason="the shared corpus does not lie beside this checkout")
def test_google_s_parser_agrees_on_real_files() -> None:
    count = 0
    for file in corpus_files():
        if file.stat().st_size < 20_000:  # the whole corpus: python -m tests.formats.robots_oracle
            for agrees, said in decisions_of(file.read_bytes(), urls=12, bots=4):
                assert agrees, f"{file.name}: {said}"
                count += 1
    assert count > 1_000
