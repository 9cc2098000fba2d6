"""Not everything was checked: the numbers of this audit are lower bounds."""

from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"
INDEX = f"{SITE}/index.xml"
FILE = {"url": MAP, "kind": "urlset", "source": "robots", "state": "ok", "status": 200, "complete": True}
LISTED = [
    {"url_key": f"{SITE}/{n}", "loc": f"{SITE}/{n}", "sitemap": MAP, "position": n, "line": 4 * n}
    for n in range(1, 5)
]


def page(n: int, state: str, reason: str | None = None) -> dict[str, object]:
    """What became of the n-th entry."""
    seen = {"first_status": 200, "status": 200, "canonical_state": "none"} if state == "checked" else {}
    return {"url_key": f"{SITE}/{n}", "state": state, "reason": reason} | seen


CHECKED = [page(n, "checked") for n in range(1, 4)]

RULE = Rule(
    id="audit-incomplete",
    tier=Tier.TOP30,
    rank=30,
    severity=Severity.ERROR,
    title="Not everything was checked",
    why="Some listed URLs could not be checked or were left out on purpose: the counts of this audit are minimums.",
    fix="Resume the run, or run again with higher limits, a lower --rate, or the leave of the site's firewall.",
    source=(Source("practice", "an audit says what it did not see"),),
    needs=frozenset(),
    # listed = checked + skipped + unchecked, over unique URLs. What was skipped because of robots.txt, scope
    # or --exclude is not missing; a sample, a limit of URLs or of files is, by the user's will: notice.
    sql=f"""
        WITH counted AS (
            SELECT state, coalesce(reason, 'unknown') AS reason, count(*) AS n FROM urls WHERE listed GROUP BY ALL
        ),
        total AS (
            SELECT coalesce(sum(n), 0)::BIGINT AS listed,
                   coalesce(sum(n) FILTER (state = 'checked'), 0)::BIGINT AS checked,
                   coalesce(sum(n) FILTER (state = 'unchecked'), 0)::BIGINT AS unchecked,
                   coalesce(sum(n) FILTER (state = 'skipped' AND reason IN ('sample', 'limit')), 0)::BIGINT AS cut,
                   string_agg(state || ' (' || reason || '): ' || {count_of("n")}, ', ' ORDER BY state DESC, n DESC, reason)
                       FILTER (state <> 'checked') AS missing
            FROM counted
        ),
        files AS (
            SELECT count(*) FILTER (stopped_by_us) AS cut FROM sitemap_files WHERE source IS DISTINCT FROM 'guess'
        ),
        children AS (
            SELECT count(DISTINCT coalesce(c.url_key, c.loc)) AS unread FROM index_children c
            ANTI JOIN sitemap_files f ON coalesce(f.url_key, f.url) = coalesce(c.url_key, c.loc)
            WHERE c.loc IS NOT NULL
        )
        SELECT NULL::VARCHAR AS url_key, 'audit' AS subject,
               {count_of("t.listed")} || ' URLs are listed' AS claim,
               {count_of("t.checked")} || ' of them were checked' || coalesce('; ' || t.missing, '')
               || CASE WHEN f.cut > 0 THEN '; sitemap files read only in part: ' || {count_of("f.cut")} ELSE '' END
               || CASE WHEN c.unread > 0 THEN '; sitemap files named by an index and not read: ' || {count_of("c.unread")}
                       ELSE '' END AS reality,
               CASE WHEN t.unchecked = 0 THEN 'notice' END AS severity
        FROM total t, files f, children c
        WHERE t.unchecked > 0 OR t.cut > 0 OR f.cut > 0 OR c.unread > 0
    """,
    fires=(
        Fires(
            "the site asked us to slow down",
            {
                "sitemap_files": [FILE],
                "entries": LISTED,
                "pages": [*CHECKED, page(4, "unchecked", "rate_limited")],
            },
            {
                "url": None,
                "subject": "audit",
                "claim": "4 URLs are listed",
                "reality": "3 of them were checked; unchecked (rate_limited): 1",
                "severity": "error",
            },
        ),
        Fires(
            "stopped before the last one",
            {"sitemap_files": [FILE], "entries": LISTED, "pages": CHECKED},
            {"reality": "3 of them were checked; unchecked (stopped): 1", "severity": "error"},
        ),
        Fires(
            "a sample, as the user wished",
            {"sitemap_files": [FILE], "entries": LISTED, "pages": [*CHECKED, page(4, "skipped", "sample")]},
            {"reality": "3 of them were checked; skipped (sample): 1", "severity": "notice"},
        ),
        Fires(
            "an index names more files than are read",
            {
                "sitemap_files": [FILE],
                "index_children": [
                    {"sitemap": INDEX, "position": 1, "line": 3, "loc": MAP},
                    {"sitemap": INDEX, "position": 2, "line": 6, "loc": f"{SITE}/deep.xml"},
                ],
                "entries": LISTED,
                "pages": [*CHECKED, page(4, "checked")],
            },
            {
                "reality": "4 of them were checked; sitemap files named by an index and not read: 1",
                "severity": "notice",
            },
        ),
        Fires(
            "a file that is longer than we read",
            {
                "sitemap_files": [FILE | {"stopped_by_us": True, "state": "partial", "complete": False}],
                "entries": LISTED,
                "pages": [*CHECKED, page(4, "checked")],
            },
            {"reality": "4 of them were checked; sitemap files read only in part: 1", "severity": "notice"},
        ),
    ),
    passes=(
        Passes(
            "two addresses of one sitemap: the second is not read again",
            {
                "sitemap_files": [FILE, FILE | {"url": MAP + "?2", "final_url": MAP, "state": "skipped"}],
                "index_children": [
                    {"sitemap": INDEX, "position": 1, "line": 3, "loc": MAP},
                    {"sitemap": INDEX, "position": 2, "line": 6, "loc": MAP + "?2"},
                ],
            },
        ),
        Passes(
            "all were checked",
            {"sitemap_files": [FILE], "entries": LISTED, "pages": [*CHECKED, page(4, "checked")]},
        ),
        Passes(
            "one is blocked by robots.txt: that is a verdict",
            {"sitemap_files": [FILE], "entries": LISTED, "pages": [*CHECKED, page(4, "skipped", "robots")]},
        ),
        Passes(
            "one lies out of scope",
            {
                "sitemap_files": [FILE],
                "entries": LISTED,
                "pages": [*CHECKED, page(4, "skipped", "out_of_scope")],
            },
        ),
        Passes(
            "a target that nobody lists was left unchecked",
            {
                "sitemap_files": [FILE],
                "entries": LISTED[:3],
                "pages": [*CHECKED, page(4, "unchecked", "stopped") | {"discovered_by": "canonical"}],
            },
        ),
        Passes("nothing is listed", {"sitemap_files": [FILE]}),
    ),
)
