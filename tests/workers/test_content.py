"""`--depth page` in a worker: content beside the same head signals, and bot walls that answer 200."""

from __future__ import annotations

from typing import Any

from sitemap_audit.facts import Page
from tests.site.server import Reply, serve

HOST = "example.com"
TEXT = "<main><h1>Wool hats</h1><p>" + "How wool hats are made, and where to buy them. " * 20 + "</p></main>"
DOC = (
    "<!doctype html><html lang=en><head><title>Hats</title><link rel=canonical href=/p>"
    f"<meta name=robots content=nofollow></head><body>{TEXT}"
)
CONTENT = {
    "raw_hash", "h1", "meta_description", "page_dates", "sd_types", "script_count", "media_in_main", "main_text_len", "word_count",
    "main_hash", "main_simhash", "main_sketch", "main_fallback", "probe_print", "sd_hash", "links_hash", "template_hash", "shell",
    "soft404_points", "out_links",
}  # fmt: skip
TIMES = {
    "fetched_at",
    "date_http",
    "dns_ms",
    "connect_ms",
    "tls_ms",
    "ttfb_ms",
    "total_ms",
    "tls",
    "attempt_log",
}


def read(bench: Any, depth: str, replies: dict[str, Any], *paths: str) -> dict[str, dict[str, Any]]:
    with serve({HOST: {"/robots.txt": Reply(404), **replies}}) as site:
        bench.start(site, depth=depth)
        found = bench.check(list(paths)).pages
    return {url.removeprefix(f"https://{HOST}"): page for url, page in found.items()}


def test_content_stands_beside_the_head_signals(bench: Any) -> None:
    replies = {
        "/p": Reply.html(DOC),
        "/copy": Reply.html(DOC.replace("Hats<", "Other<")),
        "/pdf": Reply(200, b"%PDF-1.7 x", {"Content-Type": "application/pdf"}),
        "/none": Reply(404, DOC.encode(), {"Content-Type": "text/html"}),
        "/to": Reply.to("/p"),
    }
    pages = read(bench, "page", replies, "/p", "/copy", "/pdf", "/none", "/to")
    page = pages["/p"]
    assert (page["h1"], page["title"], page["canonical_state"]) == ("Wool hats", "Hats", "self")
    assert page["main_hash"] == pages["/copy"]["main_hash"] == pages["/to"]["main_hash"]
    assert page["raw_hash"] != pages["/copy"]["raw_hash"]
    assert sum(page["main_sketch"]) == page["word_count"] > 100
    assert page["soft404_points"] == {"points": 0.0, "reasons": []}
    assert pages["/pdf"]["raw_hash"]
    assert (pages["/pdf"]["main_hash"], pages["/none"]["main_hash"], pages["/none"]["raw_hash"]) == (
        None,
    ) * 3


def test_depth_head_says_the_same_of_all_else(bench: Any) -> None:
    page = read(bench, "page", {"/p": Reply.html(DOC)}, "/p")["/p"]
    head = read(bench, "head", {"/p": Reply.html(DOC)}, "/p")["/p"]
    other = page.keys() - CONTENT - TIMES
    assert {name: page[name] for name in other} == {name: head[name] for name in other}
    assert all(head[name] in (None, []) for name in CONTENT)
    assert set(Page.__dataclass_fields__) >= CONTENT


def test_what_did_not_come_whole_is_not_compared(bench: Any) -> None:
    pages = read(
        bench, "page", {"/big": Reply.html(DOC + "x" * 3_000_000), "/void": Reply.html("")}, "/big", "/void"
    )
    assert (pages["/big"]["truncated"], pages["/big"]["main_hash"]) == (True, None)
    assert (pages["/void"]["sniffed_type"], pages["/void"]["main_hash"]) == ("empty", None)


def test_a_challenge_page_is_not_the_page(bench: Any) -> None:
    wall = "<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"
    replies = {"/w": Reply.html(wall), "/x": Reply(403, wall.encode(), {"Content-Type": "text/html"})}
    pages = read(bench, "page", replies, "/w", "/x")
    for page in pages.values():
        assert (page["state"], page["reason"], page["challenge_kind"]) == (
            "unchecked",
            "challenge",
            "cloudflare",
        )
        assert page["main_hash"] is None
