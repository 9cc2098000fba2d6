"""Whole discoveries of a run: real Scrapy, a real Valkey, sites on loopback. `discover` gives what was published."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis

from crawler import __main__ as command
from sitemap_audit.queue.private import private_server
from sitemap_audit.queue.server import connect
from tests.crawler.runs import Discover, Outcome, project_settings, run_context, run_options
from tests.site.server import Sites, serve


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, private_server(Path(folder) / ".server") as url:
        yield url


@pytest.fixture
def client(server_url: str) -> Iterator[redis.Redis]:
    with connect(server_url) as found:
        found.flushall()  # The pace of a host outlives a run, and a widened gap would slow the next test.
        yield found


@pytest.fixture
def discover(server_url: str, client: redis.Redis) -> Discover:
    async def run(sites: Sites, *names: str, pins: tuple[str, ...] = (), **options: Any) -> Outcome:
        wanted = run_options(*names, **options)
        with serve(sites) as site:
            transport = replace(site.transport, connect_to=(*pins, *site.connect_to))
            context = run_context(server_url, client, wanted, transport)
            outcome = Outcome(site=site)
            outcome.code = await asyncio.wait_for(command.discover(context, project_settings()), 30)
        outcome.take(client, wanted.run_id)
        return outcome

    return run
