"""Sites whose map is a feed, a text file, a news sitemap, or one of images and videos, and one whose dates lie: one audit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import duckdb
import pytest

from tests.cli.audit import Outcome, call
from tests.site.server import Reply, Sites, serve

SCHEMAS: Final = "http://www.google.com/schemas/sitemap"
HEAD: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
    f'xmlns:image="{SCHEMAS}-image/1.1" xmlns:video="{SCHEMAS}-video/1.1" xmlns:n="{SCHEMAS}-news/0.9">\n'
)
NOW: Final = datetime.now(UTC).replace(microsecond=0)
FEED: Final = "https://feed.example/rss.xml"
TEXT: Final = "https://text.example/sitemap.txt"
NEWS: Final = "https://news.example/news.xml"
IMAGES: Final = "https://media.example/images.xml"
VIDEOS: Final = "https://media.example/videos.xml"
DATES: Final = "https://dates.example/dates.xml"
OLDER: Final = "https://dates.example/older.xml"


def ago(**time: float) -> str:
    return (NOW - timedelta(**time)).isoformat()


def page(title: str) -> Reply:
    return Reply.html(f"<!doctype html><title>{title}</title><p>What {title} has to say, in a few words.")


def item(path: str, date: str) -> str:
    return (
        f"<item><title>{path}</title><link>https://feed.example{path}</link>"
        f'<guid isPermaLink="false">id-{path}</guid><pubDate>{date}</pubDate></item>\n'
    )


def article(path: str, date: str, *, name: bool = True, title: bool = True) -> str:
    """A url element of one line, with a news block under a prefix of its own."""
    return (
        f"<url><loc>https://news.example{path}</loc><n:news><n:publication>"
        f"{'<n:name>The Example</n:name>' if name else ''}<n:language>en</n:language></n:publication>"
        f"<n:publication_date>{date}</n:publication_date>{'<n:title>A story</n:title>' if title else ''}</n:news></url>\n"
    )


def images(path: str, *locs: str | None) -> str:
    tags = "".join(
        "<image:image></image:image>"
        if loc is None
        else f"<image:image><image:loc>{loc}</image:loc></image:image>"
        for loc in locs
    )
    return f"<url><loc>https://media.example{path}</loc>{tags}</url>\n"


def video(path: str, *elements: str) -> str:
    inside = "".join(
        f"<video:{name}>{text}</video:{name}>" for name, text in (e.split("=", 1) for e in elements)
    )
    return f"<url><loc>https://media.example{path}</loc><lastmod>2026-11-20</lastmod><video:video>{inside}</video:video></url>\n"


def dated(path: str, lastmod: str) -> str:
    return f"<url><loc>https://dates.example{path}</loc><lastmod>{lastmod}</lastmod></url>\n"


def maps(*names: str) -> Reply:
    return Reply.text("".join(f"Sitemap: {name}\n" for name in names))


SITES: Final[Sites] = {
    "feed.example": {
        "/robots.txt": maps(FEED),
        "/rss.xml": Reply.xml(
            '<?xml version="1.0"?>\n<rss version="2.0"><channel><title>Feed</title><link>https://feed.example/</link>\n'
            + item("/1", "Mon, 02 Nov 2026 12:00:00 GMT")
            + item("/2", "Tue, 03 Nov 2026 13:30:00 +0100")
            + "</channel></rss>\n"
        ),
        "/": page("Feed"),
        "/1": page("One"),
        "/2": page("Two"),
    },
    "text.example": {
        "/robots.txt": maps(TEXT),
        "/sitemap.txt": Reply.text("https://text.example/\nhttps://text.example/gone\n"),
        "/": page("Text"),
    },
    "news.example": {
        "/robots.txt": maps(NEWS),
        "/news.xml": Reply.xml(
            HEAD
            + article("/fresh", ago(hours=30))
            + article("/old", ago(days=10))
            + article("/day", (NOW - timedelta(days=2)).date().isoformat())
            + article("/bare", ago(hours=1), name=False, title=False)
            + "</urlset>\n"
        ),
        **{path: page(path[1:]) for path in ("/fresh", "/old", "/day", "/bare")},
    },
    "media.example": {
        "/robots.txt": maps(IMAGES, VIDEOS),
        "/images.xml": Reply.xml(
            HEAD
            + images("/a", "https://cdn.example/a.jpg", "https://media.example/b.jpg")
            + images("/b", "/img/c.jpg", None)
            + images("/many", *(f"https://cdn.example/{n}.jpg" for n in range(1_001)))
            + "</urlset>\n"
        ),
        "/videos.xml": Reply.xml(
            HEAD
            + video(
                "/watch",
                "thumbnail_loc=https://cdn.example/t.jpg",
                "title=A film",
                "description=Of a dog",
                "player_loc=https://cdn.example/p",
                "duration=90",
                "tag=dog",
                "tag=film",
                "family_friendly=yes",
            )
            + video("/broken", "title=A film", "description=", "content_loc=https://cdn.example/v.mp4")
            + "</urlset>\n"
        ),
        **{path: page(path[1:]) for path in ("/a", "/b", "/many", "/watch", "/broken")},
    },
    "dates.example": {
        "/robots.txt": maps(DATES, OLDER),
        "/dates.xml": Reply.xml(
            HEAD
            + dated("/twice", "2026-11-20")
            + dated("/future", "2099-01-01")
            + dated("/zero", "1970-01-01T00:00:00Z")
            + dated("/header", "2026-11-20T08:00:00+01:00")
            + dated("/agrees", "2023-05-01")
            + dated("/article", "2026-11-20")
            + "</urlset>\n"
        ),
        "/older.xml": Reply.xml(HEAD + dated("/twice", "2026-11-01") + "</urlset>\n"),
        **{path: page(path[1:]) for path in ("/twice", "/future", "/zero")},
        **{
            path: Reply.html(f"<title>{path}</title>", Last_Modified="Mon, 01 May 2023 08:00:00 GMT")
            for path in ("/header", "/agrees")
        },
        "/article": Reply.html(
            '<title>Article</title><meta property="article:modified_time" content="2024-05-02T08:00:00Z">'
        ),
    },
}


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """One audit of all these sites."""
    out = tmp_path_factory.mktemp("extensions") / "r"
    hosts = [host for host in SITES if host != "*"]
    with serve(SITES) as site:
        done = call(
            "run", *(f"https://{host}" for host in hosts), "--out", str(out), "--depth", "page",
            "--rate", "0", "--recheck-after", "0", "--workers", "1", *site.arguments, out=out,
        )  # fmt: skip
    assert done.code == 0, done.stderr
    return done


def entries(done: Outcome, sitemap: str, columns: str) -> list[tuple[Any, ...]]:
    """Columns of the entry facts of a file, in its order."""
    return duckdb.execute(
        f"SELECT {columns} FROM read_parquet('{done.out}/facts/entries/*.parquet', union_by_name = true) "
        "WHERE sitemap = ? ORDER BY position",
        [sitemap],
    ).fetchall()


def found(done: Outcome, rule: str) -> dict[str, tuple[str, str, str, str]]:
    """URL → sitemap, line, severity and reality of a rule's findings."""
    return {
        row["url"]: (row["sitemap"], row["line"], row["severity"], row["reality"])
        for row in done.findings.get(rule, [])
    }


