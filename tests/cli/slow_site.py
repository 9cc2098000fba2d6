"""A shop whose pages and files answer after a while, and what tests of faults ask of a run of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import psutil

from tests.cli.audit import Outcome
from tests.site.server import Reply, Site, Sites

XMLNS: Final = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
SHOP: Final = "https://shop.example"


def slow_shop(files: int, pages: int, *, file_s: float = 0.0, page_s: float = 0.0) -> Sites:
    """So many sitemaps of so many pages each; files and pages answer after a while."""
    paths: dict[str, Reply] = {
        "/robots.txt": Reply.text("".join(f"Sitemap: {SHOP}/map{n}.xml\n" for n in range(files)))
    }
    for n in range(files):
        names = [f"/{n}/{k}" for k in range(pages)]
        entries = "".join(f"<url><loc>{SHOP}{name}</loc></url>\n" for name in names)
        body = f'<?xml version="1.0"?>\n<urlset {XMLNS}>\n{entries}</urlset>\n'.encode()
        paths[f"/map{n}.xml"] = Reply(200, body, {"Content-Type": "application/xml"}, wait_s=file_s)
        for name in names:
            html = f'<title>{name}</title><link rel="canonical" href="{SHOP}{name}"><p>Words.</p>'.encode()
            paths[name] = Reply(200, html, {"Content-Type": "text/html"}, wait_s=page_s)
    return {"shop.example": paths}


def child(parent: int, *words: str) -> psutil.Process:
    """The process below `parent` whose command line holds these words."""
    for process in psutil.Process(parent).children(recursive=True):
        line = " ".join(process.cmdline())
        if all(word in line for word in words):
            return process
    raise AssertionError(f"no process with {words}")


def whole(out: Path, urls: int) -> None:
    """Every listed URL stands once in the report, checked and sound."""
    verdicts = Outcome(0, "", "", out).verdicts()
    assert len(verdicts) == urls
    assert set(verdicts.values()) == {"indexable"}


def asked(site: Site, prefix: str) -> int:
    return sum(r.path.startswith(prefix) for r in site.requests("shop.example"))


def no_traceback(out: Path) -> None:
    """Nobody of the run crashed: neither spider nor workers."""
    said = (out / "audit.log").read_text("utf-8", "replace")
    assert "Traceback" not in said, said[-3000:]
