"""What differs from Scrapy's defaults, each with its reason. Limits of ours live in sitemap_audit/settings.py."""

from __future__ import annotations

from typing import Final

from sitemap_audit.options import DEFAULT_USER_AGENT

BOT_NAME: Final = "sitemap-audit"
SPIDER_MODULES: Final = ["crawler.spiders"]
NEWSPIDER_MODULE: Final = "crawler.spiders"
USER_AGENT: Final = DEFAULT_USER_AGENT

# One event loop, no Twisted reactor: the client below sits on asyncio, signals are asyncio's, and several
# crawls fit one process (tests).
TWISTED_REACTOR_ENABLED: Final = False

# --- one way to fetch -----------------------------------------------------------------------
DOWNLOAD_HANDLERS: Final = {
    # libcurl, as in the workers: every hop seen, every cap kept, every address checked.
    "http": "crawler.download.CurlDownloadHandler",
    "https": "crawler.download.CurlDownloadHandler",
    # A Sitemap line may say file:///etc/passwd: these schemes must not exist here.
    "data": None,
    "file": None,
    "ftp": None,
    "s3": None,
}
DOWNLOAD_DELAY: Final = (
    0  # The rate is a promise over all processes: crawler/turns.py keeps it, not a timer here.
)
DOWNLOAD_DELAY_JITTER: Final = 0
CONCURRENT_REQUESTS: Final = 64  # Requests of all hosts that wait for an answer.
# The frontier and the handler bound each host by --concurrency; this must not bound it a second time.
CONCURRENT_REQUESTS_PER_DOMAIN: Final = 64

# --- what we do by hand, so that it becomes a fact ---------------------------------------------
ROBOTSTXT_OBEY: Final = (
    False  # Parses any answer, allows on error; we fetch robots.txt as a page and judge it.
)
REDIRECT_ENABLED: Final = False  # Hops are recorded one by one.
METAREFRESH_ENABLED: Final = False
RETRY_ENABLED: Final = False  # A second look comes later, not at once.
COMPRESSION_ENABLED: Final = False  # The client decodes, capped; broken coding is a fact.
COOKIES_ENABLED: Final = False  # No state of one site may reach another.
REFERER_ENABLED: Final = False
HTTPPROXY_ENABLED: Final = False  # The address guard must see the real peer.
DEFAULT_REQUEST_HEADERS: Final[
    dict[str, str]
] = {}  # The client's own; a run's secrets go to its origins only.
URLLENGTH_LIMIT: Final = 0  # The middleware drops long URLs in silence; length is a rule's business.
DUPEFILTER_CLASS: Final = (
    "scrapy.dupefilters.BaseDupeFilter"  # By fingerprint; the frontier knows files by URL key.
)

# --- back-pressure ----------------------------------------------------------------------------
# One item at a time from each file: when the stream is full its reader pauses, and so does the transfer.
CONCURRENT_ITEMS: Final = 1
SCHEDULER_MEMORY_QUEUE: Final = (
    "scrapy.squeues.FifoMemoryQueue"  # Files in the order in which they are named.
)

SPIDER_MIDDLEWARES: Final = {
    "crawler.publish.UnpackMiddleware": 100,
    # Each looks at every item and request, for features that are off here.
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
}
DOWNLOADER_MIDDLEWARES: Final = {
    # The client has its own headers, times and scope.
    "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware": None,
    "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware": None,
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": None,
}
ITEM_PIPELINES: Final = {"crawler.publish.PublishPipeline": 100}

# --- doors that stay shut ------------------------------------------------------------------------
REMOTE_CONTROL_ENABLED: Final = False  # An HTTP server on localhost that runs Python.
TELNETCONSOLE_ENABLED: Final = False

# --- exports of `scrapy crawl` ---------------------------------------------------------------------
FEED_EXPORT_ENCODING: Final = "utf-8"
LOG_LEVEL: Final = "INFO"
LOG_FORMATTER: Final = "crawler.publish.QuietItems"  # An item may be 2,000 entries: never print it.
MEMUSAGE_ENABLED: Final = False
