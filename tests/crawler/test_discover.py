"""Discovery of a run: what is published of robots.txt, files and entries, over real HTTP and a real stream."""

from __future__ import annotations

import pytest

from crawler.sources import SITEMAP_PLACES
from tests.crawler.runs import Discover, index, urlset
from tests.site.server import End, Reply, Seen, Sites, in_turn

A, B = "https://a.example", "https://b.example"


async def test_sitemap_lines_of_robots_txt(discover: Discover) -> None:
    robots = (
        "User-agent: *\nDisallow: /private\nSitemap: /relative.xml\n"
        f"Sitemap: {A}/absolute.xml\nSitemap: {A}/absolute.xml\nSitemap: ftp://a.example/no.xml\n"
    )
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text(robots),
                "/relative.xml": Reply.xml(urlset(f"{A}/1", f"{A}/2")),
                "/absolute.xml": Reply.xml(urlset(f"{A}/3")),
            }
        },
        A,
    )
    assert out.code == 0
    assert sorted(out.locs) == [f"{A}/1", f"{A}/2", f"{A}/3"]
    lines = out.origin(A)["sitemaps"]
    assert [line["abs"] for line in lines] == [
        f"{A}/relative.xml",
        f"{A}/absolute.xml",
        f"{A}/absolute.xml",
        None,
    ]
    assert out.origin(A)["state"] == "ok"
    assert [f["url"] for f in out.files] == [f"{A}/relative.xml", f"{A}/absolute.xml"]
    for file in out.files:
        assert (file["source"], file["state"], file["depth"], file["declared_in"]) == ("robots", "ok", 0, [A])
        assert file["robots"]["googlebot"]["allowed"] is True
    assert out.discovered is not None
    assert out.discovered.note is None
    assert out.site is not None
    asked = [r.path for r in out.site.requests()]
    assert asked.count("/absolute.xml") == 1
    assert not {"/sitemap.xml", "/no.xml"} & set(asked), "robots.txt names files: nothing is guessed"


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (Reply.html("<title>gone</title>", 404), "missing"),
        (Reply.text("no", 403), "forbidden"),
        (Reply.html("<!doctype html><title>Home</title>"), "html"),
        (Reply.to("/robots.txt"), "redirect_limit"),
    ],
)
async def test_without_rules_the_usual_places_are_asked(
    discover: Discover, answer: Reply, state: str
) -> None:
    out = await discover(
        {"a.example": {"/robots.txt": answer, "/sitemap_index.xml": Reply.xml(urlset(f"{A}/1"))}}, A
    )
    assert out.origin(A)["state"] == state
    assert out.locs == [f"{A}/1"]
    assert out.file(f"{A}/sitemap_index.xml")["source"] == "guess"
    assert len(out.files) == 1, "a place that is no sitemap is no file"
    assert out.discovered is not None
    assert f"{A}/sitemap.xml: 404" in out.discovered.looked
    assert out.site is not None
    assert [r.path for r in out.site.requests() if "sitemap" in r.path] == list(SITEMAP_PLACES[:2])


@pytest.mark.parametrize("answer", [Reply.text("down", 503), Reply.text("slow down", 429)])
async def test_a_failing_robots_txt_is_believed_at_the_second_look(discover: Discover, answer: Reply) -> None:
    out = await discover(
        {"a.example": {"/robots.txt": answer, "/sitemap.xml": Reply.xml(urlset(f"{A}/1"))}}, A
    )
    assert out.origin(A)["state"] == "server_error"
    assert out.origin(A)["outage_since"] is not None
    assert out.site is not None
    assert [r.path for r in out.site.requests()] == ["/robots.txt", "/robots.txt"], (
        "paused: nothing else is fetched"
    )
    assert out.files == []
    assert out.discovered is not None
    assert out.discovered.note == "No sitemap or feed was found that can be read."
    assert any("not asked while robots.txt is server_error" in place for place in out.discovered.looked)
    assert out.code == 0


