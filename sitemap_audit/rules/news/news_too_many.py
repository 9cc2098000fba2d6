"""A news sitemap with more articles than are read."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, MAP, file

FULL = file(entries=1_001, usable=1_001, news=1_001)

RULE = Rule(
    id="news-too-many",
    severity=Severity.ERROR,
    title="News sitemap holds more than 1,000 articles",
    why="A news sitemap may hold at most 1,000 news:news elements: those beyond are not read.",
    fix="Split {sitemap} into several files, or list only the articles of the last two days.",
    source=(Source("g-news", "best practices, at most 1,000 news elements a file"),),
    needs=frozenset(),
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               {count_of("f.news")} || ' news:news elements, at most ' || {count_of("s.news_max_items")} || ' are read' AS reality
        FROM ({SITEMAP_FILES}) f, settings s
        WHERE f.news > s.news_max_items AND f.source IS DISTINCT FROM 'list' AND f.state IN ('ok', 'partial')
    """,
    fires=(
        Fires(
            "1,001",
            {"sitemap_files": [FULL]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": DECLARED,
                "reality": "1,001 news:news elements, at most 1,000 are read",
                "severity": "error",
            },
        ),
        Fires(
            "cut off behind them: enough was read",
            {"sitemap_files": [FULL | {"state": "partial", "news": 2_500}]},
            {"reality": "2,500 news:news elements, at most 1,000 are read"},
        ),
    ),
    passes=(
        Passes("1,000", {"sitemap_files": [FULL | {"news": 1_000}]}),
        Passes("a usual sitemap of 40,000 pages", {"sitemap_files": [FULL | {"entries": 40_000, "news": 0}]}),
        Passes(
            "40,000 pages, 900 of them news",
            {"sitemap_files": [FULL | {"entries": 40_000, "news": 900}]},
        ),
        Passes("the same document under a second name", {"sitemap_files": [FULL | {"state": "skipped"}]}),
    ),
)
