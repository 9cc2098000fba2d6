"""Every limit and default, once: name, value, unit in the name or the comment, reason.

No number stands twice in the code. What a user may change carries the option that changes it.
Thresholds that rules read live in sitemap_audit/rules/thresholds.py.
"""

from __future__ import annotations

from typing import Final

# --- identity -------------------------------------------------------------------------------
PROJECT_URL: Final = "https://github.com/sitemap-audit/sitemap-audit"
PRODUCT_TOKEN: Final = "sitemap-audit"  # noqa: S105  a name, no secret
"""Our own robots.txt token: pages are fetched only with its leave (definitions, obedience)."""

# --- messages -------------------------------------------------------------------------------
SCHEMA: Final = 2
"""Number in every job and stream message; who does not know it puts the message back."""

# --- politeness (options --rate, --concurrency) ------------------------------------------------
RATE_PER_S: Final = 5.0
CONCURRENCY: Final = 4
CRAWL_DELAY_CAP_S: Final = 30.0
"""A longer Crawl-delay is reported, and this one is kept: one URL a half minute is slow enough."""
CRAWL_DELAY_STAR_CAP_S: Final = 10.0
"""Likewise where it is meant for every robot (`*`) and not for this one by name: six requests a minute burden nobody."""
RETRY_AFTER_CAP_S: Final = 900.0
"""Longer waits park the host; its URLs end `unchecked: rate_limited`."""
BACKOFF_MIN_GAP_MS: Final = 100
BACKOFF_MAX_GAP_MS: Final = 5_000
RECOVER_AFTER: Final = 50
"""Clean answers after which a gap that back-off widened shrinks by a tenth."""

# --- fetching -------------------------------------------------------------------------------
CONNECT_TIMEOUT_S: Final = 10.0
TLS_TIMEOUT_S: Final = 10.0
FIRST_BYTE_TIMEOUT_S: Final = 15.0
PHASE_LOOK_S: Final = 0.25
"""How often a client looks whether a transfer is overdue in a phase that libcurl has no limit for."""
DNS_CAUSE_KEPT_S: Final = 30.0
"""So long the cause of a failed look-up holds for its name; below the least wait for a second look of a run."""
DNS_LOOKUPS: Final = 8
"""Failed names of a client that are asked for once more at the same time."""
PAGE_TIMEOUT_S: Final = 30.0
SITEMAP_TIMEOUT_S: Final = 120.0
MIN_BYTES_PER_S: Final = 1_024
"""Slower than this for FIRST_BYTE_TIMEOUT_S is a dripping peer: error class timeout."""
PAGE_MAX_BYTES: Final = 2_097_152
"""Decoded. Google reads 2 MB of an HTML file (g-googlebot)."""
HEADER_MAX_BYTES: Final = 262_144
HEADER_MAX_LINES: Final = 500
KEPT_CONNECTIONS: Final = 256
"""Idle connections that a client keeps open, over all hosts: well below the usual limit of 1,024 files."""
OPEN_CONNECTIONS: Final = 640
"""Connections of a client, running and kept: select(2) cannot wait for files beyond number 1,023."""
SELECT_MAX_S: Final = 0.2
"""A wait for sockets ends after this long even so: files that select cannot see get their turn."""
LOCATION_MAX_CHARS: Final = 8_192
"""A longer Location is unusable: servers refuse request lines beyond about 8,000 octets (RFC 9112, 3)."""
STREAM_HOLD_BYTES: Final = 262_144
"""Wire bytes of a streamed answer that wait for their reader; then the transfer pauses."""
STREAM_PIECE_BYTES: Final = 262_144
"""Decoded bytes that a stream hands over at once."""
PAGE_MAX_HOPS: Final = 10
ROBOTS_MAX_HOPS: Final = 5
"""RFC 9309, 2.3.1.2."""
SITEMAP_MAX_HOPS: Final = 5
RECHECK_COUNT: Final = 2
RECHECK_AFTER_S: Final = 60.0
"""Second look at 5xx, unreachable URLs and failed robots.txt (definitions 11); option --recheck-after."""

