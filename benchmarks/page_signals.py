"""CPU microseconds a page for everything that is read from headers and head.

    python -m benchmarks.page_signals FOLDER [--limit N] [--rounds R]

FOLDER holds HTML files, in any depth. Prints the cost of the whole and of its parts, best of the rounds, and
how many pages had to be parsed to the end.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from sitemap_audit.formats.charset import decode
from sitemap_audit.formats.html_guard import Refused, parse_html
from sitemap_audit.formats.html_head import read_head
from sitemap_audit.formats.page import read_page
from sitemap_audit.formats.sniff import sniff

HEADERS = [
    ("date", "Mon, 30 Nov 2026 12:00:00 GMT"),
    ("server", "nginx"),
    ("content-type", "text/html; charset=utf-8"),
    ("last-modified", "Sun, 29 Nov 2026 12:00:00 GMT"),
    ("etag", '"65a-1f3c"'),
    ("cache-control", "max-age=600"),
    ("vary", "Accept-Encoding"),
    ("content-encoding", "gzip"),
]
BOTS = ("googlebot", "bingbot", "*")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def page_url(number: int) -> str:
    return f"http://127.0.0.1:8123/p/0/{number}.html"


def cost(pages: list[bytes], rounds: int, run: Callable[[int, bytes], object]) -> float:
    """Best CPU time of all rounds, in microseconds a page."""
    best = float("inf")
    for _ in range(rounds):
        before = time.process_time()
        for number, body in enumerate(pages):
            run(number, body)
        best = min(best, time.process_time() - before)
    return best / len(pages) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=1_000, help="pages at most")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    files = sorted(path for path in options.folder.rglob("*") if path.suffix in (".html", ".htm"))
    pages = [path.read_bytes() for path in files[: options.limit]]
    if not pages:
        parser.error(f"{options.folder} holds no .html file")
    heads = [read_head(decode(body, "utf-8").doc) for body in pages]
    whole = sum(isinstance(head, Refused) or head.whole for head in heads)
    print(
        f"{len(pages)} pages, {sum(map(len, pages)) / len(pages):,.0f} bytes each, {whole} parsed to the end"
    )
    parts: dict[str, Callable[[int, bytes], object]] = {
        "all signals (read_page)": lambda number, body: read_page(
            body, HEADERS, final_url=page_url(number), status=200, bots=BOTS, now=NOW
        ),
        "  sniff": lambda _, body: sniff(body, "text/html"),
        "  decode": lambda _, body: decode(body, "utf-8"),
        "  head": lambda _, body: read_head(body),
        "for comparison: whole tree": lambda _, body: parse_html(body),
    }
    for name, run in parts.items():
        print(f"{cost(pages, options.rounds, run):9.1f} us  {name}")


if __name__ == "__main__":
    main()
