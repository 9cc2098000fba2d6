"""A video of an entry lacks what Google needs to show it."""

from sitemap_audit.rules.relations import count_of, listed_in, problems_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import MAP, SITE, entry, file, problem

PAGE = f"{SITE}/watch"
FILE = file(videos=1)
FULL: dict[str, object] = {
    "thumbnail": f"{SITE}/v.jpg",
    "title_len": 12,
    "description_len": 60,
    "content": f"{SITE}/v.mp4",
    "player": None,
    "duration_s": None,
    "rating": None,
    "expiration": None,
    "tags": 0,
    "extra_tags": [],
}


def page(*videos: dict[str, object], line: int = 3) -> dict[str, object]:
    """An entry with these videos."""
    return entry(PAGE, line, videos=list(videos))


_LACKS = (
    ("v.thumbnail IS NULL", "video:thumbnail_loc"),
    ("coalesce(v.title_len, 0) = 0", "video:title"),
    ("coalesce(v.description_len, 0) = 0", "video:description"),
    ("v.content IS NULL AND v.player IS NULL", "video:content_loc or video:player_loc"),
)
_ANY = " OR ".join(f"({test})" for test, _ in _LACKS)
_WORDS = ", ".join(f"CASE WHEN {test.replace('v.', 'bad[1].')} THEN '{word}' END" for test, word in _LACKS)

RULE = Rule(
    id="video-required-missing",
    severity=Severity.ERROR,
    title="Video entry lacks required data",
    why="Google uses a video of a sitemap only with a thumbnail, a title, a description, and the address of the file or of "
    "its player.",
    fix="Give each video:video of {url} in {sitemap} video:thumbnail_loc, video:title, video:description, and "
    "video:content_loc or video:player_loc.",
    source=(Source("g-video", "table of required tags"),),
    needs=frozenset(),
    # One finding an entry, with what the first of its incomplete videos lacks; an empty element counts as missing.
    # Where the reader dropped a text for want of room, nobody knows what is missing.
    sql=f"""
        SELECT url_key, coalesce(url_key, raw) || ' in ' || sitemap AS subject, url, sitemap, line, {listed_in()} AS claim,
               {count_of("len(bad)")} || ' of ' || {count_of("videos")} || ' videos incomplete; '
               || CASE WHEN len(bad) > 1 THEN 'the first of them has no ' ELSE 'it has no ' END
               || concat_ws(', no ', {_WORDS}) AS reality
        FROM (
            SELECT url_key, raw, sitemap, any_value(loc) AS url, min(line) AS line,
                   arg_min(bad, position) AS bad, arg_min(videos, position) AS videos
            FROM (
                SELECT e.url_key, coalesce(e.loc_raw, '') AS raw, e.sitemap, e.loc, e.line, e.position, len(e.videos) AS videos,
                       list_filter(e.videos, lambda v: {_ANY}) AS bad
                FROM entries e JOIN (
                    SELECT DISTINCT f.url FROM sitemap_files f
                    WHERE f.videos > 0 AND f.source IS DISTINCT FROM 'list'
                      AND len(list_filter({problems_of("f", "entry-parts-cut")}, lambda p: p.text NOT IN ('image', 'video', 'link'))) = 0
                ) f ON f.url = e.sitemap
                WHERE len(e.videos) > 0
            )
            WHERE len(bad) > 0 GROUP BY url_key, raw, sitemap
        )
    """,
    fires=(
        Fires(
            "no thumbnail",
            {"sitemap_files": [FILE], "entries": [page(FULL | {"thumbnail": None})]},
            {
                "url": PAGE,
                "subject": f"{PAGE} in {MAP}",
                "sitemap": MAP,
                "line": 3,
                "claim": f"listed in {MAP}, line 3",
                "reality": "1 of 1 videos incomplete; it has no video:thumbnail_loc",
                "severity": "error",
            },
        ),
        Fires(
            "neither file nor player, and an empty title",
            {"sitemap_files": [FILE], "entries": [page(FULL, FULL | {"content": None, "title_len": 0})]},
            {
                "reality": "1 of 2 videos incomplete; it has no video:title, no video:content_loc or video:player_loc",
            },
        ),
        Fires(
            "several of a page, and the page twice: one finding",
            {
                "sitemap_files": [FILE],
                "entries": [page(*[FULL | {"description_len": None}] * 2, line=n) for n in (9, 3)],
            },
            {"line": 3, "reality": "2 of 2 videos incomplete; the first of them has no video:description"},
        ),
    ),
    passes=(
        Passes("all there", {"sitemap_files": [FILE], "entries": [page(FULL)]}),
        Passes(
            "a player in place of the file",
            {"sitemap_files": [FILE], "entries": [page(FULL | {"content": None, "player": f"{SITE}/p"})]},
        ),
        Passes("no videos", {"sitemap_files": [FILE], "entries": [entry(PAGE)]}),
        Passes(
            "a text that was too much to keep",
            {
                "sitemap_files": [FILE | {"problems": [problem("entry-parts-cut", 5, "description")]}],
                "entries": [page(FULL | {"description_len": None})],
            },
        ),
    ),
)
