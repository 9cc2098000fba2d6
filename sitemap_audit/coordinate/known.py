"""What is known before a run: what others are told of it; of a resumed one what the parts and the streams hold."""

from __future__ import annotations

from collections.abc import Callable

import redis

from sitemap_audit.coordinate.collect import Collector
from sitemap_audit.coordinate.ledger import SETTLED
from sitemap_audit.coordinate.work import Work
from sitemap_audit.formats.urls import url_id
from sitemap_audit.queue.jobs import put_options, take_unlike
from sitemap_audit.queue.listing import Listing
from sitemap_audit.queue.messages import Target
from sitemap_audit.queue.robots import RobotsStore
from sitemap_audit.settings import ENTRY_BATCH
from sitemap_audit.store.folder import RunFolder, RunRecord
from sitemap_audit.store.pack import pack
from sitemap_audit.store.past import robots_past
from sitemap_audit.store.resume import known_entries, known_pages, sitemap_count
from sitemap_audit.store.targets import known_targets

LISTED = ("sitemap", "feed", "list")


def tell_run(client: redis.Redis, folder: RunFolder, record: RunRecord) -> None:
    """Tell spider and workers what the run is, and what earlier runs knew of robots.txt files."""
    put_options(client, record.options)
    RobotsStore(client, record.run_id).put_past(robots_past(folder))


def say_unlike(client: redis.Redis, run: str, say: Callable[[str], None]) -> None:
    """Say of workers that they reach the site in another way than the run, each difference once."""
    for worker, words in take_unlike(client, run):
        say(
            f"worker {worker} reaches the site in another way than this run: it {words}. What it sees may be wrong: "
            "start it with the options of the run"
        )


def take_up(folder: RunFolder, record: RunRecord, work: Work, collector: Collector) -> None:
    """Bring the account to where the run stopped: first what was settled, then what is listed.

    The streams are drained first (their facts become parts), so that nothing that a worker saw is asked
    again.
    """
    # Of the newest parts nobody knows yet whether their messages are forgotten: they stay in lines.
    pack(folder.facts, keep_newest=True)
    collector.files = sitemap_count(folder.facts)
    for page in known_pages(folder.facts):
        seq = work.ledger.add(int(url_id(page.url_key), 16), page.url, page.discovered_by, listed=False)
        if seq is not None:
            work.ledger.settle(seq, SETTLED[page.state], page.reason)
            if page.state != "skipped" and page.discovered_by in LISTED:
                work.selection.taken()
    # Once the listing was whole, the sample was chosen: what is not settled belongs to it.
    work.whole = record.discovered
    listing = Listing()
    for number, entry in enumerate(known_entries(folder.facts), 1):
        listing.add(entry.sitemap, url_id(entry.url_key), entry.loc)
        if number % ENTRY_BATCH == 0:
            _take(listing, work)
    _take(listing, work)
    while collector.collect(0):
        pass
    work.targets(Target(t.href, t.how) for t in known_targets(folder.facts))
    if work.whole:
        work.probe()
    collector.flush()


def _take(listing: Listing, work: Work) -> None:
    for listed in listing.take():
        work.listed_run(listed)
