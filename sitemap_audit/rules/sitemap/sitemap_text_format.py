"""A text sitemap with other lines than URLs, or under another name."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of, met, printable, problems_of, shown
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import SITE, file, problem

TEXT = f"{SITE}/sitemap.txt"
PLAIN = file(TEXT, kind="text", content_type="text/plain")
HEADING = PLAIN | {
    "problems": [problem("text-line-not-url", 1, "url,lastmod"), problem("text-line-not-url", 9, "end", 40)]
}
BAD = "f.bad"

RULE = Rule(
    id="sitemap-text-format",
    severity=Severity.WARNING,
    title="Text sitemap is not one URL a line",
    why="A text sitemap may hold nothing but one full URL a line, in a file whose name ends in .txt; other lines are lost.",
    fix="Take headings, commas, comments and everything else but full URLs out of {sitemap}, and let its name end in .txt.",
    source=(
        Source("text-002", "line 46, text sitemaps"),
        Source("g-sitemap", "text sitemap, guidelines"),
        Source("sitemaps-org", "other sitemap formats, text file"),
    ),
    needs=frozenset(),
    # An empty last line and CRLF are fine. XML under a name in .txt is read by its content: only a notice.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, {BAD}[1].line AS line, f.claim,
               concat_ws('; ',
                   CASE WHEN len({BAD}) > 0 THEN {count_of(met(BAD))} || ' lines that are not one full URL: ' || {shown(BAD, printable("coalesce(l.text, '')"))} END,
                   CASE WHEN f.kind <> 'text' THEN 'an XML file under a name in .txt' WHEN f.misnamed THEN 'its name does not end in .txt' END) AS reality,
               CASE WHEN f.kind <> 'text' THEN 'notice' END AS severity
        FROM (
            SELECT f.*, {problems_of("f", "text-line-not-url", "text-comment", "text-too-long")} AS bad,
                   NOT regexp_matches(regexp_extract(coalesce(f.final_url, f.url), '^[^?]*'), '\\.txt(\\.gz)?$', 'i') AS misnamed
            FROM ({SITEMAP_FILES}) f
        ) f
        WHERE f.status = 200 AND f.state IN ('ok', 'partial') AND f.source IS DISTINCT FROM 'list'
          AND CASE WHEN f.kind = 'text' THEN len({BAD}) > 0 OR f.misnamed
                   ELSE f.kind IN ('urlset', 'index') AND len({problems_of("f", "txt-name-not-text")}) > 0 END
    """,
    fires=(
        Fires(
            "a heading, and more of the kind",
            {"sitemap_files": [HEADING]},
            {
                "url": None,
                "subject": TEXT,
                "sitemap": TEXT,
                "line": 1,
                "reality": "41 lines that are not one full URL: line 1: url,lastmod; line 9: end",
                "severity": "warning",
            },
        ),
        Fires(
            "URLs in a file of another name",
            {"sitemap_files": [PLAIN | {"url": f"{SITE}/sitemap", "final_url": f"{SITE}/sitemap"}]},
            {"line": None, "reality": "its name does not end in .txt"},
        ),
        Fires(
            "XML in a text file",
            {"sitemap_files": [file(TEXT, problems=[problem("txt-name-not-text", None, TEXT)])]},
            {"reality": "an XML file under a name in .txt", "severity": "notice"},
        ),
    ),
    passes=(
        Passes("one URL a line, an empty last line and CRLF", {"sitemap_files": [PLAIN]}),
        Passes(
            "packed",
            {"sitemap_files": [PLAIN | {"url": f"{TEXT}.gz", "final_url": f"{TEXT}.gz", "gzip": True}]},
        ),
        Passes(
            "with a query behind its name",
            {"sitemap_files": [PLAIN | {"url": f"{TEXT}?v=2", "final_url": f"{TEXT}?v=2"}]},
        ),
        Passes("a list of the user is no sitemap", {"sitemap_files": [HEADING | {"source": "list"}]}),
    ),
)
