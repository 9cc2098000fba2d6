"""What a run was asked to do, as records that travel to the crawler and the workers.

Two records, because two ways: RunOptions goes through Redis as JSON and holds nothing secret.
Transport holds headers, files and connection targets; it reaches local children through one
environment variable and remote workers by their own command line, never through Redis.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, Self

import orjson

from sitemap_audit import __version__
from sitemap_audit.settings import (
    CONCURRENCY,
    DEFAULT_BOT,
    PRODUCT_TOKEN,
    PROJECT_URL,
    RATE_PER_S,
    RECHECK_AFTER_S,
    SCHEMA,
)

TRANSPORT_VARIABLE: Final = "SITEMAP_AUDIT_TRANSPORT"
DEFAULT_USER_AGENT: Final = f"{PRODUCT_TOKEN}/{__version__} (+{PROJECT_URL})"


def _known(cls: type, data: Mapping[str, Any]) -> dict[str, Any]:
    names = {f.name for f in fields(cls)}
    return {k: tuple(v) if isinstance(v, list) else v for k, v in data.items() if k in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class Transport:
    """How this machine reaches the site; each worker host has its own."""

    headers: tuple[str, ...] = ()
    """`Name: value` lines, sent to the audited origins only."""
    connect_to: tuple[str, ...] = ()
    """curl's HOST1:PORT1:HOST2:PORT2; the targets are exempt from the address guard."""
    cacert: str | None = None
    insecure: bool = False
    http2: bool = False
    """Offer HTTP/2 to https servers. One connection to a host then carries all its requests, which is slower
    than several of HTTP/1.1 (measured), and what most crawlers do not do."""

    @classmethod
    def from_environment(cls) -> Self:
        """The transport that a parent process handed over; the default one where there is none."""
        text = os.environ.get(TRANSPORT_VARIABLE)
        return cls.from_json(text.encode()) if text else cls()

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        return cls(**_known(cls, orjson.loads(text)))

    def marks(self) -> tuple[str, ...]:
        """One text for each option that decides which site is seen: comparable, and nothing secret.

        Of a header its name, of a file its content, of a connection target a hash.
        """
        found = [f"--header {line.partition(':')[0].strip().lower()}" for line in self.headers]
        found += [f"--connect-to {_mark(pin.encode())}" for pin in self.connect_to]
        if self.cacert is not None:
            try:
                found.append(f"--cacert {_mark(Path(self.cacert).read_bytes())}")
            except OSError:
                found.append("--cacert unreadable")
        found += ["--insecure"] * self.insecure + ["--http2"] * self.http2
        return tuple(sorted(set(found)))

    def to_environment(self) -> dict[str, str]:
        return {TRANSPORT_VARIABLE: orjson.dumps(self).decode()}


def _mark(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def difference(wanted: tuple[str, ...], own: tuple[str, ...]) -> str:
    """How a process reaches the site otherwise than the run does (`Transport.marks`); empty when alike."""
    lacks, extra = (
        Counter(mark if mark.startswith("--header") else mark.split()[0] for mark in marks)
        for marks in (set(wanted) - set(own), set(own) - set(wanted))
    )
    another = lacks & extra
    said = [f"has another {name}" for name in another]
    said += [f"lacks {name}" for name in lacks if name not in another]
    said += [f"has {name}, which the run has not" for name in extra if name not in another]
    return "; ".join(sorted(said))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The audit itself; the same for spider, workers and coordinator."""

    run_id: str
    """Lower-case letters and digits: part of Redis keys and file names."""
    sites: tuple[str, ...] = ()
    """As given: an origin, a bare host, or the URL of a sitemap or feed."""
    sitemaps: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    """Hosts whose URLs are checked: names, and `*.example.com` for subdomains. Complete: the hosts of
    SITE and their www/apex twins are already among them."""
    origins: tuple[str, ...] = ()
    """Origins that get the `--header` lines: those of the SITEs, both schemes, twins included."""
    rate: float = RATE_PER_S
    concurrency: int = CONCURRENCY
    bots: tuple[str, ...] = (DEFAULT_BOT,)
    """Lower case; the first is the verdict's bot."""
    robots_mode: str = "google"
    user_agent: str = DEFAULT_USER_AGENT
    allow_private: tuple[str, ...] = ()
    """CIDRs that the address guard lets through."""
    allow_sockets: tuple[str, ...] = ()
    """`address port` pairs (blank between) of SITEs that are themselves private."""
    inspect_blocked: bool = False
    depth: str = "page"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_urls: int | None = None
    sample: int | None = None
    recheck_after_s: float = RECHECK_AFTER_S
    marks: tuple[str, ...] | None = None
    """`Transport.marks` of the coordinator: a worker that has others sees another site, and says so."""
    schema: int = SCHEMA

    def to_json(self) -> bytes:
        return orjson.dumps(self)

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        return cls(**_known(cls, orjson.loads(text)))

    def in_scope(self, host: str) -> bool:
        """May pages of this host (lower case, without port) be fetched in this audit?"""
        hosts, suffixes = _split(self.scope)
        return host in hosts or host.endswith(suffixes)


_splits: Final[dict[int, tuple[tuple[str, ...], frozenset[str], tuple[str, ...]]]] = {}
"""By the identity of the scope, which is held here so that it stays unique."""
_SPLITS_KEPT: Final = 8


def _split(scope: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Hosts of a scope, and the ends that its `*.` allow. An audit of thousands of sites asks this for each URL."""
    found = _splits.get(id(scope))
    if found is None or found[0] is not scope:
        if len(_splits) >= _SPLITS_KEPT:
            _splits.clear()
        suffixes = tuple(s[1:] for s in scope if s.startswith("*."))
        found = _splits[id(scope)] = (scope, frozenset(scope), suffixes)
    return found[1], found[2]
