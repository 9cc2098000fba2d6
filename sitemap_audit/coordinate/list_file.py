"""`--list`: a text file of URLs, audited as if one sitemap listed them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from sitemap_audit.coordinate.collect import Collector
from sitemap_audit.coordinate.sites import read_site
from sitemap_audit.facts import Entry, SitemapSource
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from sitemap_audit.settings import ENTRY_BATCH
from sitemap_audit.store.folder import RunRecord


@dataclass(frozen=True, slots=True)
class UrlList:
    """`name` as findings quote it (a path, or `-` for standard input); `text` as read."""

    name: str
    text: bytes


def take_list(listed: UrlList, record: RunRecord, collector: Collector) -> None:
    """Read the list like a text sitemap; its facts are on disk and in the account when this returns.

    Relative lines are resolved against the first SITE. Nothing travels through Redis: a list of millions
    would wait there for a coordinator that has not begun.
    """
    reader = SitemapReader(
        f"list:{listed.name}", source=SitemapSource.LIST, location=read_site(record.sites_given[0]).href
    )
    entries = reader.feed(listed.text)
    end = SitemapEnd(
        status=200,
        first_status=200,
        complete=True,
        fetched_at=datetime.now(UTC),
        bytes_wire=len(listed.text),
    )
    last, file = reader.close(end)
    entries += last
    for start in range(0, len(entries), ENTRY_BATCH):
        chunk: list[Entry] = entries[start : start + ENTRY_BATCH]
        collector.own_entries(b"".join(map(_line, chunk)), len(chunk))
    collector.own_sitemap(_line(file))
    collector.flush()


def _line(fact: object) -> bytes:
    return orjson.dumps(fact, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)
