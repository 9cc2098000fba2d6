"""Tags of images, videos, news or languages without their namespace."""

from sitemap_audit.rules.relations import SITEMAP_FILES, problems_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, FEED, MAP, file, problem, spaces

IMAGES = "http://www.google.com/schemas/sitemap-image/1.1"
HTTPS = "https://www.google.com/schemas/sitemap-image/1.1"
BROKEN = file(
    state="partial",
    complete=False,
    xml_error={
        "line": 5,
        "column": 5,
        "message": "unbound prefix: image is used, but not declared",
        "entries_before": 0,
    },
)
WRONG = file(
    images=4,
    namespaces=spaces({"image": HTTPS}),
    problems=[problem("extension-namespace-wrong", 2, f"image={HTTPS}")],
)

RULE = Rule(
    id="sitemap-extension-namespace-missing",
    severity=Severity.ERROR,
    title="Tags of an extension lack their namespace",
    why="Tags of images, videos, news or languages mean nothing unless their prefix is declared with exactly the right "
    "namespace: they cannot be read, and without any declaration the whole file is broken.",
    fix="Declare the namespace of the extension, letter by letter, in the first element of {sitemap}.",
    source=(
        Source("g-combine", "combining extensions, one namespace each"),
        Source("g-image", "image tags, the namespace"),
        Source("g-video", "video tags, the namespace"),
        Source("g-news", "news tags, the namespace"),
        Source("g-hreflang", "in a sitemap, the xhtml namespace"),
    ),
    needs=frozenset(),
    # Any prefix is legal with the right name. A wrong name of an extension whose tags do not occur does no harm; under
    # a name that is like none of them nobody can tell whether its tags occur: a possible warning.
    sql=rf"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, coalesce(f.met.line, f.xml_error.line) AS line, f.claim,
               CASE WHEN f.unbound <> '' THEN 'the prefix ' || f.unbound || ': is used, but declared nowhere'
                    ELSE 'declared as ' || f.met.text END AS reality,
               CASE WHEN f.unbound = '' AND f.used IS NULL THEN 'warning' END AS severity,
               CASE WHEN f.unbound = '' AND f.used IS NULL THEN 'possible' END AS confidence
        FROM (
            SELECT f.*, CASE WHEN contains(low, 'sitemap-image') THEN images > 0 WHEN contains(low, 'sitemap-video') THEN videos > 0
                             WHEN contains(low, 'sitemap-news') THEN news > 0
                             WHEN regexp_matches(low, 'w3\.org/[0-9]+/xhtml') THEN alternates > 0 END AS used
            FROM (
                SELECT f.*, lower(met.text) AS low FROM (
                    SELECT f.*, coalesce(regexp_extract(f.xml_error.message, 'unbound prefix: (image|video|news|xhtml) ', 1), '') AS unbound,
                           {problems_of("f", "extension-namespace-wrong")}[1] AS met
                    FROM ({SITEMAP_FILES}) f
                ) f
            ) f
        ) f
        WHERE f.kind IN ('urlset', 'index') AND f.status = 200
          AND (f.unbound <> '' OR (f.met.kind IS NOT NULL AND coalesce(f.used, true)))
    """,
    fires=(
        Fires(
            "image: without xmlns:image",
            {"sitemap_files": [BROKEN]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "line": 5,
                "claim": DECLARED,
                "reality": "the prefix image: is used, but declared nowhere",
                "severity": "error",
            },
        ),
        Fires(
            "bound to https in place of http",
            {"sitemap_files": [WRONG]},
            {"line": 2, "reality": f"declared as image={HTTPS}", "severity": "error"},
        ),
        Fires(
            "bound to quite another name",
            {
                "sitemap_files": [
                    WRONG
                    | {
                        "problems": [
                            problem(
                                "extension-namespace-wrong",
                                2,
                                "xhtml=http://www.w3.org/TR/xhtml11/xhtml11_schema.html",
                            )
                        ]
                    }
                ]
            },
            {"severity": "warning", "confidence": "possible"},
        ),
    ),
    passes=(
        Passes(
            "any prefix, with the right name",
            {
                "sitemap_files": [
                    file(news=3, namespaces=spaces({"n": "http://www.google.com/schemas/sitemap-news/0.9"}))
                ]
            },
        ),
        Passes("declared wrongly, but not used", {"sitemap_files": [WRONG | {"images": 0}]}),
        Passes(
            "a prefix of the owner's own",
            {
                "sitemap_files": [
                    BROKEN
                    | {
                        "xml_error": BROKEN["xml_error"]
                        | {"message": "unbound prefix: shop is used, but not declared"}
                    }
                ]
            },
        ),
        Passes(
            "a feed has an image module of its own", {"sitemap_files": [WRONG | {"url": FEED, "kind": "rss"}]}
        ),
        Passes(
            "declared as it must be",
            {"sitemap_files": [file(images=4, namespaces=spaces({"image": IMAGES}))]},
        ),
    ),
)
