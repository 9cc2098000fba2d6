"""`--list`: a text file of URLs, audited as if one sitemap listed them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import orjson
import redis

from sitemap_audit.coordinate.sites import read_site
from sitemap_audit.facts import Entry, SitemapSource
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from sitemap_audit.queue.messages import EntriesMessage, SitemapsMessage
from sitemap_audit.queue.stream import Publisher
from sitemap_audit.settings import ENTRY_BATCH
from sitemap_audit.store.folder import RunRecord


@dataclass(frozen=True, slots=True)
class UrlList:
    """`name` as findings quote it (a path, or `-` for standard input); `text` as read."""

    name: str
    text: bytes


def publish_list(listed: UrlList, client: redis.Redis, record: RunRecord) -> None:
    """Read the list like a text sitemap and put its facts onto the stream, as the spider would.

    Relative lines are resolved against the first SITE.
    """
    publisher = Publisher(client, record.run_id)
    reader = SitemapReader(
        f"list:{listed.name}", source=SitemapSource.LIST, location=read_site(record.sites_given[0]).href
    )
    entries = reader.feed(listed.text)
    last, file = reader.close(
        SitemapEnd(
            status=200,
            first_status=200,
            complete=True,
            fetched_at=datetime.now(UTC),
            bytes_wire=len(listed.text),
        )
    )
    entries += last
    for start in range(0, len(entries), ENTRY_BATCH):
        chunk: list[Entry] = entries[start : start + ENTRY_BATCH]
        lines = b"".join(map(_line, chunk))
        publisher.publish_entries(EntriesMessage(lines=lines, count=len(chunk), sitemap=file.url))
    publisher.publish_sitemaps(SitemapsMessage(lines=_line(file), count=1))


def _line(fact: object) -> bytes:
    return orjson.dumps(fact, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)
