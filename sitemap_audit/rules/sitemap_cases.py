"""What the cases of the rules about sitemaps and entries begin with: one map of one site, and what lists what."""

from __future__ import annotations

from typing import Any, Final

SITE: Final = "https://example.com"
ROBOTS: Final = f"{SITE}/robots.txt"
MAP: Final = f"{SITE}/sitemap.xml"
OTHER: Final = f"{SITE}/pages.xml"
INDEX: Final = f"{SITE}/index.xml"
FEED: Final = f"{SITE}/feed.xml"
DECLARED: Final = f"declared in robots.txt of {SITE}"
"""The claim about MAP."""

FILE: Final[dict[str, Any]] = {
    "url": MAP,
    "url_key": MAP,
    "kind": "urlset",
    "source": "robots",
    "declared_in": [SITE],
    "state": "ok",
    "first_status": 200,
    "status": 200,
    "final_url": MAP,
    "content_type": "application/xml",
    "complete": True,
    "encoding_ok": True,
    "entries": 3,
    "usable": 3,
}


def file(url: str = MAP, **more: object) -> dict[str, Any]:
    """A sitemap file that is all right, declared in robots.txt, with these fields."""
    return FILE | {"url": url, "url_key": url, "final_url": url} | more


def undeclared(url: str, source: str = "guess", **more: object) -> dict[str, Any]:
    """A file that no robots.txt names."""
    return file(url, source=source, declared_in=None, **more)


def child_file(url: str, parent: str = INDEX, **more: object) -> dict[str, Any]:
    """A file that an index names."""
    return undeclared(url, "index", parent=parent, depth=1, **more)


def problem(kind: str, line: int | None = None, text: str | None = None, count: int = 1) -> dict[str, object]:
    """A line of sitemap_files.problems."""
    return {"kind": kind, "line": line, "byte": None, "text": text, "count": count}


def entry(url: str, /, line: int = 3, sitemap: str = MAP, **more: object) -> dict[str, Any]:
    """A line of a map; `line` is its position too."""
    place = {"sitemap": sitemap, "position": line, "line": line}
    return {"url_key": url, "loc": url, "loc_raw": url} | place | more


def odd(text: str, /, *issues: str, **more: object) -> dict[str, Any]:
    """An entry whose loc has these issues."""
    return entry(text, loc_issues=list(issues)) | more


def robots(origin: str = SITE, *sitemaps: str, **more: object) -> dict[str, Any]:
    """A robots.txt with these Sitemap lines."""
    lines = [{"line": n, "raw": url, "abs": url, "same_host": True} for n, url in enumerate(sitemaps, 1)]
    read = {
        "origin": origin,
        "robots_url": f"{origin}/robots.txt",
        "state": "ok",
        "status": 200,
        "at_root": True,
    }
    return read | {"sitemaps": lines} | more


def spaces(names: dict[str, str]) -> dict[str, list[str]]:
    """sitemap_files.namespaces, as DuckDB takes a map."""
    return {"key": list(names), "value": list(names.values())}


def named(url: str, /, line: int = 3, index: str = INDEX, **more: object) -> dict[str, Any]:
    """A child of an index; `line` is its position too."""
    return {
        "sitemap": index,
        "position": line,
        "line": line,
        "url_key": url,
        "loc": url,
        "loc_raw": url,
    } | more
