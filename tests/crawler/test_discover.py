"""Discovery of a run: what is published of robots.txt, files and entries, over real HTTP and a real stream."""

from __future__ import annotations

import gzip
import itertools
import socket

import pytest

from crawler.sources import SITEMAP_PLACES
from sitemap_audit.settings import ENTRY_BATCH, HOST_FAILURES
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


async def test_indexes_recurse_once_however_they_point_at_each_other(discover: Discover) -> None:
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text(f"Sitemap: {A}/i1.xml\n"),
                "/i1.xml": Reply.xml(index(f"{A}/i1.xml", f"{A}/i2.xml", f"{A}/s.xml")),
                "/i2.xml": Reply.xml(index(f"{A}/i1.xml", f"{A}/i2.xml", f"{A}/s.xml", f"{A}/t.xml")),
                "/s.xml": Reply.xml(urlset(f"{A}/1")),
                "/t.xml": Reply.xml(urlset(f"{A}/2")),
            }
        },
        A,
    )
    assert sorted(f["url"] for f in out.files) == [f"{A}/{n}.xml" for n in ("i1", "i2", "s", "t")]
    assert sorted(out.locs) == [f"{A}/1", f"{A}/2"]
    assert (out.file(f"{A}/i1.xml")["kind"], out.file(f"{A}/i1.xml")["depth"]) == ("index", 0)
    nested = out.file(f"{A}/i2.xml")
    assert (nested["depth"], nested["parent"], nested["source"]) == (1, f"{A}/i1.xml", "index")
    assert out.file(f"{A}/t.xml")["depth"] == 2
    children = [row["loc"] for row in out.rows if row["is_child"]]
    assert len(children) == 7
    assert out.site is not None
    assert len(out.site.requests()) == 6, "robots.txt, four files, the home page"


async def test_an_index_and_its_children_all_named_by_robots_txt(discover: Discover) -> None:
    """Each file counts once, and keeps both its provenances, whichever is read first."""
    for slow in ("/i.xml", "/s.xml"):
        sites = {
            "a.example": {
                "/robots.txt": Reply.text(f"Sitemap: {A}/s.xml\nSitemap: {A}/i.xml\n"),
                "/i.xml": Reply.xml(index(f"{A}/s.xml")),
                "/s.xml": Reply.xml(urlset(f"{A}/1")),
            }
        }
        reply = sites["a.example"][slow]
        sites["a.example"][slow] = Reply(200, reply.body, reply.headers, wait_s=0.2)
        out = await discover(sites, A)
        assert sorted(f["url"] for f in out.files) == [f"{A}/i.xml", f"{A}/s.xml"]
        child = out.file(f"{A}/s.xml")
        assert (child["source"], child["parent"], child["declared_in"]) == ("robots", f"{A}/i.xml", [A])
        assert out.file(f"{A}/i.xml")["parent"] is None
        assert out.locs == [f"{A}/1"]


async def test_gzip_is_told_by_its_bytes(discover: Discover) -> None:
    packed = gzip.compress(urlset(f"{A}/1").encode(), mtime=0)
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text(f"Sitemap: {A}/plain-name.xml\nSitemap: {A}/named.xml.gz\n"),
                "/plain-name.xml": Reply.xml(packed),
                "/named.xml.gz": Reply.xml(urlset(f"{A}/2")),
            }
        },
        A,
    )
    assert sorted(out.locs) == [f"{A}/1", f"{A}/2"]
    assert [f["gzip"] for f in out.files] == [True, False]


async def test_transfer_coding_and_redirect_of_a_sitemap(discover: Discover) -> None:
    text = urlset(*(f"{A}/{n}" for n in range(500)))
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text(f"Sitemap: {A}/old.xml\n"),
                "/old.xml": Reply.to("/new.xml", 302),
                "/new.xml": Reply(200, text.encode(), {"Content-Type": "application/xml"}, gzip=True),
            }
        },
        A,
    )
    (file,) = out.files
    assert (file["url"], file["final_url"], file["first_status"], file["status"]) == (
        f"{A}/old.xml",
        f"{A}/new.xml",
        302,
        200,
    )
    assert (file["content_encoding"], file["entries"], file["bytes_xml"]) == ("gzip", 500, len(text))
    assert file["bytes_wire"] < file["bytes_xml"]
    assert len(out.entries) == 500


