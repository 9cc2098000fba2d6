"""The door: from wire bytes to entries and the fact of the file, whatever the file is."""

from __future__ import annotations

import csv
import gzip
import hashlib
import pathlib
from datetime import UTC, datetime, timedelta

import orjson
import pytest

from sitemap_audit.facts import ErrorClass, SitemapFile, SitemapKind, SitemapSource, SitemapState
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from sitemap_audit.formats.urls import url_id
from tests.formats.sitemap_reading import NOW, NS, URL, kinds, read, urlset

CORPUS = pathlib.Path(__file__).parents[2].parent / "shared" / "corpus" / "files" / "sitemaps"


def test_the_fact_of_a_file() -> None:
    data = urlset(3)
    end = SitemapEnd(
        status=200,
        headers=(
            ("content-type", "application/xml"),
            ("date", "Mon, 30 Nov 2026 11:59:58 GMT"),
            ("age", "58"),
            ("last-modified", "Sun, 29 Nov 2026 00:00:00 GMT"),
            ("etag", '"x"'),
        ),
        bytes_wire=200,
        content_encoding="gzip",
        ttfb_ms=5,
        total_ms=9,
        fetched_at=NOW,
    )
    reader = SitemapReader(
        URL,
        source=SitemapSource.INDEX,
        parent="https://example.com/index.xml",
        depth=1,
        declared_in=["https://example.com"],
        now=NOW,
    )
    entries = reader.feed(data)
    last, file = reader.close(end)
    assert [e.position for e in entries + last] == [1, 2, 3]
    assert file == SitemapFile(
        file_id=url_id(URL),
        url=URL,
        url_key=URL,
        kind=SitemapKind.URLSET,
        source=SitemapSource.INDEX,
        parent="https://example.com/index.xml",
        declared_in=("https://example.com",),
        depth=1,
        state=SitemapState.OK,
        first_status=200,
        status=200,
        content_type="application/xml",
        content_encoding="gzip",
        bytes_wire=200,
        bytes_xml=len(data),
        complete=True,
        encoding_decl="UTF-8",
        root="urlset",
        namespaces={"": "http://www.sitemaps.org/schemas/sitemap/0.9"},
        entries=3,
        usable=3,
        sha256=hashlib.sha256(data).hexdigest(),
        loc_set_hash=file.loc_set_hash,
        lastmod_present=3,
        lastmod_min=datetime(2026, 11, 1, tzinfo=UTC),
        lastmod_max=datetime(2026, 11, 3, tzinfo=UTC),
        lastmod_distinct=3,
        lastmod_mode=datetime(2026, 11, 1, tzinfo=UTC),
        lastmod_mode_share=1 / 3,
        lastmod_day_mode_share=1 / 3,
        lastmod_window_share=0.0,
        date_http=datetime(2026, 11, 30, 11, 59, 58, tzinfo=UTC),
        age_s=58,
        last_modified_http=datetime(2026, 11, 29, tzinfo=UTC),
        etag='"x"',
        ttfb_ms=5,
        total_ms=9,
        fetched_at=NOW,
    )
    assert orjson.loads(orjson.dumps(file, option=orjson.OPT_UTC_Z))["kind"] == "urlset"


def test_the_serve_time_window_is_at_date_minus_age() -> None:
    stamp = "2026-11-30T11:00:00Z"
    data = (
        f"<urlset {NS}>"
        + f"<url><loc>https://example.com/</loc><lastmod>{stamp}</lastmod></url>" * 5
        + "</urlset>"
    )

    def share(*headers: tuple[str, str]) -> float | None:
        return read(data.encode(), end=SitemapEnd(status=200, headers=headers, fetched_at=NOW))[
            1
        ].lastmod_window_share

    assert share(("date", "Mon, 30 Nov 2026 11:01:00 GMT")) == 1
    assert share(("date", "Mon, 30 Nov 2026 12:00:00 GMT"), ("age", "3540")) == 1
    assert share(("date", "Mon, 30 Nov 2026 12:00:00 GMT")) == 0
    assert share(("date", "Mon, 30 Nov 2026 12:00:00 GMT"), ("age", "9" * 18)) == 0
    assert share() == 0
    assert (
        read(data.encode(), end=SitemapEnd(status=200, fetched_at=NOW - timedelta(hours=1)))[
            1
        ].lastmod_window_share
        == 1
    )


# What a file is


