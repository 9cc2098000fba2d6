"""The demo's hosts and what they answer. All names end in .example (RFC 2606): nothing of it is on the net.

shop.example is the site. Its robots.txt names further sitemaps, also of three neighbours in trouble:
staging (closed to robots, as before the launch), down (its robots.txt fails) and gone (nobody answers).
www.shop.example is an old address of the shop that was never shut, has no robots.txt and knows no 404.
Every fault of it stands once; FAULTS says which rule must find it, and where. Every rule of the first tier is shown.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

SHOP: Final = "shop.example"
WWW: Final = "www.shop.example"
STAGING: Final = "staging.shop.example"
DOWN: Final = "down.shop.example"
GONE: Final = "gone.shop.example"
"""Nobody listens there."""
OTHER: Final = "other.example"
HOSTS: Final = (SHOP, WWW, STAGING, DOWN, OTHER)
"""Hosts that answer."""

SITE: Final = f"http://{SHOP}"
PRODUCTS: Final = 24
XML: Final = "application/xml"
URLSET: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
)

FAULTS: Final[Mapping[str, str]] = {
    "robots-blocks-everything": f"http://{STAGING}",
    "entry-blocked-by-robots": f"http://{STAGING}/",
    "index-noindex-blocked": f"http://{STAGING}/",
    "sitemap-blocked-by-robots": f"http://{STAGING}/sitemap.xml",
    "robots-server-error": f"http://{DOWN}",
    "robots-missing": f"http://{WWW}",
    "robots-scope-gap": f"http://{WWW}",
    "audit-incomplete": f"{SITE}/guarded",
    "robots-unreachable": f"http://{GONE}",
    "sitemap-fetch-error": f"http://{GONE}/sitemap.xml",
    "page-soft-404": f"{SITE}/vanished",
    "index-duplicate-content": f"{SITE}/original-copy",
    "audit-soft-404-site": f"http://{WWW}",
    "url-client-error": f"{SITE}/sold-out",
    "url-server-error": f"{SITE}/broken",
    "url-unreachable": f"{SITE}/hangs-up",
    "url-redirects": f"{SITE}/moved",
    "index-noindex": f"{SITE}/hidden",
    "canonical-elsewhere": f"{SITE}/variant",
    "canonical-target-bad": f"{SITE}/variant",
    "canonical-multiple-conflicting": f"{SITE}/two-canonicals",
    "hreflang-no-return": f"{SITE}/en",
    "hreflang-no-self": f"{SITE}/fr",
    "entry-host-mismatch": f"http://{OTHER}/page",
    "entry-loc-not-absolute": f"{SITE}/relative",
    "sitemap-http-error": f"{SITE}/sitemap-missing.xml",
    "sitemap-is-html": f"{SITE}/sitemap-login.xml",
    "sitemap-xml-malformed": f"{SITE}/sitemap-ampersand.xml",
    "sitemap-too-many-urls": f"{SITE}/sitemap-many.xml.gz",
    "sitemap-too-large": f"{SITE}/sitemap-large.xml.gz",
    "lastmod-equals-fetch-time": f"{SITE}/sitemap-now.xml",
    "lastmod-all-identical": f"{SITE}/sitemap-products.xml",
    "lastmod-invalid-format": f"{SITE}/sitemap-dates.xml",
}
"""Rule → the page, file or origin of its one fault."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the demo's server. `hang_up`: the connection is closed without a word."""

    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    body: bytes | Callable[[], bytes] = b""
    headers: tuple[tuple[str, str], ...] = ()
    hang_up: bool = False


def _page(title: str, head: str = "", canonical: str | None = None, text: str | None = None) -> bytes:
    link = f'<link rel="canonical" href="{canonical}">' if canonical else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>{link}{head}</head>'
        f"<body><main><h1>{title}</h1><p>{text or _text_about(title)}</p></main></body></html>\n"
    ).encode()


