"""What a resumed run reads back: each URL once, as judging will take it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sitemap_audit.errors import RunFolderError
from sitemap_audit.facts import Entry, Page, PageState, SitemapFile, SitemapSource, SitemapState
from sitemap_audit.store.columns import Kind
from sitemap_audit.store.pack import pack
from sitemap_audit.store.parts import part_name
from sitemap_audit.store.resume import known_entries, known_pages, known_sitemaps, sitemap_count

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOST = "https://example.com"
A, B, MAP = HOST + "/a", HOST + "/b", HOST + "/sitemap.xml"
Store = Callable[..., None]
PAGE = Page(
    url_id="a" * 16,
    url_key=A,
    requested_url=A,
    discovered_by="feed",
    state=PageState.CHECKED,
    fetched_at=NOW,
)
ENTRY = Entry(sitemap=MAP, file_id="f" * 16, position=1, line=3, url_id="a" * 16, url_key=A, loc=A)
FILE = SitemapFile(
    file_id="f" * 16, url=MAP, url_key=MAP, source=SitemapSource.ROBOTS, state=SitemapState.OK, fetched_at=NOW
)


def test_a_resumed_run_reads_each_listed_url_once_in_the_spelling_that_stands(
    store: Store, facts: Path
) -> None:
    other = HOST + "/aaa.xml"
    store(
        facts,
        ENTRY,
        replace(ENTRY, position=2, loc=A + "#2"),
        replace(ENTRY, sitemap=other, position=7, loc=A + "#7"),
        replace(ENTRY, position=3, url_key=None, loc=None),
        replace(ENTRY, position=4, url_key=MAP, loc=MAP, is_child=True),
    )
    assert list(known_entries(facts)) == [(A, A + "#7", other, 7)]


def test_a_resumed_run_without_parts_knows_nothing(facts: Path) -> None:
    assert list(known_entries(facts)) == []
    assert list(known_pages(facts)) == []
    assert list(known_sitemaps(facts)) == []


def test_a_page_is_settled_by_the_fact_that_judging_takes(store: Store, facts: Path) -> None:
    skipped = replace(PAGE, state=PageState.SKIPPED, reason="robots", fetched_at=None)
    store(facts, skipped, PAGE, replace(skipped, fetched_at=NOW - timedelta(1)))
    assert list(known_pages(facts)) == [(A, A, "feed", "checked", None)]


def test_a_stop_settles_nothing(store: Store, facts: Path) -> None:
    stopped = replace(PAGE, state=PageState.UNCHECKED, reason="stopped")
    limited = replace(PAGE, state=PageState.UNCHECKED, reason="rate_limited", fetched_at=NOW + timedelta(1))
    store(facts, stopped, limited, replace(stopped, url_key=B))
    assert [(page.url_key, page.reason) for page in known_pages(facts)] == [(A, "rate_limited")]


def test_a_file_that_was_read_at_the_second_try_is_read(store: Store, facts: Path) -> None:
    store(facts, replace(FILE, state=SitemapState.FAILED), replace(FILE, fetched_at=NOW + timedelta(1)))
    assert list(known_sitemaps(facts)) == [(MAP, MAP, "ok")]
    assert sitemap_count(facts) == 1


@pytest.mark.parametrize("in_lines", [True, False])
def test_a_damaged_part_is_named(store: Store, facts: Path, in_lines: bool) -> None:
    store(facts, PAGE)
    if not in_lines:
        pack(facts)
    path = facts / Kind.PAGES / part_name(1, 1, 1, in_lines=in_lines)
    assert path.exists()
    path.write_bytes(b"PAR1")
    with pytest.raises(RunFolderError) as caught:
        list(known_pages(facts))
    assert str(path) in str(caught.value)