# --- robots.txt -----------------------------------------------------------------------------
ROBOTS_MAX_BYTES: Final = 512_000
ROBOTS_LINE_MAX_BYTES: Final = 16_663
ROBOTS_PAUSE_S: Final = 43_200.0
"""Google crawls nothing of an origin for this long after its robots.txt began to fail (definitions 6.1)."""
ROBOTS_COPY_RFC_S: Final = 86_400.0
"""RFC 9309, 2.4: so long a copy may stand in for a file that is out of reach."""
ROBOTS_COPY_GOOGLE_S: Final = 2_592_000.0
"""30 days: so long Google uses its last good copy; behind it both readings take the file for missing."""
FOREIGN_ROBOTS_MAX: Final = 100
"""Foreign origins whose robots.txt is read to judge entries on other hosts; more stay unjudged."""

# --- pages: reading HTML ----------------------------------------------------------------------
HTML_PARSE_MAX_BYTES: Final = 268_435_456
"""Memory one parse may take: 37 KB of re-opened formatting elements took 757 MB without a limit."""
HTML_SMALL_BYTES: Final = 8_192
"""Up to here the worst document takes the parser 200 MB (500 formatting elements in 1,000 paragraphs)."""
HTML_SAFE_BYTES: Final = 65_536
"""Up to here no document takes the parser over 0.3 s (measured): depth and attributes are not counted."""
HTML_MAX_START_TAGS: Final = 100_000
HTML_MAX_DEPTH: Final = 5_000
"""Open elements, also the number of start tags below which nothing is counted. Real pages: 41 at most."""
HTML_MAX_ATTRIBUTES: Final = 5_000
"""Of one tag; by number, since one attribute may be a `data:` URI of any length."""
HTML_MAX_REOPENED: Final = 100_000
"""Formatting elements that the parser would open again, each a new node."""
HTML_MAX_FORMATTING_PRODUCT: Final = 500_000
"""Formatting start tags times start tags, where the system keeps no memory limit. Real pages: 142,000."""
HEAD_TAGS_MAX: Final = 20_000
"""meta, link, base and title elements that are looked at in one page."""
HEAD_SIGNALS_MAX: Final = 1_000
"""Signals of one kind (robots metas, canonicals, alternates, feed links) that are kept of one page."""
CHARSET_PRESCAN_BYTES: Final = 1_024
"""Where a meta may name the encoding (HTML Standard, 13.2.3.2)."""
SNIFF_BYTES: Final = 4_096
TITLE_MAX_CHARS: Final = 512
DIRECTIVES_MAX_CHARS: Final = 16_384
"""Of one robots meta or X-Robots-Tag line that are read."""
RAW_MAX_CHARS: Final = 2_048
"""Of an attribute or header that are kept as found."""

# --- pages: reading content (option --depth page) -----------------------------------------------
CONTENT_START_CHARS: Final = 600
"""Of the main text, in which phrases of error pages and empty lists are looked for (definitions 2)."""
PROBE_PRINT_MAX_CHARS: Final = 1_500
"""A main text from here on is compared with a probe as it is: its path weighs nothing (definitions 2)."""
SIMHASH_BYTES: Final = 4_096
"""Of the normal form that the simhash covers (definitions 3)."""
CONTENT_WORD_BYTES: Final = 64
"""Hashes of longer words are not kept for the next page."""
CONTENT_WORDS_KEPT: Final = 50_000
"""Words whose hashes a worker remembers: about 9 MB."""
DESCRIPTION_MAX_CHARS: Final = 1_024
CONTENT_LINKS_MAX: Final = 5_000
"""Links of a main text that are read and counted."""
PROBES_OF_HOST: Final = 5
"""Requests for addresses that cannot exist, of one origin (definitions 2; threshold soft404_probes_per_host)."""
PROBE_SEGMENT_URLS: Final = 50
"""Listed URLs below a first path segment that make it worth a probe of its own."""
PROBE_TALLY_URLS: Final = 1_000_000
"""Listed URLs that are looked at for such segments."""
JSONLD_MAX_BYTES: Final = 1_048_576
"""All JSON-LD of one page that is parsed; what is beyond counts as plain text."""
JSONLD_MAX_NODES: Final = 10_000
"""Objects and lists of it that are walked for types and dates."""
SD_TYPES_MAX: Final = 50
VISIBLE_DATES_MAX: Final = 20
WALL_MAX_BYTES: Final = 65_536
"""Only pages up to this size are looked at for marks of a bot wall in their text: such pages are small."""
WALL_MAX_CHARS: Final = 1_500
"""Main text from here on is a page of the site, whatever scripts of a bot wall it carries."""

