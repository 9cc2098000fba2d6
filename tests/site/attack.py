"""Sends one threat of hostile.py through the product's own reading, and takes time and memory."""

from __future__ import annotations

import asyncio
import gc
import time
from pathlib import Path
from typing import Final, NamedTuple

from sitemap_audit.facts import SitemapSource
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from sitemap_audit.http import Answer, AsyncClient, Client, ClientOptions, Request
from tests.site.hostile import THREATS, page_fact, prepared, robots_fact, sitemap_fact

HOST: Final = "hostile.example"
STATUS: Final = Path("/proc/self/status")
MIB: Final = 1 << 20


class Measured(NamedTuple):
    """`fact`: what the product says. `cpu_s` of the reading thread; `grown`: octets of memory at the peak."""

    fact: str
    wall_s: float
    cpu_s: float
    grown: int


def measure(options: ClientOptions, number: int) -> Measured:
    """Fetch and read one threat. The server may be in this process: its answer is made before."""
    url = f"http://{HOST}{prepared(number)}"
    read = {"page": _page, "sitemap": _sitemap, "robots": _robots}[THREATS[number].kind]
    gc.collect()
    before = _peak_anew()
    wall, cpu = time.monotonic(), time.thread_time()
    fact = read(options, url)
    wall, cpu = time.monotonic() - wall, time.thread_time() - cpu
    return Measured(fact, wall, cpu, _field("VmHWM") - before)


def _peak_anew() -> int:
    """Memory held now; the peak counts from here (proc(5), clear_refs)."""
    Path("/proc/self/clear_refs").write_text("5")
    return _field("VmRSS")


def _field(name: str) -> int:
    return int(STATUS.read_text().partition(f"{name}:")[2].split()[0]) * 1024


def _fetch(options: ClientOptions, request: Request) -> Answer:
    client = Client(options)
    got: list[Answer] = []
    client.start(request, got.append)
    while client.active:
        client.drive(0.5)
    client.close()
    return got[0]


def _page(options: ClientOptions, url: str) -> str:
    return page_fact(_fetch(options, Request.page(url)))


def _robots(options: ClientOptions, url: str) -> str:
    return robots_fact(_fetch(options, Request.robots(url)))


def _sitemap(options: ClientOptions, url: str) -> str:
    async def read() -> str:
        reader, entries = SitemapReader(url, source=SitemapSource.ROBOTS), 0
        async with AsyncClient(options) as client:
            stream = await client.open(Request.sitemap(url))
            async for chunk in stream:
                entries += len(reader.feed(chunk))
                if reader.stopped:
                    break
            await stream.close()
            answer = stream.answer
        last, file = reader.close(
            SitemapEnd(
                headers=answer.headers,
                status=answer.status,
                error_class=answer.error_class,
                error_detail=answer.error_detail,
                content_encoding=answer.content_encoding,
                bytes_wire=answer.bytes_wire,
                complete=answer.complete,
            )
        )
        return sitemap_fact(file, entries + len(last))

    return asyncio.run(read())
