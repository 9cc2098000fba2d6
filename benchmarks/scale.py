"""A large audit on loopback, unattended: where the time goes, and that memory stays flat.

    python -m benchmarks.scale --urls 1000000     one host, sitemaps of up to 50,000 entries
    python -m benchmarks.scale --hosts 5000       so many hosts, each with a robots.txt and a sitemap of 20 entries
                               [--workers 2] [--concurrency 64] [--keep DIR] [--limit SECONDS]

The pages come from nginx's memory: 300 bytes with their own address as title. So the figures show what the
audit costs around a check, not what a page costs (benchmarks/whole_run.py does that). One `sitemap-audit run
--depth head --rate 0`, with a server of its own. Progress goes to stderr, the table to stdout in the end:

    stages       seconds from the start of the command, and how long each took
    CPU          of each process, in seconds and microseconds a URL
    peak memory  of each process; of the command itself while it collects, while it packs its last parts
                 into Parquet, and while it judges and writes reports
    disk         facts, CSV files

Take it on a machine that does nothing else. Free disk needed: about 3 KB a URL.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.processes import Cost, measure
from benchmarks.site import nginx
from benchmarks.whole_run import role
from sitemap_audit.store.folder import RunFolder, RunRecord

NAME: Final = "scale.example"
FILE_URLS: Final = 50_000
LEAST_FILES: Final = 20
HOST_URLS: Final = 20
LOOK_S: Final = 0.2
TELL_S: Final = 10.0
NGINX: Final = """
daemon off; master_process on; worker_processes 1; pid @RUN@/nginx.pid; error_log @RUN@/error.log warn;
worker_rlimit_nofile 20000;
events { worker_connections 4096; }
http {
  access_log off; tcp_nodelay on; sendfile on; keepalive_requests 10000000; keepalive_timeout 600s;
  types { application/xml xml; }
  client_body_temp_path @RUN@/b; proxy_temp_path @RUN@/p; fastcgi_temp_path @RUN@/f;
  uwsgi_temp_path @RUN@/u; scgi_temp_path @RUN@/s;
  server {
    listen 127.0.0.1:@PORT@ backlog=4096; server_name _; root @ROOT@; default_type text/plain;
    location = /robots.txt { return 200 "User-agent: *\\nDisallow: /cart\\nSitemap: http://$host/sitemap.xml\\n"; }
    location /p/ {
      default_type "text/html; charset=utf-8";
      return 200 '<!doctype html><html lang="en"><head><title>Page $uri of $host</title><meta name="description" content="Small."><link rel="canonical" href="http://$host$uri"></head><body><h1>$uri</h1><p>A page that costs nothing to make.</p></body></html>';
    }
    @SITEMAP@
  }
}
"""
HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
SPACE: Final = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def path_of(number: int) -> str:
    return f"/p/garden/leather-{number * 7919 % 1_000_003}-{number}.html"


def write_sitemaps(folder: Path, urls: int) -> None:
    """An index and its files, of at most FILE_URLS entries."""
    files = max(LEAST_FILES, -(-urls // FILE_URLS))
    share = -(-urls // files)
    for number in range(files):
        with (folder / f"sitemap-{number}.xml").open("w") as file:
            file.write(f"{HEAD}<urlset {SPACE}>\n")
            for n in range(number * share, min(urls, (number + 1) * share)):
                file.write(
                    f"<url><loc>http://{NAME}{path_of(n)}</loc><lastmod>2026-11-{n % 28 + 1:02}</lastmod></url>\n"
                )
            file.write("</urlset>\n")
    index = "".join(f"<sitemap><loc>http://{NAME}/sitemap-{n}.xml</loc></sitemap>\n" for n in range(files))
    (folder / "sitemap.xml").write_text(f"{HEAD}<sitemapindex {SPACE}>\n{index}</sitemapindex>\n")


def small_sitemap() -> str:
    """nginx's word for the sitemap of each of many hosts."""
    rows = "".join(f"<url><loc>http://$host{path_of(n)}</loc></url>" for n in range(HOST_URLS))
    return (
        "location = /sitemap.xml { default_type application/xml; "
        f"return 200 '{HEAD.strip()}<urlset {SPACE}>{rows}</urlset>'; }}"
    )


