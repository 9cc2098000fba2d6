"""The site that the benchmarks audit: generated pages on loopback, served by nginx.

    python -m benchmarks.site make FOLDER [--urls 20000]     writes the site, about 68 KB a URL
    python -m benchmarks.site serve FOLDER [--port 18080]    serves it until Ctrl-C

Its name is http://bench.example. 90.4 % of its listed URLs are pages, 3 % answer 404, 2 % 410, 3.8 % redirect
once and 0.8 % twice to a listed page. A page has 20 to 100 KB (54 KB in the mean, 13 to 14 KB as gzip), a head
of 7 KB with canonical, robots, six hreflang, JSON-LD and a feed link, and one template: times on the pages of
the world differ. The same arguments give the same bytes. Put FOLDER on tmpfs if the disk is slow.

In FOLDER: `www` (pages with .gz twins, robots.txt, sitemap.xml and five sitemaps), `urls.txt` (the listed URLs).
nginx needs no rights: one worker, 127.0.0.1, its files in a temporary folder.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

NAME: Final = "bench.example"
BASE: Final = f"http://{NAME}"
SITEMAPS: Final = 5
LANGUAGES: Final = ("en", "de", "fr", "pl", "es", "it")
TEXT: Final = (
    "sitemap audit page robots canonical redirect feed landscape map crawl index header value product price review "
    "winter summer garden kitchen leather shoe bicycle camera lens history museum ticket travel hotel offer discount "
    "shipping return policy contact about team press news article author comment reply share click button menu search"
)
WORDS: Final = TEXT.split()
STYLE: Final = "".join(
    f".c{i}{{margin:{i}px;color:#{i * 7919 % 0xFFFFFF:06x};padding:{i % 9}px}}" for i in range(60)
)
ROBOTS: Final = f"""User-agent: *
Disallow: /cart
Disallow: /checkout/
Disallow: /*?sort=
Disallow: /*&filter=
Allow: /cart/help

User-agent: googlebot
Disallow: /cart
Disallow: /*?sort=
Disallow: /search$

User-agent: badbot
Disallow: /

Sitemap: {BASE}/sitemap.xml
"""
# `@...@` is filled in. No open_file_cache: above the file limit nginx would stop accepting. The header LinkChecker
# tells that tool that it may go without its own waits.
NGINX: Final = """
daemon off; master_process on; worker_processes 1; pid @RUN@/nginx.pid; error_log @RUN@/error.log warn;
worker_rlimit_nofile 20000;
events { worker_connections 4096; }
http {
  types { text/html html; application/xml xml; text/plain txt; }
  default_type text/html; log_format codes '$status $request_method $uri'; access_log @LOG@; log_not_found off;
  sendfile on; tcp_nodelay on; keepalive_requests 1000000; keepalive_timeout 600s;
  client_body_temp_path @RUN@/b; proxy_temp_path @RUN@/p; fastcgi_temp_path @RUN@/f;
  uwsgi_temp_path @RUN@/u; scgi_temp_path @RUN@/s;
  gzip_static on;
  server {
    listen 127.0.0.1:@PORT@; server_name _; root @ROOT@; charset utf-8; absolute_redirect off;
    location /p/ { add_header LinkChecker 1 always; add_header Link '<@BASE@$uri>; rel="canonical"'; }
    location /p/3/ {
      add_header LinkChecker 1 always;
      add_header X-Robots-Tag "noindex"; add_header X-Robots-Tag "googlebot: nofollow";
    }
    location /r/ { add_header LinkChecker 1 always; rewrite ^/r/(.*)$ /p/$1 permanent; }
    location /rr/ { add_header LinkChecker 1 always; rewrite ^/rr/(.*)$ /r/$1 redirect; }
    location /gone/ { add_header LinkChecker 1 always; return 410; }
  }
}
"""


def page_path(number: int) -> str:
    return f"{number // 1000}/{number}.html"


class Prose:
    """Text of random words. Sentences and sections are made once and drawn, for speed."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.sections = [self._section(number) for number in range(6_000)]

    def words(self, count: int) -> str:
        return " ".join(self.chance.choices(WORDS, k=count)).capitalize() + "."

    def _section(self, number: int) -> str:
        target = self.chance.randrange(20_000)
        return (
            f'<section class="b c{number % 60}" id="s{number}"><h2>{self.words(5)}</h2><p>{self.words(45)} '
            f'<a href="/p/{page_path(target)}">{self.words(3)}</a> &nbsp;{self.words(20)}</p>'
            f'<div class="card"><img src="/img/{target}.jpg" alt="{self.words(4)}" width="320" height="200" '
            f'loading="lazy"><span data-x="{self.chance.random()}">{self.words(8)}</span></div></section>\n'
        )


def page(number: int, pages: int, prose: Prose) -> str:
    """One page. Every 20th names its neighbour as canonical, every 33rd is noindex."""
    chance = prose.chance
    url = f"{BASE}/p/{page_path(number)}"
    canonical = url if number % 20 else f"{BASE}/p/{page_path(min(number + 1, pages - 1))}"
    robots = "noindex, follow" if number % 33 == 0 else "index,follow,max-image-preview:large"
    first = number - number % len(LANGUAGES)
    alternates = "".join(
        f'<link rel="alternate" hreflang="{code}" href="{BASE}/p/{page_path(first + n)}" />\n'
        for n, code in enumerate(LANGUAGES)
        if first + n < pages
    )
    data = json.dumps(
        {
            "@context": "https://schema.org",
            "@type": "Product",
            "name": prose.words(6),
            "url": url,
            "description": prose.words(40),
            "image": [f"{BASE}/img/{number}-{n}.jpg" for n in range(4)],
            "offers": {"@type": "Offer", "price": f"{chance.random() * 100:.2f}", "priceCurrency": "EUR"},
            "breadcrumb": [{"@type": "ListItem", "position": n, "item": f"{BASE}/c/{n}"} for n in range(4)],
        }
    )
    menu = "".join(
        f'<li class="m{n}"><a href="/c/{n}" title="{chance.choice(WORDS)}">{chance.choice(WORDS)}</a></li>'
        for n in range(40)
    )
    head = f"""<!doctype html>
<html lang="{LANGUAGES[number % len(LANGUAGES)]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{prose.words(7)} &ndash; Shop &amp; Co | {number}</title>
<meta name="description" content="{prose.words(22)}">
<link rel="preconnect" href="{BASE}/fonts" crossorigin>
<link rel="stylesheet" href="/assets/main.css?v={number % 9}">
<style>{STYLE}</style>
<script>window.dataLayer=window.dataLayer||[];function gtag(){{dataLayer.push(arguments)}};if(1<2){{gtag('js',new Date());}}</script>
<script async src="/assets/app.js"></script>
<meta property="og:title" content="{prose.words(7)}">
<meta property="og:url" content="{url}">
<meta property="og:image" content="{BASE}/img/{number}.jpg">
<meta name="twitter:card" content="summary_large_image">
<meta name="robots" content="{robots}">
<link rel="canonical" href="{canonical}">
{alternates}<link rel="alternate" type="application/rss+xml" title="Feed" href="/feed.xml">
<link rel="icon" href="/favicon.ico">
<script type="application/ld+json">{data}</script>
</head>
<body class="t{number % 5}">
<header><nav><ul>{menu}</ul></nav></header>
<main><h1>{prose.words(6)}</h1>
"""
    wanted = int(chance.triangular(20_000, 100_000, 40_000))
    out, size = [head], len(head)
    while size < wanted:
        section = chance.choice(prose.sections)
        out.append(section)
        size += len(section)
    out.append("</main><footer><p>&copy; 2026</p></footer></body></html>")
    return "".join(out)


def listing(urls: int, chance: random.Random) -> tuple[int, list[str]]:
    """Number of pages, and the paths that the sitemaps list, in random order."""
    gone, missing = round(urls * 0.02), round(urls * 0.03)
    once, twice = round(urls * 0.038), round(urls * 0.008)
    pages = urls - gone - missing - once - twice
    moved = chance.sample(range(pages), once + twice)
    paths = [f"/p/{page_path(n)}" for n in range(pages)]
    paths += [f"/r/{page_path(n)}" for n in moved[:once]]
    paths += [f"/rr/{page_path(n)}" for n in moved[once:]]
    paths += [f"/gone/{n}" for n in range(gone)]
    paths += [f"/p/99/missing-{n}.html" for n in range(missing)]
    chance.shuffle(paths)
    return pages, paths


def write_sitemaps(root: Path, paths: list[str]) -> None:
    """An index and its sitemaps; a URL's lastmod is a day of November 2026."""
    share = -(-len(paths) // SITEMAPS)
    index = []
    for number in range(SITEMAPS):
        rows = [
            f"<url><loc>{escape(BASE + path)}</loc><lastmod>2026-11-{n % 28 + 1:02}</lastmod></url>"
            for n, path in enumerate(paths[number * share : (number + 1) * share])
        ]
        name = f"sitemap-{number + 1}.xml"
        (root / name).write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
            + "\n".join(rows)
            + "\n</urlset>\n"
        )
        index.append(f"<sitemap><loc>{BASE}/{name}</loc></sitemap>")
    (root / "sitemap.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        + "\n".join(index)
        + "\n</sitemapindex>\n"
    )


def make(folder: Path, urls: int) -> None:
    """Write the site into `folder`. Raises SystemExit when it is there already or does not fit on the disk."""
    root = folder / "www"
    if root.exists():
        raise SystemExit(f"{root} exists already: remove it first, or serve it as it is")
    folder.mkdir(parents=True, exist_ok=True)
    needed, free = urls * 80_000, shutil.disk_usage(folder).free
    if needed > free:
        raise SystemExit(f"{urls} URLs need {needed / 1e9:.1f} GB in {folder}, {free / 1e9:.1f} GB are free")
    chance = random.Random(7)
    pages, paths = listing(urls, chance)
    prose = Prose(chance)
    plain = packed = 0
    for number in range(pages):
        file = root / "p" / page_path(number)
        if number % 1000 == 0:
            file.parent.mkdir(parents=True)
        body = page(number, pages, prose).encode()
        packer = zlib.compressobj(5, zlib.DEFLATED, 31)
        twin = packer.compress(body) + packer.flush()
        file.write_bytes(body)
        file.with_name(file.name + ".gz").write_bytes(twin)
        plain += len(body)
        packed += len(twin)
    write_sitemaps(root, paths)
    (root / "robots.txt").write_text(ROBOTS)
    (folder / "urls.txt").write_text("".join(f"{BASE}{path}\n" for path in paths))
    print(
        f"{pages} pages, {plain // pages:,} bytes in the mean, {packed // pages:,} as gzip; {len(paths)} URLs listed"
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextlib.contextmanager
def serve(folder: Path, port: int = 0, *, log: Path | None = None) -> Iterator[tuple[int, int]]:
    """nginx over `folder`, ended with the context. Yields the port and the process id of its master.

    `log`: gets a line for each request, `status method path`.
    """
    if not (folder / "www" / "robots.txt").exists():
        raise SystemExit(f"{folder} holds no site: python -m benchmarks.site make {folder}")
    values = {"ROOT": str((folder / "www").resolve()), "BASE": BASE, "LOG": f"{log} codes" if log else "off"}
    with nginx(NGINX, values, port) as running:
        yield running


@contextlib.contextmanager
def nginx(configuration: str, values: Mapping[str, str], port: int = 0) -> Iterator[tuple[int, int]]:
    """nginx with this configuration, in which `@NAME@` is filled in from `values`, and RUN (a folder) and PORT.

    Ended with the context. Yields the port and the process id of its master.
    """
    # Ended by SIGTERM (timeout, kill), nginx would go on without us.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        raise SystemExit("nginx is not there: install it (the light package is enough)")
    port = port or free_port()
    with tempfile.TemporaryDirectory() as run:
        for name, value in {**values, "RUN": run, "PORT": str(port)}.items():
            configuration = configuration.replace(f"@{name}@", value)
        file, log = Path(run) / "nginx.conf", Path(run) / "error.log"
        file.write_text(configuration)
        server = subprocess.Popen([program, "-c", str(file), "-e", str(log)], stderr=subprocess.DEVNULL)
        try:
            _wait_for(port, server, log)
            yield port, server.pid
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(10)


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(100):
        if server.poll() is not None:
            raise SystemExit(f"nginx ended with code {server.returncode}: {log.read_text()[-500:]}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise SystemExit(f"nginx does not listen on port {port}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("make", "serve"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--urls", type=int, default=20_000)
    parser.add_argument("--port", type=int, default=18080)
    given = parser.parse_args()
    if given.what == "make":
        make(given.folder, given.urls)
        return
    with serve(given.folder, given.port) as (port, _), contextlib.suppress(KeyboardInterrupt):
        print(
            f"http://127.0.0.1:{port} until Ctrl-C; audit it with --connect-to {NAME}:80:127.0.0.1:{port}",
            flush=True,
        )
        signal.pause()


if __name__ == "__main__":
    main()
