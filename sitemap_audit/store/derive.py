"""What follows from the base tables: where each URL is listed, its verdict, and what may be judged.

The same SQL serves a run and the test cases of rules: fill the base tables in any way, call `derive`.
Everything works on whole columns; a million URLs take seconds.
"""

from __future__ import annotations

from typing import Final

import duckdb

from sitemap_audit.store.schema import PREVIOUS
from sitemap_audit.store.verdict import IMMEDIATE_REFRESH, LAST_ANSWER, PAUSED, VERDICT

_POSITION_BITS: Final = 36
"""(sitemap, position) as one integer: rank of the file, then 36 bits of position."""
_SPELLINGS_MAX: Final = 5

# soft 404 (definitions 2): what other pages and the rest of the page add to its own points
_PROBE_POINTS: Final = 0.9
_PROBE_BITS: Final = 3
_PROBE_WORDS_RATIO: Final = 0.9
_SAME_TEXT_URLS: Final = 5
_SAME_TEXT_POINTS: Final = 0.4
_NOINDEX_POINTS: Final = 0.1
_LONG_TEXT_POINTS: Final = -0.4
_SHORT_CHARS: Final = 100
_LONG_CHARS: Final = 1_500
_SHELL_CAP: Final = 0.5
_AGAINST: Final = "has-entity-structured-data"
"""The one reason of a page that speaks against an error page."""
_DUPLICATE_CHARS: Final = 200
"""Shorter main texts make no duplicates (definitions 3)."""


def derive(con: duckdb.DuckDBPyConnection) -> None:
    """Fill `listing`, `urls` and `seen` from the base tables, replacing what is in them."""
    _urls(con, "")
    earlier = any(_any_line(con, PREVIOUS + table) for table in _OF_EARLIER)
    given = {
        "$previous_run$": "coalesce(e.checked, true)" if earlier else "false",
        "$earlier$": _EARLIER if earlier else "",
        "$links$": str(_any_line(con, "links")).lower(),
        "$access_log$": str(_any_line(con, "access_log")).lower(),
    }
    sql = _SEEN
    for name, value in given.items():
        sql = sql.replace(name, value)
    con.execute("TRUNCATE seen")
    con.execute(sql)


def derive_previous(con: duckdb.DuckDBPyConnection) -> None:
    """Fill `previous_listing` and `previous_urls` likewise."""
    _urls(con, PREVIOUS)


def _any_line(con: duckdb.DuckDBPyConnection, table: str) -> bool:
    return con.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None


def _urls(con: duckdb.DuckDBPyConnection, of: str) -> None:
    for table in ("listing", "urls"):
        con.execute(f"TRUNCATE {of}{table}")
    try:
        for statement in (_PLACES, _LISTING, _SCORES, _VERDICTS, _REDIRECTS, _DUPLICATES, _URLS):
            con.execute(statement.replace("$of$", of))
    finally:
        for scratch in ("places", "scores", "verdicts", "redirects", "duplicates"):
            con.execute(f"DROP TABLE IF EXISTS derive_{scratch}")


# One line a listed key. Most keys stand once and are taken as they are; only the others are grouped.
_PLACES: Final = f"""
CREATE OR REPLACE TEMP TABLE derive_places AS
WITH files AS (
    SELECT e.sitemap, row_number() OVER (ORDER BY e.sitemap) AS rank,
           CASE WHEN f.kind IN ('rss', 'atom') THEN 1 WHEN f.source = 'list' THEN 2 ELSE 0 END AS way
    FROM (SELECT DISTINCT sitemap FROM $of$entries WHERE url_key IS NOT NULL) e
    LEFT JOIN (SELECT url, any_value(kind) AS kind, any_value(source) AS source FROM $of$sitemap_files GROUP BY url) f
        ON f.url = e.sitemap
),
repeated AS (SELECT hash(url_key) AS h FROM $of$entries WHERE url_key IS NOT NULL GROUP BY h HAVING count(*) > 1),
placed AS (
    SELECT e.url_key, e.url_id, e.lastmod, coalesce(e.loc, e.url_key) AS url, e.sitemap, e.line, e.loc_raw, f.way,
           (coalesce(f.rank, 0) << {_POSITION_BITS}) + coalesce(e.position, e.line, 0) AS place
    FROM $of$entries e LEFT JOIN files f ON f.sitemap = e.sitemap
    WHERE e.url_key IS NOT NULL
),
keys AS (
    SELECT url_key, url_id, lastmod, url, sitemap, line, way,
           CASE WHEN sitemap IS NOT NULL THEN [sitemap] END AS sitemaps,
           CASE WHEN loc_raw IS NOT NULL THEN [loc_raw] END AS listed_as
    FROM placed WHERE hash(url_key) NOT IN (FROM repeated)
    UNION ALL
    SELECT url_key, any_value(url_id), max(lastmod), arg_min(url, place), arg_min_null(sitemap, place), arg_min_null(line, place),
           min(coalesce(way, 0)), list_sort(list(DISTINCT sitemap) FILTER (sitemap IS NOT NULL)),
           list_sort(list(DISTINCT loc_raw) FILTER (loc_raw IS NOT NULL))[:{_SPELLINGS_MAX}]
    FROM placed WHERE hash(url_key) IN (FROM repeated) GROUP BY url_key
)
SELECT url_key, url_id, lastmod, url, sitemap, line, sitemaps, listed_as,
       CASE way WHEN 1 THEN 'feed' WHEN 2 THEN 'list' ELSE 'sitemap' END AS discovered_by
FROM keys
"""

