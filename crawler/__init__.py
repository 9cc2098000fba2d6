"""DISCOVER: from a SITE to its robots.txt, its sitemaps and their entries. The only package that knows Scrapy.

    1. context            what the run asks for, and the means: HTTP client, pace, shared robots.txt, publisher
    2. sources            where sitemaps are looked for, in which order, and why
    3. spiders/sitemaps   the spider: files → entries, children of indexes → files; it stands on
       search_steps       Sitemap lines, else usual places, home page → feeds
       robots_steps       robots.txt → policy, second look, http where https refuses
       steps              requests and callbacks
    4. origins            one robots.txt an origin, shared with the workers; search: one SITE's usual places
    5. frontier           which files are known, which are read now, and what a cap left unread
    6. reading            the chunks of one file → entries and the record of the file
    7. download           Scrapy's download handler over sitemap_audit.http: hops by hand, bodies as streams
    8. turns              one request slot of a host before each request: the rate that all processes share
    9. publish            facts in batches to the stream (a run), or one item an entry (`scrapy crawl`)

Nothing here judges: it records what was seen.
"""
