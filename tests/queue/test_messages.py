"""Messages come back from the wire as they were sent."""

from __future__ import annotations

from datetime import UTC, datetime

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.facts import Attempt, ErrorClass
from sitemap_audit.queue.listing import Listed
from sitemap_audit.queue.messages import (
    Again,
    Batch,
    BatchUrl,
    DiscoveredMessage,
    EntriesMessage,
    Left,
    LeftWhy,
    Message,
    PagesMessage,
    RobotsMessage,
    SitemapsMessage,
    Target,
    new_batch_id,
    pack,
    unpack,
)

LOOK = Attempt(datetime(2026, 11, 30, 12, 0, 0, 250000, UTC), 503, ErrorClass.TIMEOUT, 12)


@pytest.mark.parametrize(
    "message",
    [
        PagesMessage(
            batch="b1",
            worker="w1",
            done=(1, 2),
            left=(Left(3, LeftWhy.BOX), Left(4, LeftWhy.LIMITED, LOOK)),
            again=(Again(5, LOOK), Again(6, None)),
            targets=(Target("https://example.com/a", "canonical"),),
            finished=True,
            lines=b'{"a":1}\n{"a":2}\n',
        ),
        EntriesMessage(
            lines=b"{}\n",
            count=1,
            listed=(
                Listed(
                    "https://example.com/sitemap.xml",
                    "https://example.com",
                    "example.com",
                    "example.com",
                    [2**64 - 1],
                    ["https://example.com/a"],
                ),
            ),
        ),
        SitemapsMessage(lines=b"{}\n", count=1),
        RobotsMessage(lines=b"{}\n", count=1),
        DiscoveredMessage(looked=("robots.txt", "sitemap.xml"), note="none found"),
    ],
    ids=lambda m: type(m).__name__,
)
def test_a_message_survives_the_wire(message: Message) -> None:
    assert unpack(*pack(message)) == message


def test_another_schema_is_told_apart() -> None:
    kind, head, lines = pack(RobotsMessage(lines=b"x", count=1))
    newer = orjson.dumps({**orjson.loads(head), "schema": 99})
    assert unpack(kind, newer, lines) is None
    assert unpack("tomorrow", head, lines) is None


@given(
    st.lists(
        st.builds(
            BatchUrl,
            seq=st.integers(0, 2**40),
            url=st.text(max_size=40),
            how=st.sampled_from(["sitemap", "canonical"]),
            history=st.lists(
                st.builds(
                    Attempt,
                    at=st.datetimes(timezones=st.just(UTC)),
                    status=st.none() | st.integers(100, 599),
                    error_class=st.none() | st.sampled_from(ErrorClass),
                    ms=st.integers(0, 10**6),
                ),
                max_size=2,
            ).map(tuple),
        ),
        max_size=5,
    ).map(tuple)
)
def test_a_batch_survives_the_job(urls: tuple[BatchUrl, ...]) -> None:
    batch = Batch(run="r1", box_s=6.0, urls=urls, shares={"example.com": 4})
    assert Batch.from_job(orjson.loads(orjson.dumps(batch.to_job()))) == batch


def test_batch_ids_are_fit_for_rq_and_new_each_time() -> None:
    ids = {new_batch_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(i.isalnum() for i in ids)
