"""The nouns: what was seen, as frozen records. Nothing here fetches, parses or judges.

Field names and meanings are those of docs/facts.md. Times are aware datetimes in UTC, `_ms` whole
milliseconds, sizes octets. None means not known or not present, never an empty string or 0.
"""

from sitemap_audit.facts.content import PageDates, ProbePrint, Soft404Points
from sitemap_audit.facts.entry import Alternate, Entry, Image, Media, News, Video
from sitemap_audit.facts.hop import Hop, HopKind
from sitemap_audit.facts.page import (
    Attempt,
    CanonicalHtml,
    CanonicalHttp,
    Directives,
    FeedLink,
    MetaRobots,
    Page,
    PageAlternate,
    PageState,
    Refresh,
    Tls,
)
from sitemap_audit.facts.problem import ErrorClass, Problem
from sitemap_audit.facts.robots import (
    Group,
    RobotsFile,
    RobotsLine,
    RobotsPast,
    RobotsRule,
    RobotsSitemapLine,
    RobotsState,
    RobotsVerdict,
    UnsupportedLine,
)
from sitemap_audit.facts.sitemap import SitemapFile, SitemapKind, SitemapSource, SitemapState, XmlError

__all__ = [
    "Alternate",
    "Attempt",
    "CanonicalHtml",
    "CanonicalHttp",
    "Directives",
    "Entry",
    "ErrorClass",
    "FeedLink",
    "Group",
    "Hop",
    "HopKind",
    "Image",
    "Media",
    "MetaRobots",
    "News",
    "Page",
    "PageAlternate",
    "PageDates",
    "PageState",
    "ProbePrint",
    "Problem",
    "Refresh",
    "RobotsFile",
    "RobotsLine",
    "RobotsPast",
    "RobotsRule",
    "RobotsSitemapLine",
    "RobotsState",
    "RobotsVerdict",
    "SitemapFile",
    "SitemapKind",
    "SitemapSource",
    "SitemapState",
    "Soft404Points",
    "Tls",
    "UnsupportedLine",
    "Video",
    "XmlError",
]
