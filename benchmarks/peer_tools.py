"""The programs that benchmarks/peers.py compares: how each is called for a list of URLs, and what it does with one.

Waits for politeness are off and 64 requests at once, for all. A program that is not there is said and left out.
"""

from __future__ import annotations

import argparse
import html
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Final, TypeGuard

HERE: Final = Path(__file__).parent
AT_ONCE: Final = 64
LINKCHECKER_RC: Final = f"""[checking]
maxrequestspersecond=1000000
recursionlevel=0
threads={AT_ONCE}
timeout=30
[filtering]
checkextern=1
[output]
status=0
verbose=1
"""
FROM_STDIN: Final = 'exec "$0" -f "$1" --stdin -o none -F "csv/utf-8/$2" < "$3"'


@dataclass(frozen=True, slots=True)
class Tool:
    """`command` makes the command line of a folder to write into and a file of one URL a line.

    `good`: its exit codes when all went well. `net`: its output tells the CPU of the URLs alone (worker_batch).
    """

    name: str
    version: str
    does: str
    command: Callable[[Path, Path], list[str]]
    good: frozenset[int] = frozenset({0})
    environment: Mapping[str, str] = field(default_factory=dict)
    net: bool = False


def ours(folder: Path, port: int, urls: int, connections: int) -> list[Tool]:
    """Our worker alone, at both depths that read pages."""

    def at(depth: str) -> Callable[[Path, Path], list[str]]:
        return lambda out, listed: [
            *(sys.executable, "-m", "benchmarks.worker_batch", str(folder), "--port", str(port)),
            *("--urls", str(urls), "--rounds", "1", "--connections", str(connections), "--depth", depth),
        ]

    does = "all hops, whole body, robots.txt for ten bots, every head signal, facts to the stream"
    number = version("sitemap-audit")
    return [
        Tool("our worker, --depth head", number, does, at("head"), net=True),
        Tool("our worker, --depth page", number, does + ", content of the page", at("page"), net=True),
    ]


def scrapy() -> Tool:
    return Tool(
        "Scrapy, our checks",
        version("scrapy"),
        "all hops, whole body, robots.txt, every head signal, JSON lines",
        lambda out, listed: [
            *(sys.executable, "-m", "benchmarks.scrapy_checks"),
            *(str(listed), str(out / "scrapy.jl")),
        ],
    )


def yardstick(program: Path | None) -> Tool | None:
    """A bare prototype of two processes, by which hours and machines are compared."""
    if not _there(program, "the yardstick"):
        return None
    return Tool(
        "yardstick: bare pycurl, two processes",
        "",
        "all hops, whole body, head signals, CSV; no queue, store or rules",
        lambda out, listed: [
            *(sys.executable, str(program), "pycurl2"),
            *(str(listed), str(out / "yardstick.csv"), str(AT_ONCE)),
        ],
        environment={"FAST": "1"},
    )


def lychee(program: Path | None) -> Tool | None:
    if not _there(program, "lychee"):
        return None
    return Tool(
        "lychee",
        first_line([str(program), "--version"]).removeprefix("lychee "),
        "status after redirects; no page is read",
        lambda out, listed: [
            *(str(program), "--no-progress", "--max-retries", "0", "--max-concurrency", str(AT_ONCE)),
            *("--host-concurrency", str(AT_ONCE), "--host-request-interval", "0ms"),
            *("--format", "json", "--output", str(out / "lychee.json"), str(listed)),
        ],
        good=frozenset({2}),  # links are broken: 5 % of ours are
    )


def advertools(python: Path | None) -> Tool | None:
    known = "import importlib.metadata as m; print(m.version('advertools'))"
    number = first_line([str(python), "-c", known]) if python is not None and python.exists() else ""
    if not number:
        print(f"advertools is not there ({python}): left out")
        return None
    return Tool(
        "advertools crawl_headers",
        number,
        "status, redirects and headers",
        lambda out, listed: [
            *(str(python), "-P", str(HERE / "advertools_headers.py")),
            *(str(listed), str(out / "advertools.jl")),
        ],
    )


def linkchecker(program: Path | None) -> Tool | None:
    if not _there(program, "LinkChecker"):
        return None

    def command(out: Path, listed: Path) -> list[str]:
        rc = out / "linkchecker.rc"
        rc.write_text(LINKCHECKER_RC)
        return ["sh", "-c", FROM_STDIN, str(program), str(rc), str(out / "linkchecker.csv"), str(listed)]

    return Tool(
        "LinkChecker",
        first_line([str(program), "--version"]).removeprefix("LinkChecker ").split(" ")[0],
        "status, redirects; pages are read for nothing",
        command,
        good=frozenset({0, 1}),
    )


def linkinator(program: Path | None) -> Tool | None:
    if not _there(program, "linkinator"):
        return None

    def command(out: Path, listed: Path) -> list[str]:
        links = "".join(
            f'<a href="{html.escape(url)}">x</a>\n' for url in listed.read_text(encoding="utf-8").split()
        )
        (out / "links.html").write_text(f"<!doctype html><title>t</title>{links}", encoding="utf-8")
        return [
            *("sh", "-c", 'cd "$1" && exec "$0" links.html --concurrency "$2" --timeout 30000 --format csv > links.csv'),
            *(str(program), str(out), str(AT_ONCE)),
        ]  # fmt: skip

    return Tool(
        "linkinator",
        first_line([str(program), "--version"]),
        "status after redirects, by HEAD where the server takes it",
        command,
        good=frozenset({0, 1}),
    )


def tools(given: argparse.Namespace, port: int, urls: int) -> list[Tool]:
    """Those that are there, in the order of the table."""
    programs = given.peers / "bin" if given.peers else None
    in_programs = (lambda name: programs / name) if programs else (lambda name: None)
    wanted = [
        *ours(given.folder, port, urls, given.connections),
        yardstick(given.yardstick),
        lychee(in_programs("lychee")),
        linkinator(given.linkinator or _of_path("linkinator")),
        linkchecker(given.linkchecker or in_programs("linkchecker")),
        scrapy(),
        advertools(in_programs("python")),
    ]
    found = [tool for tool in wanted if tool is not None]
    return [
        tool
        for tool in found
        if not given.only or any(text.lower() in tool.name.lower() for text in given.only)
    ]


def _of_path(name: str) -> Path | None:
    found = shutil.which(name)
    return Path(found) if found else None


def _there(program: Path | None, name: str) -> TypeGuard[Path]:
    if program is not None and program.exists():
        return True
    print(f"{name} is not there ({program or 'no path given'}): left out")
    return False


def first_line(argv: list[str]) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.strip().partition("\n")[0] if done.returncode == 0 else ""