async def test_a_robots_txt_that_comes_back_counts(discover: Discover) -> None:
    answers = in_turn(Reply.text("down", 500), Reply.text(f"Sitemap: {A}/s.xml\n"))
    out = await discover({"a.example": {"/robots.txt": answers, "/s.xml": Reply.xml(urlset(f"{A}/1"))}}, A)
    assert [r["state"] for r in out.robots] == ["ok"]
    assert out.locs == [f"{A}/1"]


async def test_named_files_do_not_wait_for_a_failing_robots_txt(discover: Discover) -> None:
    """The entries are read while robots.txt is looked at again; the verdicts come when it is believed."""
    sites: Sites = {
        "a.example": {
            "/robots.txt": in_turn(Reply.text("down", 500), Reply.text("User-agent: *\nDisallow: /s.xml\n")),
            "/s.xml": Reply.xml(urlset(f"{A}/1")),
        }
    }
    out = await discover(sites, sitemaps=[f"{A}/s.xml"], recheck_after_s=0.4)
    assert out.locs == [f"{A}/1"]
    assert out.file(f"{A}/s.xml")["robots"]["googlebot"]["allowed"] is False
    assert out.site is not None
    first, file, second = out.site.requests()
    assert (first.path, file.path, second.path) in (
        ("/robots.txt", "/s.xml", "/robots.txt"),
        ("/s.xml", "/robots.txt", "/robots.txt"),
    )
    assert second.at - min(first.at, file.at) >= 0.4


async def test_redirects_of_robots_txt_bind_the_first_host(discover: Discover) -> None:
    sites: Sites = {
        "a.example": {
            "/robots.txt": Reply.to("https://www.a.example/robots.txt"),
            "/s.xml": Reply.xml(urlset(f"{A}/1")),
        },
        "www.a.example": {
            "/robots.txt": Reply.text(f"User-agent: *\nDisallow: /s.xml\nSitemap: {A}/s.xml\n"),
        },
    }
    out = await discover(sites, A)
    (robots,) = out.robots
    assert (robots["origin"], robots["first_status"], robots["status"]) == (A, 301, 200)
    assert [(h["url"], h["status"]) for h in robots["hops"]] == [(f"{A}/robots.txt", 301)]
    assert robots["final_url"] == "https://www.a.example/robots.txt"
    assert out.file(f"{A}/s.xml")["robots"]["googlebot"]["allowed"] is False, (
        "named files are read all the same"
    )
    assert out.locs == [f"{A}/1"]


async def test_guesses_obey_robots_txt_and_our_own_name(discover: Discover) -> None:
    for agent in ("googlebot", "sitemap-audit"):
        robots = f"User-agent: {agent}\nDisallow: /\nAllow: /robots.txt\n"
        out = await discover(
            {"a.example": {"/robots.txt": Reply.text(robots), "/sitemap.xml": Reply.xml(urlset(f"{A}/1"))}}, A
        )
        assert out.entries == []
        assert out.site is not None
        assert [r.path for r in out.site.requests()] == ["/robots.txt"]
        assert out.discovered is not None
        assert f"{A}/sitemap.xml: not asked, robots.txt forbids it" in out.discovered.looked


async def test_html_in_place_of_a_declared_sitemap_is_a_fact_and_the_usual_places_are_asked(
    discover: Discover,
) -> None:
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text(f"Sitemap: {A}/map.xml\n"),
                "/map.xml": Reply.html("<!doctype html><title>Home</title><p>welcome"),
                "/sitemap.txt": Reply.text(f"{A}/1\n"),
            }
        },
        A,
    )
    assert out.file(f"{A}/map.xml")["kind"] == "html"
    assert out.file(f"{A}/sitemap.txt")["kind"] == "text"
    assert out.locs == [f"{A}/1"]


