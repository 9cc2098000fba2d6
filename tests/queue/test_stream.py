"""The streams: order, bounds, nothing forgotten before it is stored."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
import redis

from sitemap_audit.errors import ServerError
from sitemap_audit.queue import keys
from sitemap_audit.queue.messages import EntriesMessage, PagesMessage, RobotsMessage
from sitemap_audit.queue.stream import GaveUpError, Publisher, Reader
from sitemap_audit.settings import FINISHED_LEASE_MS

PAGE = PagesMessage(batch="b1", worker="w1", done=(1,), lines=b"{}\n")


def test_pages_come_before_entries(client: redis.Redis) -> None:
    publisher = Publisher(client, "r1")
    for _ in range(3):
        publisher.publish_entries(EntriesMessage(lines=b"{}\n", count=1))
    publisher.publish_pages(PAGE)
    publisher.publish_robots(RobotsMessage(lines=b"{}\n", count=1), from_worker=True)
    reader = Reader(client, "r1")
    kinds = [type(d.message).__name__ for _ in range(3) for d in reader.read(0)]
    assert kinds == ["PagesMessage", "RobotsMessage", "EntriesMessage", "EntriesMessage", "EntriesMessage"]
    assert reader.read(0) == []


def test_a_waiting_reader_wakes_when_something_comes(client: redis.Redis) -> None:
    reader = Reader(client, "r1")
    timer = threading.Timer(0.2, Publisher(client, "r1").publish_pages, [PAGE])
    timer.start()
    began = time.monotonic()
    assert [d.message for d in reader.read(5000)] == [PAGE]
    assert time.monotonic() - began < 3
    timer.join()


def test_what_was_not_forgotten_is_read_again(client: redis.Redis) -> None:
    publisher = Publisher(client, "r1")
    for number in range(5):
        publisher.publish_pages(PagesMessage(batch="b", worker="w", done=(number,), lines=b"{}\n"))
    reader = Reader(client, "r1")
    read = reader.read(0)
    reader.forget(read[:2])
    assert reader.backlog() == (3, 0)
    assert [d.message for d in Reader(client, "r1").read(0)] == [d.message for d in read[2:]]


def test_old_messages_of_a_server_that_came_back_from_its_log_are_forgotten(client: redis.Redis) -> None:
    publisher, reader = Publisher(client, "r1"), Reader(client, "r1")
    reader.forget_read()  # nothing was read yet
    for _ in range(2):
        publisher.publish_pages(PAGE)
        publisher.publish_entries(EntriesMessage(lines=b"{}\n", count=1))
    while reader.read(0):
        pass
    publisher.publish_pages(PAGE)
    reader.forget_read()
    assert reader.backlog() == (1, 0), "what was not read stays"


def test_the_publisher_waits_at_the_bound_and_goes_on(client: redis.Redis) -> None:
    publisher = Publisher(client, "r1", max_messages=5)
    sent: list[int] = []

    def send() -> None:
        for number in range(12):
            publisher.publish_pages(PAGE)
            sent.append(number)

    thread = threading.Thread(target=send)
    thread.start()
    reader = Reader(client, "r1")
    seen = 0
    while seen < 12:
        assert client.xlen(keys.pages_stream("r1")) <= 5
        found = reader.read(5000, count=3)
        assert found, "the publisher stands still"
        seen += len(found)
        reader.forget(found)
    thread.join(5)
    assert sent == list(range(12))


def test_a_full_server_makes_the_publisher_wait(client: redis.Redis) -> None:
    used = int(client.info("memory")["used_memory"])
    ballast = bytes(40_000_000)
    client.set("ballast", ballast)
    client.config_set("maxmemory", str(used + 42_000_000))
    publisher = Publisher(client, "r1")
    thread = threading.Thread(target=publisher.publish_pages, args=[PAGE])
    thread.start()
    thread.join(0.3)
    assert thread.is_alive()
    assert client.xlen(keys.pages_stream("r1")) == 0
    client.delete("ballast")
    thread.join(5)
    assert client.xlen(keys.pages_stream("r1")) == 1


def test_a_refused_write_is_tried_again(client: redis.Redis) -> None:
    """Another user of the server may fill it between our look at its memory and the write."""
    publisher = Publisher(client, "r1")
    publisher.publish_pages(PAGE)  # looked at the memory just now: there is room
    client.config_set("maxmemory", "1")
    finished = PagesMessage(batch="b1", worker="w1", finished=True)
    thread = threading.Thread(target=publisher.publish_pages, args=[finished])
    thread.start()
    thread.join(0.3)
    assert thread.is_alive()
    client.config_set("maxmemory", "1gb")
    thread.join(5)
    assert [d.message for d in Reader(client, "r1").read(0)] == [PAGE, finished]


def test_giving_up_ends_the_wait(client: redis.Redis) -> None:
    give_up = threading.Event()
    publisher = Publisher(client, "r1", give_up=give_up, max_messages=0)
    give_up.set()
    with pytest.raises(GaveUpError):
        publisher.publish_pages(PAGE)


def test_the_last_message_prolongs_the_lease_in_the_same_step(client: redis.Redis) -> None:
    client.set(keys.lease("r1", "b1"), "w1", px=500)
    Publisher(client, "r1").publish_pages(PagesMessage(batch="b1", worker="w1", finished=True))
    assert int(client.pttl(keys.lease("r1", "b1"))) > FINISHED_LEASE_MS / 2


@pytest.mark.parametrize("changed", [{b"k": b"tomorrow"}, {b"h": b"no gzip"}, {b"p": b"cut"}, {b"h": b""}])
def test_a_message_of_another_version_is_said(client: redis.Redis, changed: dict[Any, Any]) -> None:
    Publisher(client, "r1").publish_pages(PAGE)
    rows: Any = client.xrange(keys.pages_stream("r1"))
    message_id, fields = rows[0]
    client.xadd(keys.pages_stream("r1"), {**fields, **changed})
    client.xdel(keys.pages_stream("r1"), message_id)
    with pytest.raises(ServerError, match="another version"):
        Reader(client, "r1").read(0)


async def test_publishing_from_asyncio(client: redis.Redis) -> None:
    publisher = Publisher(client, "r1")
    await asyncio.gather(*(asyncio.to_thread(publisher.publish_pages, PAGE) for _ in range(20)))
    assert len(Reader(client, "r1").read(0)) == 20