def test_each_file_is_read_as_what_it_is(audited: Outcome) -> None:
    files = {
        row["url"]: (
            row["kind"],
            row["source"],
            row["state"],
            row["entries"],
            row["images"],
            row["videos"],
            row["news"],
        )
        for row in audited.rows("sitemaps.csv")
        if row["state"] == "ok"
    }
    assert files == {
        FEED: ("rss", "robots", "ok", "2", "0", "0", "0"),
        TEXT: ("text", "robots", "ok", "2", "0", "0", "0"),
        NEWS: ("urlset", "robots", "ok", "4", "0", "0", "4"),
        IMAGES: ("urlset", "robots", "ok", "3", "1005", "0", "0"),
        VIDEOS: ("urlset", "robots", "ok", "2", "0", "2", "0"),
        DATES: ("urlset", "robots", "ok", "6", "0", "0", "0"),
        OLDER: ("urlset", "robots", "ok", "1", "0", "0", "0"),
    }


def test_every_entry_is_a_url_of_the_audit(audited: Outcome) -> None:
    assert audited.verdicts() == {
        "https://feed.example/1": "indexable",
        "https://feed.example/2": "indexable",
        "https://text.example/": "indexable",
        "https://text.example/gone": "client_error",
        **{f"https://news.example/{name}": "indexable" for name in ("fresh", "old", "day", "bare")},
        **{f"https://media.example/{name}": "indexable" for name in ("a", "b", "many", "watch", "broken")},
        **{
            f"https://dates.example/{name}": "indexable"
            for name in ("twice", "future", "zero", "header", "agrees", "article")
        },
    }
    ways = {row["url"]: row["discovered_by"] for row in audited.rows("urls.csv")}
    assert {ways[f"https://feed.example/{n}"] for n in (1, 2)} == {"feed"}
    assert ways["https://text.example/"] == "sitemap"


def test_facts_of_a_feed(audited: Outcome) -> None:
    assert entries(audited, FEED, "loc, guid, published_raw, lastmod::VARCHAR, line") == [
        ("https://feed.example/1", "id-/1", "Mon, 02 Nov 2026 12:00:00 GMT", "2026-11-02 12:00:00", 3),
        ("https://feed.example/2", "id-/2", "Tue, 03 Nov 2026 13:30:00 +0100", "2026-11-03 12:30:00", 4),
    ]


def test_facts_of_a_text_file(audited: Outcome) -> None:
    assert entries(audited, TEXT, "loc, line, lastmod, images, videos, news") == [
        ("https://text.example/", 1, None, None, None, None),
        ("https://text.example/gone", 2, None, None, None, None),
    ]


