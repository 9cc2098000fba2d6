"""Many small sites on one loopback port, served by nginx, for benchmarks/chaos.py: fast, and every request logged.

The hosts are c00.example, c01.example and so on. Of the listed URLs 87 % are pages, 4 % redirect once, 2 % are
gone, 3 % are noindex, and 4 % name a canonical elsewhere, which nobody lists. Nothing lies on disk but the
sitemaps: nginx makes the pages.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.site import _wait_for, free_port

CONFIGURATION: Final = """
daemon off; master_process on; worker_processes 1; pid @RUN@/nginx.pid; error_log @RUN@/error.log warn;
worker_rlimit_nofile 20000;
events { worker_connections 4096; }
http {
  types { application/xml xml; text/plain txt; } default_type text/html; log_not_found off;
  log_format asked '$msec $host $request_uri'; access_log @RUN@/asked.log asked;
  keepalive_requests 1000000; keepalive_timeout 600s; tcp_nodelay on;
  client_body_temp_path @RUN@/b; proxy_temp_path @RUN@/p; fastcgi_temp_path @RUN@/f;
  uwsgi_temp_path @RUN@/u; scgi_temp_path @RUN@/s;
  server {
    listen 127.0.0.1:@PORT@ backlog=4096; server_name _; root @RUN@/www/$host; charset utf-8;
    absolute_redirect off;
    location ~ "^/p/[cr]?[0-9]+$" { return 200 '<title>Page $uri</title><link rel="canonical" href="http://$host$uri"><p>Words.'; }
    location ~ "^/n/[0-9]+$" { return 200 '<title>Page $uri</title><meta name="robots" content="noindex"><p>Words.'; }
    location ~ "^/c/([0-9]+)$" { return 200 '<title>Page $uri</title><link rel="canonical" href="http://$host/p/c$1"><p>W.'; }
    location ~ "^/r/([0-9]+)$" { return 301 /p/r$1; }
    location /gone/ { return 410; }
  }
}
"""


class Asked(NamedTuple):
    """One request: seconds, host, path."""

    at: float
    host: str
    path: str


def path_of(number: int) -> str:
    """The number-th listed URL of a host."""
    last = number % 100
    if last < 4:
        return f"/r/{number}"
    if last < 8:
        return f"/c/{number}"
    if last < 11:
        return f"/n/{number}"
    if last < 13:
        return f"/gone/{number}"
    return f"/p/{number}"


@dataclass(slots=True)
class ChaosSite:
    port: int
    hosts: tuple[str, ...]
    log: Path
    _offset: int = 0
    _asked: list[Asked] = field(default_factory=list)

    @property
    def arguments(self) -> list[str]:
        return ["--connect-to", f":80:127.0.0.1:{self.port}"]

    @property
    def sites(self) -> list[str]:
        return [f"http://{host}" for host in self.hosts]

    def asked(self) -> list[Asked]:
        """All requests so far, in the order in which they were answered."""
        with self.log.open("rb") as file:
            file.seek(self._offset)
            text = file.read()
        text = text[: text.rfind(b"\n") + 1]
        self._offset += len(text)
        for line in text.decode().splitlines():
            at, host, path = line.split(" ")
            self._asked.append(Asked(float(at), host, path))
        return self._asked


@contextlib.contextmanager
def serve(urls: int, hosts: int) -> Iterator[ChaosSite]:
    """So many listed URLs over so many hosts, until the block ends. SystemExit without nginx."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        raise SystemExit("nginx is not there: install it (the light package is enough)")
    names = tuple(f"c{number:02d}.example" for number in range(hosts))
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        run = Path(folder)
        run.chmod(0o755)
        for place, name in enumerate(names):
            _write_host(run / "www" / name, name, urls // hosts + (place < urls % hosts))
        port = free_port()
        text = CONFIGURATION.replace("@RUN@", folder).replace("@PORT@", str(port))
        (run / "nginx.conf").write_text(text)
        server = subprocess.Popen(
            [program, "-c", str(run / "nginx.conf"), "-e", str(run / "error.log")], stderr=subprocess.DEVNULL
        )
        try:
            _wait_for(port, server, run / "error.log")
            yield ChaosSite(port, names, run / "asked.log")
        finally:
            server.terminate()
            server.wait(10)


def _write_host(root: Path, name: str, urls: int) -> None:
    root.mkdir(parents=True)
    maps = []
    for first in range(0, urls, 50_000):
        rows = (
            f"<url><loc>http://{name}{path_of(n)}</loc></url>"
            for n in range(first, min(urls, first + 50_000))
        )
        (root / f"map{first}.xml").write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
            + "\n".join(rows)
            + "\n</urlset>\n"
        )
        maps.append(f"Sitemap: http://{name}/map{first}.xml\n")
    (root / "robots.txt").write_text("User-agent: *\nDisallow: /cart\n" + "".join(maps))
