"""No command that a test started outlives it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.audit import STARTED


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=10)
