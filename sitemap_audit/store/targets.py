"""The second wave of a resumed run: URLs that stored page facts name, as the workers would have said them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sitemap_audit.store.columns import Kind
from sitemap_audit.store.resume import stored_rows


class KnownTarget(NamedTuple):
    """`how`: canonical, hreflang or redirect."""

    href: str
    how: str


def known_targets(facts: Path) -> Iterator[KnownTarget]:
    """Each URL that a listed page names, once. Raises RunFolderError when a part is damaged."""
    sql = """
        WITH listed AS (
            SELECT requested_url, canonical, canonical_state, final_url, hop_count, alternates FROM ($facts$)
            WHERE discovered_by IN ('sitemap', 'feed', 'list') AND state = 'checked'
        )
        SELECT href, min(how) FROM (
            SELECT canonical AS href, 'canonical' AS how FROM listed WHERE canonical_state = 'other'
            UNION ALL SELECT final_url, 'redirect' FROM listed WHERE hop_count > 0 AND final_url <> requested_url
            UNION ALL SELECT unnest(alternates).href, 'hreflang' FROM listed
        ) WHERE href IS NOT NULL GROUP BY href"""
    return (KnownTarget._make(row) for row in stored_rows(facts, Kind.PAGES, sql))
