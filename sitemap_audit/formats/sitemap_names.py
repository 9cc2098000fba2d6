"""Names of the sitemap protocol and its extensions: namespaces, elements, and how they are misspelt."""

from __future__ import annotations

from enum import Enum
from typing import Final

from sitemap_audit.facts import SitemapKind

SITEMAP_NS: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"
XHTML_NS: Final = "http://www.w3.org/1999/xhtml"
XML_NS: Final = "http://www.w3.org/XML/1998/namespace"
ATOM_NS: Final = "http://www.w3.org/2005/Atom"
ATOM_03_NS: Final = "http://purl.org/atom/ns#"
RDF_NS: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RSS_NS: Final = frozenset(
    {
        "",
        "http://purl.org/rss/1.0/",
        "http://my.netscape.com/rdf/simple/0.9/",
        "http://channel.netscape.com/rdf/simple/0.9/",
        "http://backend.userland.com/rss2",
        "http://backend.userland.com/RSS2",
        "http://blogs.law.harvard.edu/tech/rss",
    }
)
DC_NS: Final = "http://purl.org/dc/elements/1.1/"
DCTERMS_NS: Final = "http://purl.org/dc/terms/"

EXTENSIONS: Final = {
    "image": "http://www.google.com/schemas/sitemap-image/1.1",
    "video": "http://www.google.com/schemas/sitemap-video/1.1",
    "news": "http://www.google.com/schemas/sitemap-news/0.9",
    "xhtml": XHTML_NS,
}
"""By the usual prefix; any other prefix is legal with the right name."""
_EXTENSION_MARKS: Final = (
    ("sitemap-image", "image"),
    ("sitemap-video", "video"),
    ("sitemap-news", "news"),
    ("w3.org/1999/xhtml", "xhtml"),
)


class Family(Enum):
    """To which vocabulary a namespace belongs, misspellings included."""

    SITEMAP = "sitemap"
    IMAGE = "image"
    VIDEO = "video"
    NEWS = "news"
    XHTML = "xhtml"
    FOREIGN = "foreign"


ROOTS: Final = {
    "urlset": SitemapKind.URLSET,
    "sitemapindex": SitemapKind.INDEX,
    "rss": SitemapKind.RSS,
    "rdf": SitemapKind.RSS,
    "feed": SitemapKind.ATOM,
    "html": SitemapKind.HTML,
}
"""Kind of a file by its root element, local name in lower case."""


def split(name: str) -> tuple[str, str]:
    """Namespace ('' for none) and local name of an expat name, `uri}local`."""
    uri, _, local = name.rpartition("}")
    return uri, local


def family(uri: str, root_uri: str) -> Family:
    """The vocabulary a namespace means. What the root stands in is the sitemap's own, however it is spelt."""
    if uri in (root_uri, SITEMAP_NS, ""):
        return Family.SITEMAP
    extension = extension_of(uri)
    if extension is not None:
        return Family(extension)
    low = uri.lower()
    is_sitemap = "sitemaps.org/schemas" in low or "google.com/schemas/sitemap/" in low
    return Family.SITEMAP if is_sitemap else Family.FOREIGN


def extension_of(uri: str) -> str | None:
    """The usual prefix of the extension that a namespace name means, rightly spelt or not."""
    low = uri.lower()
    return next((prefix for mark, prefix in _EXTENSION_MARKS if mark in low), None)


def wrong_extension(prefix: str | None, uri: str) -> bool:
    """Does a declaration bind an extension's prefix, or something like its name, to a wrong name?"""
    meant = extension_of(uri) or (prefix if prefix in EXTENSIONS else None)
    return meant is not None and uri != EXTENSIONS[meant]
