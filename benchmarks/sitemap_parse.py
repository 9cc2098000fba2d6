"""How fast sitemaps are read, beside the peers: entries per CPU second of one core, and peak memory.

    python benchmarks/sitemap_parse.py [--entries 50000] [--rounds 3] [--out FOLDER]

Generates two files, plain and with six alternates an entry, and reads each in every way that is installed:
one process a reading, rounds interleaved (A B C A B C), medians. CPU time, not wall time; memory is the peak
resident set, and how much of it came after the imports. Files are read in 64 KiB chunks, as from the network,
save where an API wants all at once. On a shared machine compare ways of one run, never two runs.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import itertools
import json
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

CHUNK = 65_536
NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
XHTML = "http://www.w3.org/1999/xhtml"
ORIGIN = "https://www.shop.example"
LANGUAGES = ("x-default", "en", "de", "fr", "pl", "es")
WORDS = ("garden", "leather", "winter", "museum", "camera", "bicycle", "kitchen", "summer", "hotel", "ticket")

Way = Callable[[Path], tuple[int, int]]
"""Reads a file; gives the numbers of entries and alternates."""


def generate(path: Path, entries: int, *, alternates: bool) -> None:
    """A sitemap as a shop makes it: loc with an escaped query, lastmod, changefreq, priority."""
    chance = random.Random(5)
    with path.open("w", encoding="utf-8") as file:
        file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{NS}" xmlns:xhtml="{XHTML}">\n')
        for n in range(entries):
            slug = "-".join(chance.choice(WORDS) for _ in range(5)) + f"-{chance.randrange(10**6)}"
            file.write(
                f"  <url>\n    <loc>{ORIGIN}/en/{slug}?a=1&amp;b=2</loc>\n"
                f"    <lastmod>2026-{1 + n % 12:02d}-{1 + n % 28:02d}T08:00:{n % 60:02d}+00:00</lastmod>\n"
                "    <changefreq>weekly</changefreq>\n    <priority>0.8</priority>\n"
            )
            for language in LANGUAGES if alternates else ():
                href = f"{ORIGIN}/{language}/{slug}?a=1&amp;b=2"
                file.write(f'    <xhtml:link rel="alternate" hreflang="{language}" href="{href}"/>\n')
            file.write("  </url>\n")
        file.write("</urlset>\n")


def chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


# Ours


def _ours_raw(path: Path, *, fast: bool) -> tuple[int, int]:
    from sitemap_audit.formats.sitemap_problems import ProblemLog
    from sitemap_audit.formats.sitemap_xml import XmlReader

    reader, entries = XmlReader(ProblemLog(), fast=fast), 0
    for chunk in chunks(path):
        entries += len(reader.feed(chunk))
    entries += len(reader.close())
    return entries, reader.totals.alternates


def ours_raw(path: Path) -> tuple[int, int]:
    return _ours_raw(path, fast=True)


def ours_raw_expat_only(path: Path) -> tuple[int, int]:
    return _ours_raw(path, fast=False)


def ours_facts(path: Path) -> tuple[int, int]:
    from sitemap_audit.facts import SitemapSource
    from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader

    reader, entries = SitemapReader(f"{ORIGIN}/sitemap.xml", source=SitemapSource.ROBOTS), 0
    for chunk in chunks(path):
        entries += len(reader.feed(chunk))
    last, file = reader.close(SitemapEnd(status=200))
    return entries + len(last), file.alternates


# The bare parsers: what a hand-written loop over them costs, without bounds, problems or line numbers


def raw_expat(path: Path) -> tuple[int, int]:
    from xml.parsers import expat

    parser: Any = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    leaves = {f"{NS}}}{name}" for name in ("loc", "lastmod")}
    url, link = f"{NS}}}url", f"{XHTML}}}link"
    rows: list[tuple[dict[str, str], list[tuple[str | None, str | None]]]] = []
    row: dict[str, str] = {}
    links: list[tuple[str | None, str | None]] = []
    text: list[str] | None = None
    numbers = [0, 0]

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal row, links, text
        if name in leaves:
            text = []
            parser.CharacterDataHandler = text.append
        elif name == link:
            links.append((attributes.get("hreflang"), attributes.get("href")))
        elif name == url:
            row, links = {}, []

    def end(name: str) -> None:
        nonlocal text
        if text is not None:
            row[name] = "".join(text).strip()
            text = None
            parser.CharacterDataHandler = None
        elif name == url:
            rows.append((row, links))

    parser.StartElementHandler, parser.EndElementHandler = start, end
    for chunk in itertools.chain(chunks(path), (b"",)):
        parser.Parse(chunk, not chunk)
        numbers[0] += len(rows)
        numbers[1] += sum(len(found) for _, found in rows)
        rows.clear()
    return numbers[0], numbers[1]


def raw_lxml(path: Path) -> tuple[int, int]:
    etree = importlib.import_module("lxml.etree")
    parser = etree.XMLPullParser(
        events=("end",), tag=f"{{{NS}}}url", resolve_entities=False, no_network=True, remove_comments=True
    )
    entries = alternates = 0
    for chunk in chunks(path):
        parser.feed(chunk)
        for _, element in parser.read_events():
            row: dict[str, str] = {}
            for child in element:
                if child.tag == f"{{{XHTML}}}link":
                    alternates += child.get("hreflang") is not None and child.get("href") is not None
                else:
                    row[child.tag] = (child.text or "").strip()
            entries += bool(row) and element.sourceline > 0
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    parser.close()
    return entries, alternates


# The peers


def scrapy(path: Path) -> tuple[int, int]:
    sitemap = importlib.import_module("scrapy.utils.sitemap")
    entries = alternates = 0
    for row in sitemap.Sitemap(path.read_bytes()):
        entries += 1
        alternates += len(row.get("alternate", ()))
    return entries, alternates


def ultimate_sitemap_parser(path: Path) -> tuple[int, int]:
    tree = importlib.import_module("usp.tree")
    entries = alternates = 0
    for page in tree.sitemap_from_str(path.read_text(encoding="utf-8")).all_pages():
        entries += 1
        alternates += len(getattr(page, "alternates", None) or ())
    return entries, alternates


def advertools(path: Path) -> tuple[int, int]:
    sitemaps = importlib.import_module("advertools.sitemaps")
    pandas = importlib.import_module("pandas")
    tree = importlib.import_module("xml.etree.ElementTree")
    frame = pandas.DataFrame(sitemaps._parse_sitemap(tree.fromstring(path.read_bytes())))
    return len(frame), int(frame.filter(like="alternate").notna().sum().sum())


WAYS: dict[str, tuple[Way, str, str | None]] = {
    "ours, rows": (ours_raw, "sitemap_audit.formats.sitemap_xml", None),
    "ours, rows by expat alone": (ours_raw_expat_only, "sitemap_audit.formats.sitemap_xml", None),
    "ours, bytes to facts": (ours_facts, "sitemap_audit.formats.sitemap", None),
    "expat, bare": (raw_expat, "xml.parsers.expat", None),
    "lxml XMLPullParser, bare": (raw_lxml, "lxml.etree", "lxml"),
    "scrapy.utils.sitemap": (scrapy, "scrapy.utils.sitemap", "scrapy"),
    "ultimate-sitemap-parser": (ultimate_sitemap_parser, "usp.tree", "ultimate-sitemap-parser"),
    "advertools": (advertools, "advertools", "advertools"),
}
"""Way, the module to import ahead of the measurement, the distribution it comes from."""


def peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1_048_576 if sys.platform == "darwin" else 1_024)


def measure(name: str, path: Path) -> None:
    """In a process of its own: one reading, as a line of JSON."""
    way, module, _ = WAYS[name]
    try:
        importlib.import_module(module)
    except ImportError:
        print(json.dumps({"missing": True}))
        return
    before, start = peak_mb(), time.process_time()
    entries, alternates = way(path)
    seconds = time.process_time() - start
    row = {
        "entries": entries,
        "alternates": alternates,
        "cpu_s": seconds,
        "peak_mb": peak_mb(),
        "import_mb": before,
    }
    print(json.dumps(row))


def versions() -> str:
    from xml.parsers import expat

    found = [f"Python {platform.python_version()}", expat.EXPAT_VERSION]
    for distribution in ("lxml", "isal", "ada-url", "scrapy", "ultimate-sitemap-parser", "advertools"):
        try:
            found.append(f"{distribution} {importlib.metadata.version(distribution)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{distribution} not installed")
    return ", ".join(found)


def report(path: Path, entries: int, rounds: int) -> None:
    readings: dict[str, list[dict[str, float]]] = {name: [] for name in WAYS}
    for _ in range(rounds):
        for name, rows in readings.items():
            command = [sys.executable, __file__, "--way", name, "--file", str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows.append(json.loads(done.stdout.splitlines()[-1]))
    print(f"\n{path.name}: {path.stat().st_size:,} bytes, {entries:,} entries")
    print(f"{'way':<28}{'entries/s':>12}{'CPU s':>9}{'peak MB':>9}{'growth MB':>11}")
    for name, rows in readings.items():
        if rows[0].get("missing"):
            print(f"{name:<28}  not installed, skipped")
            continue
        seconds = statistics.median(row["cpu_s"] for row in rows)
        peak = statistics.median(row["peak_mb"] for row in rows)
        growth = statistics.median(row["peak_mb"] - row["import_mb"] for row in rows)
        wrong = "" if all(row["entries"] == entries for row in rows) else f"  READ {rows[0]['entries']}"
        print(f"{name:<28}{entries / seconds:>12,.0f}{seconds:>9.3f}{peak:>9.0f}{growth:>11.1f}{wrong}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="keep the generated files here")
    parser.add_argument("--way", choices=list(WAYS), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        measure(options.way, options.file)
        return
    print(versions())
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.out or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name, alternates in (("plain.xml", False), ("alternates.xml", True)):
            generate(folder / name, options.entries, alternates=alternates)
            report(folder / name, options.entries, options.rounds)


if __name__ == "__main__":
    main()
