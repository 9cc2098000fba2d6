"""SQL that several rules read: small relations and expressions, put into a rule's own query.

Only what two or more rules need lives here, so that an origin, a declaration or a date is worded once.
Expressions are functions of a column or alias; relations are SELECTs to stand in brackets.
"""

from __future__ import annotations

from typing import Final


def origin_of(url: str) -> str:
    """SQL: scheme://host[:port] of an absolute URL in WHATWG form (so without a default port)."""
    return f"regexp_extract({url}, '^[a-z]+://[^/?#]+')"


def host_of(url: str) -> str:
    """SQL: the host of an absolute URL or origin, IPv6 in brackets, without port."""
    return rf"regexp_extract({url}, '^[a-z]+://(\[[^\]]*\]|[^/?#:]+)', 1)"


def path_of(url: str) -> str:
    """SQL: the path of an absolute URL, without query and fragment; / where there is none."""
    return f"coalesce(nullif(regexp_extract({url}, '^[a-z]+://[^/?#]+([^?#]*)', 1), ''), '/')"


def moment(time: str) -> str:
    """SQL: a TIMESTAMP in UTC as in every export."""
    return f"strftime({time}, '%Y-%m-%dT%H:%M:%SZ')"


def count_of(number: str) -> str:
    """SQL: an integer with commas between thousands."""
    return f"format('{{:,}}', {number})"


def seconds(number: str) -> str:
    """SQL: a number of seconds as `3,600 s`, `0.5 s`."""
    whole = f"{number} = trunc({number})"
    return f"CASE WHEN {whole} THEN format('{{:,}}', ({number})::BIGINT) ELSE {number}::VARCHAR END || ' s'"


def shown(lines: str, text: str) -> str:
    """SQL: the first three of a list of `lines` as `line 3: …`, and how many more; `text` is SQL over a line `l`."""
    few = f"array_to_string(list_transform({lines}[:3], lambda l: 'line ' || l.line || ': ' || left({text}, 100)), '; ')"
    more = (
        f"CASE WHEN len({lines}) > 3 THEN ' and ' || {count_of(f'len({lines}) - 3')} || ' more' ELSE '' END"
    )
    return f"{few} || {more}"


def listed_in(sitemap: str = "sitemap", line: str = "line") -> str:
    """SQL: the claim of an entry that stands in this file, on this line (NULL: not known)."""
    return f"'listed in ' || coalesce({sitemap}, '?') || coalesce(', line ' || {line}, '')"


def loc_text(loc_raw: str) -> str:
    """SQL: a loc as written, without the white space around it; never NULL."""
    return rf"trim(coalesce({loc_raw}, ''), ' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13))"


def printable(text: str) -> str:
    """SQL: a foreign text on one line: a line break as \\n, any other control character as \\x."""
    return rf"regexp_replace(replace({text}, chr(10), '\n'), '[\x00-\x1f\x7f]', '\\x', 'g')"


def entries_with(issue: str) -> str:
    """SQL: entries, feed items and children of an index whose loc has this issue, save those of the user's own lists.

    `feed`: the file is a feed; `child`: named by an index (then `url_key` is NULL: it is no page).
    """
    columns = "sitemap, line, position, loc_raw, loc, loc_issues"
    return f"""
        SELECT e.*, coalesce(f.feed, false) AS feed FROM (
            SELECT {columns}, url_key, false AS child FROM entries WHERE list_contains(loc_issues, '{issue}')
            UNION ALL
            SELECT {columns}, NULL, true FROM index_children WHERE list_contains(loc_issues, '{issue}')
        ) e LEFT JOIN (
            SELECT url, bool_or(kind IN ('rss', 'atom')) AS feed, bool_or(source = 'list') AS own
            FROM sitemap_files GROUP BY url
        ) f ON f.url = e.sitemap
        WHERE NOT coalesce(f.own, false)
    """


def problems_of(file: str, *kinds: str) -> str:
    """SQL over a line of `sitemap_files`: its problems of these kinds; an empty list if there are none."""
    named = ", ".join(f"'{kind}'" for kind in kinds)
    return f"coalesce(list_filter({file}.problems, lambda p: p.kind IN ({named})), [])"


def met(problems: str) -> str:
    """SQL: how often what a list of problems tells was met: a line of it may stand for several."""
    return f"list_sum(list_transform({problems}, lambda p: coalesce(p.count, 1)))::BIGINT"


NOINDEX_TAGS: Final = """left(nullif(concat_ws(' | ',
    array_to_string(list_transform(p.meta_robots, lambda m: 'meta ' || m.name || ': ' || m.content), ' | '),
    array_to_string(list_transform(p.x_robots_tag, lambda x: 'X-Robots-Tag: ' || x), ' | ')), ''), 300)"""