def test_facts_of_news(audited: Outcome) -> None:
    rows = entries(
        audited, NEWS, 'line, news."name", news."language", news.title, news.count, news.publication_date_raw'
    )
    assert [row[:5] for row in rows] == [
        (3, "The Example", "en", "A story", 1),
        (4, "The Example", "en", "A story", 1),
        (5, "The Example", "en", "A story", 1),
        (6, None, "en", None, 1),
    ]
    assert rows[1][5] == ago(days=10)


def test_facts_of_images_and_videos(audited: Outcome) -> None:
    kept = entries(
        audited,
        IMAGES,
        "line, len(images), images[1].loc_raw, images[1].loc, images[2].loc_raw, images[2].loc",
    )
    assert kept[:2] == [
        (
            3,
            2,
            "https://cdn.example/a.jpg",
            "https://cdn.example/a.jpg",
            *["https://media.example/b.jpg"] * 2,
        ),
        (4, 2, "/img/c.jpg", "https://media.example/img/c.jpg", "", None),
    ]
    assert kept[2][:2] == (5, 1_001)
    columns = (
        "thumbnail",
        "title_len",
        "description_len",
        "content",
        "player",
        "duration_s",
        "tags",
        "extra_tags",
    )
    assert entries(audited, VIDEOS, ", ".join(f"videos[1].{name}" for name in columns)) == [
        ("https://cdn.example/t.jpg", 6, 8, None, "https://cdn.example/p", 90, 2, ["family_friendly"]),
        (None, 6, 0, "https://cdn.example/v.mp4", None, None, 0, []),
    ]


def test_findings_of_news(audited: Outcome) -> None:
    old = found(audited, "news-too-old")
    assert set(old) == {"https://news.example/old"}
    assert old["https://news.example/old"][:3] == (NEWS, "4", "error")
    assert old["https://news.example/old"][3].startswith("published 240 hours before")
    assert found(audited, "news-required-missing") == {
        "https://news.example/bare": (
            NEWS,
            "6",
            "error",
            "in its news:news there is no news:name, news:title",
        )
    }
    assert found(audited, "news-too-many") == {}


def test_findings_of_images_and_videos(audited: Outcome) -> None:
    assert found(audited, "image-loc-bad") == {
        "https://media.example/b": (
            IMAGES,
            "4",
            "error",
            "2 of 2 image:loc cannot be used: /img/c.jpg is not absolute",
        )
    }
    assert found(audited, "image-too-many") == {
        "https://media.example/many": (IMAGES, "5", "error", "1,001 images, at most 1,000 are read")
    }
    assert found(audited, "video-required-missing") == {
        "https://media.example/broken": (
            VIDEOS,
            "4",
            "error",
            "1 of 1 videos incomplete; it has no video:thumbnail_loc, no video:description",
        )
    }


def test_findings_of_dates(audited: Outcome) -> None:
    claims = {
        rule: [(row["url"], row["sitemap"], row["line"], row["severity"], row["claim"]) for row in rows]
        for rule, rows in audited.findings.items()
        if rule.startswith("lastmod-") and rule != "lastmod-missing"
    }
    at = "https://dates.example"
    assert claims == {
        "lastmod-conflict-across-files": [
            (f"{at}/twice", DATES, "3", "warning", f'lastmod "2026-11-20" in {DATES}, line 3')
        ],
        "lastmod-future": [("", DATES, "4", "warning", f'lastmod "2099-01-01" in {DATES}, line 4')],
        "lastmod-implausible": [
            ("", DATES, "5", "notice", f'lastmod "1970-01-01T00:00:00Z" in {DATES}, line 5')
        ],
        "lastmod-vs-http": [
            (f"{at}/header", DATES, "6", "notice", f'lastmod "2026-11-20T08:00:00+01:00" in {DATES}, line 6')
        ],
        "lastmod-vs-page-date": [
            (f"{at}/article", DATES, "8", "notice", f'lastmod "2026-11-20" in {DATES}, line 8')
        ],
    }
    assert [row["reality"] for row in audited.findings["lastmod-vs-http"]] == [
        "Last-Modified of the page is 2023-05-01T08:00:00Z, 1,298 days earlier"
    ]


def test_findings_about_files(audited: Outcome) -> None:
    only = [(row["sitemap"], row["claim"]) for row in audited.findings["sitemap-feed-only"]]
    assert only == [(FEED, f"the feed {FEED}")]
    # A text file, a feed and news need no lastmod; the two pages with videos have one.
    assert [row["sitemap"] for row in audited.findings["lastmod-missing"]] == [IMAGES]
    assert [row["url"] for row in audited.findings["url-client-error"]] == ["https://text.example/gone"]
    rules = {rule for rule in audited.findings if rule.partition("-")[0] in ("news", "image", "video")}
    assert rules == {
        "image-loc-bad",
        "image-too-many",
        "news-required-missing",
        "news-too-old",
        "video-required-missing",
    }
