"""Addresses that cannot exist: what a host answers to them tells its error page (definitions 2).

Two at the root of an origin, and one below each first path segment with many listed URLs. Their names follow
from origin, segment and number, so that a second run asks for the same.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Final

from sitemap_audit.settings import PROBE_SEGMENT_URLS, PROBE_TALLY_URLS, PROBES_OF_HOST

_ROOT_PROBES: Final = 2


def probe_urls(listed: Iterable[str]) -> list[str]:
    """The probes for the hosts of listed URLs (WHATWG form), of each origin in the order of its first URL.

    The first PROBE_TALLY_URLS of them are counted, which says where the most are.
    """
    segments: dict[str, Counter[str]] = {}
    for url in islice(listed, PROBE_TALLY_URLS):
        scheme, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        segment, slash, _ = path.partition("?")[0].partition("/")
        counter = segments.setdefault(f"{scheme}://{host}", Counter())
        if slash and segment:
            counter[segment] += 1
    return [probe for origin, counter in segments.items() for probe in _of_origin(origin, counter)]


def _of_origin(origin: str, segments: Counter[str]) -> list[str]:
    probes = [_probe(origin, "", number) for number in range(1, _ROOT_PROBES + 1)]
    for segment, urls in segments.most_common(PROBES_OF_HOST - _ROOT_PROBES):
        if urls >= PROBE_SEGMENT_URLS:
            probes.append(_probe(origin, segment, 1))
    return probes


def _probe(origin: str, segment: str, number: int) -> str:
    name = hashlib.sha256(f"{origin}\n{segment}\n{number}".encode()).hexdigest()[:12]
    return f"{origin}/{segment}{'/' if segment else ''}sitemap-audit-404-probe-{name}"
