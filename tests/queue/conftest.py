"""A real Valkey for the queue's tests: one server for the folder, emptied before each test."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from sitemap_audit.queue.server import connect, private_server


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, private_server(Path(folder) / ".server") as url:
        yield url


@pytest.fixture
def client(server_url: str) -> Iterator[redis.Redis]:
    with connect(server_url) as found:
        found.flushall()
        found.config_set("maxmemory", "1gb")
        yield found
