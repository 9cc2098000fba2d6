"""The asyncio client and its streams, on a running loop against the truth site."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from sitemap_audit.facts import ErrorClass
from sitemap_audit.http import Answer, AsyncClient, ClientOptions, Request, Stream
from sitemap_audit.settings import STREAM_HOLD_BYTES, STREAM_PIECE_BYTES
from tests.http.conftest import HOST
from tests.site.server import End, Reply, Site, Steps, serve
from tests.site.truth import GZIPPED, PAGE, bomb

MIB = 1 << 20


@pytest.fixture
async def client(options: ClientOptions) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(options) as client:
        yield client


def url(path: str) -> str:
    return f"http://{HOST}{path}"


async def read(stream: Stream) -> bytes:
    async with stream:
        return b"".join([piece async for piece in stream])


async def test_fetch(client: AsyncClient) -> None:
    answer = await client.fetch(Request.page(url("/gzip")))
    assert (answer.status, answer.body, answer.complete, answer.error_class) == (200, PAGE, True, None)


async def test_many_at_once(client: AsyncClient) -> None:
    answers = await asyncio.gather(*[client.fetch(Request.page(url(f"/body/{n}"))) for n in range(200)])
    assert [len(a.body) for a in answers] == list(range(200))


async def test_a_cap_on_connections() -> None:
    with serve({"*": {"*": Reply(200, b"ok", wait_s=0.01)}}) as site:
        async with AsyncClient(ClientOptions(transport=site.transport)) as client:
            requests = [Request.page(f"http://a.example/{n}") for n in range(10)]
            answers = await asyncio.gather(*[client.fetch(request, 2) for request in requests])
        assert {a.status for a in answers} == {200}
        assert site.connections == 2


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("nonsense", ErrorClass.INVALID_URL),
        ("http://127.0.0.1:1/", ErrorClass.PRIVATE_HOST),
        (url("/reset-at-once"), ErrorClass.RESET),
        (url("/http-0.9"), ErrorClass.BAD_HTTP),
    ],
)
async def test_failures_are_answers(client: AsyncClient, where: str, error: ErrorClass) -> None:
    assert (await client.fetch(Request.page(where))).error_class is error
    stream = await client.open(Request.page(where))
    assert stream.answer_head.error_class is error
    assert await read(stream) == b""
    assert stream.answer.error_class is error
    assert not stream.answer.complete


async def test_over_tls(client: AsyncClient) -> None:
    stream = await client.open(Request.sitemap(f"https://{HOST}/gzip"))
    assert stream.answer_head.tls is not None
    assert stream.answer_head.tls.ok
    assert await read(stream) == PAGE


async def test_a_stream_has_its_head_before_its_body() -> None:
    def steps() -> Steps:
        return [b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Robots-Tag: noindex\r\n\r\n", 0.15, b"body"]

    with serve({"*": {"*": Reply(steps=steps)}}) as site:
        async with AsyncClient(ClientOptions(transport=site.transport)) as client:
            stream = await client.open(Request.page("http://a.example/"))
            assert (stream.answer_head.status, stream.answer_head.complete) == (200, False)
            assert stream.answer_head.header("x-robots-tag") == "noindex"
            with pytest.raises(RuntimeError, match="neither read"):
                _ = stream.answer
            assert await read(stream) == b"body"
            assert (stream.answer.status, stream.answer.complete, stream.answer.body) == (200, True, b"")


async def test_interim_blocks_are_no_head(client: AsyncClient) -> None:
    stream = await client.open(Request.page(url("/interim")))
    assert stream.answer_head.status == 200
    assert stream.answer_head.headers == (("content-length", "2"), ("x-final", "yes"))
    assert await read(stream) == b"ok"


@pytest.mark.parametrize("path", ["/gzip", "/x-gzip", "/deflate", "/deflate-bare", "/identity", "/gzip-slow"])
async def test_streams_are_decoded(client: AsyncClient, path: str) -> None:
    stream = await client.open(Request.page(url(path)))
    assert await read(stream) == PAGE
    assert (stream.answer.complete, stream.answer.error_class) == (True, None)


async def test_both_sizes_are_known_after_the_end(client: AsyncClient) -> None:
    stream = await client.open(Request.page(url("/gzip")))
    await read(stream)
    assert (stream.answer.bytes_wire, stream.answer.content_encoding) == (len(GZIPPED), "gzip")


@pytest.mark.parametrize(
    ("path", "body", "error"),
    [
        ("/short-body", b"only this", ErrorClass.RESET),
        ("/reset-in-body", b"only this", ErrorClass.RESET),
        ("/chunked-bad", b"one ", ErrorClass.BAD_HTTP),
        ("/br", b"", ErrorClass.CONTENT_ENCODING),
        ("/gzip-claimed", b"", ErrorClass.CONTENT_ENCODING),
        ("/gzip-cut", PAGE[:52], ErrorClass.CONTENT_ENCODING),
        ("/flood-lines", b"", ErrorClass.TOO_LARGE),
    ],
)
async def test_streams_that_break_off(client: AsyncClient, path: str, body: bytes, error: ErrorClass) -> None:
    stream = await client.open(Request.page(url(path)))
    assert await read(stream) == body
    assert (stream.answer.status, stream.answer.error_class, stream.answer.complete) == (200, error, False)
    assert stream.answer.error_detail
    if error is ErrorClass.RESET:
        assert "after 9 bytes of body" in stream.answer.error_detail


@pytest.mark.parametrize("kind", ["body", "body-gzip"])
@pytest.mark.parametrize(
    ("size", "limit"), [(900_000, 900_001), (900_000, 900_000), (900_000, 899_999), (50, 10)]
)
async def test_the_limit_of_a_stream(client: AsyncClient, kind: str, size: int, limit: int) -> None:
    stream = await client.open(replace(Request.page(url(f"/{kind}/{size}")), max_bytes=limit))
    body = await read(stream)
    assert len(body) == min(size, limit)
    assert stream.answer.truncated is (size > limit)
    assert stream.answer.complete is (size <= limit)
    assert stream.answer.error_class is None


async def test_closing_early_is_a_cut_of_ours(client: AsyncClient) -> None:
    stream = await client.open(Request.sitemap(url("/endless")))
    async for piece in stream:
        assert piece
        break
    await stream.close()
    await stream.close()
    assert (stream.answer.status, stream.answer.truncated, stream.answer.complete) == (200, True, False)
    assert stream.answer.error_class is None
    assert (await client.fetch(Request.page(url("/?after")))).status == 200


async def test_closing_unread(client: AsyncClient) -> None:
    stream = await client.open(Request.page(url("/")))
    await stream.close()
    assert (stream.answer.status, stream.answer.truncated) == (200, True)
    assert await read(stream) == b""


async def test_an_empty_stream_is_whole(client: AsyncClient) -> None:
    stream = await client.open(Request.page(url("/empty")))
    await asyncio.sleep(0.05)
    await stream.close()
    assert (stream.answer.truncated, stream.answer.complete) == (False, True)


async def test_a_slow_reader_stops_the_sender(client: AsyncClient) -> None:
    """What waits is bounded, however long the reader takes; and then all of it comes."""
    size = 8 * MIB
    stream = await client.open(Request.sitemap(url(f"/body/{size}")))
    got = 0
    async for piece in stream:
        got += len(piece)
        if got < MIB:
            await asyncio.sleep(0.02)
        assert stream.held <= STREAM_HOLD_BYTES + 65_536
    assert got == size
    assert stream.answer.complete


async def test_time_that_the_reader_takes_is_not_the_servers() -> None:
    """Paused for longer than the whole request may last: no timeout, for neither the total nor the least rate."""
    with serve({"*": {"*": Reply(200, b"x" * (4 * MIB))}}) as site:
        async with AsyncClient(ClientOptions(transport=site.transport)) as client:
            request = Request("http://a.example/", 8 * MIB, timeout_s=0.4, slow_s=1.0)
            stream = await client.open(request)
            got = 0
            async for piece in stream:
                if not got:
                    await asyncio.sleep(1.3)
                got += len(piece)
            assert got == 4 * MIB
            assert (stream.answer.complete, stream.answer.error_class) == (True, None)


@pytest.mark.parametrize("path", ["/silent-in-body", "/drip-body", "/silent"])
async def test_time_that_the_server_takes_is(client: AsyncClient, path: str) -> None:
    request = Request(url(path), 8 * MIB, timeout_s=0.3)
    stream = await client.open(request)
    await read(stream)
    assert stream.answer.error_class is ErrorClass.TIMEOUT
    assert stream.answer.error_detail == "no end after 0.3 s"
    assert stream.answer.status == (None if path == "/silent" else 200)


async def test_a_dripping_stream_is_too_slow(client: AsyncClient) -> None:
    stream = await client.open(replace(Request.page(url("/drip-body")), slow_s=1.0))
    await read(stream)
    assert stream.answer.error_class is ErrorClass.TIMEOUT
    assert stream.answer.error_detail is not None
    assert "in the body" in stream.answer.error_detail


async def test_cancelling_drops_the_request(client: AsyncClient, truth: Site) -> None:
    path = "/silent?cancelled"
    task = asyncio.create_task(client.fetch(Request.page(url(path))))
    opening = asyncio.create_task(client.open(Request.page(url(path))))
    while len(truth.requests(path=path)) < 2:
        await asyncio.sleep(0.01)
    for waiting in (task, opening):
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert client.active == 0
    assert (await client.fetch(Request.page(url("/?after")))).status == 200


async def test_closing_the_client_with_a_stream_open(options: ClientOptions) -> None:
    client = AsyncClient(options)
    stream = await client.open(Request.sitemap(url("/endless")))
    await client.close()
    await client.close()
    await stream.close()
    assert not stream.answer.complete
    with pytest.raises(RuntimeError, match="closed"):
        await client.fetch(Request.page(url("/")))


async def test_a_client_that_was_never_used(options: ClientOptions) -> None:
    await AsyncClient(options).close()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read in /proc")
async def test_a_gibibyte_of_zeros_passes_in_pieces(client: AsyncClient) -> None:
    """The limit of a sitemap is large: what is held at once is not."""

    def resident() -> int:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()

    bomb()
    gc.collect()
    before, peak, got = resident(), 0, 0
    began = time.process_time()
    stream = await client.open(replace(Request.sitemap(url("/bomb")), max_bytes=100 * MIB))
    async with stream:
        async for piece in stream:
            assert len(piece) <= STREAM_PIECE_BYTES
            got += len(piece)
            peak = max(peak, resident())
    assert time.process_time() - began < 1.0
    assert peak - before < 32 * MIB
    assert (got, stream.answer.truncated) == (100 * MIB, True)


async def test_a_stream_that_ends_while_it_is_paused() -> None:
    """The connection breaks behind data that still waits with libcurl: all that came is read, then the error."""

    def steps() -> Steps:
        return [b"HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n", b"x" * 1_000_000, End.CLOSE]

    with serve({"*": {"*": Reply(steps=steps)}}) as site:
        async with AsyncClient(ClientOptions(transport=site.transport)) as client:
            stream = await client.open(Request.sitemap("http://a.example/"))
            got = 0
            async for piece in stream:
                await asyncio.sleep(0.005)
                got += len(piece)
            assert got == 1_000_000
            answer: Answer = stream.answer
            assert (answer.error_class, answer.complete, answer.bytes_wire) == (
                ErrorClass.RESET,
                False,
                1_000_000,
            )
