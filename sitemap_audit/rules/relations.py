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


def moment(time: str) -> str:
    """SQL: a TIMESTAMP in UTC as in every export."""
    return f"strftime({time}, '%Y-%m-%dT%H:%M:%SZ')"


def count_of(number: str) -> str:
    """SQL: an integer with commas between thousands."""
    return f"format('{{:,}}', {number})"


def shown(lines: str, text: str) -> str:
    """SQL: the first three of a list of `lines` as `line 3: …`, and how many more; `text` is SQL over a line `l`."""
    few = f"array_to_string(list_transform({lines}[:3], lambda l: 'line ' || l.line || ': ' || left({text}, 100)), '; ')"
    more = (
        f"CASE WHEN len({lines}) > 3 THEN ' and ' || {count_of(f'len({lines}) - 3')} || ' more' ELSE '' END"
    )
    return f"{few} || {more}"


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

ANSWER: Final = """
    CASE WHEN p.hop_count > 0
         THEN p.first_status || ', ends at ' || coalesce(p.final_url, '?') || ' (' || p.status || ')'
         ELSE 'status ' || p.status END
"""
"""SQL over a line `p` of `pages` that has a final status: how it answered, worded as url-redirects does."""
