"""A worker that reaches the site in another way than the run does not see a dead site in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitemap_audit.coordinate.known import say_unlike
from sitemap_audit.options import Transport, difference
from sitemap_audit.queue.jobs import tell_unlike
from sitemap_audit.queue.server import connect

PIN = "shop.example:443:127.0.0.1:8443"


def test_alike_whatever_the_order_and_the_place_of_the_file(tmp_path: Path) -> None:
    one, two = tmp_path / "one.pem", tmp_path / "two.pem"
    for file in (one, two):
        file.write_bytes(b"a certificate")
    a = Transport(headers=("Cookie: a", "X-Key: 1"), connect_to=(PIN, "::h:1"), cacert=str(one))
    b = Transport(headers=("x-key: other", "cookie: b"), connect_to=("::h:1", PIN), cacert=str(two))
    assert difference(a.marks(), b.marks()) == ""
    assert "127.0.0.1" not in "".join(a.marks())
    assert "other" not in "".join(b.marks()), "nothing secret"


@pytest.mark.parametrize(
    ("run", "own", "said"),
    [
        (Transport(connect_to=(PIN,)), Transport(), "lacks --connect-to"),
        (Transport(), Transport(connect_to=(PIN,)), "has --connect-to, which the run has not"),
        (Transport(connect_to=(PIN,)), Transport(connect_to=("::x:1",)), "has another --connect-to"),
        (Transport(headers=("Cookie: a",)), Transport(headers=("X-Key: a",)),
         "has --header x-key, which the run has not; lacks --header cookie"),
        (Transport(cacert="nowhere.pem"), Transport(insecure=True),
         "has --insecure, which the run has not; lacks --cacert"),
    ],
)  # fmt: skip
def test_what_is_unlike(run: Transport, own: Transport, said: str) -> None:
    assert difference(run.marks(), own.marks()) == said


def test_each_difference_is_said_once(server_url: str) -> None:
    said: list[str] = []
    with connect(server_url) as client:
        client.flushall()
        for worker in ("m1.7.ab", "m1.8.cd", "m2.1.ef"):
            tell_unlike(client, "r1", worker, "lacks --cacert")
        tell_unlike(client, "r1", "m2.1.ef", "lacks --connect-to")
        say_unlike(client, "r1", said.append)
        tell_unlike(client, "r1", "m3.1.gh", "lacks --cacert")
        say_unlike(client, "r1", said.append)
    assert [line.split(" reaches")[0] for line in said] == ["worker m1.7.ab", "worker m2.1.ef"]
    assert "it lacks --cacert. What it sees may be wrong" in said[0]
