"""A sitemap document, read: its rows and what was wrong with it."""

from __future__ import annotations

from sitemap_audit.formats.sitemap_problems import ProblemLog
from sitemap_audit.formats.sitemap_rows import RawEntry
from sitemap_audit.formats.sitemap_xml import XmlReader

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'


IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'


VIDEO = 'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'


NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'


A = "https://example.com/a"


class Read:
    """A document, read: rows, reader and problems."""

    def __init__(
        self, document: str | bytes, cuts: list[int] | None = None, *, fast: bool = True, whole: bool = True
    ):
        data = document.encode() if isinstance(document, str) else document
        self.log = ProblemLog()
        self.xml = XmlReader(self.log, fast=fast)
        self.rows: list[RawEntry] = []
        start = 0
        for cut in [*sorted(cuts or []), len(data)]:
            self.rows += self.xml.feed(data[start:cut])
            start = cut
        self.rows += self.xml.close(whole=whole)

    @property
    def problems(self) -> list[tuple[str, int | None, str | None]]:
        return [(p.kind, p.line, p.text) for p in self.log.facts()]

    @property
    def kinds(self) -> list[str]:
        return [p.kind for p in self.log.facts()]

    def all(self) -> tuple[object, ...]:
        xml = self.xml
        return (
            self.rows,
            xml.kind,
            xml.root,
            xml.error,
            xml.namespaces,
            xml.closed,
            xml.totals,
            xml.software,
            self.log.facts(),
        )


def urlset(inside: str, spaces: str = NS) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {spaces}>\n{inside}\n</urlset>\n'


def one(inside: str, spaces: str = NS) -> RawEntry:
    (row,) = Read(urlset(f"<url>{inside}</url>", spaces)).rows
    return row
