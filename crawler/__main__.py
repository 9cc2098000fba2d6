"""`python -P -m crawler --redis URL --run RUN_ID`: the discovery of one run, as the coordinator starts it.

Options of the run come from Redis, headers, CA file and connection targets from the environment (Transport).
Facts go to the run's stream; the last message says that discovery has ended and where it looked.

Exit codes: 0 all that was named was looked at · 1 a bug, or facts that could not be handed on (see the log)
· 2 wrong use, or a server that cannot be used · 130 told to stop (SIGTERM, SIGINT, the parent is gone);
then no last message is sent, and a resumed run discovers anew.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Final

from scrapy.crawler import AsyncCrawlerRunner
from scrapy.settings import Settings
from scrapy.utils.log import configure_logging

from crawler.context import Context
from crawler.spiders.sitemaps import SitemapsSpider
from sitemap_audit import logs
from sitemap_audit.errors import ServerError, SitemapAuditError
from sitemap_audit.options import Transport
from sitemap_audit.queue.jobs import get_options
from sitemap_audit.queue.messages import DiscoveredMessage
from sitemap_audit.queue.pace import Pace
from sitemap_audit.queue.robots import RobotsStore
from sitemap_audit.queue.server import OUTAGE, check_server, connect
from sitemap_audit.queue.stream import GaveUpError, Publisher

logger: Final = logging.getLogger("crawler")
DONE, FAILED, WRONG_USE, STOPPED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m crawler", description="Discover the sitemaps of one run."
    )
    parser.add_argument("--redis", default=os.environ.get("SITEMAP_AUDIT_REDIS"), help="server of the run")
    parser.add_argument("--run", required=True, help="id of the run")
    parser.add_argument("--exit-with-parent", action="store_true", help="stop when standard input ends")
    parser.add_argument("--log-level", default="INFO", choices=["DEBUG", "INFO", "WARNING", "ERROR"])
    given = parser.parse_args(arguments)
    if not given.redis:
        parser.error("--redis URL is missing (or SITEMAP_AUDIT_REDIS)")
    settings = Settings()
    settings.setmodule("crawler.settings", priority="project")
    settings.set("LOG_LEVEL", given.log_level, priority="cmdline")
    # Scrapy's loggers speak as ours do, and through the same handler.
    settings.set("LOG_INSTALL_ROOT_HANDLER", False, priority="cmdline")
    configure_logging(settings)
    logs.configure(level=logging.getLevelNamesMapping()[given.log_level])
    # Its settings, middlewares and counters are ours to know; what goes wrong is everybody's.
    logging.getLogger("scrapy").setLevel(max(logging.WARNING, logging.getLogger().level))
    logs.bind(run=given.run, worker="spider")
    try:
        context = run_context(given.redis, given.run, Transport.from_environment())
    except SitemapAuditError as error:
        logs.say(f"crawler: {error}")
        return error.exit_code
    return asyncio.run(discover(context, settings, exit_with_parent=given.exit_with_parent))


def run_context(url: str, run: str, transport: Transport) -> Context:
    """What a run of this server asks for. ServerError where there is no such run, or no usable server."""
    client = connect(url)
    try:
        for warning in check_server(client):
            logger.warning("%s", warning)
        options = get_options(client, run)
    except OUTAGE as error:
        raise ServerError(f"The server of the run does not answer ({error}). Is it running?") from None
    if options is None:
        raise ServerError(f"The server knows no run {run!r}. Is this the --redis URL that the run uses?")
    # A server that takes no writes for a while is waited for; the publisher does so itself.
    waiting = connect(url, wait_when_full=True)
    pace = Pace(waiting)
    pace.listen()
    context = Context(
        options=options,
        transport=transport,
        pace=pace,
        robots=RobotsStore(waiting, run),
    )
    context.publisher = Publisher(client, run, give_up=context.give_up)
    return context


async def discover(context: Context, settings: Settings, *, exit_with_parent: bool = False) -> int:
    """Run the spider to its end, or until told to stop. Returns the exit code."""
    loop = asyncio.get_running_loop()
    runner = AsyncCrawlerRunner(settings)
    crawler = runner.create_crawler(SitemapsSpider)

    def stop() -> None:
        context.stop()
        stopping.append(asyncio.ensure_future(runner.stop()))

    stopping: list[asyncio.Future[None]] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    if exit_with_parent:
        threading.Thread(target=_watch_parent, args=(loop, stop), daemon=True).start()
    await runner.crawl(crawler, context=context)
    await asyncio.gather(*stopping)
    spider = crawler.spider
    assert isinstance(spider, SitemapsSpider)
    if context.error is not None:
        return FAILED
    if context.stopping:
        return STOPPED
    message = DiscoveredMessage(looked=tuple(spider.looked), note=spider.note())
    assert context.publisher is not None
    try:
        await asyncio.to_thread(context.publisher.publish_discovered, message)
    except GaveUpError:
        return STOPPED
    broken = spider.bugs or crawler.stats.get_value("spider_exceptions/count", 0)
    return FAILED if broken else DONE


def _watch_parent(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Only our parent holds the other end of standard input: when it is gone in whatever way, this ends."""
    with contextlib.suppress(OSError):
        # Not through sys.stdin: a thread that waits in its buffer cannot be left at exit.
        while os.read(0, 4_096):
            pass
    with contextlib.suppress(RuntimeError):  # The loop is closed: we are done.
        loop.call_soon_threadsafe(stop)


if __name__ == "__main__":
    sys.exit(main())