async def test_a_document_under_two_addresses_is_read_once(discover: Discover) -> None:
    plain = "http://a.example"
    out = await discover(
        {
            "https://a.example": {
                "/robots.txt": Reply.text(f"Sitemap: {plain}/s.xml\nSitemap: {A}/s.xml\n"),
                "/s.xml": Reply.xml(urlset(f"{A}/1")),
            },
            "http://a.example": {"/s.xml": Reply.to(f"{A}/s.xml")},
        },
        A,
    )
    assert out.locs == [f"{A}/1"]
    other = out.file(f"{plain}/s.xml")
    assert (other["state"], other["entries"]) == ("skipped", 0)
    assert f"{A}/s.xml" in other["error_detail"]


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


async def test_a_failed_sitemap_gets_one_more_look_and_holds_nobody_up(discover: Discover) -> None:
    sites: Sites = {
        "a.example": {
            "/robots.txt": Reply.text(
                f"Sitemap: {A}/flaky.xml\nSitemap: {A}/cut.xml\nSitemap: {A}/dead.xml\nSitemap: {A}/s.xml\n"
            ),
            "/flaky.xml": in_turn(Reply.text("busy", 503), Reply.xml(urlset(f"{A}/1"))),
            "/cut.xml": in_turn(
                Reply(
                    steps=lambda: (
                        b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n",
                        urlset(f"{A}/2", f"{A}/3").encode()[:150],
                        End.RESET,
                    )
                ),
                Reply.xml(urlset(f"{A}/2", f"{A}/3")),
            ),
            "/dead.xml": Reply.text("no", 500),
            "/s.xml": Reply.xml(urlset(f"{A}/4")),
        }
    }
    out = await discover(sites, A, recheck_after_s=0.3)
    assert {row["loc"] for row in out.entries} == {f"{A}/{n}" for n in (1, 2, 3, 4)}
    assert {f["url"].rsplit("/")[-1]: f["state"] for f in out.files} == {
        "flaky.xml": "ok",
        "cut.xml": "ok",
        "dead.xml": "failed",
        "s.xml": "ok",
    }
    assert out.site is not None
    at: dict[str, list[float]] = {}
    for seen in out.site.requests():
        at.setdefault(seen.path, []).append(seen.at)
    assert [len(at[p]) for p in ("/flaky.xml", "/cut.xml", "/dead.xml", "/s.xml")] == [2, 2, 2, 1]
    assert at["/s.xml"][0] < at["/dead.xml"][1]
    assert at["/dead.xml"][1] - at["/dead.xml"][0] >= 0.3


async def test_retry_after_is_kept(discover: Discover) -> None:
    limited = Reply(429, b"", {"Retry-After": "1"})
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text(f"Sitemap: {A}/s.xml\n"),
                "/s.xml": in_turn(limited, Reply.xml(urlset(f"{A}/1"))),
            }
        },
        A,
    )
    assert out.locs == [f"{A}/1"]
    assert out.site is not None
    first, second = out.site.requests(path="/s.xml")
    assert second.at - first.at >= 1.0


