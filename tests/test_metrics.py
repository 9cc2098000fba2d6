"""The address of --metrics: loopback unless somebody says otherwise, one clear line when it cannot be had."""

from __future__ import annotations

import socket
import urllib.request

import pytest
from prometheus_client import Counter
from prometheus_client.registry import CollectorRegistry

from sitemap_audit.errors import UsageError
from sitemap_audit.metrics import Address, read_address, serving


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (":9108", Address("127.0.0.1", 9108)),
        ("9108", Address("127.0.0.1", 9108)),
        ("127.0.0.1:0", Address("127.0.0.1", 0)),
        ("0.0.0.0:9108", Address("0.0.0.0", 9108)),
        ("[::1]:9108", Address("::1", 9108)),
        ("metrics.internal:80", Address("metrics.internal", 80)),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert read_address(text) == address
    assert read_address(address.text) == address


@pytest.mark.parametrize(
    "text", ["", ":", "host", "host:", ":65536", "::1:80", "a b:80", "http://a:80", ":-1"]
)
def test_what_is_no_address_is_said(text: str) -> None:
    with pytest.raises(UsageError, match="--metrics"):
        read_address(text)


def test_it_serves_what_is_registered_and_ends() -> None:
    registry = CollectorRegistry()
    Counter("things", "Some.", registry=registry).inc(3)
    with serving(Address("127.0.0.1", 0), registry) as port:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            assert b"things_total 3.0" in answer.read()
        with (
            pytest.raises(UsageError, match=f"{port} cannot be used: Address already in use"),
            serving(Address("127.0.0.1", port), registry),
        ):
            pass
    with socket.socket() as again:
        assert again.connect_ex(("127.0.0.1", port)) != 0, "nobody listens any more"
