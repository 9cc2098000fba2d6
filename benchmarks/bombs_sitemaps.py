"""Sitemaps that mean harm: what is said about each, what it costs, how much memory it takes.

    python benchmarks/bombs_sitemaps.py [--children 50000]

One process a bomb. Files go through SitemapReader in pieces of 64 KiB; indexes that list themselves and each other go
through the reader and the frontier of the crawler, without a network. Time is CPU, memory what came on top of imports
and of the bomb itself. Every bomb must be named, in 2 s (the fan-out of indexes excepted) and 64 MiB.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import resource
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from crawler.frontier import Frontier, Target
from sitemap_audit.facts import SitemapFile, SitemapSource
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from sitemap_audit.formats.urls import parse_url

NS = b'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
ORIGIN = "https://www.shop.example"
ENTRY = b"<url><loc>https://www.shop.example/p</loc></url>"
PIECE = 65_536
MIB = 1_048_576
Bomb = Callable[[], Iterable[bytes]]


def urlset(*inside: bytes, before: bytes = b"") -> Iterator[bytes]:
    yield b'<?xml version="1.0"?>' + before + b"<urlset " + NS + b">" + ENTRY
    yield from inside
    yield b"</urlset>"


def repeated(piece: bytes, size: int) -> Iterator[bytes]:
    block = piece * max(1, PIECE // len(piece))
    return itertools.repeat(block, max(1, size // len(block)))


def entities() -> Iterator[bytes]:
    nested = b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 12))
    return urlset(
        b"<url><loc>&e11;</loc></url>", before=b'<!DOCTYPE urlset [<!ENTITY e0 "ha">' + nested + b"]>"
    )


def quadratic() -> Iterator[bytes]:
    subset = b'<!DOCTYPE urlset [<!ENTITY a "' + b"a" * 100_000 + b'">]>'
    return urlset(b"<url><loc>" + b"&a;" * 20_000 + b"</loc></url>", before=subset)


def external() -> Iterator[bytes]:
    return urlset(before=b'<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/hostname">]>')


def packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()


def gib_of_blanks() -> Iterator[bytes]:
    return packed(itertools.chain(urlset(), repeated(b" ", 1_024 * MIB)))


def equal_locs() -> Iterator[bytes]:
    return packed(
        urlset(
            *itertools.repeat(
                b"<url><loc>https://www.shop.example/a/long/path/that/repeats</loc></url>\n", 45_000
            )
        )
    )


def problems() -> Iterator[bytes]:
    return urlset(*repeated(b"<url><Loc>x</Loc><foo/>stray</url>", 8 * MIB))


def names() -> Iterator[bytes]:
    return urlset(*(b"<url><n%d/></url>" % n for n in range(200_000)))


BOMBS: dict[str, Bomb] = {
    "entities, 10^11 characters": entities,
    "entity of 100 KB, 20,000 times": quadratic,
    "external entity": external,
    "200,000 elements inside each other": lambda: urlset(*repeated(b"<a>", 600_000)),
    "200,000 attributes": lambda: urlset(b"<url ", *(b'a%d="1" ' % n for n in range(200_000)), b"/>"),
    "attribute of 60 MB": lambda: urlset(b'<url a="', *repeated(b"x", 60 * MIB), b'"/>'),
    "loc of 60 MB": lambda: urlset(b"<url><loc>", *repeated(b"x", 60 * MIB), b"</loc></url>"),
    "comment of 60 MB": lambda: urlset(b"<!--", *repeated(b"x", 60 * MIB), b"-->"),
    "CDATA of 60 MB": lambda: urlset(b"<url><loc><![CDATA[", *repeated(b"x", 60 * MIB), b"]]></loc></url>"),
    "60 MB of text nodes": lambda: urlset(*repeated(b"x<![CDATA[y]]>", 60 * MIB)),
    "100 MB of plain entries": lambda: urlset(*repeated(ENTRY, 100 * MIB)),
    "one entry with 500,000 images": lambda: urlset(
        b'<url xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><loc>https://www.shop.example/</loc>',
        *itertools.repeat(b"<i:image><i:loc>https://www.shop.example/i</i:loc></i:image>", 500_000),
        b"</url>",
    ),
    "200,000 element names": names,
    "8 MB of faults": problems,
    "text file, one line of 60 MB": lambda: itertools.chain(
        [b"https://www.shop.example/\n"], repeated(b"x", 60 * MIB)
    ),
    "gzip: 1 GiB of blanks": gib_of_blanks,
    "gzip: 45,000 equal locs": equal_locs,
    "gzip in gzip in gzip": lambda: [gzip.compress(gzip.compress(gzip.compress(b"".join(urlset()))))],
    "gzip: header without an end": lambda: [b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * (8 * MIB)],
}


def batched(pieces: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Small pieces together, as they would arrive."""
    group, size = [], 0
    for piece in pieces:
        group.append(piece)
        size += len(piece)
        if size >= PIECE:
            yield group
            group, size = [], 0
    yield group


