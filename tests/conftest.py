"""Fixtures for all packages: sites on loopback (tests/site/server.py tells how to use them), and a Valkey."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitemap_audit.queue.private import private_server
from tests.site.server import Site, serve
from tests.site.truth import TRUTH


@pytest.fixture(scope="session")
def truth() -> Iterator[Site]:
    """The truth site, one path a behaviour (tests/site/truth.py), shared by the whole session."""
    with serve(TRUTH) as site:
        yield site


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """A real Valkey for the whole session; who uses it empties it before each test."""
    with tempfile.TemporaryDirectory() as folder, private_server(Path(folder) / ".server") as url:
        yield url
