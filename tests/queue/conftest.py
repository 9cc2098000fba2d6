"""A real Valkey for the queue's tests: one server for the folder, emptied before each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from sitemap_audit.queue.server import connect


@pytest.fixture
def client(server_url: str) -> Iterator[redis.Redis]:
    with connect(server_url) as found:
        found.flushall()
        found.config_set("maxmemory", "1gb")
        yield found
