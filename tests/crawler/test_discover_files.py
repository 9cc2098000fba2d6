"""The files of a discovery: indexes, packing, redirects, failures, caps, and the patience of their hosts."""

from __future__ import annotations

import gzip
import socket
import zlib

from sitemap_audit.settings import ENTRY_BATCH, HOST_FAILURES
from tests.crawler.runs import Discover, index, urlset
from tests.site.server import End, Reply, Sites, in_turn

A, B = "https://a.example", "https://b.example"


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


async def test_a_file_that_is_cut_at_our_limit_says_so_however_it_is_packed(discover: Discover) -> None:
    """The cap of the client must not hide from the reader that there was more."""
    packed = zlib.compressobj(1, wbits=31)
    blanks, begin = b" " * (1 << 20), urlset(f"{A}/1").partition("</urlset>")[0].encode()
    bomb = packed.compress(begin) + b"".join(packed.compress(blanks) for _ in range(101)) + packed.flush()
    coded = {"Content-Type": "application/xml", "Content-Encoding": "gzip"}
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text(f"Sitemap: {A}/coded.xml\nSitemap: {A}/file.xml.gz\n"),
                "/coded.xml": Reply(200, bomb, coded),
                "/file.xml.gz": Reply(200, bomb, {"Content-Type": "application/gzip"}),
            }
        },
        A,
    )
    for name in ("coded.xml", "file.xml.gz"):
        file = out.file(f"{A}/{name}")
        assert (file["state"], file["stopped_by_us"]) == ("partial", True)
        assert [p["kind"] for p in file["problems"]] == ["stopped-too-large"]
    assert out.locs == [f"{A}/1", f"{A}/1"]


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
    assert {f["url"]: f["gzip"] for f in out.files} == {
        f"{A}/plain-name.xml": True,
        f"{A}/named.xml.gz": False,
    }


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
    """Without TLS, so that requests arrive when they are sent."""
    plain = "http://a.example"
    names = [f"/{n}.xml" for n in range(6)]
    files = {name: Reply.xml(urlset(plain + name + "/page")) for name in names}
    robots = Reply.text("".join(f"Sitemap: {plain}{name}\n" for name in names))
    out = await discover({"a.example": {"/robots.txt": robots, **files}}, plain, rate=25.0)
    assert len(out.entries) == 6
    assert out.site is not None
    times = [r.at for r in out.site.requests()]
    assert len(times) == 8
    assert times[-1] - times[0] >= 7 * 0.04 - 0.02, "one of them may be late by half a gap"


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
