"""Google's own parser as the oracle for ours: files from a grammar, files of the corpus, decisions by the thousand.

    python -m tests.formats.robots_oracle [DECISIONS]      100,000 by default; about two minutes

Exits with 1 at the first difference, which is printed. The intended differences are outside of what is compared
(docs/robots.md, "Differences to Google's parser"): the cut at 512,000 bytes, which the parser leaves to its caller,
and the escaping of the URL, which it expects to be done.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import jwm.robotstxt.googlebot
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sitemap_audit.formats.robots import read_robots
from sitemap_audit.formats.robots_match import rules_for
from sitemap_audit.formats.robots_patterns import robots_path
from sitemap_audit.settings import ROBOTS_MAX_BYTES

HOST: Final = "https://shop.example"
SHARED: Final = Path(__file__).parents[3] / "shared" / "corpus" / "files" / "robots"


def oracle(body: bytes, bot: str, url: str) -> tuple[bool, int]:
    """Google's parser: allowed, and the line (0 = none)."""
    matcher: Any = jwm.robotstxt.googlebot.RobotsMatcher  # its stubs call the class abstract
    asked = matcher()
    return asked.OneAgentAllowedByRobots(body, bot, url), asked.matching_line()


FIELD = st.sampled_from(
    [
        "User-agent: ",
        "User-agent: ",
        "Disallow: ",
        "Disallow: ",
        "Allow: ",
        "allow:",
        "Disalow ",
        "useragent\t",
        "Sitemap: ",
        "Crawl-delay: ",
        "Foo: ",
        "Allowed: ",
        "",
        "Disallow:: ",
        "User-agents= ",
    ]
)
AGENT = st.sampled_from(["*", "bot", "Bot/1", "other", "* x", "*x", "b-o_t", "", "bot bot", "ż"])
PATH = st.lists(
    st.sampled_from(
        [
            "/",
            "a",
            "b",
            "*",
            "$",
            "**",
            "/index.html",
            "/index.htm",
            "?",
            "=",
            "%2f",
            "%2F",
            "%7E",
            "%",
            "%4",
            "ż",
            "\x85",
            " ",
            ".",
            ";",
            ":",
            "//",
            "aaaa",
            "abab",
            "#",
        ]
    ),
    max_size=6,
).map("".join)
END = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\0\n", "\v\n", "#c\n"])
BODY = st.builds(
    lambda mark, lines: (mark + "".join(lines)).encode(),
    st.sampled_from(["", "", "\ufeff"]),
    st.lists(
        FIELD.flatmap(
            lambda f: st.builds("".join, st.tuples(st.just(f), AGENT if "gent" in f else PATH, END))
        ),
        max_size=12,
    ),
)
URL_PATH = PATH.map(
    lambda p: robots_path(HOST + "/" + p.replace("ż", "%C5%BC").replace("\x85", "").replace(" ", ""))
)
"""Escaped as the parser expects it: hex digits upper-case (docs/robots.md)."""


def corpus_files() -> list[Path]:
    """Real robots.txt files, where they lie beside the checkout."""
    return sorted(p for p in SHARED.glob("*") if p.suffix != ".csv") if SHARED.is_dir() else []


def decisions_of(body: bytes, *, urls: int, bots: int, seed: int = 1) -> Iterator[tuple[bool, str]]:
    """Does our answer equal that of the parser? For URLs made from the rules, and bots that the file names."""
    chance = random.Random(seed)
    body = body[:ROBOTS_MAX_BYTES]
    text = read_robots(body)
    named = sorted({token for block in text.blocks for token in block.tokens if token})
    asked = ["googlebot", "bingbot", "nobody-knows-me", *chance.sample(named, min(bots, len(named)))]
    rules = [rule.path for rule in text.rules] or ["/"]
    for bot in asked:
        ours = rules_for(text, bot)
        for _ in range(urls):
            path = chance.choice(rules).replace("*", chance.choice(["", "x", "/a/b", "index"]))
            path = path.rstrip("$") + chance.choice(["", "", "/", "?q=1", "x", ".html"])
            url = HOST + robots_path(HOST + "/" + path.lstrip("/"))
            found = ours.match(url)
            allowed, line = oracle(body, bot, url)
            same = found.allowed is allowed and found.line in (None, line)
            yield same, f"{bot} {url}: ours {found}, the parser's {allowed} by line {line}"


def main(count: int) -> int:
    """Compare `count` decisions: half of files made by the grammar, half of the corpus if it is there."""
    done = 0
    files = corpus_files()
    for round_ in range(10_000):
        if done >= count // 2 or not files:
            break
        for file in files:
            # A decision costs the parser one reading of the file: large ones are asked less often.
            few = file.stat().st_size > 20_000
            for agrees, said in decisions_of(file.read_bytes(), urls=3 if few else 40, bots=4, seed=round_):
                if not agrees:
                    print(f"{file.name}: {said}")
                    return 1
                done += 1
    corpus = done

    @settings(
        max_examples=(count - done) // 8 + 1,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(
        BODY,
        st.sampled_from(["bot", "other", "third", "b-o_t", ""]),
        st.lists(URL_PATH, min_size=8, max_size=10),
    )
    def agree(body: bytes, bot: str, paths: list[str]) -> None:
        nonlocal done
        rules = rules_for(read_robots(body), bot)
        for path in paths:
            found = rules.match(HOST + path)
            allowed, line = oracle(body, bot, HOST + path)
            assert (found.allowed, found.line or line) == (allowed, line), (body, bot, path)
            done += 1

    agree()
    print(f"{done:,} decisions, {corpus:,} of them on {len(files)} files of the corpus: no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