# --- sitemaps -------------------------------------------------------------------------------
SITEMAP_MAX_BYTES: Final = 52_428_800
SITEMAP_MAX_URLS: Final = 50_000
SITEMAP_READ_ON: Final = 2
"""Files are read on to this multiple of a limit, to say by how much it is passed; then cut."""
LOC_MAX_CHARS: Final = 2_048
"""A loc must be shorter (sitemaps.org, loc)."""
INDEX_MAX_DEPTH: Final = 5
INDEX_TRIAL_CHILDREN: Final = 200
"""If not one of the first so many children of an index can be read, the others are counted, not asked for."""
SITEMAP_MAX_FILES: Final = 50_000
ENTRIES_MAX: Final = 50_000_000
VIDEO_MAX_S: Final = 28_800
VIDEO_DESCRIPTION_MAX_CHARS: Final = 2_048
VIDEO_UPLOADER_MAX_CHARS: Final = 255
"""Of a video in a sitemap: duration, and lengths of texts (Google, video sitemaps)."""
XML_MAX_DEPTH: Final = 32
XML_MAX_ATTRIBUTES: Final = 64
XML_MAX_TEXT_BYTES: Final = 8_192
XML_MAX_TOKEN_BYTES: Final = 4_194_304
"""One tag, comment or processing instruction; the parser has to hold it whole."""
XML_BLOCK_BYTES: Final = 65_536
"""Unpacked bytes that a parser is given at a time: results do not depend on how they arrived."""
ENTRY_PARTS_MAX: Final = 2_000
"""Images, videos, alternates kept of one entry (twice the 1,000 images Google takes); all are counted."""
ENTRY_PARTS_MAX_CHARS: Final = 2_097_152
"""Their texts together: one entry never holds a whole hostile file in memory."""
GUNZIP_BLOCK_BYTES: Final = 4_096
GUNZIP_PIECE_BYTES: Final = 262_144
"""Unpacked bytes that may exist at a time, however well they were packed."""
GUNZIP_HEADER_MAX_BYTES: Final = 65_536 + 4_096
PROBLEMS_MAX: Final = 1_000
"""Problems kept of one file; the count goes on."""
PROBLEM_TEXT_CHARS: Final = 200
LASTMOD_FUTURE_S: Final = 86_400
"""A lastmod later than this after the fetch is in the future (rule lastmod-future)."""
LASTMOD_OLDEST: Final = "1995-01-01"
"""An older lastmod is implausible: there were hardly any pages (rule lastmod-implausible)."""
SERVE_TIME_BEFORE_S: Final = 300
SERVE_TIME_AFTER_S: Final = 60
"""The window around the server's clock in which a lastmod looks made while serving (definitions 4, S1)."""
SESSION_ID_MIN_CHARS: Final = 16
"""Hex digits that make a doubtful parameter (sid=) a session id."""
ENTRY_BATCH: Final = 2_000
"""Entries a message of the stream."""
CRAWLER_READ_BATCH: Final = 500
"""Entries of one file that are handed on together: many files are read at the same time."""
CRAWLER_OPEN_MAX: Final = 64
"""Transfers of the spider that are open at once, over all hosts."""
CRAWLER_WAIT_S: Final = 30.0
"""A file whose host is not to be asked for longer than this gives its place to another and comes back later."""
LOOKED_MAX: Final = 1_000
"""Places looked at that discovery names in the end."""
FEED_LINKS_MAX: Final = 3
"""Feeds of a home page that are read: blogs advertise one or two, some templates one a category."""
FEED_PAGES_MAX: Final = 100
"""Pages of one feed that are read (rel=next): at the usual 25 to 500 items a page as much as one sitemap holds."""
UNREAD_KNOWN_MAX: Final = 200_000
"""Ids kept of unread sitemap files, so that one named twice counts once; beyond, mentions are counted."""
CRAWLER_FACTS_BATCH: Final = 100
"""Records of sitemap files or robots.txt a message of the stream."""
CRAWLER_MESSAGE_BYTES: Final = 2_097_152
"""A message of discovery is sent when it is this long, before compression: records may hold a thousand problems."""
CRAWLER_FLUSH_S: Final = 1.0
"""Facts of discovery wait at most this long for their batch to fill."""

