"""Where sitemaps are looked for, in which order, and why.

    1. the Sitemap lines of robots.txt       the site says so
    2. `--sitemap`                           the user says so
    3. the usual places                      only when robots.txt names no file that can be read; the
                                             first that answers as a sitemap ends the search
    4. feeds that the home page advertises   besides, whatever was found before
    5. the usual places of feeds             only when nothing at all was found

What 1 and 2 name is read whatever robots.txt says; 3 to 5 are guesses and obey it, for the verdict's
bot and for our own token (definitions 12). No list of names is tried beyond these: each guess is a
request to a site that did not ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from sitemap_audit.facts import FeedLink, SitemapFile, SitemapKind, SitemapState
from sitemap_audit.formats.urls import Url, parse_url
from sitemap_audit.settings import FEED_LINKS_MAX

SITEMAP_PLACES: Final = (
    "/sitemap.xml",  # Most generators and plugins.
    "/sitemap_index.xml",  # Yoast, RankMath.
    "/sitemap-index.xml",  # Astro, several static generators.
    "/wp-sitemap.xml",  # WordPress itself, since 5.5.
    "/sitemap.txt",
    "/sitemap.xml.gz",
    "/sitemap/sitemap.xml",
    "/sitemaps.xml",
    "/sitemap.php",  # Hand-made and older shops.
    "/sitemap1.xml",
    "/1_index_sitemap.xml",  # PrestaShop.
    "/xmlsitemap.php",  # BigCommerce.
    "/sitemap-0.xml",  # next-sitemap, Astro: the index was left out.
    "/pub/sitemap.xml",  # Magento, served from its root.
    "/?type=1533906435",  # TYPO3 without pretty addresses.
    "/index.php?route=extension/feed/google_sitemap",  # OpenCart 3.
    "/index.php?option=com_jmap&view=sitemap&format=xml",  # Joomla with JSitemap.
    "/sitemap.aspx",  # DNN.
)
FEED_PLACES: Final = (
    "/feed",
    "/feed.xml",
    "/rss.xml",
    "/atom.xml",
    "/index.xml",
    "/rss",
    "/feeds/posts/default",  # Blogger.
    "/?feed=rss2",  # WordPress without pretty addresses.
    "/blogs/news.atom",  # Shopify.
)

_NAMED_LIKE_ONE: Final = re.compile(
    r"\.(xml|txt|rss|atom|rdf)(\.gz)?$|\.gz$|site-?maps?|(^|/)(feed|rss|atom)s?(/|$)",
    re.ASCII | re.IGNORECASE,
)
_QUOTES: Final = "“”„‟«»″‘’‚‛′\"' "
_OF_COMMENTS: Final = re.compile(r"(^|/)comments(/|$)", re.ASCII | re.IGNORECASE)
_MAPS: Final = frozenset({SitemapKind.URLSET, SitemapKind.INDEX, SitemapKind.RSS, SitemapKind.ATOM})


@dataclass(frozen=True, slots=True)
class Site:
    """A SITE argument. `url` is where to begin (https for a bare host), `bare` allows to fall back to http."""

    url: Url
    bare: bool = False

    @property
    def is_origin(self) -> bool:
        """No path: the whole origin is meant."""
        return path_and_query(self.url) == "/"


def read_site(text: str) -> Site | None:
    """The SITE that `text` means; None when it is no http(s) address."""
    text = text.strip()
    bare = "://" not in text
    url = parse_url("https://" + text if bare and text else text)
    return None if url is None else Site(url, bare and path_and_query(url) == "/")


def over_http(site: Site) -> Site | None:
    """The same bare host over http, for when https is refused; None where that makes no sense."""
    url = parse_url("http" + site.url.href.removeprefix("https"))
    return Site(url) if site.bare and url is not None and site.url.scheme == "https" else None


def path_and_query(url: Url) -> str:
    return url.href[len(url.origin) :] or "/"


def robots_url(origin: str) -> Url:
    url = parse_url(origin + "/robots.txt")
    assert url is not None
    return url


def robots_below(url: Url) -> Url | None:
    """A robots.txt in the directory of this URL, where no crawler looks; None for the root."""
    directory = path_and_query(url).partition("?")[0].rpartition("/")[0]
    return parse_url(f"{url.origin}{directory}/robots.txt") if directory else None


def places(origin: str, names: Iterable[str]) -> Iterator[Url]:
    """The URLs of usual places on an origin."""
    for name in names:
        url = parse_url(origin + name)
        if url is not None:
            yield url


def named_like_a_sitemap(url: Url) -> bool:
    """Does the address claim to be a sitemap or feed? Then a bad answer is a fact about that file."""
    return _NAMED_LIKE_ONE.search(path_and_query(url).partition("?")[0]) is not None


def answers_as_sitemap(file: SitemapFile) -> bool:
    """Is what came meant as a sitemap or feed, even a broken one? Text counts with one usable line."""
    if file.status is None or not 200 <= file.status < 300:
        return False
    return file.kind in _MAPS or (file.kind is SitemapKind.TEXT and file.usable > 0)


def can_be_read(file: SitemapFile) -> bool:
    """Is it a sitemap or feed that gave what it lists, whole or in part?"""
    return answers_as_sitemap(file) and file.state in (SitemapState.OK, SitemapState.PARTIAL)


def feeds_of(links: Iterable[FeedLink], page: str | None = None) -> list[Url]:
    """The feeds that a page advertises and that are worth reading: no comment feeds, each once.

    `page`: its address. A link in typographic quotes leads nowhere in HTML, but what is meant is plain: it is
    read against `page`, and the rule about it says that no feed reader finds it.
    """
    found: dict[str, Url] = {}
    for link in links:
        url = parse_url(link.href) if link.href else None
        if url is None and not link.quote_ok and page is not None:
            meant = link.href_raw.strip(_QUOTES)
            url = parse_url(meant, page) if meant else None
        if url is not None and not _OF_COMMENTS.search(path_and_query(url)):
            found.setdefault(url.key, url)
    return list(found.values())[:FEED_LINKS_MAX]