async def test_nothing_found_says_where_it_looked(discover: Discover) -> None:
    page = Reply.html("<!doctype html><title>Home</title><p>any path is the home page")
    out = await discover({"a.example": {"/robots.txt": Reply.text(""), "*": page}}, A)
    assert out.code == 0
    assert out.files == []
    assert out.entries == []
    assert out.discovered is not None
    assert out.discovered.looked[0] == f"{A}/robots.txt: 200"
    assert f"{A}/sitemap.xml: 200, html" in out.discovered.looked
    assert f"{A}/feed: 200, html" in out.discovered.looked
    assert out.discovered.note == "No sitemap or feed was found that can be read."


async def test_a_sitemap_on_another_host_is_read_and_judged_by_its_own_robots_txt(discover: Discover) -> None:
    out = await discover(
        {
            "a.example": {"/robots.txt": Reply.text(f"Sitemap: {B}/a.xml\n")},
            "b.example": {
                "/robots.txt": Reply.text(
                    f"User-agent: *\nDisallow: /a.xml\nSitemap: {B}/own.xml\nSitemap: {B}/a.xml\n"
                ),
                "/a.xml": Reply.xml(urlset(f"{A}/1")),
            },
        },
        A,
    )
    assert out.locs == [f"{A}/1"]
    file = out.file(f"{B}/a.xml")
    verdict = file["robots"]["googlebot"]
    assert (verdict["allowed"], verdict["robots_url"], verdict["line"]) == (False, f"{B}/robots.txt", 2)
    assert file["declared_in"] == [A, B]
    assert {r["origin"] for r in out.robots} == {A, B}
    assert out.site is not None
    assert out.site.requests(path="/own.xml") == [], "another host's own sitemaps are not ours to read"


async def test_bare_host_falls_back_to_http_when_https_refuses(discover: Discover) -> None:
    hangs_up = Reply(steps=lambda: (End.RESET,))
    out = await discover(
        {
            "https://a.example": {"*": hangs_up},
            "http://a.example": {
                "/robots.txt": Reply.text("Sitemap: http://a.example/s.xml\n"),
                "/s.xml": Reply.xml(urlset("http://a.example/1")),
            },
        },
        "a.example",
    )
    assert out.locs == ["http://a.example/1"]
    assert [r["origin"] for r in out.robots] == ["http://a.example"]


async def test_bare_host_stays_with_https_when_both_refuse(discover: Discover) -> None:
    hangs_up = Reply(steps=lambda: (End.RESET,))
    out = await discover({"a.example": {"*": hangs_up}}, "a.example")
    assert [(r["origin"], r["state"]) for r in out.robots] == [(A, "unreachable")]
    assert out.code == 0


async def test_a_site_with_a_path_is_audited_alone_if_it_is_a_sitemap(discover: Discover) -> None:
    sites = {
        "a.example": {
            "/robots.txt": Reply.text(f"Sitemap: {A}/other.xml\n"),
            "/other.xml": Reply.xml(urlset(f"{A}/2")),
            "/blog/map.xml": Reply.xml(index(f"{A}/blog/s.xml")),
            "/blog/s.xml": Reply.xml(urlset(f"{A}/blog/1")),
            "/blog/": Reply.html("<title>Blog</title>"),
        }
    }
    alone = await discover(sites, f"{A}/blog/map.xml")
    assert alone.locs == [f"{A}/blog/1"]
    assert alone.file(f"{A}/blog/map.xml")["source"] == "option"
    page = await discover(sites, f"{A}/blog/")
    assert page.locs == [f"{A}/2"], "no sitemap there: its origin is meant"
    assert [f["url"] for f in page.files] == [f"{A}/other.xml"]
    broken = await discover(sites, f"{A}/blog/gone.xml")
    assert broken.locs == [f"{A}/2"]
    assert broken.file(f"{A}/blog/gone.xml")["state"] == "failed", (
        "it claims to be one: its failure is a fact"
    )


