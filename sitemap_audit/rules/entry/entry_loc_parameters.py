"""Addresses with tracking parameters, or the same page sorted and filtered."""

from sitemap_audit.rules.relations import count_of, entries_with, listed_in, loc_text, printable
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, MAP, SITE, entry, file, odd, undeclared

SHOES = f"{SITE}/shoes"
VARIANTS = [
    entry(f"{SHOES}?sort={by}&color=red", n)
    for n, by in enumerate(("price", "name", "date", "size", "new"), 3)
]
TRACKED = odd(f"{SITE}/a?utm_source=map", "tracking", line=7)

# Parameters that only sort, filter or cut a list, whatever the page: nobody reaches content by them alone. Words that
# also name content (page, id, view, category, brand) are not among them; `order` and `dir` only with a word as value.
LIST_PARAMETERS = (
    r"[?&;](?:(?:sort|sort_?by|sort_?order|order_?by|order_?dir|sort_?dir|direction|filters?(?:\[[^\]=]*\]|_[a-z_]+)?|colou?r|size"
    r"|price|(?:min|max)_price|price_(?:min|max|from|to)|per_?page|page_?size|items_per_page|limit)=[^&;#]*|(?:order|dir)=[a-z_+-]+)"
)

RULE = Rule(
    id="entry-loc-parameters",
    severity=Severity.WARNING,
    title="Sitemap lists tracking or filter addresses",
    why="Addresses that only track a visit, or sort and filter one list, do not belong in the map: they are many names of "
    "one page.",
    fix="List only the clean addresses in {sitemap}.",
    source=(
        Source("text-002", "line 57, which URLs belong in a sitemap"),
        Source("g-url", "URL structure, common problems: parameters"),
    ),
    known_as=("Screaming Frog: URL: GA Tracking Parameters, URL: Parameters",),
    needs=frozenset(),
    # ?id= or ?page= can be the only address of content: what is left of the query when such parameters are taken out
    # parts the pages. Feeds track their readers on purpose: a notice.
    sql=rf"""
        WITH tracked AS (
            SELECT sitemap, min(line) AS line, count(*) AS n, bool_or(feed) AS feed,
                   arg_min({loc_text("loc_raw")}, (line, position)) AS example
            FROM ({entries_with("tracking")}) GROUP BY sitemap
        ),
        filtered AS (
            SELECT url, sitemap, line, regexp_replace(regexp_replace(url_key, '{LIST_PARAMETERS}', '', 'gi'), '^([^?&;]*)[&;]', '\1?') AS page
            FROM listing WHERE contains(url_key, '=') AND regexp_matches(url_key, '{LIST_PARAMETERS}', 'i')
        ),
        pages AS (
            SELECT page, count(*) AS n, min(sitemap) AS sitemap, arg_min(line, (sitemap, line)) AS line, min(url) AS example
            FROM filtered GROUP BY page HAVING count(*) >= (SELECT min(parameter_variants_min) FROM settings)
        )
        SELECT NULL::VARCHAR AS url_key, sitemap || ': tracking' AS subject, sitemap, line, {listed_in()} AS claim,
               'addresses with tracking parameters: ' || {count_of("n")} || ', such as ' || {printable("left(example, 200)")} AS reality,
               CASE WHEN feed THEN 'notice' END AS severity
        FROM tracked
        UNION ALL
        SELECT NULL, p.sitemap || ': filters', p.sitemap, min(p.line), {listed_in("p.sitemap", "min(p.line)")},
               'addresses that only sort or filter: ' || {count_of("sum(p.n)::BIGINT")} || ' of '
               || {count_of("count(*)")} || CASE WHEN count(*) = 1 THEN ' page' ELSE ' pages' END || '; most, ' || {count_of("max(p.n)")} || ', of ' || arg_max(p.page, p.n)
               || ', such as ' || arg_max(p.example, p.n),
               CASE WHEN any_value(f.kind) IN ('rss', 'atom') THEN 'notice' END
        FROM pages p LEFT JOIN sitemap_files f ON f.url = p.sitemap
        WHERE f.source IS DISTINCT FROM 'list' GROUP BY p.sitemap
    """,
    fires=(
        Fires(
            "a list sorted and filtered in five ways",
            {"entries": VARIANTS, "sitemap_files": [file()]},
            {
                "url": None,
                "subject": f"{MAP}: filters",
                "sitemap": MAP,
                "line": 3,
                "claim": f"listed in {MAP}, line 3",
                "reality": f"addresses that only sort or filter: 5 of 1 page; most, 5, of {SHOES}, such as {SHOES}?sort=date&color=red",
                "severity": "warning",
            },
        ),
        Fires(
            "tracking parameters: one finding a file",
            {"entries": [TRACKED, odd(f"{SITE}/b?gclid=1", "tracking", line=9)], "sitemap_files": [file()]},
            {
                "subject": f"{MAP}: tracking",
                "line": 7,
                "reality": f"addresses with tracking parameters: 2, such as {SITE}/a?utm_source=map",
                "severity": "warning",
            },
        ),
        Fires(
            "a feed that counts its readers",
            {"entries": [TRACKED | {"sitemap": FEED}], "sitemap_files": [undeclared(FEED, kind="rss")]},
            {"severity": "notice"},
        ),
    ),
    passes=(
        Passes(
            "?id= is the only address of an article",
            {
                "entries": [entry(f"{SITE}/article.php?id={n}", n) for n in range(1, 20)],
                "sitemap_files": [file()],
            },
        ),
        Passes(
            "?page= too, also of a sorted list",
            {
                "entries": [entry(f"{SHOES}?page={n}&sort=new", n) for n in range(1, 20)],
                "sitemap_files": [file()],
            },
        ),
        Passes("four variants", {"entries": VARIANTS[:4], "sitemap_files": [file()]}),
        Passes(
            "an order has a number",
            {
                "entries": [entry(f"{SITE}/status?order={n}", n) for n in range(1, 20)],
                "sitemap_files": [file()],
            },
        ),
    ),
)