NOINDEX_SEEN: Final = f"""
    'noindex for ' || s.verdict_bot
    || coalesce(' by ' || coalesce(
           nullif(array_to_string(list_filter(p.noindex_sources, lambda source: source NOT LIKE '%:%'
               OR source IN ('meta:robots', 'meta:' || s.verdict_bot, 'header:' || s.verdict_bot)), ', '), ''),
           nullif(array_to_string(p.noindex_sources, ', '), '')), '')
    || coalesce(' (' || {NOINDEX_TAGS} || ')', '')
"""
"""SQL over a line `p` of `pages` with noindex and the line `s` of `settings`: who says it to the verdict's
bot (the fact holds the sources of every bot), and all robots tags as they were sent."""

ROBOTS_LINE: Final = """
    coalesce(p.origin, '') || '/robots.txt, line ' || p.robots_line || ': ' || coalesce(p.robots_rule, 'Disallow')
    || ' (' || (SELECT verdict_bot FROM settings) || ')'
"""
"""SQL over a line `p` of `pages` that a line of robots.txt blocks: which one."""

# A bare SITE is asked by https, and by http where https does not answer; then https is nobody's origin.
_SITES: Final = """
    SELECT CASE WHEN contains(site, '://') THEN lower(regexp_extract(site, '^[A-Za-z]+://[^/?#]+'))
                WHEN EXISTS (FROM robots_files r WHERE r.origin = 'http://' || host
                             AND r.state IS DISTINCT FROM 'unreachable')
                 AND EXISTS (FROM robots_files r WHERE r.origin = 'https://' || host AND r.state = 'unreachable')
                THEN 'http://' || host ELSE 'https://' || host END AS origin,
           'the audited site ' || site AS claim
    FROM (SELECT site, lower(regexp_extract(site, '^[^/?#]+')) AS host
          FROM (SELECT CASE WHEN json_valid(options) THEN json_extract_string(options, '$.sites[*]') END AS sites
                FROM runs) r, unnest(r.sites) AS u(site))
"""

NO_PAGE: Final = """
    SELECT l.url_key, 'no_page' AS reason FROM listing l JOIN pages p ON p.url_key = l.url_key
    WHERE p.state = 'checked' AND p.status <> 200
"""
"""`url_key, reason` of listed URLs that answer, but not with a page: what its tags would say of others is unknown."""

ORIGINS_IN_USE: Final = f"""
    SELECT origin, arg_min(claim, (place, claim)) AS claim, min(place) AS place FROM (
        SELECT {origin_of("url")} AS origin, 0 AS place,
               'URLs listed on this origin: ' || {count_of("count(*)")} || ', the first in '
               || arg_min(coalesce(sitemap, '?') || coalesce(', line ' || line, ''), (sitemap, line)) AS claim
        FROM listing
        -- The robots.txt of a host that the audit does not cover is not this site's to mend.
        WHERE url_key NOT IN (SELECT url_key FROM pages WHERE state = 'skipped' AND reason = 'out_of_scope')
        GROUP BY 1
        UNION ALL
        SELECT {origin_of("url")}, 2, 'the sitemap ' || min(url) FROM sitemap_files
        WHERE source IS DISTINCT FROM 'guess' GROUP BY 1
        UNION ALL
        SELECT origin, 1, claim FROM ({_SITES})
    ) WHERE origin IS NOT NULL GROUP BY origin
"""
"""`origin, claim, place`: origins that a listed URL (place 0), a SITE (1) or a sitemap somebody named (2)
uses, and what the map says of them. The robots.txt of any other origin is nobody's fault. The engine fills the
table `origins_in_use` with it once: rules read that."""

_HOURS_OLD: Final = "date_sub('hour', r.last_good_at, r.fetched_at)"

OUTAGE: Final = f"""
    coalesce(', failing since ' || {moment("r.outage_since")}, '')
    || coalesce(', last good copy of ' || {moment("r.last_good_at")} || coalesce(', '
           || {count_of(_HOURS_OLD)} || CASE WHEN {_HOURS_OLD} = 1 THEN ' hour old' ELSE ' hours old' END, '')
           || CASE WHEN r.effect = 'last_good' THEN ', which decides meanwhile' ELSE '' END, '')
"""
"""SQL over a line `r` of `robots_files` that fails: since when, and what earlier runs kept."""

ROBOTS_ASKED: Final = """
    SELECT r.*, u.claim FROM robots_files r JOIN origins_in_use u ON u.origin = r.origin
    WHERE u.place < 2 AND r.at_root IS DISTINCT FROM false
"""
"""`robots_files` with `claim`, of the origins that a SITE or a listed URL uses: how each was answered."""

ROBOTS_TEXTS: Final = f"""
    WITH asked AS ({ROBOTS_ASKED})
    SELECT a.* FROM asked a
    -- Of addresses that are led to one file, the one where it lies says what stands in it.
    ANTI JOIN asked o ON o.robots_url = a.final_url AND o.origin <> a.origin
    WHERE a.state = 'ok'
"""
"""The files among them that state rules, each once: what stands in them."""

