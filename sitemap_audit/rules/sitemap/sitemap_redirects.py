"""The address of a sitemap leads to another one."""

from sitemap_audit.rules.relations import SITEMAP_FILES
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier
from sitemap_audit.rules.sitemap_cases import DECLARED, MAP, file, undeclared

OLD = "http://example.com/sitemap.xml"
HOP = {"n": 1, "url": OLD, "status": 301, "kind": "http", "location": MAP}
MOVED = file(OLD, first_status=301, hops=[HOP]) | {"final_url": MAP}

RULE = Rule(
    id="sitemap-redirects",
    tier=Tier.LATER,
    severity=Severity.WARNING,
    title="Sitemap address redirects",
    why="A sitemap should answer under the address that names it; not every search engine follows a redirect there.",
    fix="Name {related_url} instead of {sitemap}.",
    source=(Source("gsc-sitemaps", "list of errors, sitemap could not be read"),),
    needs=frozenset(),
    # Which engine follows was not verified: a warning. What the user or a guess named is nobody's declaration.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               array_to_string(list_transform(f.hops, lambda h: coalesce(h.status::VARCHAR, h.kind, '?')), ', ')
               || ', ends at ' || f.final_url || ' (' || f.status || ')' AS reality, f.final_url AS related_url
        FROM ({SITEMAP_FILES}) f
        WHERE len(f.hops) > 0 AND f.status = 200 AND f.final_url <> f.url
          AND (f.source IN ('robots', 'index') OR f.parent IS NOT NULL OR len(f.declared_in) > 0)
    """,
    fires=(
        Fires(
            "http leads to https",
            {"sitemap_files": [MOVED]},
            {
                "url": None,
                "subject": OLD,
                "sitemap": OLD,
                "claim": DECLARED,
                "reality": f"301, ends at {MAP} (200)",
                "related_url": MAP,
                "severity": "warning",
            },
        ),
        Fires(
            "to a file that is read under its own name already",
            {"sitemap_files": [MOVED | {"state": "skipped", "kind": "unknown"}, file()]},
            {"subject": OLD},
        ),
    ),
    passes=(
        Passes("it answers itself", {"sitemap_files": [file()]}),
        Passes(
            "it ends in a 404, which is sitemap-http-error",
            {"sitemap_files": [MOVED | {"status": 404, "state": "failed"}]},
        ),
        Passes(
            "the user named the old address",
            {"sitemap_files": [MOVED | {"source": "option", "declared_in": None}]},
        ),
        Passes(
            "a guessed place leads to it",
            {"sitemap_files": [undeclared(OLD, hops=[HOP]) | {"final_url": MAP}]},
        ),
    ),
)
