"""What comes more than once counts once, and what the disk does not take is neither lost nor doubled."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
import redis

from sitemap_audit.coordinate.collect import Collector
from sitemap_audit.coordinate.work import Work
from sitemap_audit.errors import DiskFullError
from sitemap_audit.facts import Entry, Page, PageState
from sitemap_audit.formats.urls import parse_url, url_id
from sitemap_audit.options import RunOptions
from sitemap_audit.queue.listing import Listing
from sitemap_audit.queue.messages import DiscoveredMessage, EntriesMessage, PagesMessage
from sitemap_audit.queue.server import connect
from sitemap_audit.queue.stream import Publisher, Reader
from sitemap_audit.store.columns import FACTS, Kind
from sitemap_audit.store.parts import list_parts
from sitemap_audit.store.resume import known_entries, known_pages
from sitemap_audit.store.writer import PartWriter

MAP = "https://shop.example/sitemap.xml"
URLS = [f"https://shop.example/{n}" for n in range(5)]


@pytest.fixture
def client(server_url: str) -> Iterator[redis.Redis]:
    with connect(server_url) as found:
        found.flushall()
        yield found


def lines(*facts: object) -> bytes:
    return b"".join(orjson.dumps(fact, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE) for fact in facts)


def identity(href: str) -> dict[str, Any]:
    url = parse_url(href)
    assert url is not None
    return {"url_id": url_id(url.key), "url_key": url.key}


def entries() -> EntriesMessage:
    facts = [
        Entry(sitemap=MAP, file_id="f1", position=n, line=n, loc=href, loc_raw=href, **identity(href))
        for n, href in enumerate(URLS)
    ]
    listing = Listing()
    for href in URLS:
        listing.add(MAP, url_id(href), href)
    return EntriesMessage(lines=lines(*facts), count=len(facts), listed=listing.take())


def pages(batch: str, worker: str, seqs: tuple[int, ...]) -> PagesMessage:
    facts = [
        Page(
            requested_url=URLS[n],
            discovered_by="sitemap",
            state=PageState.CHECKED,
            first_status=200,
            status=200,
            **identity(URLS[n]),
        )
        for n in seqs
    ]
    return PagesMessage(batch=batch, worker=worker, done=seqs, finished=True, lines=lines(*facts))


def collector(client: redis.Redis, facts: Path) -> Collector:
    work = Work(RunOptions(run_id="r1", rate=0.0, scope=("shop.example",), depth="head"))
    return Collector(work, Reader(client, "r1"), {kind: PartWriter(facts, kind) for kind in FACTS})


@contextmanager
def no_room() -> Iterator[None]:
    """This process can make no file longer than some bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def drain(collected: Collector) -> None:
    while collected.collect(0):
        pass


def test_everything_delivered_three_times_counts_once(client: redis.Redis, tmp_path: Path) -> None:
    publisher, collected = Publisher(client, "r1"), collector(client, tmp_path)
    for _ in range(3):
        publisher.publish_entries(entries())
        publisher.publish_discovered(DiscoveredMessage(looked=()))
    drain(collected)
    planned = collected.work.next_batch(1)
    assert planned is not None
    batch = planned.batch.batch
    for worker in ("w1", "w1", "w2"):
        publisher.publish_pages(pages(batch, worker, (0, 1, 2, 3, 4)))
    drain(collected)
    collected.flush()
    counts = collected.work.ledger.counts()
    assert (counts.listed, counts.checked, counts.waiting) == (5, 5, 0)
    assert collected.work.nothing_left
    assert len(list(known_pages(tmp_path))) == 5
    assert len(list(known_entries(tmp_path))) == 5
    assert collected.reader.backlog() == (0, 0)


def test_a_lost_batch_whose_worker_comes_back_counts_once(client: redis.Redis, tmp_path: Path) -> None:
    """Its token is unknown by then: its facts count where they are first, its "done" means nothing."""
    publisher, collected = Publisher(client, "r1"), collector(client, tmp_path)
    publisher.publish_entries(entries())
    publisher.publish_discovered(DiscoveredMessage(looked=()))
    drain(collected)
    stale = collected.work.next_batch(1)
    assert stale is not None
    collected.work.lost(stale.batch.batch)
    halves = [collected.work.next_batch(2), collected.work.next_batch(2)]
    first = next(h.batch for h in halves if h is not None)
    publisher.publish_pages(pages(first.batch, "w2", tuple(u.seq for u in first.urls)))
    publisher.publish_pages(pages(stale.batch.batch, "w1", (0, 1, 2, 3, 4)))
    drain(collected)
    counts = collected.work.ledger.counts()
    assert (counts.listed, counts.checked) == (5, 5)
    assert collected.work.outstanding.batches, "the other half is still under way: its own word ends it"
    collected.flush()
    assert len(list(known_pages(tmp_path))) == 5


def test_a_full_disk_takes_nothing_and_loses_nothing(client: redis.Redis, tmp_path: Path) -> None:
    publisher, collected = Publisher(client, "r1"), collector(client, tmp_path)
    publisher.publish_entries(entries())
    collected.collect(0)
    with no_room():
        for _ in range(3):
            with pytest.raises(DiskFullError, match="Make room"):
                collected.flush()
        publisher.publish_discovered(DiscoveredMessage(looked=()))
        with pytest.raises(DiskFullError):
            collected.flush()
        assert collected.unstored_rows == 5
        assert sum(list_parts(tmp_path).rows(kind) for kind in Kind) == 0
        assert collected.reader.backlog()[1] >= 1, "Redis still holds what is not stored"
    drain(collected)
    collected.flush()
    assert list_parts(tmp_path).rows(Kind.ENTRIES) == 5
    assert collected.unstored_rows == 0
    assert collected.discovered_stored
    assert collected.reader.backlog() == (0, 0)
    assert not list(tmp_path.rglob(".new-*")), "nothing unfinished is left"
