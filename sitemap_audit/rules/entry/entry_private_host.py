"""An address that only the owner's own network knows."""

from sitemap_audit.rules.relations import entries_with, host_of, listed_in, loc_text
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import INDEX, MAP, SITE, entry, file, named, odd

LOCAL = odd("http://localhost:3000/a", "private_host", "other_host", line=7)

RULE = Rule(
    id="entry-private-host",
    severity=Severity.ERROR,
    title="Sitemap lists an address of a private host",
    why="A development address slipped into the public map: nobody outside can open it, and it tells of your network.",
    fix="Write {sitemap} anew with the production host.",
    source=(Source("text-002", "line 57, which URLs belong in a sitemap"),),
    needs=frozenset(),
    # localhost, a name without a dot, .local, .test, .internal and their like, an address that is not global; the
    # sitemap itself lies elsewhere. Such addresses are never fetched unless the user allows it.
    sql=f"""
        SELECT url_key, raw || ' in ' || sitemap AS subject, loc AS url, sitemap, line, {listed_in()} AS claim,
               {host_of("loc")} || ' is no host of the public web; it was not asked' AS reality
        FROM (
            SELECT {loc_text("loc_raw")} AS raw, sitemap, min(line) AS line, any_value(loc) AS loc, any_value(url_key) AS url_key
            FROM ({entries_with("private_host")}) WHERE loc IS NOT NULL GROUP BY raw, sitemap
        )
    """,
    fires=(
        Fires(
            "the developer's own machine",
            {"entries": [LOCAL], "sitemap_files": [file()]},
            {
                "url": "http://localhost:3000/a",
                "sitemap": MAP,
                "line": 7,
                "claim": f"listed in {MAP}, line 7",
                "reality": "localhost is no host of the public web; it was not asked",
                "severity": "error",
            },
        ),
        Fires(
            "an address of a home network",
            {"entries": [odd("http://[fd00::1]/a", "private_host", "other_host")], "sitemap_files": [file()]},
            {"reality": "[fd00::1] is no host of the public web; it was not asked"},
        ),
        Fires(
            "an index names a file there",
            {
                "index_children": [
                    named("http://intranet/sitemap.xml", loc_issues=["private_host", "other_host"])
                ],
                "sitemap_files": [file(INDEX, kind="index")],
            },
            {"url_key": None, "url": "http://intranet/sitemap.xml", "sitemap": INDEX},
        ),
    ),
    passes=(
        Passes("a public host", {"entries": [entry(f"{SITE}/a")], "sitemap_files": [file()]}),
        Passes(
            "another public host",
            {"entries": [odd("https://shop.example.net/a", "other_host")], "sitemap_files": [file()]},
        ),
        Passes(
            "the sitemap itself lies on such a host: the user audits it",
            {
                "entries": [entry("http://localhost:3000/a", sitemap="http://localhost:3000/sitemap.xml")],
                "sitemap_files": [file("http://localhost:3000/sitemap.xml")],
            },
        ),
    ),
)
