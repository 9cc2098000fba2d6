"""Answers that attack the reader (tests/site/hostile.py): each ends in the fact that it should, in time and memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sitemap_audit.http import ClientOptions
from tests.site.attack import MIB, STATUS, measure
from tests.site.hostile import THREATS, hostile_site
from tests.site.server import serve

# benchmarks/bombs.py prints the times of a quiet machine; a busy one gets ten times the half second of row 22.
CPU_S = {5: 5.0, 22: 5.0}
GROWN_MIB = {5: 64, 22: 330}


@pytest.fixture(scope="module")
def options() -> Iterator[ClientOptions]:
    with serve({"*": hostile_site}) as site:
        yield ClientOptions(transport=site.transport)


@pytest.mark.skipif(not STATUS.exists(), reason="memory is read in /proc")
@pytest.mark.parametrize("number", range(len(THREATS)), ids=[threat.name for threat in THREATS])
def test_a_threat(options: ClientOptions, number: int) -> None:
    threat = THREATS[number]
    got = measure(options, number)
    assert got.fact == threat.fact
    assert got.cpu_s < CPU_S.get(threat.row, 1.0)
    assert got.grown < GROWN_MIB.get(threat.row, 32) * MIB