async def test_feeds_of_the_home_page_are_read_beside_the_sitemap(discover: Discover) -> None:
    home = (
        "<!doctype html><title>Home</title>"
        '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
        '<link rel="alternate" type="application/rss+xml" href="/comments/feed/">'
        '<link rel="alternate" type="application/atom+xml" href="https://elsewhere.example/atom.xml">'
    )
    feed = f'<rss version="2.0"><channel><title>F</title><item><link>{A}/new</link><guid>1</guid></item></channel></rss>'
    out = await discover(
        {
            "a.example": {
                "/": Reply.html(home),
                "/robots.txt": Reply.text(f"Sitemap: {A}/s.xml\n"),
                "/s.xml": Reply.xml(urlset(f"{A}/1")),
                "/feed.xml": Reply.xml(feed),
            }
        },
        A,
    )
    assert sorted(out.locs) == [f"{A}/1", f"{A}/new"]
    assert (out.file(f"{A}/feed.xml")["kind"], out.file(f"{A}/feed.xml")["source"]) == ("rss", "feed_link")
    assert out.site is not None
    assert {r.host for r in out.site.requests()} == {"a.example"}


async def test_our_name_and_the_headers_of_the_run(discover: Discover) -> None:
    seen: list[Seen] = []

    def answer(request: Seen) -> Reply:
        seen.append(request)
        return Reply.text("") if request.path == "/robots.txt" else Reply.text("", 404)

    await discover({"a.example": answer}, A, user_agent="My Audit/1")
    assert {s.header("user-agent") for s in seen} == {"My Audit/1"}
    assert {s.header("accept-encoding") for s in seen} == {"gzip"}


async def test_other_schemes_are_never_asked(discover: Discover) -> None:
    robots = "".join(
        f"Sitemap: {u}\n"
        for u in ("file:///etc/passwd", "data:text/xml,<urlset/>", "gopher://a/", "javascript:1")
    )
    out = await discover({"a.example": {"/robots.txt": Reply.text(robots)}}, A)
    assert out.code == 0
    assert out.files == []
    assert [line["abs"] for line in out.origin(A)["sitemaps"]] == [None] * 4


async def test_a_robots_txt_below_a_directory_is_seen_once_and_binds_nobody(discover: Discover) -> None:
    below = "User-agent: *\nDisallow: /\nSitemap: https://a.example/blog/never.xml\n"
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text(f"Sitemap: {A}/s.xml\n"),
                "/blog/robots.txt": Reply.text(below),
                "/blog/": Reply.html("<title>Blog</title>"),
                "/s.xml": Reply.xml(urlset(f"{A}/1")),
            }
        },
        f"{A}/blog/",
    )
    assert out.site is not None
    files = {f["robots_url"]: f for f in out.robots}
    assert files[f"{A}/blog/robots.txt"]["at_root"] is False
    assert len(files[f"{A}/blog/robots.txt"]["rules"]) == 1
    assert files[f"{A}/robots.txt"]["at_root"] is True
    assert out.file(f"{A}/s.xml")["robots"]["googlebot"]["allowed"] is True
    asked = [r.path for r in out.site.requests()]
    assert asked.count("/blog/robots.txt") == 1
    assert "/blog/never.xml" not in asked


async def test_no_robots_txt_is_looked_for_beside_a_site_without_path_or_where_it_is_forbidden(
    discover: Discover,
) -> None:
    for site, rules in ((A, ""), (f"{A}/blog/", "User-agent: *\nDisallow: /blog/\n")):
        out = await discover(
            {
                "a.example": {
                    "/robots.txt": Reply.text(f"{rules}Sitemap: {A}/s.xml\n"),
                    "/blog/": Reply.html("<title>Blog</title>"),
                    "/s.xml": Reply.xml(urlset(f"{A}/1")),
                }
            },
            site,
        )
        assert out.site is not None
        assert "/blog/robots.txt" not in [r.path for r in out.site.requests()]
