"""Reads thousands of broken sitemap files: none may crash, hang, eat memory or pass in silence.

    python benchmarks/mutations.py FOLDER [--number 10000] [--seed 5]

Takes every file of FOLDER (a corpus of sitemaps and feeds), breaks it by tests/formats/sitemap_mutator.py, and reads
it in pieces of random size. Silence: a file that gave nothing, or not all of it, and no problem says why. Every
tenth is read a second time in one piece: the facts must be the same. Bounds: 2 s CPU a file, 64 MiB in all.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from sitemap_audit.facts import Entry, SitemapFile, SitemapKind, SitemapSource, SitemapState
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from tests.formats.sitemap_mutator import mutate

MOST_S = 2.0
MOST_MIB = 64.0
LISTS = (SitemapKind.URLSET, SitemapKind.INDEX, SitemapKind.RSS, SitemapKind.ATOM)


@dataclass
class Outcome:
    number: int = 0
    crashes: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    differ: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    states: Counter[str] = field(default_factory=Counter)
    said: Counter[str] = field(default_factory=Counter)


def read(data: bytes, url: str, sizes: random.Random | None) -> tuple[list[Entry], SitemapFile]:
    reader, entries, at = SitemapReader(url, source=SitemapSource.ROBOTS), [], 0
    while at < len(data):
        step = len(data) if sizes is None else sizes.choice([1, 7, 300, 4_096, 65_536])
        entries += reader.feed(data[at : at + step])
        at += step
    last, file = reader.close(SitemapEnd(status=200))
    return entries + last, file


def is_silent(file: SitemapFile) -> bool:
    if file.problems or file.xml_error is not None:
        return False
    empty_but_whole = file.kind in LISTS and file.complete  # an empty list is a fact of its own
    return file.state is not SitemapState.OK or (file.entries == 0 and not empty_but_whole)


def one(data: bytes, name: str, chance: random.Random, outcome: Outcome) -> None:
    outcome.number += 1
    small = len(data) < 50_000
    url = "https://example.com/" + name.partition(" ")[0]
    start = time.process_time()
    try:
        entries, file = read(data, url, chance if small else None)
        seconds = time.process_time() - start
        again = read(data, url, None) if outcome.number % 10 == 0 else (entries, file)
    except Exception as error:
        outcome.crashes.append(f"{name}: {error!r}")
        return
    outcome.slowest = max(outcome.slowest, (seconds, name))
    outcome.states[f"{file.kind.value} {file.state.value}"] += 1
    outcome.said.update({p.kind for p in file.problems})
    outcome.said.update({"xml_error"} if file.xml_error is not None else ())
    if is_silent(file):
        outcome.silent.append(name)
    if (len(again[0]), again[1].problems, again[1].xml_error) != (
        len(entries),
        file.problems,
        file.xml_error,
    ):
        outcome.differ.append(name)


def run(files: list[Path], number: int, seed: int) -> Outcome:
    outcome, chance = Outcome(), random.Random(seed)
    bodies = [(path.name, path.read_bytes()) for path in files]
    for n in range(number):
        name, body = bodies[n % len(bodies)]
        data, how = mutate(body, chance)
        one(data, f"{name} #{n} {'+'.join(how)}", chance, outcome)
    return outcome


def peak_mib() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1_048_576 if sys.platform == "darwin" else 1_024)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--number", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    files = sorted(
        p for p in options.folder.rglob("*") if p.is_file() and p.name != "index.csv" and p.stat().st_size
    )
    for path in files:  # what the unbroken files need is the ground from which growth counts
        read(path.read_bytes(), "https://example.com/s.xml", None)
    before, start = peak_mib(), time.process_time()
    outcome = run(files, options.number, options.seed)
    seconds, growth = time.process_time() - start, peak_mib() - before
    print(f"{outcome.number:,} broken files of {len(files)}, seed {options.seed}: {seconds:.0f} s CPU")
    print(
        f"crashes {len(outcome.crashes)}, silent {len(outcome.silent)}, read otherwise in one piece {len(outcome.differ)}"
    )
    print(
        f"slowest {outcome.slowest[0]:.2f} s ({outcome.slowest[1]}); memory grew by {growth:.0f} MiB over all"
    )
    for name, count in outcome.states.most_common():
        print(f"  {name:<24}{count:>7,}")
    print("said: " + ", ".join(f"{kind} {count:,}" for kind, count in outcome.said.most_common()))
    for line in (outcome.crashes + outcome.silent + outcome.differ)[:20]:
        print("  !", line)
    bad = outcome.crashes or outcome.silent or outcome.differ
    return 1 if bad or outcome.slowest[0] > MOST_S or growth > MOST_MIB else 0


if __name__ == "__main__":
    sys.exit(main())
