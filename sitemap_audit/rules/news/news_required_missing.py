"""A news entry without the data that Google asks for."""

from sitemap_audit.rules.relations import count_of, listed_in, problems_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import MAP, SITE, entry, file, problem, spaces

FILE = file(news=1)
STORY = f"{SITE}/story"
FULL = {
    "name": "The Example",
    "language": "en",
    "publication_date_raw": "2026-11-30",
    "publication_date": "2026-11-30",
    "title": "A story",
    "extra_tags": [],
    "count": 1,
}


def story(line: int = 3, **news: object) -> dict[str, object]:
    """An article with all that is needed, but for what is given here."""
    return entry(STORY, line, news=FULL | news)


RULE = Rule(
    id="news-required-missing",
    severity=Severity.ERROR,
    title="News entry lacks required data",
    why="Google reads a news entry only with the publication's name and language, the publication date and the title, "
    "and only one to a page.",
    fix="Give {url} in {sitemap} one news:news block with news:publication (news:name and news:language), "
    "news:publication_date and news:title.",
    source=(Source("g-news", "table of required tags"),),
    needs=frozenset(),
    # The reader has looked names up by their namespace: the prefix says nothing. Where it dropped a text for want of room,
    # nobody knows what is missing.
    sql=f"""
        SELECT url_key, coalesce(url_key, raw) || ' in ' || sitemap AS subject, url, sitemap, line, {listed_in()} AS claim,
               concat_ws('; ', 'in its news:news there is no ' || nullif(concat_ws(', ',
                   CASE WHEN news.name IS NULL AND news.language IS NULL THEN 'news:publication'
                        WHEN news.name IS NULL THEN 'news:name' WHEN news.language IS NULL THEN 'news:language' END,
                   CASE WHEN news.publication_date_raw IS NULL THEN 'news:publication_date' END,
                   CASE WHEN news.title IS NULL THEN 'news:title' END), ''),
                   CASE WHEN news.count > 1 THEN {count_of("news.count")} || ' news:news elements, one is allowed' END) AS reality
        FROM (
            SELECT e.url_key, coalesce(e.loc_raw, '') AS raw, e.sitemap, any_value(e.loc) AS url, min(e.line) AS line,
                   arg_min(e.news, e.position) AS news
            FROM entries e JOIN (
                SELECT DISTINCT f.url FROM sitemap_files f
                WHERE f.news > 0 AND f.source IS DISTINCT FROM 'list'
                  AND len(list_filter({problems_of("f", "entry-parts-cut")}, lambda p: p.text NOT IN ('image', 'video', 'link'))) = 0
            ) f ON f.url = e.sitemap
            WHERE e.news IS NOT NULL AND (e.news.name IS NULL OR e.news.language IS NULL OR e.news.publication_date_raw IS NULL
                                          OR e.news.title IS NULL OR e.news.count > 1)
            GROUP BY e.url_key, coalesce(e.loc_raw, ''), e.sitemap
        )
    """,
    fires=(
        Fires(
            "no title",
            {"sitemap_files": [FILE], "entries": [story(title=None)]},
            {
                "url": STORY,
                "subject": f"{STORY} in {MAP}",
                "sitemap": MAP,
                "line": 3,
                "claim": f"listed in {MAP}, line 3",
                "reality": "in its news:news there is no news:title",
                "severity": "error",
            },
        ),
        Fires(
            "no publication, no date",
            {
                "sitemap_files": [FILE],
                "entries": [story(name=None, language=None, publication_date_raw=None)],
            },
            {"reality": "in its news:news there is no news:publication, news:publication_date"},
        ),
        Fires(
            "a publication without language, twice in the file: one finding",
            {"sitemap_files": [FILE], "entries": [story(9, language=None), story(language=None)]},
            {"line": 3, "reality": "in its news:news there is no news:language"},
        ),
        Fires(
            "two to a page",
            {"sitemap_files": [FILE], "entries": [story(count=2)]},
            {"reality": "2 news:news elements, one is allowed"},
        ),
    ),
    passes=(
        Passes("all there", {"sitemap_files": [FILE], "entries": [story()]}),
        Passes(
            "another prefix",
            {
                "sitemap_files": [
                    FILE | {"namespaces": spaces({"n": "http://www.google.com/schemas/sitemap-news/0.9"})}
                ],
                "entries": [story()],
            },
        ),
        Passes(
            "a date that cannot be read is there",
            {
                "sitemap_files": [FILE],
                "entries": [story(publication_date=None, publication_date_raw="today")],
            },
        ),
        Passes("a usual entry", {"sitemap_files": [FILE], "entries": [entry(STORY)]}),
        Passes(
            "a text that was too much to keep",
            {
                "sitemap_files": [FILE | {"problems": [problem("entry-parts-cut", 5, "title")]}],
                "entries": [story(title=None)],
            },
        ),
    ),
)
