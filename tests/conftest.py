"""Fixtures for all packages: sites on loopback (tests/site/server.py tells how to use them), and a Valkey.

Also what holds for the whole session: the order of the tests, and how many examples a property gets.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from sitemap_audit.queue.private import private_server
from tests.depth import examples
from tests.site.server import Site, serve
from tests.site.truth import TRUTH

settings.register_profile("sitemap-audit", max_examples=examples(100))
settings.load_profile("sitemap-audit")

FIRST = ("cli", "http/test_redirect_matrix.py", "workers", "crawler", "store", "http")
"""Tests that start processes or wait, one audit for many of them: begun last, they would be all that still runs."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first, and the short ones of a file together (with `--dist loadgroup`): they fill what is left."""
    root = Path(__file__).parent
    places = {}
    for item in items:
        path = item.path.relative_to(root).as_posix()
        places[item] = next((n for n, start in enumerate(FIRST) if path.startswith(start)), len(FIRST))
        if places[item] >= FIRST.index("http"):
            rule = getattr(item, "callspec", None) and item.callspec.params.get("rule")  # type: ignore[attr-defined]
            item.add_marker(pytest.mark.xdist_group(f"{path} {getattr(rule, 'area', '')}"))
    items.sort(key=places.__getitem__)


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