@pytest.mark.parametrize(
    ("data", "kind", "state", "problem"),
    [
        (urlset(1), SitemapKind.URLSET, SitemapState.OK, None),
        (urlset(0), SitemapKind.URLSET, SitemapState.OK, None),
        (
            f"<sitemapindex {NS}><sitemap><loc>https://example.com/1.xml</loc></sitemap></sitemapindex>".encode(),
            SitemapKind.INDEX,
            SitemapState.OK,
            None,
        ),
        (b"https://example.com/a\nhttps://example.com/b\n", SitemapKind.TEXT, SitemapState.OK, None),
        (b"\xef\xbb\xbfhttps://example.com/a", SitemapKind.TEXT, SitemapState.OK, None),
        (b"<rss version='2.0'><channel/></rss>", SitemapKind.RSS, SitemapState.OK, None),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'/>", SitemapKind.ATOM, SitemapState.OK, None),
        (b"<!doctype html><title>x</title>", SitemapKind.HTML, SitemapState.FAILED, "html-page"),
        (b"\n <!-- x --> <html lang=en>", SitemapKind.HTML, SitemapState.FAILED, "html-page"),
        (
            b"<?xml version='1.0'?><!DOCTYPE html PUBLIC 'a' 'b'><html xmlns='x'/>",
            SitemapKind.HTML,
            SitemapState.FAILED,
            "html-page",
        ),
        (b"<!DOCTYPE html><rss version='2.0'><channel/></rss>", SitemapKind.RSS, SitemapState.OK, "doctype"),
        (b"<opml version='1.0'/>", SitemapKind.OTHER_XML, SitemapState.FAILED, "root-unknown"),
        (b'{"urls": []}', SitemapKind.UNKNOWN, SitemapState.FAILED, "json"),
        (
            b'{"version": "https://jsonfeed.org/version/1.1"}',
            SitemapKind.UNKNOWN,
            SitemapState.FAILED,
            "json-feed",
        ),
        (b"Not found", SitemapKind.UNKNOWN, SitemapState.FAILED, "not-a-sitemap"),
        (b"%PDF-1.7\n\0\1", SitemapKind.UNKNOWN, SitemapState.FAILED, "binary"),
        (b"", SitemapKind.UNKNOWN, SitemapState.FAILED, "empty-file"),
        (b" \n", SitemapKind.UNKNOWN, SitemapState.FAILED, "empty-file"),
        (b"--- x\n" + urlset(1), SitemapKind.URLSET, SitemapState.FAILED, None),
        (b"<urlset", SitemapKind.UNKNOWN, SitemapState.FAILED, None),
    ],
)
def test_kind_state_and_problem(
    data: bytes, kind: SitemapKind, state: SitemapState, problem: str | None
) -> None:
    file = read(data)[1]
    assert (file.kind, file.state) == (kind, state)
    assert kinds(file) == ([] if problem is None else [problem])
    if state is SitemapState.FAILED and problem is None:
        assert file.xml_error is not None


def test_names_play_no_role_but_are_noted() -> None:
    assert kinds(read(urlset(1), url="https://example.com/sitemap.txt")[1]) == ["txt-name-not-text"]
    assert kinds(read(urlset(1), url="https://example.com/sitemap.xml.gz")[1]) == ["gz-name-not-gzip"]
    assert (
        kinds(
            read(
                urlset(1),
                url="https://example.com/sitemap.xml.gz",
                end=SitemapEnd(status=200, content_encoding="gzip"),
            )[1]
        )
        == []
    )
    assert kinds(read(gzip.compress(urlset(1)), url="https://example.com/sitemap.xml.gz")[1]) == []
    assert read(b"word\n", url="https://example.com/sitemap.txt")[1].kind is SitemapKind.TEXT


# Ends


def test_a_cut_file() -> None:
    cut = urlset(10)[:-40]
    entries, file = read(cut)
    assert len(entries) == 9
    assert (file.state, file.complete) == (SitemapState.PARTIAL, False)
    assert file.xml_error is not None
    assert "ends before <url> is closed" in file.xml_error.message
    broken = SitemapEnd(status=200, complete=False, error_class=ErrorClass.RESET)
    entries, file = read(cut, end=broken)
    assert (file.state, file.complete, file.xml_error, len(entries)) == (SitemapState.PARTIAL, False, None, 9)


@pytest.mark.parametrize(
    "end",
    [
        SitemapEnd(status=404),
        SitemapEnd(status=None, error_class=ErrorClass.DNS, complete=False),
        SitemapEnd(status=500, complete=False, error_class=ErrorClass.TIMEOUT),
    ],
)
def test_a_file_that_was_not_fetched(end: SitemapEnd) -> None:
    entries, file = SitemapReader(URL, source=SitemapSource.GUESS, now=NOW).close(end)
    assert entries == []
    assert (file.state, file.kind, file.sha256, file.problems) == (
        SitemapState.FAILED,
        SitemapKind.UNKNOWN,
        None,
        (),
    )
    assert file.error_class == end.error_class


def test_a_file_that_was_not_asked_for() -> None:
    _, file = SitemapReader(URL, source=SitemapSource.GUESS, now=NOW).close(
        SitemapEnd(state=SitemapState.BLOCKED)
    )
    assert file.state is SitemapState.BLOCKED


# Places


def test_redirected_files_are_judged_where_they_are() -> None:
    data = f"<urlset {NS}><url><loc>https://www.example.com/maps/a</loc></url><url><loc>b</loc></url></urlset>".encode()
    entries, file = read(data, location="https://www.example.com/maps/sitemap.xml")
    assert [(e.sitemap, e.loc, e.loc_issues) for e in entries] == [
        (URL, "https://www.example.com/maps/a", ()),
        (URL, "https://www.example.com/maps/b", ("relative",)),
    ]
    assert file.url == URL


def test_user_info_of_the_file_is_not_kept() -> None:
    entries, file = read(urlset(1), url="https://user:secret@example.com/sitemap.xml")
    assert b"secret" not in orjson.dumps([entries, file])
    assert file.url == URL


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real files is not beside this checkout")
def test_nothing_in_the_corpus_is_silent() -> None:
    """Facts only: what is odd about `lastmod-all-identical` is a share, not a problem."""
    with (CORPUS / "index.csv").open(encoding="utf-8") as index:
        rows = list(csv.DictReader(index))
    assert rows
    for row in rows:
        entries, file = read((CORPUS / row["file"]).read_bytes(), url=row["serve"])
        issues = [issue for entry in entries for issue in (*entry.loc_issues, entry.lastmod_issue) if issue]
        said = file.problems or file.xml_error or issues or file.duplicates or file.lastmod_mode_share == 1
        assert said or row["expect"] != "finding", row["file"]
        if row["listed"]:
            assert len({entry.url_key for entry in entries} - {None}) == int(row["listed"]), row["file"]
