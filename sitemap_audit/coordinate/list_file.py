"""`--list`: a text file of URLs, audited as if one sitemap listed them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from sitemap_audit.coordinate.collect import Collector
from sitemap_audit.coordinate.sites import read_site
from sitemap_audit.errors import UsageError
from sitemap_audit.facts import Entry, SitemapSource
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from sitemap_audit.formats.urls import Url, parse_url
from sitemap_audit.queue.listing import Listing
from sitemap_audit.settings import ENTRY_BATCH
from sitemap_audit.store.folder import RunRecord


@dataclass(frozen=True, slots=True)
class UrlList:
    """`name` as findings quote it (a path, or `-` for standard input); `text` as read."""

    name: str
    text: bytes


def take_list(listed: UrlList, record: RunRecord, collector: Collector) -> None:
    """Read the list like a text sitemap; its facts are on disk and in the account when this returns.

    Relative lines are resolved against the first SITE, if there is one. Nothing travels through Redis: a list of millions
    would wait there for a coordinator that has not begun.
    """
    base = read_site(record.sites_given[0]).href if record.options.sites else None
    reader = SitemapReader(f"list:{listed.name}", source=SitemapSource.LIST, location=base)
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
    listing = Listing()
    for start in range(0, len(entries), ENTRY_BATCH):
        chunk: list[Entry] = entries[start : start + ENTRY_BATCH]
        for entry in chunk:
            if entry.url_id is not None and entry.loc is not None:
                listing.add(entry.sitemap, entry.url_id, entry.loc)
        collector.own_entries(b"".join(map(_line, chunk)), len(chunk), listing.take())
    collector.own_sitemap(_line(file))
    collector.flush()


def hosts_of(listed: UrlList | None) -> list[Url]:
    """A URL of each origin that the list names, in their order. UsageError when it names none."""
    found: dict[str, Url] = {}
    if listed is not None:
        reader = SitemapReader(f"list:{listed.name}", source=SitemapSource.LIST)
        entries = reader.feed(listed.text)
        entries += reader.close(SitemapEnd(status=200, first_status=200, complete=True))[0]
        for entry in entries:
            url = parse_url(entry.loc or "")
            if url is not None:
                found.setdefault(url.origin, url)
    if not found:
        name = listed.name if listed is not None else "the list"
        raise UsageError(f"--list {name} names no http(s) URL, so there is nothing to audit")
    return list(found.values())


def _line(fact: object) -> bytes:
    return orjson.dumps(fact, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)
