"""An image of an entry has no address that could be fetched."""

from sitemap_audit.rules.relations import count_of, listed_in, printable
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import MAP, SITE, entry, file

PAGE = f"{SITE}/a"
FILE = file(images=1)
GOOD: dict[str, object] = {"loc_raw": f"{SITE}/a.jpg", "loc": f"{SITE}/a.jpg", "extra_tags": []}


def image(raw: str, loc: str | None = None) -> dict[str, object]:
    """An image whose loc stands so."""
    return GOOD | {"loc_raw": raw, "loc": loc}


def page(*images: dict[str, object], line: int = 3) -> dict[str, object]:
    """An entry with these images."""
    return entry(PAGE, line, images=list(images))


RULE = Rule(
    id="image-loc-bad",
    severity=Severity.ERROR,
    title="Image has no usable address",
    why="An image is found by its full address in image:loc: without one this element says nothing.",
    fix="Write the whole address, from https:// on, into image:loc of {url} in {sitemap}, or remove the image:image.",
    source=(Source("g-image", "image:loc, the address of the image"),),
    needs=frozenset(),
    # Another host is allowed. One finding an entry, however many of its images are wrong.
    sql=f"""
        SELECT url_key, coalesce(url_key, raw) || ' in ' || sitemap AS subject, url, sitemap, line, {listed_in()} AS claim,
               {count_of("len(bad)")} || ' of ' || {count_of("images")} || ' image:loc cannot be used: '
               || CASE WHEN trim(bad[1].loc_raw, ' ' || chr(9) || chr(10) || chr(13)) = '' THEN 'an image without image:loc'
                       ELSE {printable("left(trim(bad[1].loc_raw, ' ' || chr(9) || chr(10) || chr(13)), 200)")}
                            || CASE WHEN bad[1].loc IS NULL THEN ' is no web address' ELSE ' is not absolute' END END AS reality
        FROM (
            SELECT url_key, raw, sitemap, any_value(loc) AS url, min(line) AS line,
                   arg_min(bad, position) AS bad, arg_min(images, position) AS images
            FROM (
                SELECT e.url_key, coalesce(e.loc_raw, '') AS raw, e.sitemap, e.loc, e.line, e.position, len(e.images) AS images,
                       list_filter(e.images, lambda i: i.loc IS NULL OR NOT coalesce(regexp_matches(i.loc_raw, '^\\s*https?:[/\\\\]', 'i'), false)) AS bad
                FROM entries e JOIN (
                    SELECT DISTINCT url FROM sitemap_files WHERE images > 0 AND source IS DISTINCT FROM 'list'
                ) f ON f.url = e.sitemap
                WHERE len(e.images) > 0
            )
            WHERE len(bad) > 0 GROUP BY url_key, raw, sitemap
        )
    """,
    fires=(
        Fires(
            "a path",
            {"sitemap_files": [FILE], "entries": [page(GOOD, image("/img/a.jpg", f"{SITE}/img/a.jpg"))]},
            {
                "url": PAGE,
                "subject": f"{PAGE} in {MAP}",
                "sitemap": MAP,
                "line": 3,
                "claim": f"listed in {MAP}, line 3",
                "reality": "1 of 2 image:loc cannot be used: /img/a.jpg is not absolute",
                "severity": "error",
            },
        ),
        Fires(
            "no image:loc",
            {"sitemap_files": [FILE], "entries": [page(image(""))]},
            {"reality": "1 of 1 image:loc cannot be used: an image without image:loc"},
        ),
        Fires(
            "the bytes of the image in place of its address",
            {
                "sitemap_files": [FILE],
                "entries": [page(image("data:image/png;base64,AAAA"), image("http://"))],
            },
            {"reality": "2 of 2 image:loc cannot be used: data:image/png;base64,AAAA is no web address"},
        ),
        Fires(
            "without a scheme, twice in the file: one finding",
            {
                "sitemap_files": [FILE],
                "entries": [
                    page(image("//cdn.example/a.jpg", "https://cdn.example/a.jpg"), line=n) for n in (9, 3)
                ],
            },
            {"line": 3, "reality": "1 of 1 image:loc cannot be used: //cdn.example/a.jpg is not absolute"},
        ),
    ),
    passes=(
        Passes("a full address", {"sitemap_files": [FILE], "entries": [page(GOOD)]}),
        Passes(
            "on another host",
            {
                "sitemap_files": [FILE],
                "entries": [page(image("https://cdn.example/a.jpg", "https://cdn.example/a.jpg"))],
            },
        ),
        Passes(
            "on a line of its own, in capitals",
            {
                "sitemap_files": [FILE],
                "entries": [page(image(f"\n  HTTPS{SITE[5:]}/a.jpg\n", f"{SITE}/a.jpg"))],
            },
        ),
        Passes("no images", {"sitemap_files": [FILE], "entries": [entry(PAGE)]}),
    ),
)