@contextlib.contextmanager
def site(urls: int, hosts: int) -> Iterator[tuple[list[str], int]]:
    """The running site; yields what to audit, and the port."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # started by root, nginx reads as nobody
        if hosts:
            sites, answer = [f"http://h{n:05}.{NAME}" for n in range(hosts)], small_sitemap()
        else:
            sites, answer = [f"http://{NAME}"], ""
            write_sitemaps(Path(folder), urls)
        with nginx(NGINX, {"ROOT": folder, "SITEMAP": answer}) as (port, _):
            yield sites, port


@dataclass(slots=True)
class Watch:
    """Looks at the run folder while the run goes on: tells of its progress, notes when reports begin."""

    out: Path
    report_at: float | None = None
    _end: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        told = began = time.monotonic()
        while not self._end.wait(LOOK_S):
            if self.report_at is None and any(self.out.glob("*.csv*")):
                self.report_at = time.time()
            if time.monotonic() - told >= TELL_S:
                told = time.monotonic()
                with contextlib.suppress(OSError, ValueError):
                    record = json.loads((self.out / "run.json").read_bytes())
                    counts = record.get("counts") or {}
                    print(
                        f"{told - began:6.0f} s  {record['state']}, listed {counts.get('listed', 0):,}, "
                        f"checked {counts.get('checked', 0):,}, discovered {record.get('discovered')}",
                        file=sys.stderr,
                        flush=True,
                    )

    @contextlib.contextmanager
    def ing(self) -> Iterator[None]:
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._end.set()
            thread.join()


def size_mb(paths: Iterator[Path]) -> float:
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def tell(cost: Cost, record: RunRecord, began: float, report_at: float | None, out: Path) -> None:
    """The table."""
    assert record.first_enqueued_at is not None
    assert record.last_stored_at is not None
    assert record.finished_at is not None
    urls = sum(record.workers.values())
    queued, stored = record.first_enqueued_at.timestamp(), record.last_stored_at.timestamp()
    collected, ended = record.finished_at.timestamp(), began + cost.wall_s
    spider = cost.part("spider").samples
    command = cost.part("command")
    stages = [
        ("first batch queued", queued, queued - began),
        (
            "discovery ended",
            spider[-1].at if spider else queued,
            (spider[-1].at if spider else queued) - began,
        ),
        ("last fact on disk", stored, stored - queued),
        ("parts packed, children ended", collected, collected - stored),
        ("judged", report_at or ended, (report_at or ended) - collected),
        ("reports written", ended, ended - (report_at or ended)),
    ]
    print(
        f"\n{urls:,} URLs checked, {record.counts['listed']:,} listed, {record.counts['files']:,} sitemap files"
    )
    print(f"from the first batch queued to the last fact on disk: {urls / (stored - queued):,.0f} URLs/s\n")
    print("| stage | at s | took s |\n|---|---|---|")
    for name, at, took in stages:
        print(f"| {name} | {at - began:.1f} | {took:.1f} |")
    began_cpu, collecting, packed = (command.until(at) for at in (queued, stored, collected))
    rows = [
        ("coordinator, start to first batch", began_cpu.cpu_s, began_cpu.peak_mb),
        ("coordinator, collecting", collecting.cpu_s - began_cpu.cpu_s, collecting.peak_mb),
        ("the same, packing the last parts", packed.cpu_s - collecting.cpu_s, packed.peak_mb),
        ("the same, judging and reports", command.cpu_s - packed.cpu_s, command.peak_mb),
        *((r, cost.part(r).cpu_s, cost.part(r).peak_mb) for r in ("packer", "spider", "worker", "server")),
    ]
    print("\n| process | CPU s | us a URL | peak MB |\n|---|---|---|---|")
    for name, cpu, peak in rows:
        print(f"| {name} | {cpu:.1f} | {cpu / urls * 1e6:.0f} | {peak:.0f} |")
    print(
        f"\nfacts {size_mb((out / 'facts').rglob('*')):,.0f} MB, CSV {size_mb(out.glob('*.csv')):,.0f} MB, ",
        end="",
    )
    print(f"{cost.wall_s:,.0f} s in all, load {os.getloadavg()[0]:.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--urls", type=int, default=0)
    size.add_argument("--hosts", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--limit", type=float, default=6 * 3600.0, help="give up after so many seconds")
    parser.add_argument("--keep", type=Path, help="keep the run folder here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, site(given.urls, given.hosts) as (sites, port):
        out = Path(scratch) / "run"
        command = [
            *(sys.executable, "-m", "sitemap_audit", "run", *sites, "--quiet", "--out", str(out)),
            *("--rate", "0", "--concurrency", str(given.concurrency), "--workers", str(given.workers)),
            *("--depth", "head", "--connect-to", f"::127.0.0.1:{port}"),
        ]
        watch, began = Watch(out), time.time()
        with watch.ing():
            cost = measure(command, role=role, limit_s=given.limit)
        if cost.code:
            log = out / "log.txt"
            raise SystemExit(
                f"the audit ended with code {cost.code}:\n{cost.output[-3000:]}\n"
                + (log.read_text()[-3000:] if log.exists() else "")
            )
        tell(cost, RunFolder(out).read(), began, watch.report_at, out)
        if given.keep:
            shutil.copytree(out, given.keep, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
