"""What a resumed run already knows: the parts on disk, then whatever still stands in the streams."""

from __future__ import annotations

from sitemap_audit.coordinate.collect import Collector
from sitemap_audit.coordinate.ledger import SETTLED
from sitemap_audit.coordinate.work import Work
from sitemap_audit.formats.urls import url_id
from sitemap_audit.queue.listing import Listing
from sitemap_audit.queue.messages import Target
from sitemap_audit.settings import ENTRY_BATCH
from sitemap_audit.store.folder import RunFolder, RunRecord
from sitemap_audit.store.pack import pack
from sitemap_audit.store.resume import known_entries, known_pages, sitemap_count
from sitemap_audit.store.targets import known_targets

LISTED = ("sitemap", "feed", "list")


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
