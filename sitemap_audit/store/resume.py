"""What a resumed run reads back from its parts, as streams: memory does not grow with the run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import duckdb

from sitemap_audit.store.columns import FACTS, Kind
from sitemap_audit.store.connection import open_writer
from sitemap_audit.store.pack import parquet_files
from sitemap_audit.store.parts import TEMPORARY, list_kind
from sitemap_audit.store.relation import relation
from sitemap_audit.store.unreadable import raise_unreadable

_ROWS: Final = 10_000
_POSITION_BITS: Final = 36


class KnownPage(NamedTuple):
    """What became of a URL."""

    url_key: str
    url: str
    """As it was requested."""
    discovered_by: str
    state: str
    reason: str | None


class KnownEntry(NamedTuple):
    """A listed URL, and where it stands first: smallest (sitemap, position) of the stored entries."""

    url_key: str
    loc: str
    sitemap: str
    position: int


class KnownSitemap(NamedTuple):
    """A file that was asked for; `state` as in the fact."""

    url: str
    url_key: str
    state: str


def known_pages(facts: Path) -> Iterator[KnownPage]:
    """Each URL with a page fact that settles it, once (`unchecked: stopped` settles nothing).

    Of several facts the one that judging takes. Raises RunFolderError when a part is damaged.
    """
    sql = """
        SELECT url_key, f.url, f.how, f.state, f.reason FROM (
            SELECT url_key, arg_min({'url': requested_url, 'how': discovered_by, 'state': state, 'reason': reason},
                   CASE WHEN state = 'checked' THEN -1 ELSE 1 END * (1::BIGINT << 60) + coalesce(epoch_us(fetched_at), 0)) AS f
            FROM ($facts$)
            WHERE url_key IS NOT NULL AND state IS NOT NULL AND NOT (state = 'unchecked' AND coalesce(reason = 'stopped', false))
            GROUP BY url_key)"""
    return (KnownPage._make(row) for row in stored_rows(facts, Kind.PAGES, sql))


def known_entries(facts: Path) -> Iterator[KnownEntry]:
    """Each listed URL once, in no order. Raises RunFolderError when a part is damaged."""
    sql = f"""
        WITH files AS (
            SELECT sitemap, row_number() OVER (ORDER BY sitemap) AS rank FROM (SELECT DISTINCT sitemap FROM ($facts$))
        )
        SELECT url_key, f.loc, f.sitemap, f.position FROM (
            SELECT e.url_key, arg_min({{'loc': e.loc, 'sitemap': e.sitemap, 'position': e.position}},
                                      (files.rank << {_POSITION_BITS}) + e.position) AS f
            FROM ($facts$) e JOIN files ON files.sitemap = e.sitemap
            WHERE e.url_key IS NOT NULL AND e.loc IS NOT NULL AND NOT coalesce(e.is_child, false)
            GROUP BY e.url_key)"""
    return (KnownEntry._make(row) for row in stored_rows(facts, Kind.ENTRIES, sql))


def known_sitemaps(facts: Path) -> Iterator[KnownSitemap]:
    """Each sitemap file once; of several facts the one that was read. Raises RunFolderError likewise."""
    sql = """
        SELECT arg_min(url, state IS DISTINCT FROM 'ok'), url_key, arg_min(state, state IS DISTINCT FROM 'ok')
        FROM ($facts$) WHERE url_key IS NOT NULL GROUP BY url_key ORDER BY url_key"""
    return (KnownSitemap._make(row) for row in stored_rows(facts, Kind.SITEMAPS, sql))


def sitemap_count(facts: Path) -> int:
    """Number of different sitemap files with a fact. Raises RunFolderError likewise."""
    return sum(1 for _ in known_sitemaps(facts))


def stored_rows(facts: Path, kind: Kind, sql: str) -> Iterator[tuple[Any, ...]]:
    """Rows of `sql`, in which `$facts$` stands for all facts of the kind, as a stream."""
    parts = list_kind(facts, kind)
    if not parts:
        return
    with TemporaryDirectory(prefix=TEMPORARY, dir=facts / kind) as scratch:
        files = parquet_files(kind, parts, Path(scratch))
        con = open_writer(Path(scratch) / "spill")
        try:
            found = con.execute(sql.replace("$facts$", relation(con, FACTS[kind], files)))
            while rows := found.fetchmany(_ROWS):
                yield from rows
        except duckdb.Error as err:
            raise_unreadable(con, files, err)
        finally:
            con.close()
