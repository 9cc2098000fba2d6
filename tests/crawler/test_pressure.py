"""A full stream, a stop, a server that goes away: the spider waits, ends, or says so; nothing is lost in silence."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from crawler import __main__ as command
from sitemap_audit.options import RunOptions, Transport
from sitemap_audit.queue import keys
from sitemap_audit.queue.jobs import put_options
from sitemap_audit.queue.stream import Publisher
from sitemap_audit.settings import ENTRY_BATCH
from tests.crawler.runs import Outcome, project_settings, run_context, run_options, urlset
from tests.site.server import End, Reply, Seen, Steps, serve

A = "https://a.example"
ROOT = Path(__file__).parents[2]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n"


async def _seen(condition: object, seconds: float = 10.0) -> None:
    """Wait until `condition()` holds."""
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it never came"
        await asyncio.sleep(0.02)


async def test_the_spider_waits_while_the_stream_is_full(server_url: str, client: redis.Redis) -> None:
    """Two messages may wait; the rest of a 15 MB file stays with its server until someone reads."""
    locs = [f"{A}/{n:0480d}" for n in range(30_000)]
    body = urlset(*locs).encode()
    sent = 0

    def steps() -> Iterator[bytes | float | End]:
        nonlocal sent
        yield HEAD % len(body)
        for at in range(0, len(body), 65_536):
            sent += 65_536
            yield body[at : at + 65_536]

    sites = {
        "a.example": {
            "/robots.txt": Reply.text(f"Sitemap: {A}/s.xml\n"),
            "/s.xml": Reply(steps=steps),
        }
    }
    options = run_options(A)
    with serve(sites) as site:
        context = run_context(server_url, client, options, site.transport)
        context.publisher = Publisher(client, options.run_id, give_up=context.give_up, max_messages=2)
        running = asyncio.ensure_future(command.discover(context, project_settings()))
        stream = keys.entries_stream(options.run_id)
        await _seen(lambda: client.xlen(stream) == 2)
        before = -1
        while before != sent:  # what sockets and buffers take
            before = sent
            await asyncio.sleep(0.3)
        assert client.xlen(stream) == 2
        assert sent < len(body) - 2_000_000, "the transfer pauses"
        assert not running.done()
        outcome = Outcome()
        while not running.done():
            await asyncio.to_thread(outcome.take, client, options.run_id)
            await asyncio.sleep(0.01)
        outcome.take(client, options.run_id)
        assert await running == 0
    assert outcome.locs == locs
    (file,) = outcome.files
    assert (file["state"], file["entries"], file["complete"]) == ("ok", 30_000, True)
    assert outcome.discovered is not None


async def test_a_stop_cuts_transfers_and_waits_and_claims_nothing(
    server_url: str, client: redis.Redis
) -> None:
    """One file never ends, one waits for its second look, robots.txt of another host is silent."""

    def endless() -> Steps:
        yield (
            b"HTTP/1.1 200 OK\r\n\r\n" + urlset(*(f"{A}/{n}" for n in range(3 * ENTRY_BATCH))).encode()[:-20]
        )
        yield End.SILENCE

    sites = {
        "a.example": {
            "/robots.txt": Reply.text(
                f"Sitemap: {A}/endless.xml\nSitemap: {A}/down.xml\nSitemap: https://b.example/s.xml\n"
            ),
            "/endless.xml": Reply(steps=endless),
            "/down.xml": Reply.text("", 503),
        },
        "b.example": {
            "/robots.txt": Reply(steps=lambda: (End.SILENCE,)),
            "/s.xml": Reply.xml(urlset(f"{A}/b")),
        },
    }
    options = run_options(A, recheck_after_s=600.0)
    with serve(sites) as site:
        context = run_context(server_url, client, options, site.transport)
        running = asyncio.ensure_future(command.discover(context, project_settings()))
        await _seen(
            lambda: client.xlen(keys.entries_stream(options.run_id)) >= 2 and site.requests(path="/down.xml")
        )
        start = time.monotonic()
        context.stop()
        assert await asyncio.wait_for(running, 10) == command.STOPPED
        assert time.monotonic() - start < 3
    outcome = Outcome()
    outcome.take(client, options.run_id)
    assert outcome.discovered is None
    assert [f["url"] for f in outcome.files] == []
    assert outcome.rows, "what was handed on before counts"


async def test_a_stop_while_the_stream_is_full(server_url: str, client: redis.Redis) -> None:
    locs = [f"{A}/{n}" for n in range(5 * ENTRY_BATCH)]
    sites = {
        "a.example": {"/robots.txt": Reply.text(f"Sitemap: {A}/s.xml\n"), "/s.xml": Reply.xml(urlset(*locs))}
    }
    options = run_options(A)
    with serve(sites) as site:
        context = run_context(server_url, client, options, site.transport)
        context.publisher = Publisher(client, options.run_id, give_up=context.give_up, max_messages=1)
        running = asyncio.ensure_future(command.discover(context, project_settings()))
        await _seen(lambda: client.xlen(keys.entries_stream(options.run_id)) == 1)
        context.stop()
        assert await asyncio.wait_for(running, 10) == command.STOPPED


async def test_facts_that_cannot_be_handed_on_end_discovery_loudly(
    server_url: str, client: redis.Redis
) -> None:
    """Somebody else's key in place of the stream: XADD fails for good."""
    sites = {
        "a.example": {
            "/robots.txt": Reply.text(f"Sitemap: {A}/s.xml\n"),
            "/s.xml": Reply.xml(urlset(f"{A}/1")),
        }
    }
    options = run_options(A)
    client.set(keys.entries_stream(options.run_id), "no stream")
    with serve(sites) as site:
        context = run_context(server_url, client, options, site.transport)
        assert await asyncio.wait_for(command.discover(context, project_settings()), 10) == command.FAILED
    assert isinstance(context.error, redis.ResponseError)


