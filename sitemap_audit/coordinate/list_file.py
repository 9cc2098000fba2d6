"""`--list`: a text file of URLs, audited as if one sitemap listed them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import orjson
import redis

from sitemap_audit.facts import Entry, SitemapSource
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from sitemap_audit.queue.messages import EntriesMessage, SitemapsMessage
from sitemap_audit.queue.stream import Publisher
from sitemap_audit.settings import ENTRY_BATCH
from sitemap_audit.store.folder import RunRecord

LIST_URL: Final = "list:urls"
"""Stands for the file's address: it has none."""


def publish_list(text: bytes, client: redis.Redis, record: RunRecord) -> None:
    """Read the list like a text sitemap and put its facts onto the stream, as the spider would."""
    publisher = Publisher(client, record.run_id)
    base = f"https://{record.options.scope[0].removeprefix('*.')}/" if record.options.scope else LIST_URL
    reader = SitemapReader(base + "urls.txt", source=SitemapSource.LIST)
    entries = reader.feed(text)
    now = datetime.now(UTC)
    last, file = reader.close(
        SitemapEnd(status=200, first_status=200, complete=True, fetched_at=now, bytes_wire=len(text))
    )
    entries += last
    for start in range(0, len(entries), ENTRY_BATCH):
        chunk: list[Entry] = entries[start : start + ENTRY_BATCH]
        lines = b"".join(orjson.dumps(e, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE) for e in chunk)
        publisher.publish_entries(EntriesMessage(lines=lines, count=len(chunk), sitemap=file.url))
    publisher.publish_sitemaps(
        SitemapsMessage(
            lines=orjson.dumps(file, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE), count=1
        )
    )