_LISTING: Final = """
INSERT INTO $of$listing BY NAME
SELECT url_key, url, sitemap, line,
       'listed in ' || coalesce(sitemap, '?') || coalesce(', line ' || line, '') AS claim,
       lastmod, len(sitemaps) AS sitemap_count
FROM derive_places
"""

# Definitions 2. A probe asked for an address that cannot exist: who shows the same text is that error page.
_SCORES: Final = f"""
CREATE OR REPLACE TEMP TABLE derive_scores AS
WITH same AS (
    SELECT p.main_hash, count(*) AS n FROM $of$pages p SEMI JOIN derive_places l ON l.url_key = p.url_key
    WHERE p.main_text_len >= {_SHORT_CHARS} AND p.main_text_len < {_LONG_CHARS}
    GROUP BY p.main_hash HAVING count(*) >= {_SAME_TEXT_URLS}
),
texts AS (
    SELECT url_key, coalesce(origin, regexp_extract(url_key, '^[a-z]+://[^/?#]+')) AS origin,
           coalesce(discovered_by = 'probe', false) AS is_probe,
           ('0x' || coalesce(probe_print.simhash, main_simhash))::UBIGINT AS simhash,
           coalesce(probe_print.words, word_count) AS words
    FROM $of$pages WHERE status = 200 AND main_simhash IS NOT NULL AND NOT coalesce(main_fallback, false)
),
twins AS (
    SELECT DISTINCT t.url_key
    FROM texts t JOIN (SELECT DISTINCT origin, simhash, words FROM texts WHERE is_probe AND words > 0) q ON q.origin = t.origin
    WHERE NOT t.is_probe AND bit_count(xor(t.simhash, q.simhash)) <= {_PROBE_BITS}
      AND least(t.words, q.words) >= {_PROBE_WORDS_RATIO} * greatest(t.words, q.words)
),
reasons AS (
    SELECT p.url_key, p.shell, p.soft404_points.points AS own, coalesce(p.soft404_points.reasons, []) AS own_reasons,
           t.url_key IS NOT NULL AS probe, s.n AS same_urls, coalesce(p.noindex, false) AS noindex,
           coalesce(p.main_text_len >= {_LONG_CHARS}, false) AND t.url_key IS NULL AS long
    FROM $of$pages p LEFT JOIN same s ON s.main_hash = p.main_hash LEFT JOIN twins t ON t.url_key = p.url_key
    WHERE p.soft404_points.points IS NOT NULL AND p.discovered_by IS DISTINCT FROM 'probe'
),
sums AS (
    SELECT url_key, shell, own,
           list_concat(own_reasons, CASE WHEN probe THEN ['same-as-probe'] ELSE [] END,
                       CASE WHEN same_urls IS NOT NULL THEN ['same-text-on-' || same_urls || '-urls'] ELSE [] END) AS for_it,
           CASE WHEN probe THEN {_PROBE_POINTS} ELSE 0 END + CASE WHEN same_urls IS NOT NULL THEN {_SAME_TEXT_POINTS} ELSE 0 END
               AS others, noindex, long
    FROM reasons
),
weighed AS (
    SELECT *, noindex AND len(list_filter(for_it, lambda r: r <> '{_AGAINST}')) > 0 AS hidden FROM sums
)
SELECT url_key,
       greatest(0, least(CASE WHEN shell THEN {_SHELL_CAP} ELSE 1 END,
                         round(own + others + CASE WHEN hidden THEN {_NOINDEX_POINTS} ELSE 0 END
                               + CASE WHEN long THEN {_LONG_TEXT_POINTS} ELSE 0 END, 2))) AS score,
       list_concat(for_it, CASE WHEN hidden THEN ['noindex'] ELSE [] END, CASE WHEN long THEN ['long-text'] ELSE [] END)
           AS reasons
FROM weighed
"""