def _text_about(title: str) -> str:
    """A text of its own for each title: pages that are alike are a fault."""
    digits = hashlib.sha256(title.encode()).digest() + hashlib.sha256(f"{title} again".encode()).digest()
    return "A shop that does not exist. " + " ".join(_WORDS[digit % len(_WORDS)] for digit in digits) + "."


_VOCABULARY: Final = """
hats shoes lamps kettles ropes wool leather brass cotton paper red blue green small large heavy
light soft warm cold old new round square plain striped mended painted folded woven for winter
summer travel garden kitchen school sea mountain with without beside under made found lent sold kept
worn by hand machine nobody somebody twice rarely
"""
_WORDS: Final = tuple(_VOCABULARY.split())


def _healthy(path: str, title: str, head: str = "", day: int = 1) -> Reply:
    changed = (datetime(2026, 9, 1, 8, tzinfo=UTC) + timedelta(days=day)).strftime(
        "%a, %d %b %Y %H:%M:%S GMT"
    )
    return Reply(body=_page(title, head, SITE + path), headers=(("Last-Modified", changed),))


def _alternates(**targets: str) -> str:
    return "".join(
        f'<link rel="alternate" hreflang="{code}" href="{SITE}{path}">' for code, path in targets.items()
    )


def _entry(loc: str, lastmod: str | None = None) -> str:
    date = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    return f"<url><loc>{loc}</loc>{date}</url>\n"


def _urlset(entries: Iterable[str]) -> bytes:
    return (URLSET + "".join(entries) + "</urlset>\n").encode()


def _product(number: int) -> str:
    return f"{SITE}/product/{number}"


def _now() -> bytes:
    """A file that dates every page with the moment of the request."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return _urlset(_entry(_product(n), now) for n in range(1, 7))


def _many() -> bytes:
    """One entry more than a file may have; all name one page, so that the audit stays small."""
    return gzip.compress(_urlset([_entry(_product(1)) * 50_001]), 1)


def _large() -> bytes:
    """More than 50 MB when unpacked, most of it blanks."""
    blanks = " " * 5_300 + "\n"
    return gzip.compress(_urlset([(_entry(_product(2)) + blanks) * 10_000]), 1)


def _sitemap(body: bytes | Callable[[], bytes], content_type: str = XML) -> Reply:
    return Reply(content_type=content_type, body=body)


def _text(body: str, status: int = 200) -> Reply:
    return Reply(status, "text/plain; charset=utf-8", body.encode())


ROBOTS: Final = f"""User-agent: *
Disallow: /checkout/

