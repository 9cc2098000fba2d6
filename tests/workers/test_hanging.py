"""A host that hangs holds its batch up only while nobody else could use the worker."""

from __future__ import annotations

import time
from typing import Any

import pytest
import redis

from sitemap_audit.queue.jobs import enqueue_batch
from sitemap_audit.queue.messages import Batch, BatchUrl, LeftWhy
from sitemap_audit.settings import SLOW_QUEUE_NAME
from tests.site.server import End, Reply, serve
from workers.lanes import STUCK_S

HOST = "example.com"
SITES = {
    HOST: {"/robots.txt": Reply.text(""), "*": Reply.html("<title>Home</title>")},
    "hangs.example": {"/robots.txt": Reply.text(""), "*": Reply(steps=lambda: [End.SILENCE])},
}
BOX_S = 4.0


@pytest.mark.parametrize("waits", [True, False], ids=["another batch waits", "nothing waits"])
def test_a_batch_ends_early_for_another_one_only(bench: Any, client: redis.Redis, waits: bool) -> None:
    with serve(SITES) as site:
        bench.start(site, scope=(HOST, "hangs.example"))
        if waits:
            assert enqueue_batch(client, Batch(run="r1", box_s=5.0, urls=(BatchUrl(9, f"https://{HOST}/9"),)))
        began = time.monotonic()
        outcome = bench.check(
            ["https://hangs.example/0", "https://hangs.example/1", "/2", "/3"], box_s=BOX_S, share=1
        )
        took = time.monotonic() - began
    assert sorted(outcome.done) == [2, 3]
    assert {seq: n.why for seq, n in outcome.left.items()} == {0: LeftWhy.SLOW, 1: LeftWhy.BOX}
    assert (took < BOX_S) is waits
    assert took >= STUCK_S


def test_the_slow_queue_is_patient(bench: Any, client: redis.Redis) -> None:
    with serve(SITES) as site:
        bench.start(site, scope=(HOST, "hangs.example"))
        bench.station.queue_name = SLOW_QUEUE_NAME
        waiting = Batch(run="r1", box_s=5.0, urls=(BatchUrl(9, f"https://{HOST}/9"),))
        assert enqueue_batch(client, waiting, slow=True)
        began = time.monotonic()
        bench.check(["https://hangs.example/0", "/1"], box_s=2.0)
        assert time.monotonic() - began > 2.0
