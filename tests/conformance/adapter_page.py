"""What the conformance cases of directives and canonicals ask, answered by the product's page reader."""

from __future__ import annotations

from datetime import UTC, datetime

from sitemap_audit.facts import Directives
from sitemap_audit.formats.page import read_page
from sitemap_audit.formats.urls import parse_url

PAGE = "https://example.com/page"


def robots_directives(
    headers: list[tuple[str, str]],
    html: bytes,
    bot: str,
    now: str | None = None,
    status: int = 200,
    blocked: bool = False,
) -> dict[str, object]:
    """What is in force for `bot`; what is left out is true or no limit. None = cannot be read."""
    if blocked or status >= 500 or 300 <= status < 400:
        return {"index": None, "follow": None}
    if status != 200:
        return {"index": False, "follow": None}
    clock = datetime.now(UTC) if now is None else datetime.fromisoformat(now)
    page = read_page(html, _lower(headers), final_url=PAGE, status=status, bots=(bot,), now=clock)
    if page.directives is None:
        return {"index": None, "follow": None}
    return _in_words(page.directives[bot])


def canonical(page_url: str, headers: list[tuple[str, str]], html: bytes, status: int = 200) -> str | None:
    """The effective canonical, absolute."""
    final = parse_url(page_url)
    assert final is not None, page_url
    page = read_page(
        html, _lower(headers), final_url=final.href, status=status, bots=("googlebot",), now=datetime.now(UTC)
    )
    return page.canonical


def _lower(headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """As the HTTP client hands them over. The cases give HTML as UTF-8, whatever the header says of it."""
    found = [(name.lower(), value.strip()) for name, value in headers]
    return [(n, f"{v.partition(';')[0]}; charset=utf-8" if n == "content-type" else v) for n, v in found]


def _in_words(directives: Directives) -> dict[str, object]:
    said: dict[str, object] = {
        "index": not directives.noindex,
        "follow": not directives.nofollow,
        "snippet": not directives.nosnippet,
        "imageindex": not directives.noimageindex,
        "translate": not directives.notranslate,
        "archive": not directives.noarchive,
        "max_snippet": directives.max_snippet,
        "max_image_preview": directives.max_image_preview,
        "max_video_preview": directives.max_video_preview,
        "unavailable_after": directives.unavailable_after,
    }
    if directives.indexifembedded:
        said["indexifembedded"] = True
    return said