_VERDICTS: Final = f"""
CREATE OR REPLACE TEMP TABLE derive_verdicts AS
SELECT url_key, soft404_score, soft404_reasons, target, v.verdict AS verdict, v.reason AS reason, last_answer.verdict AS last_answer
FROM (
    SELECT p.url_key, p.soft404_score, p.soft404_reasons, p.last_answer, {VERDICT} AS v,
           CASE WHEN p.hop_count > 0 THEN p.final_key ELSE {IMMEDIATE_REFRESH} END AS target
    FROM (
        SELECT p.*, {LAST_ANSWER} AS last_answer
        FROM (SELECT p.*, c.score AS soft404_score, c.reasons AS soft404_reasons FROM $of$pages p LEFT JOIN derive_scores c ON c.url_key = p.url_key) p
        LEFT JOIN (FROM settings LIMIT 1) s ON true
    ) p
)
"""

# The verdict of the target: that of its own line, where it has one, else what the last answer declares.
_REDIRECTS: Final = """
CREATE OR REPLACE TEMP TABLE derive_redirects AS
WITH ends AS (
    SELECT url_key, arg_max(coalesce(robots_allowed, true), n) AS allowed
    FROM $of$hops SEMI JOIN (SELECT url_key FROM derive_verdicts WHERE verdict = 'redirect') r USING (url_key)
    GROUP BY url_key
)
SELECT v.url_key, CASE
    WHEN list_contains(p.redirect_flags, 'loop') THEN 'loop'
    WHEN list_contains(p.redirect_flags, 'too_long') THEN 'too_long'
    WHEN list_contains(p.redirect_flags, 'bad_location') THEN 'bad_location'
    WHEN t.verdict NOT IN ('unknown', 'redirect') THEN t.verdict
    WHEN NOT ends.allowed THEN 'blocked'
    WHEN p.hop_count > 0 AND v.last_answer IS NOT NULL THEN v.last_answer
    WHEN p.hop_count > 0 AND p.status IS NULL AND p.error_class = 'private_host' THEN 'private_host'
    WHEN p.hop_count > 0 AND p.status IS NULL AND p.error_class IS NOT NULL THEN 'unreachable'
    WHEN t.verdict IS NOT NULL THEN t.verdict
    WHEN v.target IS NULL THEN p.first_status::VARCHAR
    ELSE coalesce(p.reason, 'unknown') END AS reason
FROM derive_verdicts v
JOIN $of$pages p ON p.url_key = v.url_key
LEFT JOIN ends ON ends.url_key = v.url_key
LEFT JOIN derive_verdicts t ON t.url_key = v.target AND t.url_key <> v.url_key
WHERE v.verdict = 'redirect'
"""

_DUPLICATES: Final = f"""
CREATE OR REPLACE TEMP TABLE derive_duplicates AS
WITH texts AS (
    SELECT p.url_key, p.main_hash FROM $of$pages p JOIN derive_verdicts v ON v.url_key = p.url_key
    WHERE v.verdict = 'indexable' AND p.main_hash IS NOT NULL AND p.main_text_len >= {_DUPLICATE_CHARS}
      AND NOT coalesce(p.main_fallback, false) AND p.discovered_by IS DISTINCT FROM 'probe'
),
twins AS (
    SELECT url_key, main_hash FROM texts
    SEMI JOIN (SELECT main_hash FROM texts GROUP BY main_hash HAVING count(*) > 1) m USING (main_hash)
),
pointers AS (
    SELECT target AS url_key, count(*) AS n FROM (
        SELECT canonical AS target FROM $of$pages WHERE canonical_state = 'other'
        UNION ALL SELECT final_key FROM $of$pages WHERE hop_count > 0
    ) SEMI JOIN twins ON twins.url_key = target GROUP BY target
),
ranked AS (
    SELECT t.url_key, t.main_hash,
           first_value(t.url_key) OVER (PARTITION BY t.main_hash ORDER BY coalesce(n.n, 0) DESC,
               (l.url_key IS NOT NULL AND t.url_key LIKE 'https:%') DESC, length(t.url_key), t.url_key) AS representative
    FROM twins t LEFT JOIN pointers n ON n.url_key = t.url_key LEFT JOIN derive_places l ON l.url_key = t.url_key
)
SELECT url_key, main_hash AS cluster, representative FROM ranked
"""