# --- queue ----------------------------------------------------------------------------------
QUEUE_NAME: Final = "sitemap-audit"
BATCH_BOX_S: Final = 6.0
"""A batch starts no request after this long: a worker stops within ten seconds."""
BATCH_URLS: Final = 250
"""URLs of a batch when no rate limit sizes it; larger ones gain nothing (measured)."""
BATCH_MAX_URLS: Final = 4_000
"""Of a batch over many hosts: what one process can check within the box."""
BATCH_MAX_BYTES: Final = 1_073_741_824
"""Memory that a batch may take beyond what its worker had; 640 open pages of 1 MB take less."""
BATCH_CPU_SPARE_S: Final = 10
"""CPU time beyond its box that a batch may take: it needs 0.5 s; more is a document that never ends."""
LEASE_MS: Final = 5_000
STREAM_MAX_MESSAGES: Final = 400
"""Messages of facts that may wait; the spider pauses at this number."""
WORKER_TTL_S: Final = 30
JOB_TIMEOUT_S: Final = 60
FAILURE_TTL_S: Final = 3_600
CRASH_LOSSES: Final = 3
"""A URL that is alone in its batch and lost this often is `unchecked: crashed`."""
DOWN_ROUNDS_MAX: Final = 3
"""Rounds in a row in which a host did not answer at all; then the rest of its URLs is `unchecked: host_down`."""
LIMITED_ROUNDS_MAX: Final = 12
"""Batches in a row that a host turned away; then its URLs are `unchecked: rate_limited`."""
RUN_KEYS_TTL_S: Final = 604_800
"""Keys of a run in a shared server vanish by themselves a week after the last sign of life."""
SLOW_QUEUE_NAME: Final = "sitemap-audit-slow"
"""Batches of hosts with slow pages; workers of their own, so that no other host waits behind them."""
SLOW_BOX_S: Final = 35.0
"""A box that holds one page of PAGE_TIMEOUT_S."""
HAND_BACK_S: Final = 2.0
"""A transfer may outlast the box, and a stop may take, this long; then it is cut and handed back."""
STOP_GRACE_S: Final = 6.0
"""A worker process that has not ended so long after SIGTERM is killed; below the eight seconds of a run's stop."""
FINISHED_LEASE_MS: Final = 600_000
"""A batch that ended counts as held until its last message is collected, at most this long."""
LEASE_REFRESH_S: Final = 1.0
STOOD_STILL_S: Final = 5.0
"""A worker whose loop did not turn for so long was stopped itself: what timed out then is asked again."""
MESSAGE_PAGES: Final = 200
MESSAGE_SECONDS: Final = 1.0
"""A batch sends what it has after so many pages or seconds."""
MEMORY_SHARE: Final = 0.8
"""Publishers wait while the server uses more of its maxmemory than this."""
PRIVATE_MAXMEMORY: Final = "1gb"
"""Bound of a run's own server, far above what a run holds: the streams and the queue are bounded."""
PRIVATE_START_S: Final = 30.0
IDLE_POLL_S: Final = 10
"""An idle worker blocks this long for a job, then shows that it lives."""
ROBOTS_TTL_S: Final = 86_400
"""A robots.txt is valid for 24 h at most (definitions 6.1)."""
ROBOTS_PAST_TTL_S: Final = 604_800
"""What earlier runs knew of robots.txt files: longer than any run, for nobody writes it again."""
ROBOTS_CLAIM_MS: Final = 45_000
"""Who claimed to fetch a robots.txt and did not deliver within this time is passed over."""
PACE_TTL_MS: Final = 3_600_000
BLOCK_MS: Final = 1_000
"""Slots of a host are reserved this far ahead."""
FREE_BLOCK: Final = 100
"""Slots reserved at once where no rate limits the host."""
LIMITS_IN_A_ROW: Final = 10
"""A host that says 429 in so many round trips without a clean answer between them is parked."""
LIMITED_LOOKS: Final = 5
"""A URL that was answered 429 so often ends `unchecked: rate_limited`."""
ROBOTS_CPU_S: Final = 60.0
"""CPU time for the verdicts of one origin in one process; further URLs end `unchecked: robots_expensive`."""
TARGETS_KEPT: Final = 50_000
"""Targets of the second wave that a worker remembers to have told, so that a template's links are told once."""
ORIGINS_KEPT: Final = 2_000
"""Robots policies that a worker keeps in memory."""
ROBOTS_POLL_S: Final = 0.25
"""How often to look for a robots.txt that another process fetches."""
HOST_FAILURES: Final = 5
HOST_DOWN_MS: Final = 60_000
"""A host that fails HOST_FAILURES times in a row (no connection, timeout) is tried once in this time."""

