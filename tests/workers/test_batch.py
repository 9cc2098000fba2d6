"""The loop of a batch: robots.txt once, the rate, the end of the box, stops, an absent server."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis

from sitemap_audit.facts import RobotsPast, RobotsState
from sitemap_audit.queue import keys
from sitemap_audit.queue.jobs import lost_batches, queued_batches, set_stop, take_unlike
from sitemap_audit.queue.messages import LeftWhy
from sitemap_audit.settings import HAND_BACK_S, HOST_FAILURES, MESSAGE_PAGES
from tests.site.server import End, Reply, in_turn, serve
from workers.jobs import check_batch

HOST = "example.com"
HOME = Reply.html("<title>Home</title>")
FREE = Reply.text("User-agent: *\nDisallow: /private\n")
DOWN = Reply(steps=lambda: [End.RESET])


def test_robots_is_fetched_once_a_run(bench: Any) -> None:
    with serve({HOST: {"/robots.txt": FREE, "*": HOME}}) as site:
        bench.start(site)
        first = bench.check([f"/{n}" for n in range(10)])
        second = bench.check([f"/{n}" for n in range(10, 20)])
        bench.station.drop("r1")  # as another process would see it
        third = bench.check(["/30"])
        assert len(site.requests(path="/robots.txt")) == 1
    assert [list(o.robots) for o in (first, second, third)] == [[f"https://{HOST}"], [], []]
    fact = first.robots[f"https://{HOST}"]
    assert (fact["state"], fact["status"], fact["effective"]["googlebot"]) == ("ok", 200, "mixed")


def test_a_robots_that_redirects_binds_the_origin_that_was_asked(bench: Any) -> None:
    sites = {
        HOST: {"/robots.txt": Reply.to("https://www.example.com/robots.txt"), "*": HOME},
        "www.example.com": {"/robots.txt": Reply.text("User-agent: *\nDisallow: /\n")},
    }
    with serve(sites) as site:
        bench.start(site)
        outcome = bench.check(["/a"])
        assert not site.requests(path="/a")
    assert outcome.pages[f"https://{HOST}/a"]["reason"] == "robots"
    fact = outcome.robots[f"https://{HOST}"]
    assert (fact["first_status"], fact["final_url"]) == (301, "https://www.example.com/robots.txt")
    assert len(fact["hops"]) == 1


@pytest.mark.parametrize(
    ("mode", "state", "reason"), [("google", "unchecked", "robots_paused"), ("rfc", "skipped", "robots")]
)
def test_a_failed_robots_is_looked_at_twice(bench: Any, mode: str, state: str, reason: str) -> None:
    with serve({HOST: {"/robots.txt": Reply(500), "*": HOME}}) as site:
        bench.start(site, robots_mode=mode)
        first = bench.check(["/a", "/b"])
        assert first.robots == {}
        assert [a.attempt for a in first.again.values()] == [None, None]
        second = bench.check(["/a", "/b"])
        assert {r.path for r in site.log} == {"/robots.txt"}
        assert len(site.log) == 2
    assert [(p["state"], p["reason"]) for p in second.pages.values()] == [(state, reason)] * 2
    assert second.robots[f"https://{HOST}"]["state"] == "server_error"


def test_until_the_second_look_is_due_nothing_is_asked(bench: Any) -> None:
    with serve({HOST: {"/robots.txt": DOWN, "*": HOME}}) as site:
        bench.start(site, recheck_after_s=60)
        bench.check(["/a"])
        asked = len(site.log)
        assert bench.check(["/b"]).again[0].attempt is None
        assert len(site.log) == asked
    assert bench.station.run("r1").robots.get(f"https://{HOST}").state is RobotsState.UNREACHABLE


def test_a_robots_that_comes_back(bench: Any) -> None:
    with serve({HOST: {"/robots.txt": in_turn(Reply(503), FREE), "*": HOME}}) as site:
        bench.start(site)
        bench.check(["/a"])
        assert bench.page("/a")["status"] == 200


@pytest.mark.parametrize("mode", ["google", "rfc"])
def test_the_last_good_copy_of_an_earlier_run_decides(bench: Any, mode: str) -> None:
    """An outage of 13 hours, a copy of 20: the rules of that copy, for a bot of its own group as well."""
    now = datetime.now(UTC).replace(microsecond=0)
    past = RobotsPast(
        outage_since=now - timedelta(hours=13),
        last_good=b"User-agent: *\nDisallow: /p\n\nUser-agent: sitemap-audit\nDisallow: /own\n",
        last_good_at=now - timedelta(hours=20),
    )
    with serve({HOST: {"/robots.txt": Reply(503), "*": HOME}}) as site:
        bench.start(site, robots_mode=mode)
        bench.station.run("r1").robots.put_past([(f"https://{HOST}", past)])
        bench.check(["/p"])
        outcome = bench.check(["/p", "/own", "/free"])
        assert {r.path for r in site.log} == {"/robots.txt", "/free"}
    pages = {url.removeprefix(f"https://{HOST}"): page for url, page in outcome.pages.items()}
    assert [pages[p]["reason"] for p in ("/p", "/own", "/free")] == ["robots", "own_agent", None]
    verdict = pages["/p"]["robots"]["googlebot"]
    assert (verdict["allowed"], verdict["line"], verdict["state"]) == (False, 2, "server_error")
    assert verdict["rule"].endswith(", 20 hours old)")
    fact = outcome.robots[f"https://{HOST}"]
    assert fact["effective"]["googlebot"] == "mixed"
    assert datetime.fromisoformat(fact["outage_since"]) == past.outage_since
    assert datetime.fromisoformat(fact["last_good_at"]) == past.last_good_at


def test_a_worker_without_the_ways_of_the_run_says_so(bench: Any, caplog: pytest.LogCaptureFixture) -> None:
    with serve({HOST: {"/robots.txt": FREE, "*": HOME}}) as site:
        bench.start(site, marks=site.transport.marks())
        bench.check(["/a"])
        assert take_unlike(bench.client, "r1") == []
        bench.station.drop("r1")
        bench.start(site, marks=("--cacert 0123", *site.transport.marks(), "--header cookie"))
        bench.check(["/b"])
    [(worker, words)] = take_unlike(bench.client, "r1")
    assert (worker, words) == ("w1", "lacks --cacert; lacks --header cookie")
    assert "reaches the site of run r1 otherwise than the run" in caplog.text


def test_the_robots_of_an_origin_by_itself(bench: Any) -> None:
    with serve({"*": {"/robots.txt": FREE, "*": HOME}}) as site:
        bench.start(site)
        outcome = bench.check(["https://cdn.example/robots.txt"], how="robots")
        assert len(site.log) == 1
    assert outcome.done == [0]
    assert outcome.pages == {}
    assert list(outcome.robots) == ["https://cdn.example"]


def test_the_rate_and_the_crawl_delay_are_kept(bench: Any) -> None:
    with serve(
        {
            HOST: {"/robots.txt": FREE, "*": HOME},
            "slow.example": {"/robots.txt": Reply.text("User-agent: *\nCrawl-delay: 0.5\n"), "*": HOME},
        }
    ) as site:
        bench.start(site, rate=10, scope=(HOST, "slow.example"))
        bench.check([f"/{n}" for n in range(12)] + [f"https://slow.example/{n}" for n in range(3)])
        for host, gap in ((HOST, 0.1), ("slow.example", 0.5)):
            times = sorted(r.at for r in site.requests(host))
            # Each may be sent late by half a gap, and be seen a little later than that.
            assert times[-1] - times[0] > gap * (len(times) - 2)


def test_connections_are_the_share_of_the_batch(bench: Any) -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def steps() -> Any:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        yield 0.05
        with lock:
            now[0] -= 1
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    with serve({HOST: {"*": Reply(steps=steps)}}) as site:
        bench.start(site)
        bench.check([f"/{n}" for n in range(20)], share=3)
    assert most == [3]


def test_the_end_of_the_box_hands_the_rest_back(bench: Any) -> None:
    late = Reply(200, b"late", wait_s=0.6)
    with serve(
        {HOST: {"/robots.txt": FREE, "/never": Reply(steps=lambda: [End.SILENCE]), "*": late}}
    ) as site:
        bench.start(site)
        began = time.monotonic()
        outcome = bench.check(["/never", *(f"/{n}" for n in range(9))], box_s=1.0, share=2)
        took = time.monotonic() - began
    assert 1.0 + HAND_BACK_S <= took < 1.0 + HAND_BACK_S + 1.5
    whys = {seq: n.why for seq, n in outcome.left.items()}
    assert whys[0] is LeftWhy.SLOW
    assert {why for seq, why in whys.items() if seq} == {LeftWhy.BOX}
    assert 1 in outcome.done, "what ends soon after the box still counts"
    assert all(n.attempt is None for n in outcome.left.values())


def test_a_slow_robots_makes_its_pages_slow(bench: Any) -> None:
    """Handed back as if it were the box, they would meet the same robots.txt for ever."""
    silent = Reply(steps=lambda: [End.SILENCE])
    with serve({HOST: {"/robots.txt": silent}, "other.example": {"*": HOME}}) as site:
        bench.start(site)
        outcome = bench.check(["/a", "/b", "https://other.example/"], box_s=0.5)
        assert bench.station.run("r1").robots.claim(f"https://{HOST}"), "the claim was given back"
    assert {seq: n.why for seq, n in outcome.left.items()} == {0: LeftWhy.SLOW, 1: LeftWhy.SLOW}
    assert outcome.done == [2]


@pytest.mark.parametrize("who", ["process", "run"])
def test_a_stop_hands_everything_back_at_once(bench: Any, client: redis.Redis, who: str) -> None:
    with serve({HOST: {"/robots.txt": FREE, "*": Reply(steps=lambda: [End.SILENCE])}}) as site:
        bench.start(site)
        stop = bench.station.stop.set if who == "process" else lambda: set_stop(client, "r1")
        timer = threading.Timer(0.7, stop)
        timer.start()
        began = time.monotonic()
        outcome = bench.check([f"/{n}" for n in range(8)])
        timer.join()
    assert time.monotonic() - began < 0.7 + 2.0
    assert {n.why for n in outcome.left.values()} == {LeftWhy.STOPPED}
    assert len(outcome.left) == 8


def test_facts_flow_while_the_batch_runs(bench: Any) -> None:
    urls = [f"/{n}" for n in range(MESSAGE_PAGES + 5)]
    with serve({HOST: {"/robots.txt": FREE, "/0": Reply(200, b"x", wait_s=2.0), "*": HOME}}) as site:
        bench.start(site)
        thread = threading.Thread(target=check_batch, args=[bench.batch(urls).to_job()])
        thread.start()
        deadline = time.monotonic() + 10
        early = 0
        while not early and time.monotonic() < deadline:
            found = bench.read()
            early = len(found.done)
            assert not found.finished
        thread.join()
        rest = bench.read()
    assert early
    assert early + len(rest.done) == len(urls)
    assert rest.finished == 1


def test_the_lease_lives_until_the_last_message_is_collected(bench: Any, client: redis.Redis) -> None:
    with serve({HOST: {"/robots.txt": FREE, "*": Reply(200, b"x", wait_s=1.0)}}) as site:
        bench.start(site)
        batch = bench.batch(["/a"])
        thread = threading.Thread(target=check_batch, args=[batch.to_job()])
        thread.start()
        while not site.requests(path="/a"):
            assert thread.is_alive()
            time.sleep(0.01)
        assert lost_batches(client, "r1", [batch.batch]) == set()
        thread.join()
    assert client.pttl(keys.lease("r1", batch.batch)) > 60_000
    assert bench.read().finished == 1


def test_a_host_that_fails_in_a_row_is_left_alone(bench: Any) -> None:
    with serve({HOST: {"/robots.txt": FREE}}) as site:
        bench.start(site, recheck_after_s=60)
        bench.check(["/x"])
        # From here on nobody listens.
        bench.station.drop("r1")
        bench.station.transport = type(site.transport)(
            connect_to=(":443:127.0.0.1:1",), cacert=site.transport.cacert
        )
        outcome = bench.check([f"/{n}" for n in range(12)], share=1)
    assert len(outcome.again) == HOST_FAILURES
    assert {n.why for n in outcome.left.values()} == {LeftWhy.DOWN}
    assert all(a.attempt.error_class == "connect" for a in outcome.again.values())


def test_unknown_runs_are_dropped_and_unknown_schemas_put_back(bench: Any, client: redis.Redis) -> None:
    with serve({HOST: {"*": HOME}}) as site:
        bench.start(site)
        job = bench.batch(["/a"]).to_job()
        check_batch({**job, "run": "gone"})
        assert queued_batches(client) == set()
        check_batch({**job, "schema": 99})
        assert queued_batches(client) == {job["batch"]}
        assert site.log == []
    assert bench.read().seqs == []
