"""CPU of the HTTP client per request: GET every URL of a list with the synchronous client.

    python benchmarks/http_client.py LIST [--connections 32] [--rounds 3] [--connect-to PIN] [--cacert FILE]

LIST holds one URL a line, all of them on loopback (the guard is told to let it through). One line a round:
microseconds of CPU a request (user and system, this process only), requests a second, decoded bytes,
statuses; then the median. Names the versions first: compare figures of one machine only, and of several
rounds. Nothing is parsed, so this is the transport: sockets, header lines, inflate, the Answer.
"""

from __future__ import annotations

import argparse
import platform
import resource
import statistics
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import ada_url

from sitemap_audit.http import Answer, Client, ClientOptions, Request
from sitemap_audit.http.libcurl import pycurl
from sitemap_audit.options import Transport


def one_round(client: Client, urls: list[str], connections: int) -> tuple[float, float, int, Counter[str]]:
    """CPU seconds, wall seconds, decoded bytes, how the answers ended."""
    ends: Counter[str] = Counter()
    size = 0
    left = iter(urls)

    def done(answer: Answer) -> None:
        nonlocal size
        size += len(answer.body)
        ends[str(answer.error_class or answer.status)] += 1
        begin()

    def begin() -> None:
        url = next(left, None)
        if url is not None:
            client.start(Request.page(url), done)

    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(connections):
        begin()
    while client.active:
        client.drive(1.0)
    return time.process_time() - cpu, time.perf_counter() - wall, size, ends


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("list", type=Path)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connect-to", action="append", default=[])
    parser.add_argument("--cacert")
    given = parser.parse_args()
    urls = given.list.read_text().split()
    options = ClientOptions(
        transport=Transport(connect_to=tuple(given.connect_to), cacert=given.cacert),
        origins=tuple({ada_url.URL(url).origin for url in urls}),
        allow_private=("127.0.0.0/8", "::1/128"),
    )
    print(
        f"python {platform.python_version()}, {pycurl.version}, isal {version('isal')}, {platform.machine()}"
    )
    figures = []
    client = Client(options)
    for number in range(given.rounds):
        cpu, wall, size, ends = one_round(client, urls, given.connections)
        figures.append(cpu / len(urls) * 1e6)
        print(
            f"round {number + 1}: {figures[-1]:.1f} us of CPU a request, {len(urls) / wall:.0f} requests/s, "
            f"{size / 1e6:.1f} MB decoded, {dict(ends)}",
            flush=True,
        )
    client.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"median {statistics.median(figures):.1f} us of CPU a request; {peak} MB at most")


if __name__ == "__main__":
    main()