# --- what a run says of itself (status, --metrics, progress) -------------------------------------
STATUS_TTL_S: Final = 86_400
"""So long the last words of a coordinator stay in a shared server, also of one that was killed."""
STATUS_EVERY_S: Final = 1.0
STATUS_SILENT_S: Final = 15.0
"""A coordinator that wrote no status for so long is not at work any more, or waits for its server."""
WAITS_SHOWN: Final = 50
"""Hosts that wait now of which status and metrics tell one by one; beyond, their number."""
RATE_WINDOW_S: Final = 15.0
"""The rate that progress, status and metrics call current is that of the last so many seconds."""
METRICS_PORT: Final = 9_108

# --- store ----------------------------------------------------------------------------------
PART_ROWS: Final = 10_000
PART_SECONDS: Final = 5.0
JUDGE_MEMORY_LIMIT: Final = "1500MB"
PART_LINE_BYTES: Final = 33_554_432
"""JSON lines that are collected before a flush, unpacked: so much a packer must be able to hold."""
PACK_BYTES: Final = 268_435_456
"""JSON lines, unpacked, that are made one Parquet part."""
PACK_MEMORY_LIMIT: Final = "256MB"
"""Of a packer: two threads need about half of it, the rest spills."""
PACK_AHEAD: Final = 200_000
"""Rows stored since the last packer ended, at which the next one starts: it takes them at its leisure."""
WRITER_MEMORY_LIMIT: Final = "128MB"
"""Of compaction and of what a resume reads; the rest spills."""
COMPACT_ROWS: Final = 100_000
"""Small parts are put together to about this many rows: many parts make every query slow (measured)."""
COMPACT_PARTS: Final = 8
"""Fewer small parts in a row are left alone while a run goes on."""

# --- bots of the robots table in every report ---------------------------------------------------
REPORT_BOTS: Final = (
    "googlebot",
    "googlebot-image",
    "googlebot-news",
    "bingbot",
    "yandex",
    "applebot",
    "gptbot",
    "ccbot",
    "*",
)
DEFAULT_BOT: Final = "googlebot"
