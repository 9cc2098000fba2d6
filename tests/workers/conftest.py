"""A real Valkey and batches run in this process; processes are the business of test_processes.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import orjson
import pytest
import redis

from sitemap_audit.facts import Attempt, Page
from sitemap_audit.options import RunOptions
from sitemap_audit.queue.jobs import put_options
from sitemap_audit.queue.messages import Again, Batch, BatchUrl, Left, PagesMessage, RobotsMessage, Target
from sitemap_audit.queue.server import connect
from sitemap_audit.queue.stream import Reader
from tests.site.server import Site
from workers.jobs import check_batch, set_station
from workers.station import Station

HOST = "example.com"


@pytest.fixture
def client(server_url: str) -> Iterator[redis.Redis]:
    with connect(server_url) as found:
        found.flushall()
        yield found


@dataclass(slots=True)
class Outcome:
    """Everything that a batch said. `pages` and `robots` are the facts as read from their JSON, by URL and origin."""

    done: list[int] = field(default_factory=list)
    left: dict[int, Left] = field(default_factory=dict)
    again: dict[int, Again] = field(default_factory=dict)
    targets: list[Target] = field(default_factory=list)
    finished: int = 0
    pages: dict[str, dict[str, Any]] = field(default_factory=dict)
    robots: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, message: object) -> None:
        if isinstance(message, RobotsMessage):
            self.robots |= {f["origin"]: f for f in map(orjson.loads, message.lines.splitlines())}
        elif isinstance(message, PagesMessage):
            self.done += message.done
            self.left |= {n.seq: n for n in message.left}
            self.again |= {n.seq: n for n in message.again}
            self.targets += message.targets
            self.finished += message.finished
            self.pages |= {p["requested_url"]: p for p in map(whole, message.lines.splitlines())}

    @property
    def seqs(self) -> list[int]:
        """Every answer about a seq: each one must come once."""
        return sorted([*self.done, *self.left, *self.again])


def whole(line: bytes) -> dict[str, Any]:
    """A page line with what it leaves out; every field must be one of the record."""
    known: dict[str, Any] = {f.name: [] if f.default == () else None for f in fields(Page)}
    page: dict[str, Any] = orjson.loads(line)
    assert page.keys() <= known.keys()
    return known | page


class Bench:
    """One run and one worker in this process."""

    def __init__(self, url: str, client: redis.Redis) -> None:
        self.url = url
        self.client = client
        self.options = RunOptions(
            run_id="r1", scope=(HOST,), origins=(f"https://{HOST}",), rate=0, recheck_after_s=0
        )
        self.station: Station | None = None
        self.reader = Reader(client, "r1")

    def start(self, site: Site, **changed: Any) -> None:
        """Say what the run is, and open the worker; once a test."""
        self.options = replace(self.options, **changed)
        put_options(self.client, self.options)
        self.station = Station(self.url, "w1", site.transport)
        set_station(self.station)

    def batch(
        self,
        urls: Sequence[str],
        *,
        box_s: float = 5.0,
        share: int = 4,
        how: str = "sitemap",
        history: tuple[Attempt, ...] = (),
    ) -> Batch:
        """Paths of HOST, or whole URLs; seq = place in the list."""
        items = [
            BatchUrl(seq, url if "://" in url else f"https://{HOST}{url}", how, history)
            for seq, url in enumerate(urls)
        ]
        return Batch(run="r1", box_s=box_s, urls=tuple(items), shares={HOST: share})

    def check(self, urls: Sequence[str], **how: Any) -> Outcome:
        """Run one batch to its end, and read what it published."""
        check_batch(self.batch(urls, **how).to_job())
        outcome = self.read()
        assert outcome.finished == 1
        assert outcome.seqs == list(range(len(urls))), "each URL is answered once"
        return outcome

    def page(self, url: str, **how: Any) -> dict[str, Any]:
        """The fact about one URL."""
        outcome = self.check([url], **how)
        assert outcome.done == [0], (outcome.left, outcome.again)
        return next(iter(outcome.pages.values()))

    def read(self) -> Outcome:
        outcome = Outcome()
        while deliveries := self.reader.read(0):
            for delivery in deliveries:
                outcome.add(delivery.message)
            self.reader.forget(deliveries)
        return outcome


@pytest.fixture
def bench(server_url: str, client: redis.Redis) -> Iterator[Bench]:
    found = Bench(server_url, client)
    yield found
    set_station(None)
    if found.station is not None:
        found.station.close()
