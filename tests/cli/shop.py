"""A healthy shop of so many pages, made of parts that tests put together in other ways."""

from __future__ import annotations

from typing import Final

from tests.site.server import Reply, Sites

XMLNS: Final = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*locs: str) -> Reply:
    entries = "".join(f"<url><loc>{loc}</loc></url>\n" for loc in locs)
    return Reply.xml(f'<?xml version="1.0"?>\n<urlset {XMLNS}>\n{entries}</urlset>\n')


def page(path: str) -> Reply:
    return Reply.html(
        f'<title>Page {path}</title><link rel="canonical" href="https://shop.example{path}"><body><p>What {path} has to say, in some more words than an empty page.</p>'
    )


def shop(pages: int, wait_s: float = 0.0) -> Sites:
    """A healthy site of so many pages; each answers after `wait_s`."""
    paths = [f"/p/{n}" for n in range(pages)]
    answers = {p: page(p) for p in paths}
    if wait_s:
        answers = {p: Reply(r.status, r.body, r.headers, wait_s=wait_s) for p, r in answers.items()}
    return {
        "shop.example": {
            "/robots.txt": Reply.text("Sitemap: https://shop.example/sitemap.xml\n"),
            "/sitemap.xml": urlset(*(f"https://shop.example{p}" for p in paths)),
            **answers,
        }
    }
