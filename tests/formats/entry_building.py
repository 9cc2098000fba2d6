"""Rows as the readers give them, built into entries of one file."""

from __future__ import annotations

from datetime import UTC, datetime

from sitemap_audit.facts import Entry
from sitemap_audit.formats.entries import EntryBuilder
from sitemap_audit.formats.entries_loc import Place
from sitemap_audit.formats.sitemap_problems import ProblemLog
from sitemap_audit.formats.sitemap_rows import RawEntry
from sitemap_audit.formats.sitemap_tally import Tally
from sitemap_audit.formats.urls import parse_url, url_id

FILE = "https://example.com/maps/sitemap.xml"


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Built:
    def __init__(self, file: str = FILE) -> None:
        url = parse_url(file)
        assert url is not None
        self.tally, self.log = Tally(), ProblemLog()
        self.builder = EntryBuilder(url.href, url_id(url.key), Place.of(url), NOW, self.tally, self.log)

    def build(self, *rows: RawEntry) -> list[Entry]:
        return self.builder.build(rows)


def entry(loc: str | None, file: str = FILE, **fields: object) -> Entry:
    row = RawEntry(7, loc)._replace(**fields)  # type: ignore[arg-type]
    (built,) = Built(file).build(row)
    return built