def _said(file: SitemapFile) -> str:
    kinds = [p.kind if p.count == 1 else f"{p.kind} x{p.count:,}" for p in file.problems]
    words = [f"line {file.xml_error.line}: {file.xml_error.message}"] if file.xml_error is not None else []
    words += list(dict.fromkeys(kinds))
    words += [f"{file.duplicates:,} duplicates"] if file.duplicates else []
    return "; ".join(words)


def file_bomb(name: str) -> dict[str, object]:
    pieces = [b"".join(group) for group in batched(BOMBS[name]())]
    before = peak_mib()
    entries, spent, reader = 0, 0.0, SitemapReader(f"{ORIGIN}/sitemap.xml", source=SitemapSource.ROBOTS)
    for piece in pieces:
        for at in range(0, len(piece), PIECE):
            start = time.process_time()
            entries += len(reader.feed(piece[at : at + PIECE]))
            spent += time.process_time() - start
        if reader.stopped:
            break
    start = time.process_time()
    last, file = reader.close(SitemapEnd(status=200))
    spent += time.process_time() - start
    said = f"{file.state.value}, {entries + len(last):,} entries; {_said(file)}"
    return {"said": said, "cpu_s": spent, "mib": peak_mib() - before}


def _index(children: Iterable[str]) -> bytes:
    files = b"".join(b"<sitemap><loc>%s</loc></sitemap>\n" % child.encode() for child in children)
    return b"<sitemapindex " + NS + b">\n" + files + b"</sitemapindex>"


def _crawl(files: Callable[[str], bytes]) -> tuple[int, Frontier]:
    """Reads from /index.xml on, as the spider does; gives how often a file was asked for."""
    frontier, asked = Frontier(4), 0
    first = parse_url(f"{ORIGIN}/index.xml")
    assert first is not None
    frontier.add(Target(first, SitemapSource.ROBOTS))
    while found := list(frontier.ready()):
        for target in found:
            asked += 1
            reader = SitemapReader(target.url.href, source=target.source, depth=target.depth)
            entries = reader.feed(files(target.url.href))
            last, file = reader.close(SitemapEnd(status=200))
            for entry in entries + last:
                url = parse_url(entry.loc) if entry.is_child and entry.loc is not None else None
                if url is not None:
                    frontier.add(
                        Target(url, SitemapSource.INDEX, depth=target.depth + 1, parent=target.url.href,
                               brood=target.children)
                    )  # fmt: skip
            frontier.done(target)
            frontier.judged(target, readable=file.entries > 0)
    return asked, frontier


def _fan_out(children: int) -> Callable[[str], bytes]:
    large = _index(f"{ORIGIN}/{n}.xml" for n in range(children))
    small = _index([f"{ORIGIN}/index.xml"])
    return lambda href: large if href.endswith("/index.xml") else small


def _generator(href: str) -> bytes:
    name = href.rpartition("/")[2].removesuffix(".xml")
    return _index(f"{ORIGIN}/{name}-{n}.xml" for n in range(20))


def index_bomb(name: str, children: int) -> dict[str, object]:
    pair = {"index": _index([f"{ORIGIN}/b.xml"]), "b": _index([f"{ORIGIN}/index.xml"])}
    ways: dict[str, Callable[[str], bytes]] = {
        INDEXES[0]: lambda href: _index([href]),
        INDEXES[1]: lambda href: pair[href.rpartition("/")[2].removesuffix(".xml")],
        INDEXES[2]: _fan_out(children),
        INDEXES[3]: _generator,
    }
    files = ways[name]
    before, start = peak_mib(), time.process_time()
    asked, frontier = _crawl(files)
    said = f"{asked:,} files read, {frontier.unread:,} named and not read"
    return {"said": said, "cpu_s": time.process_time() - start, "mib": peak_mib() - before}


INDEXES = (
    "index that lists itself",
    "two indexes that list each other",
    "index of many that each list it",
    "every index lists 20 new ones",
)


def peak_mib() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1_048_576 if sys.platform == "darwin" else 1_024)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--children", type=int, default=50_000)
    parser.add_argument("--bomb", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bomb:
        of_index = options.bomb in INDEXES
        row = index_bomb(options.bomb, options.children) if of_index else file_bomb(options.bomb)
        print(json.dumps(row))
        return
    print("| bomb | what is said | CPU s | MiB |\n|---|---|---|---|")
    for name in (*BOMBS, *INDEXES):
        command = [sys.executable, __file__, "--bomb", name, "--children", str(options.children)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"| {name} | CRASH {done.stderr.splitlines()[-1:]} | | |", flush=True)
            continue
        row = json.loads(done.stdout)
        print(f"| {name} | {row['said'][:200]} | {row['cpu_s']:.2f} | {row['mib']:.0f} |", flush=True)


if __name__ == "__main__":
    main()
