"""SITE arguments as the command line takes them → what the audit may fetch, and whom it tells apart.

CONTRACT of `run`: SITE is an origin, a bare host (https, then http), or a URL with a path. The scope is
the hosts of SITE with their www/apex twin, both schemes, and what `--scope` adds.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from sitemap_audit.errors import UsageError
from sitemap_audit.formats.urls import Url, parse_url

_LOOKUPS: Final = 32
"""Names that are looked up at the same time."""
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE | re.ASCII)
_SCOPE: Final = re.compile(r"(\*\.)?[a-z0-9_.:\[\]-]+", re.ASCII)


def read_site(text: str) -> Url:
    """The URL that a SITE argument means; a bare host is taken as https. Raises UsageError."""
    text = text.strip()
    if text and not _SCHEME.match(text):
        text = "https://" + text
    url = parse_url(text)
    if url is None or not url.host.strip("."):
        raise UsageError(
            f"SITE {text!r} is not a site that can be audited: give a host (example.com), an origin "
            "(https://example.com) or the http(s) address of a sitemap"
        )
    return url


def is_bare_host(text: str) -> bool:
    return not _SCHEME.match(text.strip())


def twin(host: str) -> str | None:
    """The www form of an apex host and the reverse; None for addresses and single labels."""
    if host.startswith("[") or host.replace(".", "").isdigit() or "." not in host:
        return None
    return host[4:] if host.startswith("www.") else "www." + host


def scope_of(sites: Sequence[Url], further: Iterable[str]) -> tuple[str, ...]:
    """All hosts whose pages may be fetched, sorted; `*.example.com` stands for subdomains."""
    hosts: set[str] = set()
    for site in sites:
        hosts.add(site.host)
        other = twin(site.host)
        if other:
            hosts.add(other)
    for text in further:
        name = text.strip().lower().removesuffix(".")
        star = name.startswith("*.")
        url = parse_url("https://" + name.removeprefix("*."))
        if url is None or "/" in name or not _SCOPE.fullmatch("*." * star + url.host):
            raise UsageError(f"--scope {text!r} is no host name: give shop.example.com or *.example.com")
        hosts.add("*." * star + url.host)
    return tuple(sorted(hosts))


def origins_of(sites: Sequence[Url]) -> tuple[str, ...]:
    """The origins that get the `--header` lines: those of the SITEs, both schemes, and their twins."""
    found: set[str] = set()
    for site in sites:
        for host in filter(None, (site.host, twin(site.host))):
            if site.port in (80, 443):
                found.update((f"http://{host}", f"https://{host}"))
            else:
                found.add(f"{site.scheme}://{host}:{site.port}")
    return tuple(sorted(found))


def private_sockets(sites: Sequence[Url]) -> tuple[str, ...]:
    """`address port` of SITEs that are themselves private: naming one on the command line admits it.

    Only loopback and literal addresses and names that resolve to nothing but private addresses count,
    so that a public name cannot open the way into the network by rebinding.
    """
    found: set[str] = set()
    with ThreadPoolExecutor(_LOOKUPS) as pool:  # one after the other, thousands of SITEs take minutes
        looked_up = list(pool.map(lambda site: _addresses(site.host, site.port), sites))
    for site, addresses in zip(sites, looked_up, strict=True):
        if addresses and all(not ipaddress.ip_address(a).is_global for a in addresses):
            found.update(f"{a} {site.port}" for a in addresses)
            if site.port in (80, 443):
                found.update(f"{a} {p}" for a in addresses for p in (80, 443))
    return tuple(sorted(found))


def _addresses(host: str, port: int) -> set[str]:
    try:
        infos = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return set()
    return {str(info[4][0]).split("%", 1)[0] for info in infos}
