"""The address guard: which socket addresses this audit may connect to.

It judges the address that is about to be connected, after name resolution and for each new socket, so
neither spelling nor a name that changes its address gets around it. Denied is everything that is not
a global unicast address of the internet, and every port but 80, 443 and those of the SITEs.
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple

from sitemap_audit.errors import UsageError
from sitemap_audit.http.records import ClientOptions

Network = IPv4Network | IPv6Network

DEFAULT_PORTS: Final = {"http": 80, "https": 443}

# What `ipaddress` of some Python version calls global and is not a web server's address, or which
# embeds an IPv4 address. The registries of IANA, special-purpose addresses, and one cloud's own.
DENIED: Final[tuple[tuple[Network, str], ...]] = tuple(
    (ip_network(network), name)
    for network, name in (
        ("192.0.0.0/24", "reserved for protocols"),
        ("192.88.99.0/24", "a 6to4 relay"),
        ("168.63.129.16/32", "a cloud's internal service"),
        ("224.0.0.0/4", "multicast"),
        ("100::/64", "discard only"),
        ("2001::/23", "reserved for protocols"),
        ("2002::/16", "6to4"),
        ("3fff::/20", "documentation"),
    )
)
INTERNET_V6: Final = IPv6Network("2000::/3")
"""The only part of IPv6 that is handed out as global unicast; NAT64, site-local, mapped … lie outside."""
EMBEDDED_V4: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("::ffff:0:0:0/96"))
"""IPv4-mapped and -translated addresses: the IPv4 address inside is judged."""

_PIN: Final = re.compile(
    r"(\[[0-9a-f:.]+\]|[!-9;-Z\\^-~]*):([0-9]*):(\[[0-9a-f:.]+\]|[!-9;-Z\\^-~]*):([0-9]*)",
    re.ASCII | re.IGNORECASE,
)


class Pin(NamedTuple):
    """One `--connect-to`: empty host or 0 as port stands for any, in a target for the URL's own."""

    host: str
    port: int
    target_host: str
    target_port: int


class Guard:
    """Decides on addresses; holds no state of a connection and may be shared."""

    def __init__(self, options: ClientOptions) -> None:
        """Raise UsageError for a CIDR, socket or `--connect-to` that cannot be read."""
        self._networks = tuple(_network(text) for text in options.allow_private)
        self._sockets = {_socket(text) for text in options.allow_sockets}
        self._pins = tuple(_pin(text) for text in options.transport.connect_to)
        self._ports = {*DEFAULT_PORTS.values(), *(_port_of_origin(origin) for origin in options.origins)}
        for pin in self._pins:
            address = _address(pin.target_host)
            if address is not None and pin.target_port:
                self._sockets.add((address, pin.target_port))

    def may_connect(self, address: str, port: int, pin: Pin | None = None) -> str | None:
        """None when a socket to this address (text of an IPv4 or IPv6 address) may be opened, else why not.

        `pin`: what `pinned` says of the request. The target that the user named there is exempt; a pin
        without a target host only names a port, and the address is judged.
        """
        parsed = _address(address)
        if parsed is None:
            return f"{address[:80]!r} is no internet address"
        if (parsed, port) in self._sockets:
            return None
        if pin is not None and pin.target_port in (0, port):
            named = _address(pin.target_host) if pin.target_host else None
            if pin.target_host and named in (None, parsed):
                return None
        if port not in self._ports and not (pin is not None and pin.target_port == port):
            return f"port {port} of {parsed} is neither 80 nor 443 nor the port of a SITE"
        if any(parsed in network for network in self._networks):
            return None
        kind = _kind(parsed)
        if kind is None:
            return None
        return f"{parsed} is not a public address ({kind}); --allow-private lets it through"

    def pinned(self, host: str, port: int) -> Pin | None:
        """The `--connect-to` that redirects requests for host (as in the URL) and port; the first that fits."""
        for pin in self._pins:
            if pin.host in ("", host) and pin.port in (0, port):
                return pin
        return None


@lru_cache(maxsize=4096)
def _address(text: str) -> IPv4Address | IPv6Address | None:
    """The address that counts: without zone, the IPv4 one inside a mapped or translated IPv6 one."""
    try:
        address = ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None
    if address.version == 6 and any(address in network for network in EMBEDDED_V4):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


@lru_cache(maxsize=4096)
def _kind(address: IPv4Address | IPv6Address) -> str | None:
    """Why this is no address of a public web server, None when it is one."""
    if address.is_loopback:
        return "loopback"
    if address.is_link_local:
        return "link-local"
    if address.is_unspecified:
        return "unspecified"
    if address.is_multicast:
        return "multicast"
    for network, name in DENIED:
        if address in network:
            return name
    if not address.is_global:
        return "private or reserved"
    if address.version == 6 and address not in INTERNET_V6:
        return "outside of the global unicast space"
    return None


def _network(text: str) -> Network:
    try:
        return ip_network(text, strict=False)
    except ValueError as error:
        raise UsageError(
            f"--allow-private {text!r}: {error}; give an address or a CIDR such as 10.0.0.0/8."
        ) from None


def _socket(text: str) -> tuple[IPv4Address | IPv6Address, int]:
    host, _, port = text.partition(" ")
    address = _address(host)
    if address is None or not _is_port(port):
        raise UsageError(f"{text!r} is no socket: an address, a blank and a port are wanted.")
    return address, int(port)


def _pin(text: str) -> Pin:
    """Read curl's HOST1:PORT1:HOST2:PORT2; IPv6 addresses stand in brackets."""
    parts = _PIN.fullmatch(text)
    if parts is None or not all(port == "" or _is_port(port) for port in parts.groups()[1::2]):
        raise UsageError(f"--connect-to {text!r}: give HOST1:PORT1:HOST2:PORT2, IPv6 addresses in brackets.")
    host, port, target_host, target_port = parts.groups()
    return Pin(host.lower(), int(port or 0), target_host, int(target_port or 0))


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text) < 65_536


def _port_of_origin(origin: str) -> int:
    scheme, _, rest = origin.partition("://")
    tail = rest.rpartition("]")[2].rpartition(":")[2] if ":" in rest.rpartition("]")[2] else ""
    port = tail.rstrip("/")
    return int(port) if _is_port(port) else DEFAULT_PORTS.get(scheme, 443)
