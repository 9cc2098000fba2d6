"""What the cases of the rules about robots.txt begin with: one origin that a map uses, and its file."""

from __future__ import annotations

from typing import Any, Final

SITE: Final = "https://example.com"
ROBOTS: Final = f"{SITE}/robots.txt"
MAP: Final = f"{SITE}/sitemap.xml"
PAGE: Final = f"{SITE}/a"
ENTRY: Final = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
CLAIM: Final = f"URLs listed on this origin: 1, the first in {MAP}, line 3"
"""What ENTRY makes of the claim of a finding about the origin."""

FILE: Final[dict[str, Any]] = {
    "origin": SITE,
    "robots_url": ROBOTS,
    "state": "ok",
    "first_status": 200,
    "status": 200,
    "final_url": ROBOTS,
    "content_type": "text/plain; charset=utf-8",
    "bytes": 120,
    "encoding_ok": True,
    "charset_guess": "utf-8",
    "bom": False,
    "policy": "mixed",
}


def used(**more: object) -> dict[str, Any]:
    """Tables of a case: an origin that lists one URL, and its robots.txt with these fields."""
    return {"entries": [ENTRY], "robots_files": [FILE | more]}


def rule_line(line: int, path: str, field: str = "disallow", group_line: int = 1) -> dict[str, object]:
    """A line of robots_files.rules."""
    return {"line": line, "field": field, "path": path, "group_line": group_line}


def page(path: str, **more: object) -> dict[str, Any]:
    """A page fact of the origin that may be fetched and answers 200."""
    url = SITE + path
    served = {"state": "checked", "first_status": 200, "status": 200, "hop_count": 0, "allowed": True}
    return {"url_key": url, "requested_url": url, "origin": SITE, "robots_state": "ok"} | served | more


def listed(*paths: str) -> list[dict[str, Any]]:
    """Lines of the map, from line 3 on."""
    return [
        {"url_key": SITE + path, "loc": SITE + path, "sitemap": MAP, "position": n, "line": n + 2}
        for n, path in enumerate(paths, 1)
    ]
