"""DISCOVER: from a SITE to its robots.txt, its sitemaps and their entries. The only package that knows Scrapy.

    1. context            what the run asks for, and the means: client options, pace, shared robots.txt, publisher
    2. sources            where sitemaps are looked for, in which order, and why
    3. spiders/sitemaps   robots.txt → sitemaps, indexes, feeds → entries, as Scrapy requests and callbacks
    4. origins            one robots.txt an origin, shared with the workers, believed after a second look
    5. frontier           which files are known, which are read now, and what a cap left unread
    6. reading            the chunks of one file → entries and the record of the file
    7. download           Scrapy's download handler over sitemap_audit.http: hops by hand, bodies as streams
    8. turns              one request slot of a host before each request: the rate that all processes share
    9. publish            facts in batches to the stream (a run), or one item an entry (`scrapy crawl`)

Nothing here judges: it records what was seen.
"""
