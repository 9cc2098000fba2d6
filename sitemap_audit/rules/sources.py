"""What rules stand on: title, address and how far it was read. Rules cite an id and a section, never quote.

"text" sources are the three texts that the product answers; `practice` and `protego-test` are our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Reference:
    """A document. `read`: how far we read it ourselves, so that nobody takes hearsay for law."""

    title: str
    url: str | None
    read: str


SOURCES: Final[Mapping[str, Reference]] = {
    "text-000": Reference(
        "Source text 000: good practice for XML sitemaps and RSS/Atom feeds",
        None,
        "in full",
    ),
    "text-001": Reference(
        "Source text 001: posts of 2007 on feeds, Feedfetcher and meta robots",
        None,
        "in full",
    ),
    "text-002": Reference(
        "Source text 002: robots.txt and sitemap.xml (in Polish)",
        None,
        "in full",
    ),
    "g-sitemap": Reference(
        "Google, Build and submit a sitemap (page updated 2026-07-08)",
        "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
        "in full, copy of 2026-07-08",
    ),
    "g-overview": Reference(
        "Google, Learn about sitemaps",
        "https://developers.google.com/search/docs/crawling-indexing/sitemaps/overview",
        "in full, copy of 2026-07-08",
    ),
    "g-index": Reference(
        "Google, Manage your sitemaps with a sitemap index file",
        "https://developers.google.com/search/docs/crawling-indexing/sitemaps/large-sitemaps",
        "in full, copy of 2026-07-08",
    ),
    "g-news": Reference(
        "Google, News sitemaps",
        "https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap",
        "in full, copy of 2026-07-08",
    ),
    "g-image": Reference(
        "Google, Image sitemaps",
        "https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps",
        "in full, copy of 2026-07-08",
    ),
    "g-video": Reference(
        "Google, Video sitemaps and alternatives (mRSS)",
        "https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps",
        "in full, copy of 2026-07-08",
    ),
    "g-combine": Reference(
        "Google, Combine sitemap extensions",
        "https://developers.google.com/search/docs/crawling-indexing/sitemaps/combine-sitemap-extensions",
        "in full, copy of 2026-07-08",
    ),
    "g-ext": Reference(
        "Google blog 2022-05-06, Spring cleaning: some sitemap extension tags are going away (no effect after 2022-08-06)",
        "https://developers.google.com/search/blog/2022/05/spring-cleaning-sitemap-extensions",
        "excerpt",
    ),
    "g-ping": Reference(
        "Google blog 2023-06-26, Sitemaps ping endpoint is going away; lastmod advice",
        "https://developers.google.com/search/blog/2023/06/sitemaps-lastmod-ping",
        "excerpt",
    ),
    "g-robots": Reference(
        "Google, How Google interprets the robots.txt specification",
        "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec",
        "in full, copies of 2026-04-14 and 2026-07-08",
    ),
    "g-robotstxt": Reference(
        "Google/robotstxt parser source, commit 22b355f (2026-04-01)",
        "https://github.com/google/robotstxt",
        "robots.cc and robots_test.cc in full",
    ),
    "g-meta": Reference(
        "Google, Robots meta tag, data-nosnippet and X-Robots-Tag specifications",
        "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag",
        "in full, copies of 2026-03-24 and 2026-07-08",
    ),
    "g-block": Reference(
        "Google, Block Search indexing with noindex",
        "https://developers.google.com/search/docs/crawling-indexing/block-indexing",
        "in full, copy of 2026-07-08",
    ),
    "g-canon": Reference(
        "Google, How to specify a canonical URL",
        "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
        "in full, copy of 2026-07-08",
    ),
    "g-canon-ts": Reference(
        "Google, Fix canonicalization issues",
        "https://developers.google.com/search/docs/crawling-indexing/canonicalization-troubleshooting",
        "in full, copy of 2026-07-08",
    ),
    "g-redirect": Reference(
        "Google, Redirects and Google Search",
        "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
        "in full, copy of 2026-07-08",
    ),
    "g-move": Reference(
        "Google, Site moves with URL changes (10 hops; ideally no more than 3, fewer than 5)",
        "https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes",
        "the lines used, copy of 2026-07-08",
    ),
    "g-http": Reference(
        "Google, How HTTP status codes affect Google's crawlers",
        "https://developers.google.com/crawling/docs/troubleshooting/http-status-codes",
        "quotes in third-party copies only",
    ),
    "g-crawlerr": Reference(
        "Google, Troubleshoot crawling errors (soft 404, availability)",
        "https://developers.google.com/search/docs/crawling-indexing/troubleshoot-crawling-errors",
        "in full, copy of 2026-07-08",
    ),
    "g-googlebot": Reference(
        "Google, What is Googlebot (2 MB, PDF 64 MB)",
        "https://developers.google.com/search/docs/crawling-indexing/googlebot",
        "the lines used, copy of 2026-07-08",
    ),
    "g-crawlers": Reference(
        "Google, Overview of Google crawlers (15 MB default, encodings, ETag)",
        "https://developers.google.com/crawling/docs/crawlers-fetchers/overview-google-crawlers",
        "the lines used, copy of 2026-07-08",
    ),
    "g-head": Reference(
        "Google, Use valid HTML to specify page metadata",
        "https://developers.google.com/search/docs/crawling-indexing/valid-page-metadata",
        "in full, copy of 2026-07-08",
    ),
    "g-js": Reference(
        "Google, JavaScript SEO basics",
        "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
        "the lines used, copy of 2026-07-08",
    ),
    "g-hreflang": Reference(
        "Google, Tell Google about localized versions of your page",
        "https://developers.google.com/search/docs/specialty/international/localized-versions",
        "in full, copy of 2026-07-08",
    ),
    "g-url": Reference(
        "Google, URL structure best practices",
        "https://developers.google.com/search/docs/crawling-indexing/url-structure",
        "in full, copy of 2026-07-08",
    ),
    "g-indexable": Reference(
        "Google, File types indexable by Google",
        "https://developers.google.com/search/docs/crawling-indexing/indexable-file-types",
        "the start, copy of 2026-07-08",
    ),
    "gsc-sitemaps": Reference(
        "Search Console Help, Sitemaps report",
        "https://support.google.com/webmasters/answer/7451001",
        "start only; the names of its errors partly from memory and third-party pages",
    ),
    "sitemaps-org": Reference(
        "Sitemaps.org protocol 0.9",
        "https://www.sitemaps.org/protocol.html",
        "tags, file and location sections read in a copy of 2026-09-06; other sections from quotes",
    ),
    "rfc9309": Reference(
        "RFC 9309 Robots Exclusion Protocol (2022-09)",
        "https://www.rfc-editor.org/rfc/rfc9309",
        "sections 2.1 to 2.5 and 5 in a public copy; the ABNF and the table of 2.2.2 not",
    ),
    "rfc4287": Reference(
        "RFC 4287 Atom",
        "https://www.rfc-editor.org/rfc/rfc4287",
        "quote of 4.1.1 in copies; dates RFC 3339 from memory",
    ),
    "rss2": Reference(
        "RSS 2.0 specification",
        "https://www.rssboard.org/rss-specification",
        "quote of the date rule in copies",
    ),
    "websub": Reference(
        "W3C Recommendation WebSub, 2018-01-23",
        "https://www.w3.org/TR/websub/",
        "discovery section read in a copy",
    ),
    "bing-blog": Reference(
        "Bing Webmaster blog 2023-02 and 2025-07: lastmod wanted, changefreq and priority ignored",
        None,
        "secondary reports only",
    ),
    "bing-dirt": Reference(
        "Statement of Duane Forrester (Bing) that a sitemap may hold very little dirt, reported by gsqi.com",
        "https://www.gsqi.com/marketing-blog/dirty-sitemaps-how-to-download-crawl/",
        "secondary report; the figure of 1% from memory",
    ),
    "protego-test": Reference(
        "Own measurement with Protego 0.7.0 (cases/README.md)",
        None,
        "measured",
    ),
    "practice": Reference(
        "General auditing practice, no normative source",
        None,
        "judgement",
    ),
    "bing-meta": Reference(
        "Bing Webmaster help, robots meta tags",
        None,
        "the whole list of tags",
    ),
}
