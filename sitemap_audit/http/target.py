"""Where a URL leads: the parts of a WHATWG href that a transfer needs, or the reason why it is none."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

import ada_url

PORTS: Final = {"http": 80, "https": 443}
ORIGINS_REMEMBERED: Final = 8_192
# Path and query of which the WHATWG parser changes nothing, dot segments apart. It is slower than a whole
# request should be, so it is asked once an origin, and about the paths with other characters.
_PLAIN: Final = re.compile(r"/[!$%&()*+,\-./0-9:;=?@A-Z_a-z~]*", re.ASCII)


class Target(NamedTuple):
    """`host` as in the URL (IPv6 in brackets), `port` effective, `origin` without a default port.

    `lane`: whose connections are counted together, the host for ports 80 and 443, else host:port.
    """

    origin: str
    scheme: str
    host: str
    port: int
    lane: str


def read_target(href: str) -> Target | str:
    """The target of an http(s) href; a sentence when `href` is anything else. Never raises."""
    cut = href.find("/", 8)
    path = href[cut:]
    if cut > 0 and "/." not in path and "%2" not in path and _PLAIN.fullmatch(path) is not None:
        target = _target_of(href[:cut])
        if target is not None:
            return target
    return _read_all(href)


@lru_cache(maxsize=ORIGINS_REMEMBERED)
def _target_of(origin: str) -> Target | None:
    """The target if this text is an origin in normal form, as it stands before the path of an href."""
    target = _read_all(origin + "/")
    return target if isinstance(target, Target) and target.origin == origin else None


def _read_all(href: str) -> Target | str:
    try:
        url = ada_url.URL(href)
    except ValueError:
        return "it cannot be read as a URL"
    scheme = url.protocol[:-1]
    if scheme not in PORTS:
        return f"its scheme is {scheme[:20]!r}, only http and https are fetched"
    if url.username or url.password:
        return "it carries a user name or password"
    if url.href != href:
        return "it is not in normal form"
    host = url.hostname
    port = int(url.port) if url.port else PORTS[scheme]
    return Target(url.origin, scheme, host, port, host if port in PORTS.values() else f"{host}:{port}")
