"""What the cases of the rules about feeds begin with: one feed of one site, its items, the home page."""

from __future__ import annotations

from typing import Any, Final

from sitemap_audit.rules.sitemap_cases import FEED, SITE, entry, undeclared

HOME: Final = f"{SITE}/"
ADVERTISED: Final = "advertised in the head of the home page"
"""The claim about FEED."""
SERVED: Final = "2026-11-30T12:00:00Z"


def feed(url: str = FEED, kind: str = "rss", **more: object) -> dict[str, Any]:
    """A feed of three items that the home page advertises."""
    version = "rss 2.0" if kind == "rss" else "atom 1.0"
    root = "rss" if kind == "rss" else "feed"
    return (
        undeclared(
            url,
            "feed_link",
            kind=kind,
            root=root,
            feed_version=version,
            fetched_at=SERVED,
            content_type=f"application/{kind}+xml",
        )
        | more
    )


def item(number: int, sitemap: str = FEED, /, **more: object) -> dict[str, Any]:
    """Item `number` of a feed: /posts/<number>, on line 3 times its number."""
    return entry(f"{SITE}/posts/{number}", 3 * number, sitemap) | more


def home(*links: dict[str, Any], **more: object) -> dict[str, Any]:
    """A home page whose head was read, with these feed links."""
    page = {
        "url_key": HOME,
        "requested_url": HOME,
        "state": "checked",
        "status": 200,
        "first_status": 200,
        "final_url": HOME,
        "final_key": HOME,
        "hop_count": 0,
        "canonical_state": "none",
        "sniffed_type": "html",
        "origin": SITE,
        "feed_links": list(links) or None,
    }
    return page | more


def link(href: str | None = FEED, raw: str | None = None, **more: object) -> dict[str, Any]:
    """A link element that advertises a feed."""
    return {
        "type": "application/rss+xml",
        "title": "News",
        "href_raw": raw if raw is not None else href or "",
        "href": href,
        "in_head": True,
        "quote_ok": True,
    } | more
