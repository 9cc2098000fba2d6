"""The leave of a URL is that of its robots.txt, however it is found."""

from __future__ import annotations

from datetime import UTC, datetime

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitemap_audit.facts import RobotsState
from sitemap_audit.queue.robots import StoredRobots
from tests.depth import examples
from workers.origins import FEW_RULES, Leave, Origin

BOTS = ("googlebot", "bingbot", "otherbot")
AT = datetime(2026, 11, 30, tzinfo=UTC)


def origin(body: str, mode: str = "google", state: RobotsState = RobotsState.OK) -> Origin:
    made = Origin("https://a.example", BOTS, mode)
    made.adopt(
        StoredRobots(
            state=state,
            body=body.encode(),
            robots_url="https://a.example/robots.txt",
            status=200,
            fetched_at=AT,
        )
    )
    return made


def said(leave: Leave | None) -> tuple[object, ...]:
    assert leave is not None
    return leave.bot, leave.own, orjson.loads(orjson.dumps(leave.verdicts))


def judged(made: Origin, href: str) -> tuple[object, ...]:
    assert made.policy is not None
    return said(made._judge(made.policy, href))


RULES = st.lists(
    st.sampled_from(
        [
            "User-agent: *",
            "User-agent: googlebot",
            "User-agent: bingbot\nUser-agent: sitemap-audit",
            "Disallow: /a",
            "Disallow: /a$",
            "Disallow:",
            "Allow: /a/index.html",
            "Disallow: /*b",
            "Disallow: /*?s=*&t",
            "Allow: /a/b",
            "Disallow: /%61",
            "Disallow: *",
            "Disallow: x",
            "Disallow: /",
        ]
    ),
    max_size=8,
).map("\n".join)
PATHS = st.sampled_from(
    ["/", "/a", "/a/", "/a/b", "/c", "/b?s=1&t=2", "/%61", "/a/index.html", "/x", "/robots.txt", "/c?s=b"]
)


@settings(max_examples=examples(400), deadline=None)
@given(RULES, st.lists(PATHS, max_size=6), st.sampled_from(["google", "rfc"]))
def test_a_url_that_no_rule_matches_is_free_as_the_rules_say(body: str, paths: list[str], mode: str) -> None:
    made = origin(body, mode)
    for path in paths:
        href = f"https://a.example{path}"
        assert said(made.leave(href)) == judged(made, href)


def test_most_urls_are_free_and_share_what_is_said() -> None:
    made = origin("User-agent: *\nDisallow: /a\nUser-agent: googlebot\nDisallow: /b\n")
    assert made.leave("https://a.example/x") is made.leave("https://a.example/y")
    assert said(made.leave("https://a.example/b"))[0] is False
    assert said(made.leave("https://a.example/a"))[:2] == (True, False)


@pytest.mark.parametrize("state", [RobotsState.MISSING, RobotsState.SERVER_ERROR])
def test_without_rules(state: RobotsState) -> None:
    made = origin("User-agent: *\nDisallow: /\n", state=state)
    assert said(made.leave("https://a.example/x")) == judged(made, "https://a.example/x")


def test_what_is_adopted_anew_is_judged_anew() -> None:
    made = origin("User-agent: *\nDisallow: /a\n")
    assert said(made.leave("https://a.example/b"))[0] is True
    made.adopt(
        StoredRobots(
            state=RobotsState.OK,
            body=b"User-agent: *\nDisallow: /b\n",
            robots_url="https://a.example/robots.txt",
            status=200,
            fetched_at=AT,
        )
    )
    assert said(made.leave("https://a.example/b"))[0] is False
    assert said(made.leave("https://a.example/a"))[0] is True


def test_a_file_of_many_rules_is_judged_bot_by_bot() -> None:
    made = origin("User-agent: *\n" + "".join(f"Disallow: /a{n}\n" for n in range(FEW_RULES + 1)))
    assert made._any_rule is None
    assert said(made.leave("https://a.example/a1"))[0] is False
    assert said(made.leave("https://a.example/b"))[0] is True
