"""Where a URL leads: the parts of a WHATWG href that a transfer needs, or the reason why it is none."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import ada_url

# A subset of hrefs that is in normal form for sure: the WHATWG parser is asked about the rest only.
# No dot segments, nothing that the path and query encode sets change, a last label that cannot be a number.
_PLAIN: Final = re.compile(
    r"((https?)://((?:(?!xn--)[a-z0-9_-]+\.)+(?!xn--)[a-z][a-z0-9-]*))/"
    r"(?![^?]*(?:/\.|%2[eE]))(?!\.)[!$%&'()*+,\-./0-9:;=@A-Z_a-z~]*(?:\?[!$%&()*+,\-./0-9:;=?@A-Z_a-z~]*)?",
    re.ASCII,
)
_PORTS: Final = {"http": 80, "https": 443}


class Target(NamedTuple):
    """`host` as in the URL (IPv6 in brackets), `port` effective, `origin` without a default port."""

    origin: str
    scheme: str
    host: str
    port: int

    @property
    def lane(self) -> str:
        """Whose connections are counted together: the host for ports 80 and 443, else host:port."""
        return self.host if self.port in (80, 443) else f"{self.host}:{self.port}"


def read_target(href: str) -> Target | str:
    """The target of an http(s) href; a sentence when `href` is anything else. Never raises."""
    plain = _PLAIN.fullmatch(href)
    if plain is not None:
        origin, scheme, host = plain.groups()
        return Target(origin, scheme, host, _PORTS[scheme])
    try:
        url = ada_url.URL(href)
    except ValueError:
        return "it cannot be read as a URL"
    scheme = url.protocol[:-1]
    if scheme not in _PORTS:
        return f"its scheme is {scheme[:20]!r}, only http and https are fetched"
    if url.username or url.password:
        return "it carries a user name or password"
    if url.href != href:
        return "it is not in normal form"
    port = int(url.port) if url.port else _PORTS[scheme]
    return Target(url.origin, scheme, url.hostname, port)
