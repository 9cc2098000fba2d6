"""An entry with more images than are read."""

from sitemap_audit.rules.relations import count_of, listed_in
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import MAP, SITE, entry, file, problem

PAGE = f"{SITE}/gallery"


def gallery(images: int, line: int = 3) -> dict[str, object]:
    """An entry with so many images."""
    made = [{"loc_raw": f"{SITE}/{n}.jpg", "loc": f"{SITE}/{n}.jpg", "extra_tags": []} for n in range(images)]
    return entry(PAGE, line, images=made)


FILE = file(images=1_001)

RULE = Rule(
    id="image-too-many",
    severity=Severity.ERROR,
    title="Entry names more than 1,000 images",
    why="At most 1,000 images of a page are read from a sitemap: those beyond are left out.",
    fix="Name at most 1,000 images for {url} in {sitemap}; list the pages of a gallery one by one.",
    source=(Source("g-image", "image:image, at most 1,000 to a url element"),),
    needs=frozenset(),
    # Of an entry with far too many images not all are kept as facts: then the number is a lower bound.
    sql=f"""
        SELECT url_key, coalesce(url_key, raw) || ' in ' || sitemap AS subject, url, sitemap, line, {listed_in()} AS claim,
               {count_of("n")} || CASE WHEN cut THEN ' images or more' ELSE ' images' END || ', at most '
               || {count_of("most")} || ' are read' AS reality
        FROM (
            SELECT e.url_key, coalesce(e.loc_raw, '') AS raw, e.sitemap, any_value(e.loc) AS url, min(e.line) AS line,
                   max(len(e.images)) AS n, any_value(s.image_max_per_url) AS most,
                   bool_or(coalesce(f.cut, false)) AS cut
            FROM entries e LEFT JOIN (
                SELECT f.url, bool_or(coalesce(len(list_filter(f.problems, lambda p: p.kind = 'entry-parts-cut' AND p.text = 'image')) > 0, false)) AS cut,
                       bool_or(f.source = 'list') AS own
                FROM sitemap_files f GROUP BY f.url
            ) f ON f.url = e.sitemap, settings s
            WHERE len(e.images) > s.image_max_per_url AND NOT coalesce(f.own, false)
            GROUP BY e.url_key, coalesce(e.loc_raw, ''), e.sitemap
        )
    """,
    fires=(
        Fires(
            "1,001",
            {"sitemap_files": [FILE], "entries": [gallery(1_001)]},
            {
                "url": PAGE,
                "subject": f"{PAGE} in {MAP}",
                "sitemap": MAP,
                "line": 3,
                "claim": f"listed in {MAP}, line 3",
                "reality": "1,001 images, at most 1,000 are read",
                "severity": "error",
            },
        ),
        Fires(
            "more than were kept, and twice in the file: one finding",
            {
                "sitemap_files": [FILE | {"problems": [problem("entry-parts-cut", 5, "image")]}],
                "entries": [gallery(1_002, 9), gallery(1_002)],
            },
            {"line": 3, "reality": "1,002 images or more, at most 1,000 are read"},
        ),
    ),
    passes=(
        Passes("1,000", {"sitemap_files": [FILE], "entries": [gallery(1_000)]}),
        Passes(
            "two entries of the page with 600 each",
            {"sitemap_files": [FILE], "entries": [gallery(600), gallery(600, 9)]},
        ),
        Passes("many in the file, few to a page", {"sitemap_files": [FILE], "entries": [gallery(3)]}),
    ),
)
