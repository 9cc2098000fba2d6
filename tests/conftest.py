"""Fixtures for all packages: sites on loopback (tests/site/server.py tells how to use them)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.site.server import Site, serve
from tests.site.truth import TRUTH


@pytest.fixture(scope="session")
def truth() -> Iterator[Site]:
    """The truth site, one path a behaviour (tests/site/truth.py), shared by the whole session."""
    with serve(TRUTH) as site:
        yield site