Sitemap: {SITE}/sitemap-index.xml
Sitemap: {SITE}/sitemap-missing.xml
Sitemap: {SITE}/sitemap-login.xml
Sitemap: http://{WWW}/sitemap.xml
Sitemap: http://{STAGING}/sitemap.xml
Sitemap: http://{DOWN}/sitemap.xml
Sitemap: http://{GONE}/sitemap.xml
"""

CHILDREN: Final = ("pages", "products", "now", "dates", "ampersand")


def _index() -> bytes:
    names = [f"sitemap-{name}.xml" for name in CHILDREN] + ["sitemap-many.xml.gz", "sitemap-large.xml.gz"]
    children = "".join(f"<sitemap><loc>{SITE}/{name}</loc></sitemap>\n" for name in names)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{children}</sitemapindex>\n"
    ).encode()


def _pages() -> bytes:
    paths = (
        "/",
        "/sold-out",
        "/broken",
        "/hangs-up",
        "/moved",
        "/hidden",
        "/variant",
        "/two-canonicals",
        "/guarded",
        "/en",
        "/de",
        "/fr",
        "/it",
        "/vanished",
        "/original",
        "/original-copy",
    )
    locs = [SITE + path for path in paths] + [f"http://{OTHER}/page", "/relative"]
    return _urlset(_entry(loc) for loc in locs)


def site() -> dict[tuple[str, str], Reply]:
    """(host, path) → what is answered there; the path `*` is any other one, and everything else is 404."""
    shop: dict[str, Reply] = {
        "/robots.txt": _text(ROBOTS),
        "/": _healthy("/", "The shop"),
        "/new": _healthy("/new", "Moved here"),
        "/moved": Reply(301, headers=(("Location", f"{SITE}/new"),)),
        "/broken": Reply(500, body=_page("Internal error")),
        "/hangs-up": Reply(hang_up=True),
        "/guarded": Reply(403, body=_page("Are you human?"), headers=(("cf-mitigated", "challenge"),)),
        "/hidden": Reply(
            body=_page("Members only", '<meta name="robots" content="noindex, follow">', f"{SITE}/hidden")
        ),
        "/variant": Reply(body=_page("A variant", canonical=f"{SITE}/withdrawn")),
        "/two-canonicals": Reply(
            body=_page("Two", f'<link rel="canonical" href="{SITE}/new">', f"{SITE}/two-canonicals")
        ),
        "/vanished": Reply(body=_page("Page not found", text="Sorry, we cannot find it.")),
        "/original": _healthy("/original", "Told twice"),
        "/original-copy": _healthy("/original-copy", "Told twice"),
        "/relative": _healthy("/relative", "Listed by its path alone"),
        "/en": _healthy("/en", "Welcome", _alternates(en="/en", de="/de")),
        "/de": _healthy("/de", "Willkommen", _alternates(de="/de")),
        "/fr": _healthy("/fr", "Bienvenue", _alternates(it="/it")),
        "/it": _healthy("/it", "Benvenuti", _alternates(it="/it", fr="/fr")),
        "/sitemap-index.xml": _sitemap(_index()),
        "/sitemap-pages.xml": _sitemap(_pages()),
        "/sitemap-products.xml": _sitemap(
            _urlset(_entry(_product(n), "2026-11-29T02:00:03Z") for n in range(1, PRODUCTS + 1))
        ),
        "/sitemap-now.xml": _sitemap(_now),
        "/sitemap-dates.xml": _sitemap(
            _urlset(
                [_entry(_product(7), "2026-10-30 12:00"), _entry(_product(8), "2026-10-28T09:30:00+01:00")]
            )
        ),
        "/sitemap-ampersand.xml": _sitemap(
            _urlset(
                [
                    _entry(_product(3)),
                    _entry(_product(4)),
                    _entry(f"{SITE}/find?a=1&b=2"),
                    _entry(_product(5)),
                ]
            )
        ),
        "/sitemap-many.xml.gz": _sitemap(_many, "application/gzip"),
        "/sitemap-large.xml.gz": _sitemap(_large, "application/gzip"),
        "/sitemap-login.xml": Reply(body=_page("Please log in")),
    }
    for n in range(1, PRODUCTS + 1):
        shop[f"/product/{n}"] = _healthy(f"/product/{n}", f"Product {n}", day=n)
    www = {
        "/sitemap.xml": _sitemap(_urlset([_entry(f"http://{WWW}/")])),
        "/": Reply(body=_page("The old address", canonical=f"http://{WWW}/")),
        "/robots.txt": _text("Not found\n", 404),
        "*": Reply(body=_page("We have moved")),
    }
    staging = {
        "/robots.txt": _text("User-agent: *\nDisallow: /\n"),
        "/sitemap.xml": _sitemap(_urlset([_entry(f"http://{STAGING}/")])),
        "/": Reply(body=_page("Staging", '<meta name="robots" content="noindex">')),
    }
    down = {
        "/robots.txt": _text("out of order\n", 503),
        "/sitemap.xml": _sitemap(_urlset([_entry(f"http://{DOWN}/")])),
        "/": Reply(body=_page("Nobody knows whether this may be read")),
    }
    hosts = {SHOP: shop, WWW: www, STAGING: staging, DOWN: down}
    return {(host, path): reply for host, paths in hosts.items() for path, reply in paths.items()}