def _process(server_url: str, run: str, transport: Transport) -> subprocess.Popen[bytes]:
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "SITEMAP_AUDIT_REDIS": server_url}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "crawler", "--run", run, "--exit-with-parent"],
        env={**environment, **transport.to_environment()},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_the_process_of_a_run(server_url: str, client: redis.Redis) -> None:
    sites = {
        "a.example": {
            "/robots.txt": Reply.text(f"Sitemap: {A}/s.xml\n"),
            "/s.xml": Reply.xml(urlset(f"{A}/1")),
        }
    }
    options = run_options(A)
    put_options(client, options)
    with serve(sites) as site:
        child = _process(server_url, options.run_id, site.transport)
        child.wait(30)
        error = child.communicate()[1].decode()
    assert child.returncode == 0, error
    assert "Traceback" not in error
    assert "Warning" not in error
    outcome = Outcome()
    outcome.take(client, options.run_id)
    assert outcome.locs == [f"{A}/1"]
    assert outcome.discovered is not None


@pytest.mark.parametrize("how", ["sigterm", "parent"])
def test_the_process_stops_when_told_and_when_its_parent_is_gone(
    server_url: str, client: redis.Redis, how: str
) -> None:
    options = run_options(A)
    put_options(client, options)
    with serve({"a.example": {"*": Reply(steps=lambda: (End.SILENCE,))}}) as site:
        child = _process(server_url, options.run_id, site.transport)
        end = time.monotonic() + 20
        while not site.log and time.monotonic() < end:
            time.sleep(0.05)
        assert site.log
        assert child.stdin is not None
        if how == "sigterm":
            child.terminate()
        else:
            child.stdin.close()
        assert child.wait(10) == command.STOPPED
        assert child.stderr is not None
        error = child.stderr.read().decode()
        child.stderr.close()
        child.stdin.close()
    assert "Traceback" not in error


def test_a_run_that_the_server_does_not_know(server_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--redis", server_url, "--run", "nosuchrun"]) == 2
    assert "knows no run 'nosuchrun'" in capsys.readouterr().err


def test_a_server_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--redis", f"unix://{tmp_path}/no.sock", "--run", "x"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_options_that_cannot_be_used(
    server_url: str, client: redis.Redis, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put_options(client, RunOptions(run_id="bad", sites=("a.example",)))
    for name, value in Transport(headers=("X: a\r\nY: b",)).to_environment().items():
        monkeypatch.setenv(name, value)
    assert command.main(["--redis", server_url, "--run", "bad"]) == 2
    assert "line break" in capsys.readouterr().err


async def test_what_another_process_read_is_not_fetched_again(server_url: str, client: redis.Redis) -> None:
    """robots.txt is shared through the run's store in both directions."""
    options = run_options(A)
    sites = {
        "a.example": {
            "/robots.txt": Reply.text(f"Sitemap: {A}/s.xml\n"),
            "/s.xml": Reply.xml(urlset(f"{A}/1")),
        }
    }
    asked: list[list[Seen]] = []
    for _ in range(2):
        with serve(sites) as site:
            context = run_context(server_url, client, options, site.transport)
            assert await command.discover(context, project_settings()) == 0
            asked.append(site.requests(path="/robots.txt"))
        stored = context.robots.get(A) if context.robots is not None else None
        assert stored is not None
        assert stored.body == f"Sitemap: {A}/s.xml\n".encode()
        outcome = Outcome()
        outcome.take(client, options.run_id)
        assert outcome.locs == [f"{A}/1"]
    assert [len(seen) for seen in asked] == [1, 0]
