"""The chaos run of benchmarks/chaos.py, in small: everything is killed, and the reports are those of a calm run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.chaos import Plan, whole_chaos
from benchmarks.chaos_site import Asked, path_of
from tests.site.server import Reply, Site, Sites, serve

HOSTS: Final = tuple(f"c{number}.example" for number in range(5))
URLS: Final = 100
RATE: Final = 20.0
PLAN: Final = Plan(
    workers=6, servers=1, coordinators=1, interrupts=0, cuts=1, full=0, times=20, late=RATE / 2
)
"""Every loss costs some seconds, and the whole calm run takes few."""


class Shop:
    """The test site as the chaos run wants it."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.arguments: Sequence[str] = site.arguments
        self.sites: Sequence[str] = [f"http://{host}" for host in HOSTS]

    def asked(self) -> list[Asked]:
        return [Asked(r.at, r.host, r.path) for r in self._site.requests()]


def page(host: str, path: str) -> Reply:
    kind, number = path.split("/")[1:]
    target = {"c": f"/p/c{number}", "p": path}.get(kind)
    if kind == "r":
        return Reply(301, headers={"Location": f"/p/r{number}"})
    if kind == "gone":
        return Reply(410)
    if target is None:
        return Reply.html(f'<title>{path}</title><meta name="robots" content="noindex"><p>Words.')
    return Reply.html(f'<title>{path}</title><link rel="canonical" href="http://{host}{target}"><p>Words.')


def sites() -> Sites:
    """Pages, redirects, canonicals elsewhere, noindex and gone ones, as in benchmarks/chaos_site.py."""
    found: dict[str, dict[str, Reply]] = {}
    for host in HOSTS:
        listed = [path_of(n) for n in range(URLS)]
        further = [f"/p/{path[1]}{path[3:]}" for path in listed if path[1] in "cr"]
        entries = "".join(f"<url><loc>http://{host}{path}</loc></url>\n" for path in listed)
        found[host] = {
            "/robots.txt": Reply.text(f"Sitemap: http://{host}/sitemap.xml\n"),
            "/sitemap.xml": Reply.xml(
                '<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
                f"{entries}</urlset>\n"
            ),
            **{path: page(host, path) for path in (*listed, *further)},
        }
    return dict(found)


def test_an_audit_survives_everything_at_once(tmp_path: Path) -> None:
    """Six workers, the server (it loses the end of its log) and the coordinator are killed: nothing is lost, nothing
    counts twice, no host is asked too fast."""
    with serve(sites()) as site:
        wrong = whole_chaos(Shop(site), URLS * len(HOSTS), 2, RATE, 3, PLAN, 32)
    assert not wrong, "\n".join(wrong)
