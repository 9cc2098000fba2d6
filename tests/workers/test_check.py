"""One URL to one page fact: robots.txt, redirects, failures, limits, refreshes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sitemap_audit.facts import Attempt
from sitemap_audit.queue.messages import LeftWhy, Target
from sitemap_audit.settings import LIMITED_LOOKS, REPORT_BOTS
from tests.pace_key import pace_status
from tests.site.server import End, Reply, in_turn, serve

HOST = "example.com"
HOME = Reply.html("<title>Home</title>")
FREE = Reply.text("User-agent: *\nDisallow: /private\n")


def sites(paths: dict[str, Any], **others: dict[str, Any]) -> dict[str, Any]:
    return {HOST: {"/robots.txt": FREE, "/": HOME, **paths}} | {
        k.replace("_", "."): v for k, v in others.items()
    }


def test_a_page_with_its_signals(bench: Any) -> None:
    page = Reply.html(
        '<html lang="en"><title>Bicycles</title><meta name="robots" content="noindex">'
        '<link rel="canonical" href="/bikes"><link rel="alternate" hreflang="de" href="/raeder">',
        X_Robots_Tag="nofollow",
    )
    with serve(sites({"/b": page})) as site:
        bench.start(site)
        outcome = bench.check(["/b"])
        seen = [r.url for r in site.log]
    fact = outcome.pages[f"https://{HOST}/b"]
    assert seen == [f"https://{HOST}/robots.txt", f"https://{HOST}/b"]
    assert (fact["state"], fact["reason"], fact["status"], fact["first_status"]) == (
        "checked",
        None,
        200,
        200,
    )
    assert (fact["title"], fact["html_lang"], fact["canonical_state"]) == ("Bicycles", "en", "other")
    assert fact["x_robots_tag"] == ["nofollow"]
    assert fact["directives"]["googlebot"]["noindex"] is True
    assert (fact["final_url"], fact["hop_count"], fact["attempts"], fact["attempt_log"]) == (
        f"https://{HOST}/b",
        0,
        1,
        [],
    )
    assert fact["bytes"] == len(page.body)
    assert set(fact["robots"]) == set(REPORT_BOTS)
    assert fact["robots"]["googlebot"]["allowed"] is True
    assert set(outcome.targets) == {
        Target(f"https://{HOST}/bikes", "canonical"),
        Target(f"https://{HOST}/raeder", "hreflang"),
    }


def test_blocked_pages_are_not_fetched(bench: Any) -> None:
    with serve(sites({})) as site:
        bench.start(site)
        fact = bench.page("/private/x")
        assert not site.requests(path="/private/x")
    assert (fact["state"], fact["reason"], fact["status"]) == ("skipped", "robots", None)
    verdict = fact["robots"]["googlebot"]
    assert (verdict["allowed"], verdict["rule"], verdict["line"]) == (False, "Disallow: /private", 2)


def test_our_own_agent_obeys_too(bench: Any) -> None:
    robots = Reply.text("User-agent: *\nAllow: /\n\nUser-agent: sitemap-audit\nDisallow: /\n")
    with serve(sites({"/robots.txt": robots})) as site:
        bench.start(site)
        fact = bench.page("/")
        assert not site.requests(path="/")
    assert (fact["state"], fact["reason"]) == ("skipped", "own_agent")
    assert fact["robots"]["googlebot"]["allowed"] is True


def test_the_owner_may_look_behind_robots(bench: Any) -> None:
    with serve(sites({"/private": HOME})) as site:
        bench.start(site, inspect_blocked=True)
        fact = bench.page("/private")
    assert (fact["state"], fact["status"], fact["title"]) == ("checked", 200, "Home")
    assert fact["robots"]["googlebot"]["allowed"] is False


def test_redirects_keep_every_hop(bench: Any) -> None:
    paths = {"/a": Reply.to("/b", 302), "/b": Reply.to("/"), "/loop": Reply.to("/loop")}
    with serve(sites(paths)) as site:
        bench.start(site)
        outcome = bench.check(["/a", "/loop"])
    fact = outcome.pages[f"https://{HOST}/a"]
    assert [(h["status"], h["location"], h["robots_allowed"]) for h in fact["hops"]] == [
        (302, f"https://{HOST}/b", True),
        (301, f"https://{HOST}/", True),
    ]
    assert (fact["first_status"], fact["status"], fact["final_url"]) == (302, 200, f"https://{HOST}/")
    assert (fact["hop_count"], fact["title"]) == (2, "Home")
    assert Target(f"https://{HOST}/", "redirect") in outcome.targets
    loop = outcome.pages[f"https://{HOST}/loop"]
    assert (loop["status"], loop["hop_count"], loop["redirect_flags"]) == (301, 0, ["loop"])


def test_a_blocked_target_is_not_fetched(bench: Any) -> None:
    with serve(sites({"/a": Reply.to("/private/x")})) as site:
        bench.start(site)
        fact = bench.page("/a")
        assert not site.requests(path="/private/x")
    assert (fact["state"], fact["first_status"], fact["status"]) == ("checked", 301, None)
    assert [(h["location"], h["robots_allowed"]) for h in fact["hops"]] == [
        (f"https://{HOST}/private/x", False)
    ]
    assert fact["final_url"] == f"https://{HOST}/private/x"


def test_other_hosts_are_followed_by_their_own_robots(bench: Any) -> None:
    paths = {"/open": Reply.to("https://open.example/x"), "/shut": Reply.to("https://shut.example/x")}
    others = {
        "open_example": {"/x": Reply.html("<title>Open</title>")},
        "shut_example": {"/robots.txt": Reply.text("User-agent: *\nDisallow: /\n"), "/x": HOME},
    }
    with serve(sites(paths, **others)) as site:
        bench.start(site)
        outcome = bench.check(["/open", "/shut"])
        assert not site.requests("shut.example", "/x")
    opened, shut = (outcome.pages[f"https://{HOST}/{name}"] for name in ("open", "shut"))
    assert (opened["status"], opened["title"], opened["redirect_flags"]) == (200, "Open", ["cross_host"])
    assert (shut["status"], shut["hops"][0]["robots_allowed"]) == (None, False)
    assert outcome.targets == [], "targets out of scope are no work"
    assert set(outcome.robots) == {f"https://{HOST}", "https://open.example", "https://shut.example"}


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (Reply.html('<meta http-equiv="refresh" content="0; url=/">'), "meta_refresh"),
        (Reply.html("<p>moved", Refresh="0;url=/"), "refresh_header"),
    ],
)
def test_an_immediate_refresh_is_a_redirect(bench: Any, page: Reply, kind: str) -> None:
    with serve(sites({"/r": page})) as site:
        bench.start(site)
        fact = bench.page("/r")
    assert [(h["kind"], h["status"], h["location"]) for h in fact["hops"]] == [
        (kind, 200, f"https://{HOST}/")
    ]
    assert (fact["first_status"], fact["status"], fact["final_url"]) == (200, 200, f"https://{HOST}/")
    assert (fact["title"], fact["hop_count"]) == ("Home", 1)


@pytest.mark.parametrize("target", ["/private/x", "https://elsewhere.example/"])
def test_a_refresh_that_may_not_be_followed_leaves_the_page(bench: Any, target: str) -> None:
    page = Reply.html(f'<title>Stay</title><meta http-equiv="refresh" content="0; url={target}">')
    with serve(sites({"/r": page})) as site:
        bench.start(site)
        fact = bench.page("/r")
        assert len(site.log) == 2
    assert (fact["status"], fact["title"], fact["final_url"]) == (200, "Stay", f"https://{HOST}/r")
    assert [h["kind"] for h in fact["hops"]] == ["meta_refresh"]


def test_a_refresh_later_or_to_itself_is_none(bench: Any) -> None:
    paths = {
        "/later": Reply.html('<meta http-equiv="refresh" content="5; url=/">'),
        "/itself": Reply.html('<meta http-equiv="refresh" content="0; url=/itself">'),
    }
    with serve(sites(paths)) as site:
        bench.start(site)
        outcome = bench.check(["/later", "/itself"])
    assert all(fact["hops"] == [] for fact in outcome.pages.values())


@pytest.mark.parametrize(
    ("path", "reply", "status", "error"),
    [
        ("/500", Reply(500), 500, None),
        ("/503", Reply(503), 503, None),
        ("/reset", Reply(steps=lambda: [End.RESET]), None, "reset"),
        (
            "/cut",
            Reply(steps=lambda: [b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\nx", End.CLOSE]),
            200,
            "reset",
        ),
    ],
)
def test_failures_get_a_second_look(
    bench: Any, path: str, reply: Reply, status: int | None, error: str | None
) -> None:
    with serve(sites({path: reply})) as site:
        bench.start(site, recheck_after_s=60)
        first = bench.check([path])
        look = first.again[0].attempt
        assert (look.status, look.error_class) == (status, error)
        fact = bench.page(path, history=(look,))
    assert (fact["state"], fact["status"], fact["error_class"], fact["attempts"]) == (
        "checked",
        status,
        error,
        2,
    )
    assert [(a["status"], a["error_class"]) for a in fact["attempt_log"]] == [(status, error)] * 2


def test_a_second_look_may_clear_it(bench: Any) -> None:
    with serve(sites({"/p": in_turn(Reply(502), HOME)})) as site:
        bench.start(site)
        look = bench.check(["/p"]).again[0].attempt
        fact = bench.page("/p", history=(look,))
    assert (fact["status"], fact["error_class"], fact["attempts"]) == (200, None, 2)
    assert [a["status"] for a in fact["attempt_log"]] == [502, 200]


@pytest.mark.parametrize("status", [429, 503])
def test_a_limit_is_ours_not_the_sites(bench: Any, status: int) -> None:
    with serve(sites({"/p": Reply(status, headers={"Retry-After": "20"}), "/q": HOME})) as site:
        bench.start(site)
        outcome = bench.check(["/p", "/q"], share=1)
        assert not site.requests(path="/q"), "nothing is sent inside the window"
    assert outcome.pages == {}
    assert {seq: n.why for seq, n in outcome.left.items()} == {0: LeftWhy.LIMITED, 1: LeftWhy.LIMITED}
    assert outcome.left[0].attempt is not None
    assert outcome.left[0].attempt.status == status
    assert outcome.left[1].attempt is None
    assert 15_000 < pace_status(bench.client, HOST).held_ms <= 20_000


def test_a_url_that_is_limited_again_and_again_is_said(bench: Any) -> None:
    look = Attempt(datetime.now(UTC) - timedelta(minutes=1), 429, None, 3)
    with serve(sites({"/p": Reply(429)})) as site:
        bench.start(site)
        fact = bench.page("/p", history=(look,) * (LIMITED_LOOKS - 1))
    assert (fact["state"], fact["reason"], fact["status"]) == ("unchecked", "rate_limited", 429)
    assert fact["attempts"] == LIMITED_LOOKS


def test_a_host_that_wants_a_day_is_given_up(bench: Any) -> None:
    with serve(sites({"*": Reply(429, headers={"Retry-After": "86400"})})) as site:
        bench.start(site)
        outcome = bench.check(["/a", "/b", "/c"], share=1)
        assert len(site.requests()) == 2
    assert [(f["state"], f["reason"]) for f in outcome.pages.values()] == [("unchecked", "rate_limited")] * 3


def test_private_addresses_are_skipped(bench: Any) -> None:
    with serve(sites({"/in": Reply.to("http://10.0.0.1/secret")})) as site:
        bench.start(site)
        bench.station.transport = type(site.transport)(
            connect_to=tuple(f"{HOST}{pin}" for pin in site.connect_to), cacert=site.transport.cacert
        )
        outcome = bench.check(["http://127.0.0.1/x", "/in"])
        assert not site.requests("127.0.0.1")
    direct = outcome.pages["http://127.0.0.1/x"]
    assert (direct["state"], direct["reason"], direct["error_class"]) == (
        "skipped",
        "private_host",
        "private_host",
    )
    redirected = outcome.pages[f"https://{HOST}/in"]
    assert (redirected["state"], redirected["status"]) == ("checked", None)
    assert redirected["hops"][0]["location"] == "http://10.0.0.1/secret"


def test_a_bot_wall_is_not_the_page(bench: Any) -> None:
    with serve(sites({"/w": Reply(403, b"wait", {"cf-mitigated": "challenge"})})) as site:
        bench.start(site)
        fact = bench.page("/w")
    assert (fact["state"], fact["reason"], fact["challenge_kind"]) == ("unchecked", "challenge", "cloudflare")


def test_depth_status_reads_no_head(bench: Any) -> None:
    with serve(sites({"/p": Reply.html("<title>Read me", X_Robots_Tag="noindex")})) as site:
        bench.start(site, depth="status")
        fact = bench.page("/p")
    assert (fact["status"], fact["title"], fact["x_robots_tag"]) == (200, None, ["noindex"])


def test_404_and_an_oversized_body(bench: Any) -> None:
    with serve(sites({"/big": Reply.html("<title>Big</title>" + "x" * 3_000_000)})) as site:
        bench.start(site)
        outcome = bench.check(["/none", "/big"])
    assert outcome.pages[f"https://{HOST}/none"]["status"] == 404
    big = outcome.pages[f"https://{HOST}/big"]
    assert (big["status"], big["truncated"], big["title"]) == (200, True, "Big")