async def test_a_dead_host_costs_no_minute_for_each_of_its_files(discover: Discover) -> None:
    """Nobody listens there: after some failures in a row the rest is not asked, and all of it is told."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    robots = "".join(f"Sitemap: {B}/{n}.xml\n" for n in range(HOST_FAILURES + 3))
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text(robots + f"Sitemap: {A}/s.xml\n"),
                "/s.xml": Reply.xml(urlset(f"{A}/1")),
            }
        },
        A,
        pins=(f"b.example:443:127.0.0.1:{port}",),
    )
    assert out.code == 0
    assert out.locs == [f"{A}/1"]
    dead = [f for f in out.files if f["url"].startswith(B)]
    assert len(dead) == HOST_FAILURES + 3
    assert {(f["state"], f["error_class"], f["robots"]["googlebot"]["allowed"]) for f in dead} == {
        ("failed", "connect", None)
    }
    assert any("not asked" in f["error_detail"] for f in dead)
    assert out.origin(B)["state"] == "unreachable"


async def test_a_host_that_asks_for_too_long_a_wait_is_left(discover: Discover) -> None:
    names = [f"/{n}.xml" for n in range(3)]
    limited = Reply(429, b"", {"Retry-After": "86400"})
    robots = Reply.text("".join(f"Sitemap: {A}{name}\n" for name in names))
    out = await discover(
        {"a.example": {"/robots.txt": robots, **dict.fromkeys(names, limited)}}, A, concurrency=1
    )
    files = {f["url"]: f for f in out.files}
    assert (files[f"{A}/0.xml"]["state"], files[f"{A}/0.xml"]["status"]) == ("failed", 429)
    for name in names[1:]:
        file = files[A + name]
        assert (file["state"], file["status"], file["error_class"]) == ("skipped", None, None)
        assert "stay away" in file["error_detail"]
    assert out.site is not None
    assert len(out.site.requests(path="/0.xml")) == 1


async def test_the_rate_counts_every_request(discover: Discover) -> None:
    names = [f"/{n}.xml" for n in range(6)]
    files = {name: Reply.xml(urlset(A + name + "/page")) for name in names}
    robots = Reply.text("".join(f"Sitemap: {A}{name}\n" for name in names))
    out = await discover({"a.example": {"/robots.txt": robots, **files}}, A, rate=25.0)
    assert len(out.entries) == 6
    assert out.site is not None
    times = [r.at for r in out.site.requests()]
    assert len(times) == 8
    assert min(b - a for a, b in itertools.pairwise(times)) > 0.02


async def test_our_name_and_the_headers_of_the_run(discover: Discover) -> None:
    seen: list[Seen] = []

    def answer(request: Seen) -> Reply:
        seen.append(request)
        return Reply.text("") if request.path == "/robots.txt" else Reply.text("", 404)

    await discover({"a.example": answer}, A, user_agent="My Audit/1")
    assert {s.header("user-agent") for s in seen} == {"My Audit/1"}
    assert {s.header("accept-encoding") for s in seen} == {"gzip"}


async def test_many_entries_leave_in_batches(discover: Discover) -> None:
    locs = [f"{A}/{n}" for n in range(2 * ENTRY_BATCH + 10)]
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text(f"Sitemap: {A}/s.xml\n"),
                "/s.xml": Reply.xml(urlset(*locs)),
            }
        },
        A,
    )
    assert out.locs == locs
    assert [row["position"] for row in out.entries] == list(range(1, len(locs) + 1))
    assert out.messages <= 7


async def test_a_cap_on_depth_counts_what_it_leaves(discover: Discover) -> None:
    """Depth 0 to 5 are read; what the deepest index names is counted."""
    files = {f"/{n}.xml": Reply.xml(index(f"{A}/{n + 1}.xml")) for n in range(5)}
    files["/5.xml"] = Reply.xml(index(f"{A}/x.xml", f"{A}/y.xml", f"{A}/x.xml", f"{A}/0.xml"))
    out = await discover({"a.example": {"/robots.txt": Reply.text(f"Sitemap: {A}/0.xml\n"), **files}}, A)
    assert [f["depth"] for f in sorted(out.files, key=lambda f: f["url"])] == [0, 1, 2, 3, 4, 5]
    assert out.discovered is not None
    assert out.discovered.note is not None
    assert out.discovered.note.startswith("2 sitemap files were named and not read")


async def test_other_schemes_are_never_asked(discover: Discover) -> None:
    robots = "".join(
        f"Sitemap: {u}\n"
        for u in ("file:///etc/passwd", "data:text/xml,<urlset/>", "gopher://a/", "javascript:1")
    )
    out = await discover({"a.example": {"/robots.txt": Reply.text(robots)}}, A)
    assert out.code == 0
    assert out.files == []
    assert [line["abs"] for line in out.origin(A)["sitemaps"]] == [None] * 4
