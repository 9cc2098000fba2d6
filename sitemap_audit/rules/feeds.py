"""SQL that several rules about feeds read: which files are feeds, what a home page advertises."""

from __future__ import annotations

from typing import Final

from sitemap_audit.rules.relations import SITEMAP_FILES, host_of, origin_of

FEEDS: Final = f"""
    SELECT f.*, coalesce(f.final_url, f.url) AS place, {host_of("coalesce(f.final_url, f.url)")} AS host,
           {origin_of("coalesce(f.final_url, f.url)")} AS origin,
           f.parent IS NULL OR f.parent NOT IN (SELECT url FROM sitemap_files WHERE kind IN ('rss', 'atom')) AS first_page,
           CASE f.kind WHEN 'atom' THEN 'Atom' ELSE 'RSS' END AS form
    FROM ({SITEMAP_FILES}) f
    WHERE f.kind IN ('rss', 'atom') AND f.state IN ('ok', 'partial') AND f.source IS DISTINCT FROM 'list'
"""
"""Feeds that could be read, as SITEMAP_FILES, with `place` (where it lies in the end), `host`, `origin`, `first_page`
(not the second page of another feed) and `form` in words."""

HOMES: Final = f"""
    SELECT p.*, {host_of("p.url_key")} AS host FROM pages p
    WHERE p.status = 200 AND p.canonical_state IS NOT NULL AND p.head_refused IS NULL
      AND p.url_key = {origin_of("p.url_key")} || '/' AND coalesce(p.hop_count, 0) = 0
"""
"""Home pages whose head was read, with `host`."""

ADVERTISES: Final = """
    (coalesce(len(p.feed_links), 0) > 0 OR coalesce(regexp_matches(lower(array_to_string(p.link_header, ' ')),
        'application/(rss|atom|rdf)\\+xml|application/feed\\+json'), false))
"""
"""SQL over a line `p` of `pages` whose head was read: does it link to any feed, however badly?"""
