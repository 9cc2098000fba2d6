"""A plain Scrapy spider that makes our checks: the peer that shows what the transport and its framework cost.

    python benchmarks/scrapy_checks.py LIST OUT

LIST holds one URL a line, OUT gets one JSON line a URL: status, hops, robots verdict and every signal that our
workers read, with the same function. Scrapy as it comes, but without cookies, retries, delay, log and console,
64 requests at once. Run by benchmarks/peers.py.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response

from sitemap_audit.facts import RobotsState
from sitemap_audit.formats.page import read_page
from sitemap_audit.formats.robots import read_robots
from sitemap_audit.formats.robots_policy import RobotsPolicy

BOTS = ("googlebot", "bingbot")
AT_ONCE = 64


class Checks(scrapy.Spider):
    """Asks robots.txt, then every URL of the list."""

    name = "checks"

    def __init__(self, urls: list[str], out: Any, **named: Any) -> None:
        super().__init__(**named)
        self.urls = urls
        self.out = out
        self.policy: RobotsPolicy | None = None

    async def start(self) -> AsyncIterator[scrapy.Request]:
        parts = urlsplit(self.urls[0])
        yield scrapy.Request(f"{parts.scheme}://{parts.netloc}/robots.txt", callback=self.read_robots)

    def read_robots(self, response: Response) -> Any:
        self.policy = RobotsPolicy(response.url, RobotsState.OK, read_robots(response.body), "google")
        for url in self.urls:
            yield scrapy.Request(
                url, callback=self.read_page, dont_filter=True, meta={"handle_httpstatus_list": [404, 410]}
            )

    def read_page(self, response: Response) -> None:
        assert self.policy is not None
        headers = [
            (name.decode("latin-1").lower(), value.decode("latin-1"))
            for name, values in response.headers.items()
            for value in values
        ]
        signals = read_page(
            response.body,
            headers,
            final_url=response.url,
            status=response.status,
            bots=BOTS,
            now=datetime.now(UTC),
        )
        asked = [*response.meta.get("redirect_urls", []), response.url]
        fact = {
            "url": asked[0],
            "status": response.status,
            "hops": list(zip(asked, response.meta.get("redirect_reasons", []), strict=False)),
            "final_url": response.url,
            "robots": {bot: self.policy.verdict(bot, asked[0]) for bot in BOTS},
            "signals": signals.as_page_fields(),
        }
        self.out.write(orjson.dumps(fact, option=orjson.OPT_APPEND_NEWLINE))


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    settings = {
        "CONCURRENT_REQUESTS": AT_ONCE,
        "CONCURRENT_REQUESTS_PER_DOMAIN": AT_ONCE,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": False,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
    }
    process = CrawlerProcess(settings)
    with Path(sys.argv[2]).open("wb") as out:
        process.crawl(Checks, urls=Path(sys.argv[1]).read_text().split(), out=out)
        process.start()


if __name__ == "__main__":
    main()