# Probes are facts, not URLs of the audit. A listed URL without a fact was not come to: unchecked, stopped.
_URLS: Final = """
INSERT INTO $of$urls BY NAME
WITH tried AS (SELECT url_key, url_id, requested_url, discovered_by, state, reason FROM $of$pages
               WHERE discovered_by IS DISTINCT FROM 'probe')
SELECT coalesce(l.url_id, p.url_id, left(sha256(coalesce(l.url_key, p.url_key)), 16)) AS url_id,
       coalesce(l.url_key, p.url_key) AS url_key,
       coalesce(l.url, p.requested_url, p.url_key) AS url,
       l.url_key IS NOT NULL AS listed,
       l.listed_as, l.sitemaps, coalesce(len(l.sitemaps), 0) AS sitemap_count,
       coalesce(l.discovered_by, p.discovered_by) AS discovered_by,
       CASE WHEN p.url_key IS NULL THEN 'unchecked' ELSE coalesce(p.state, 'checked') END AS state,
       CASE WHEN p.url_key IS NULL THEN 'stopped' ELSE p.reason END AS reason,
       CASE WHEN p.url_key IS NULL THEN 'unknown' WHEN d.representative <> d.url_key THEN 'duplicate'
            ELSE v.verdict END AS verdict,
       CASE WHEN p.url_key IS NULL THEN 'stopped' WHEN d.representative <> d.url_key THEN d.representative
            ELSE coalesce(r.reason, v.reason) END AS verdict_reason,
       (SELECT verdict_bot FROM settings LIMIT 1) AS verdict_bot,
       d.cluster AS dup_cluster,
       CASE WHEN d.url_key IS NULL THEN NULL WHEN d.representative = d.url_key THEN 'representative'
            ELSE 'member' END AS dup_role,
       v.soft404_score, nullif(v.soft404_reasons, []) AS soft404_reasons
FROM derive_places l
FULL JOIN tried p ON p.url_key = l.url_key
LEFT JOIN derive_verdicts v ON v.url_key = p.url_key
LEFT JOIN derive_redirects r ON r.url_key = p.url_key
LEFT JOIN derive_duplicates d ON d.url_key = p.url_key
"""

# Each column is true when the thing is known or cannot be there, never NULL (docs/facts.md, `seen`).
_SEEN: Final = f"""
INSERT INTO seen BY NAME
WITH answers AS (
    SELECT u.url_key, u.listed, u.verdict <> 'unknown' AS decided, p.url_key IS NOT NULL AS tried,
           coalesce(u.verdict = 'blocked' OR NOT p.allowed, false) AS blocked,
           coalesce(p.state = 'checked' AND p.first_status IS NOT NULL, false) AS response,
           coalesce(p.status <> 200, false) AS no_page,
           p.canonical_state IS NOT NULL AS signals,
           p.main_hash IS NOT NULL OR coalesce(p.sniffed_type <> 'html', false) AS text,
           p.allowed IS NOT NULL AS robots, coalesce(p.state = 'checked', false) AND NOT {PAUSED} AS checked,
           p.reason, p.error_class, p.head_refused IS NOT NULL AS refused,
           coalesce(p.truncated, false) AS truncated,
           coalesce({PAUSED}, false) AS paused
    FROM urls u LEFT JOIN pages p ON p.url_key = u.url_key
),
known AS (
    SELECT *, decided OR (checked AND response) AS was_tried,
           response AND (no_page OR signals) AS head,
           response AND (no_page OR (signals AND text)) AS content
    FROM answers
)
SELECT k.url_key, k.listed, k.was_tried AS tried, k.response, k.head, k.content, k.robots,
       k.head OR NOT k.blocked AS blocked_page,
       $previous_run$ AS previous_run, $links$ AS links, $access_log$ AS access_log,
       CASE WHEN k.was_tried AND k.response AND k.head AND k.content AND k.robots THEN NULL
            WHEN NOT k.tried THEN 'never_tried'
            WHEN k.reason IS NOT NULL OR k.error_class IS NOT NULL THEN coalesce(k.reason, k.error_class)
            WHEN NOT k.head AND k.refused THEN 'head_refused'
            WHEN NOT k.content AND k.truncated THEN 'truncated'
            WHEN k.paused OR (k.was_tried AND k.content) THEN 'robots_paused'
            ELSE 'depth' END AS reason
FROM known k $earlier$
"""

# A URL that the earlier run did not know is new: there is nothing of it to compare.
_EARLIER: Final = """
LEFT JOIN (
    SELECT url_key, bool_or(checked) AS checked FROM (
        SELECT url_key, state = 'checked' AS checked FROM previous_pages
        UNION ALL SELECT url_key, false FROM previous_urls
        UNION ALL SELECT url_key, false FROM previous_entries WHERE url_key IS NOT NULL
    ) GROUP BY url_key
) e ON e.url_key = k.url_key
"""
_OF_EARLIER: Final = ("runs", "pages", "urls", "entries", "sitemap_files", "robots_files")
