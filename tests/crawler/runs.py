"""A discovery as the tests start it, and what it leaves in the stream."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson
import redis
from scrapy.settings import Settings

from crawler import __main__ as command
from crawler.context import Context
from sitemap_audit.coordinate.sites import origins_of, read_site, scope_of
from sitemap_audit.options import RunOptions, Transport
from sitemap_audit.queue.jobs import put_options
from sitemap_audit.queue.messages import DiscoveredMessage, EntriesMessage, RobotsMessage, SitemapsMessage
from sitemap_audit.queue.stream import Reader
from tests.site.server import Site, Sites

_runs = itertools.count(1)


@dataclass(slots=True)
class Outcome:
    """What a discovery left in the stream, as plain values, in the order of arrival."""

    code: int = -1
    robots: list[dict[str, Any]] = field(default_factory=list)
    files: list[dict[str, Any]] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    discovered: DiscoveredMessage | None = None
    messages: int = 0
    site: Site | None = None

    @property
    def entries(self) -> list[dict[str, Any]]:
        return [row for row in self.rows if not row["is_child"]]

    @property
    def locs(self) -> list[str]:
        return [row["loc"] for row in self.entries]

    def file(self, url: str) -> dict[str, Any]:
        (found,) = [f for f in self.files if f["url"] == url]
        return found

    def origin(self, origin: str) -> dict[str, Any]:
        (found,) = [r for r in self.robots if r["origin"] == origin]
        return found

    def take(self, client: redis.Redis, run: str) -> None:
        reader = Reader(client, run)
        while deliveries := reader.read(0, count=500):
            for delivery in deliveries:
                self.messages += 1
                message = delivery.message
                assert self.discovered is None, "nothing comes after the last message"
                if isinstance(message, DiscoveredMessage):
                    self.discovered = message
                    continue
                lines = [orjson.loads(line) for line in message.lines.splitlines()]
                if isinstance(message, RobotsMessage):
                    self.robots += lines
                elif isinstance(message, SitemapsMessage):
                    self.files += lines
                elif isinstance(message, EntriesMessage):
                    assert message.count == len(lines)
                    self.rows += lines
            reader.forget(deliveries)


class Discover(Protocol):
    def __call__(
        self, sites: Sites, *names: str, pins: tuple[str, ...] = (), **options: Any
    ) -> Awaitable[Outcome]: ...


def run_options(*names: str, **options: Any) -> RunOptions:
    """Options of a run over these SITEs, without a rate and without waiting for second looks."""
    sitemaps = tuple(options.pop("sitemaps", ()))
    urls = [read_site(n) for n in (*names, *sitemaps)]
    return RunOptions(
        **{
            "run_id": f"t{next(_runs)}",
            "sites": names,
            "sitemaps": sitemaps,
            "scope": scope_of(urls, ()),
            "origins": origins_of(urls),
            "rate": 0.0,
            "recheck_after_s": 0.0,
            **options,
        }
    )


def project_settings() -> Settings:
    settings = Settings()
    settings.setmodule("crawler.settings", priority="project")
    return settings


def run_context(server_url: str, client: redis.Redis, options: RunOptions, transport: Transport) -> Context:
    put_options(client, options)
    return command.run_context(server_url, options.run_id, transport)


def urlset(*locs: str) -> str:
    urls = "".join(f"<url><loc>{loc}</loc></url>\n" for loc in locs)
    return f'<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>'


def index(*locs: str) -> str:
    files = "".join(f"<sitemap><loc>{loc}</loc></sitemap>\n" for loc in locs)
    return f'<?xml version="1.0"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{files}</sitemapindex>'
