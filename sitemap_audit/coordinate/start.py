"""From a run folder and its options to a coordinator at work: the server, the writers, what a resume knows.

A new run and a resumed one take the same way; the resumed one only begins with what the parts on disk and
the messages left in the streams already say.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib.metadata import version as installed
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Final

import redis

from sitemap_audit import __version__, logs
from sitemap_audit.coordinate.children import Children
from sitemap_audit.coordinate.collect import Collector
from sitemap_audit.coordinate.follow import Follower
from sitemap_audit.coordinate.known import take_up
from sitemap_audit.coordinate.list_file import UrlList, take_list
from sitemap_audit.coordinate.packer import Packer
from sitemap_audit.coordinate.progress import Progress
from sitemap_audit.coordinate.run import Coordinator
from sitemap_audit.coordinate.signals import Signals
from sitemap_audit.coordinate.status import StatusWriter
from sitemap_audit.coordinate.work import Work
from sitemap_audit.errors import RunFolderError, ServerError
from sitemap_audit.queue.private import private_server
from sitemap_audit.queue.server import check_server, connect
from sitemap_audit.queue.stream import Reader
from sitemap_audit.store.columns import FACTS
from sitemap_audit.store.folder import RunFolder, RunRecord
from sitemap_audit.store.parts import clean_leftovers
from sitemap_audit.store.past import take_over
from sitemap_audit.store.writer import PartWriter

if TYPE_CHECKING:
    from sitemap_audit.coordinate.metrics import RunMetrics

ANSWER_S: Final = 5.0
"""A server that takes longer for one answer counts as away: the run pauses, and stops when told to."""
LIBRARIES: Final = ("scrapy", "protego", "redis", "rq", "pycurl", "lxml", "selectolax", "duckdb")


def versions() -> dict[str, str]:
    """What this run was made with."""
    return {"sitemap-audit": __version__, "python": python_version()} | {n: installed(n) for n in LIBRARIES}


def check_given(url: str) -> list[str]:
    """Refuse a server that cannot carry a run (ServerError); warnings for one that can. Before anything is made."""
    client = connect(url, patient=False)
    try:
        return check_server(client)
    finally:
        client.close()


@contextmanager
def server(folder: RunFolder, url: str | None) -> Iterator[str]:
    """URL of the server: the one given, else the run's own, ended with the context."""
    if url is not None:
        yield url
        return
    with private_server(folder.server) as own:
        yield own


def carry_out(
    folder: RunFolder,
    record: RunRecord,
    *,
    redis_url: str | None,
    progress: Progress,
    listed: UrlList | None = None,
    resume: bool = False,
    verbose: bool = False,
    metrics: RunMetrics | None = None,
) -> RunRecord:
    """Run (or resume) the audit of this folder until it is done or stopped. Raises SitemapAuditError.

    `verbose`: what the children log is said on stderr too. `metrics` is told what to scrape.
    """
    logs.bind(run=record.run_id)
    logs.hide(logs.secrets_of(record.transport.headers, redis_url))
    with _in_plain_words(folder), ExitStack() as stack:
        stack.enter_context(folder.locked())
        stack.enter_context(logs.write_to(folder.log))
        stack.callback(progress.close)
        signals = Signals()
        stack.enter_context(signals.listen())
        record = _carry_out(
            stack,
            folder,
            record,
            signals,
            redis_url,
            progress,
            listed,
            metrics,
            resume=resume,
            verbose=verbose,
        )
    if record.state == "done":
        shutil.rmtree(folder.server, ignore_errors=True)
    return record


def _carry_out(
    stack: ExitStack,
    folder: RunFolder,
    record: RunRecord,
    signals: Signals,
    redis_url: str | None,
    progress: Progress,
    listed: UrlList | None,
    metrics: RunMetrics | None,
    *,
    resume: bool,
    verbose: bool,
) -> RunRecord:
    record = replace(
        record,
        state="running",
        options=replace(record.options, marks=record.transport.marks()),
        redis=logs.without_password(redis_url) if redis_url else None,
        versions=versions(),
    )
    folder.write(record)
    if record.previous is not None and not resume:
        progress.say(_take_over(RunFolder(Path(record.previous)), folder))
    clean_leftovers(folder.facts)
    if verbose:
        stack.callback(Follower(folder.log, progress.tell).close)
    url = stack.enter_context(server(folder, redis_url))
    client = connect(url, patient=False, answer_s=ANSWER_S)
    stack.callback(client.close)
    work = Work(record.options)
    collector = Collector(
        work,
        Reader(client, record.run_id),
        {kind: PartWriter(folder.facts, kind) for kind in FACTS},
        packer=Packer(folder.facts, folder.log),
    )
    stack.callback(collector.close)
    collector.looked = record.looked
    status = StatusWriter(record, client, work, collector)
    if metrics is not None:
        metrics.attach(status, url)
    if resume:
        take_up(folder, record, work, collector)
    if listed is not None:
        take_list(listed, record, collector)
    return Coordinator(
        folder=folder,
        record=record,
        client=client,
        work=work,
        collector=collector,
        children=Children(url, record.run_id, record.transport, folder.log),
        progress=progress,
        signals=signals,
        status=status,
        spider_wanted=bool(record.options.sites or record.options.sitemaps)
        and not (resume and (record.discovered or collector.discovered)),
    ).run()


def _take_over(earlier: RunFolder, folder: RunFolder) -> str:
    """The robots.txt files of the earlier run, for an outage in this one; what came of it, in one line."""
    try:
        copies, failing = take_over(earlier, folder)
    except RunFolderError as problem:
        return f"the earlier run is of no use for robots.txt: {problem}"
    if not copies and not failing:
        return f"the earlier run {earlier.path} read no robots.txt: there is no last good copy"
    words = f"last good robots.txt of {copies:,} origin{'s' * (copies != 1)} from {earlier.path}"
    return words + (f", {failing:,} of its origins were failing" if failing else "")


@contextmanager
def _in_plain_words(folder: RunFolder) -> Iterator[None]:
    """What the machine refuses in the middle of a run, as one line with the way on. What is stored stays."""
    way_on = f"Nothing that was stored is lost; then go on with: sitemap-audit resume {folder.path}"
    try:
        yield
    except redis.RedisError as err:
        raise ServerError(
            f"the Redis server of this run cannot be used any more ({err}). Mend that first. {way_on}"
        ) from None
    except OSError as err:
        raise RunFolderError(
            f"cannot write to {folder.path}: {err.strerror or err}. Make room or give leave to write. {way_on}"
        ) from None
