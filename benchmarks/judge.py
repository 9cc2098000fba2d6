"""How long the tables of a judgement take: python -m benchmarks.judge [N] [--memory 1500MB] [--threads 2]

Writes synthetic facts of N listed URLs (default 200,000; 3 % faulty, 5 % with hreflang, 1 % delivered
twice) as parts to a temporary folder, then measures `build` alone: CPU, wall, peak memory, spilled bytes.
`--previous` gives it an earlier run of the same size.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from sitemap_audit.settings import COMPACT_ROWS, JUDGE_MEMORY_LIMIT
from sitemap_audit.store.accounting import account
from sitemap_audit.store.base import RunRow
from sitemap_audit.store.build import build
from sitemap_audit.store.columns import FACTS, Kind, declared
from sitemap_audit.store.connection import literal, open_judge
from sitemap_audit.store.judge_settings import JudgeSettings
from sitemap_audit.store.parts import list_parts, part_name
from sitemap_audit.store.resume import known_entries, known_pages

URL = "'https://www.example-shop.com/en/garden-leather-' || (i * 7919) % 1000003 || '-' || i"
ENTRY: Mapping[str, str] = {
    "sitemap": "'https://www.example-shop.com/sitemap-' || i // 50000 || '.xml'",
    "file_id": "left(sha256((i // 50000)::VARCHAR), 16)",
    "position": "i % 50000 + 1",
    "line": "i % 50000 * 4 + 3",
    "is_child": "false",
    "url_id": "left(sha256(url), 16)",
    "url_key": "url",
    "loc_raw": "url",
    "loc": "url",
    "lastmod_raw": "'2026-11-01'",
    "lastmod": "TIMESTAMP '2026-11-01' + INTERVAL (i % 5000) MINUTE",
    "lastmod_precision": "'day'",
    "alternates": (
        "CASE WHEN i % 20 = 0 THEN [{'line': 4, 'code_raw': 'de', 'code': 'de', 'code_issue': NULL, "
        "'href_raw': url || '-de', 'href': url || '-de', 'href_key': url || '-de'}] END"
    ),
}
PAGE: Mapping[str, str] = {
    "url_id": "left(sha256(url), 16)",
    "url_key": "url",
    "requested_url": "url",
    "discovered_by": "'sitemap'",
    "state": "'checked'",
    "fetched_at": "TIMESTAMP '2026-11-30' + INTERVAL (i) MILLISECOND",
    "attempts": "1",
    "attempt_log": "[{'at': TIMESTAMP '2026-11-30', 'status': 200, 'error_class': NULL, 'ms': i % 900}]",
    "first_status": "CASE WHEN i % 100 = 1 THEN 301 WHEN i % 100 = 2 THEN 404 ELSE 200 END",
    "status": "CASE WHEN i % 100 = 2 THEN 404 ELSE 200 END",
    "final_url": "CASE WHEN i % 100 = 1 THEN url || '/' ELSE url END",
    "final_key": "CASE WHEN i % 100 = 1 THEN url || '/' ELSE url END",
    "hop_count": "CASE WHEN i % 100 = 1 THEN 1 ELSE 0 END",
    "hops": (
        "CASE WHEN i % 100 = 1 THEN [{'n': 1, 'url': url, 'status': 301, 'kind': 'http', 'location_raw': '/', "
        "'location': url || '/', 'ms': 3, 'robots_allowed': true, 'set_cookie': false}] ELSE [] END"
    ),
    "ip": "'192.0.2.1'",
    "http_version": "'1.1'",
    "ttfb_ms": "i % 800",
    "total_ms": "i % 900",
    "bytes_wire": "20000 + i % 9000",
    "bytes": "54000 + i % 30000",
    "truncated": "false",
    "content_type": "'text/html; charset=utf-8'",
    "sniffed_type": "'html'",
    "charset_used": "'utf-8'",
    "content_encoding": "'gzip'",
    "date_http": "TIMESTAMP '2026-11-30' + INTERVAL (i) MILLISECOND",
    "etag": "left(sha256('e' || i), 20)",
    "cache_control": "'max-age=600'",
    "x_robots_tag": "[]::VARCHAR[]",
    "meta_robots": "[{'name': 'robots', 'content': 'index,follow', 'in_head': true, 'offset': 300}]",
    "directives": "MAP {'googlebot': {'noindex': i % 100 = 3, 'nofollow': false}}",
    "noindex_sources": "CASE WHEN i % 100 = 3 THEN ['meta:robots'] ELSE [] END",
    "robots": (
        "MAP {'googlebot': {'allowed': true, 'rule': NULL, 'line': NULL, 'group_line': 1, 'robots_url': "
        "'https://www.example-shop.com/robots.txt', 'state': 'ok', 'tie_line': NULL, 'star_allowed': NULL}}"
    ),
    "canonical_html": (
        "[{'href_raw': url, 'href': url, 'in_head': true, 'base_used': false, 'attrs': []::VARCHAR[], 'used': true}]"
    ),
    "canonical": "url",
    "canonical_state": "CASE WHEN i % 200 = 5 THEN 'other' ELSE 'self' END",
    "hreflang_count": "0",
    "title": "'Product number ' || i // 3 || ' - Shop & Co'",
    "html_lang": "'en'",
    "challenge": "false",
}


def write_facts(facts: Path, count: int) -> None:
    """Parts of COMPACT_ROWS rows; the last one repeats a hundredth of the facts."""
    with duckdb.connect(config={"threads": 2}) as con:
        con.execute("SET enable_progress_bar = false")
        for kind, values in ((Kind.ENTRIES, ENTRY), (Kind.PAGES, PAGE)):
            folder = facts / kind
            folder.mkdir(parents=True)
            columns = ", ".join(f'{value} AS "{name}"' for name, value in values.items())
            spans = [(n, min(n + COMPACT_ROWS, count), 1) for n in range(0, count, COMPACT_ROWS)]
            for number, (start, end, step) in enumerate([*spans, (0, count, 100)], 1):
                con.execute(f"CREATE OR REPLACE TABLE facts ({declared(FACTS[kind])})")
                con.execute(
                    f"INSERT INTO facts BY NAME SELECT {columns} FROM "
                    f"(SELECT i, {URL} AS url FROM range({start}, {end}, {step}) r(i))"
                )
                rows = len(range(start, end, step))
                path = folder / part_name(number, number, rows)
                con.execute(f"COPY facts TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd)")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("count", nargs="?", type=int, default=200_000)
    options.add_argument("--memory", default=JUDGE_MEMORY_LIMIT)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--previous", action="store_true")
    options.add_argument("--resume", action="store_true", help="also read back what a resumed run would")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        facts = Path(folder) / "facts"
        # In a process of its own: its memory is not that of the judgement.
        writer = multiprocessing.get_context("spawn").Process(target=write_facts, args=(facts, given.count))
        writer.start()
        writer.join()
        parts = list_parts(facts)
        start, cpu = time.perf_counter(), time.process_time()
        con = open_judge(Path(folder) / "spill", memory_limit=given.memory, threads=given.threads)
        build(
            con,
            parts,
            settings=JudgeSettings(depth="head", thresholds={"soft404_report": 0.7}),
            run=RunRow(run_id="bench", started_at=datetime.now(UTC)),
            previous=parts if given.previous else None,
        )
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        spilled = con.execute("SELECT coalesce(sum(size), 0) FROM duckdb_temporary_files()").fetchone()
        verdicts = con.execute("SELECT verdict, count(*) FROM urls GROUP BY ALL ORDER BY 2 DESC").fetchall()
        counts = account(con)
        con.close()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"{given.count:,} URLs: {cpu:.1f} CPU s ({cpu / given.count * 1e6:.1f} us a URL), {wall:.1f} s, "
            f"peak {peak:,} MB, spilled {spilled[0] // 2**20 if spilled else 0:,} MB"
        )
        print(f"listed {counts.listed:,}, checked {counts.checked:,}; {verdicts}")
        if given.resume:
            for read in (known_entries, known_pages):
                start = time.perf_counter()
                lines = sum(1 for _ in read(facts))
                print(f"{read.__name__}: {lines:,} in {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
