"""`scrapy crawl sitemaps`: discovery alone, without Redis; one exported item is one entry."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from scrapy import signals
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.settings import Settings

from crawler.context import Context, words
from crawler.publish import ENTRY_FIELDS
from crawler.spiders.sitemaps import SitemapsSpider
from sitemap_audit.errors import UsageError
from sitemap_audit.facts import Entry
from tests.crawler.runs import index, project_settings, urlset
from tests.site.server import Reply, Site, serve

A = "https://a.example"
ROOT = Path(__file__).parents[2]
SITES = {
    "a.example": {
        "/robots.txt": Reply.text(f"Sitemap: {A}/i.xml\n"),
        "/i.xml": Reply.xml(index(f"{A}/s.xml")),
        "/s.xml": Reply.xml(
            urlset(f"{A}/1</loc><lastmod>2026-01-02T03:04:05+01:00</lastmod><loc>", f"{A}/2").replace(
                "<loc></loc>", ""
            )
        ),
        "/more.xml": Reply.xml(urlset(f"{A}/3")),
    }
}


def _settings(site: Site, **more: Any) -> Settings:
    settings = project_settings()
    settings.set("SITEMAP_AUDIT_CONNECT_TO", " ".join(site.transport.connect_to))
    settings.set("SITEMAP_AUDIT_CACERT", str(site.ca_file))
    settings.set("SITEMAP_AUDIT_RATE", 0)
    for name, value in more.items():
        settings.set(name, value)
    return settings


async def _crawl(settings: Settings, **arguments: str) -> tuple[list[dict[str, Any]], Any]:
    items: list[dict[str, Any]] = []

    def on_item(item: dict[str, Any], response: Any, spider: Any) -> None:
        items.append(item)

    runner = AsyncCrawlerRunner(settings)
    crawler = runner.create_crawler("sitemaps")
    crawler.signals.connect(on_item, signal=signals.item_scraped, weak=False)
    await asyncio.wait_for(runner.crawl(crawler, **arguments), 30)
    return items, crawler


async def test_one_item_is_one_entry_with_the_fields_of_the_view() -> None:
    with serve(SITES) as site:
        items, crawler = await _crawl(_settings(site), site=A, sitemap=f"{A}/more.xml")
    assert sorted(item["loc"] for item in items) == [f"{A}/1", f"{A}/2", f"{A}/3"]
    assert all(tuple(item) == ENTRY_FIELDS for item in items)
    assert set(ENTRY_FIELDS) == {name for name in Entry.__dataclass_fields__ if name != "is_child"}
    first = next(item for item in items if item["loc"] == f"{A}/1")
    assert (first["sitemap"], first["position"], first["line"]) == (f"{A}/s.xml", 1, 3)
    assert first["lastmod"] == "2026-01-02T02:04:05Z"
    assert crawler.stats.get_value("finish_reason") == "finished"
    assert crawler.stats.get_value("sitemap_audit/files/urlset/ok") == 2
    assert crawler.stats.get_value("sitemap_audit/robots/ok") == 1
    assert crawler.stats.get_value("log_count/ERROR") is None


async def test_settings_of_the_audit_reach_the_site() -> None:
    with serve(SITES) as site:
        settings = _settings(site, SITEMAP_AUDIT_USER_AGENT="Mine/2", SITEMAP_AUDIT_RATE=40)
        await _crawl(settings, site="http://a.example")
        assert {r.header("user-agent") for r in site.log} == {"Mine/2"}
        times = [r.at for r in site.log if r.scheme == "http"]
        assert len(times) > 1
        assert times[-1] - times[0] >= (len(times) - 1) * 0.025 - 0.0125


async def test_doors_stay_shut() -> None:
    with serve(SITES) as site:
        _, crawler = await _crawl(_settings(site), site=A)
    assert not crawler.settings.getbool("TELNETCONSOLE_ENABLED")
    assert not crawler.settings.getbool("REMOTE_CONTROL_ENABLED")
    assert not crawler.settings.getbool("COOKIES_ENABLED")
    handlers = crawler.settings.getwithbase("DOWNLOAD_HANDLERS")
    assert {scheme for scheme, path in handlers.items() if path is not None} == {"http", "https"}
    names = {type(extension).__name__ for extension in crawler.extensions.middlewares}
    assert not names & {"TelnetConsole", "RemoteControl", "MemoryUsage"}


async def test_a_crawl_without_a_site_is_refused() -> None:
    with pytest.raises(UsageError, match="-a site="):
        SitemapsSpider.from_crawler(AsyncCrawlerRunner(project_settings()).create_crawler("sitemaps"))


@pytest.mark.parametrize(("sites", "sitemaps"), [(("ftp://a/",), ()), ((), ("mailto:x@y",))])
def test_addresses_that_cannot_be_used(sites: tuple[str, ...], sitemaps: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        Context.alone(project_settings(), sites, sitemaps)


def test_a_private_site_named_by_the_user_admits_itself() -> None:
    context = Context.alone(project_settings(), ("http://127.0.0.1:8123",), ())
    assert context.options.allow_sockets == ("127.0.0.1 8123",)
    assert Context.alone(project_settings(), ("https://192.0.2.1",), ()).options.scope == ("192.0.2.1",)


def test_lists_in_settings() -> None:
    assert words(None) == ()
    assert words("a:1:b:2, c:3:d:4  e") == ("a:1:b:2", "c:3:d:4", "e")
    assert words(["x y"]) == ("x y",)


def test_from_the_checkout_as_any_scrapy_project(tmp_path: Path) -> None:
    out = tmp_path / "entries.jsonl"
    with serve(SITES) as site:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "scrapy", "crawl", "sitemaps", "-a", f"site={A}", "-O", str(out)),
                *("-s", f"SITEMAP_AUDIT_CONNECT_TO={','.join(site.transport.connect_to)}"),
                *("-s", f"SITEMAP_AUDIT_CACERT={site.ca_file}", "-s", "SITEMAP_AUDIT_RATE=0"),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    rows = [orjson.loads(line) for line in out.read_bytes().splitlines()]
    assert [row["loc"] for row in rows] == [f"{A}/1", f"{A}/2"]
    assert tuple(rows[0]) == ENTRY_FIELDS
