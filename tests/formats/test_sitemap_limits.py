"""What is counted to twice its limit and then stopped."""

from __future__ import annotations

import gzip
import resource
import time

from sitemap_audit.facts import ErrorClass, SitemapSource, SitemapState
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from tests.formats.sitemap_reading import NOW, OK, URL, kinds, read, urlset


def test_entries_are_counted_to_twice_the_limit() -> None:
    for number, stopped in ((20, False), (21, True), (500, True)):
        entries, file = read(urlset(number), max_entries=10)
        assert len(entries) == min(number, 20)
        assert (file.stopped_by_us, file.complete) == (stopped, not stopped)
        assert kinds(file) == (["stopped-too-many"] if stopped else [])
        assert file.state is (SitemapState.PARTIAL if stopped else SitemapState.OK)
        assert file.xml_error is None


def test_a_transfer_that_we_broke_off_is_no_error() -> None:
    broken_off = SitemapEnd(
        status=200, complete=False, error_class=ErrorClass.RESET, error_detail="cancelled"
    )
    _, file = read(urlset(30), max_entries=10, end=broken_off)
    assert (file.stopped_by_us, file.state, file.complete) == (True, SitemapState.PARTIAL, False)
    assert (file.error_class, file.error_detail, file.xml_error) == (None, None, None)


def test_bytes_are_counted_to_twice_the_limit() -> None:
    data = urlset(200)
    limit = len(data) // 2
    for size, stopped in ((0, False), (2, True), (500, True)):
        _, file = read(data + b" " * size, max_bytes=limit)
        assert file.stopped_by_us is stopped
        assert file.bytes_xml == min(len(data) + size, 2 * limit)
    reader = SitemapReader(URL, source=SitemapSource.LIST, max_bytes=100, now=NOW)
    first = reader.feed(urlset(1)[:150])
    more = reader.feed(urlset(5)[150:])
    assert reader.stopped
    assert first + more + reader.feed(urlset(9)) == more
    assert len(more) == 1


def test_a_bomb_is_stopped() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 20_000_000) + gzip.compress(b" " * 20_000_000) * 25
    reader = SitemapReader(URL, source=SitemapSource.LIST, now=NOW)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    for at in range(0, len(bomb), 16_384):
        reader.feed(bomb[at : at + 16_384])
        if reader.stopped:
            break
    _, file = reader.close(SitemapEnd(status=200))
    assert file.stopped_by_us
    assert file.bytes_xml == 104_857_600
    assert time.process_time() - start < 8
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 32


def test_problems_are_capped_and_counted() -> None:
    _, file = read(urlset(0, "<url><loc>https://example.com/</loc><odd/></url>" * 3_000 + "<worse/>"))
    assert len(file.problems) < 100
    assert sum(problem.count for problem in file.problems) == 3_001
    assert file.problems[-1].kind == "unknown-element" or file.problems[-1].count > 1
    assert any(problem.text == "worse" or problem.count > 1 for problem in file.problems)


def test_memory_does_not_grow_with_the_file() -> None:
    reader = SitemapReader(URL, source=SitemapSource.LIST, now=NOW)
    reader.feed(urlset(2_000)[:-11])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    number = 0
    for part in range(20):
        entries = (f"<url><loc>https://example.com/{part}/{n}</loc></url>\n" for n in range(2_000))
        number += len(reader.feed("".join(entries).encode()))
    reader.close(OK)
    assert number > 30_000
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 25