# Where a file is named: lines of robots.txt before lines of an index, the first of each.
_NAMED: Final = """
    SELECT url, arg_min(claim, place) AS claim FROM (
        SELECT u.s."abs" AS url, 'Sitemap line ' || u.s.line || ' of ' || r.robots_url AS claim,
               (0, r.robots_url, u.s.line) AS place
        FROM robots_files r, unnest(r.sitemaps) AS u(s) WHERE r.at_root IS DISTINCT FROM false
        UNION ALL
        SELECT loc, 'listed in ' || sitemap || coalesce(', line ' || line, ''), (1, sitemap, line)
        FROM index_children WHERE loc IS NOT NULL
    ) GROUP BY url
"""

SITEMAP_FILES: Final = f"""
    SELECT f.*,
           coalesce(n.claim, CASE f.source
               WHEN 'robots' THEN 'declared in robots.txt' || coalesce(' of ' || f.declared_in[1], '')
               WHEN 'index' THEN 'listed in ' || coalesce(f.parent, 'an index')
               WHEN 'guess' THEN 'found under a usual name, declared nowhere'
               WHEN 'feed_link' THEN 'advertised in the head of the home page'
               WHEN 'option' THEN 'named by the option --sitemap'
               WHEN 'list' THEN 'named by the option --list' END, 'named as a sitemap') AS claim,
           f.source IS DISTINCT FROM 'guess' OR n.claim IS NOT NULL OR f.parent IS NOT NULL
               OR coalesce(len(f.declared_in), 0) > 0 AS declared
    FROM sitemap_files f LEFT JOIN ({_NAMED}) n ON n.url = f.url
"""
"""`sitemap_files` with `claim`, where the file is named, and `declared`, whether anybody names it."""

DECLARED_DOCUMENTS: Final = f"""
    document AS (SELECT url, coalesce(final_url, url) AS doc FROM sitemap_files),
    below AS (
        SELECT DISTINCT p.doc AS parent, c.doc FROM (
            SELECT sitemap AS parent, loc AS url FROM index_children WHERE loc IS NOT NULL
            UNION ALL SELECT parent, url FROM sitemap_files WHERE parent IS NOT NULL
        ) x JOIN document p ON p.url = x.parent JOIN document c ON c.url = x.url
    ),
    named AS (
        SELECT {host_of("r.origin")} AS host, d.doc
        FROM robots_files r, unnest(r.sitemaps) AS u(s) JOIN document d ON u.s."abs" IN (d.url, d.doc)
        UNION SELECT {host_of("o.origin")}, coalesce(f.final_url, f.url) FROM sitemap_files f, unnest(f.declared_in) AS o(origin)
        UNION SELECT n.host, b.doc FROM named n JOIN below b ON b.parent = n.doc
    )
"""
"""Parts of a WITH RECURSIVE: `document` (`url, doc`: where a file lies in the end) and `named` (`host, doc`: what
the robots.txt of a host declares, and all documents below it)."""

# Fewer answers than that prove nothing of a host.
_REFUSALS_MIN: Final = 3

BLOCKING_ORIGINS: Final = f"""
    SELECT origin, count(*) AS asked, count(refusal) AS refused, min(url) FILTER (refusal IS NOT NULL) AS url,
           bool_or(coalesce(refusal IN ('bot wall', '429'), false)) AS walled,
           array_to_string(list_transform(list_sort(list(DISTINCT refusal)),
               lambda kind: kind || ' (' || len(list_filter(list(refusal), lambda r: r = kind)) || ')'), ', ') AS kinds
    FROM (
        SELECT p.origin, p.requested_url AS url, CASE WHEN p.challenge THEN 'bot wall'
                   WHEN p.status IN (403, 429, 503) THEN p.status::VARCHAR END AS refusal
        FROM pages p SEMI JOIN listing l ON l.url_key = p.url_key
        WHERE p.status IS NOT NULL AND coalesce(p.allowed, true) AND coalesce(p.hop_count, 0) = 0
    )
    GROUP BY origin
    HAVING count(refusal) >= {_REFUSALS_MIN} AND count(refusal) >= (SELECT host_blocking_share FROM settings) * count(*)
"""
"""Origins that refuse at least `host_blocking_share` of the listed URLs that were asked without a redirect: counts,
the first refused URL, the kinds in words, and whether any of them is meant for programs (`walled`)."""

ANSWER: Final = """
    CASE WHEN p.hop_count > 0
         THEN p.first_status || ', ends at ' || coalesce(p.final_url, '?') || ' (' || p.status || ')'
         ELSE 'status ' || p.status END
"""
"""SQL over a line `p` of `pages` that has a final status: how it answered, worded as url-redirects does."""
