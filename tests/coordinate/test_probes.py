"""Addresses that cannot exist: how many, where, and the same in every run (definitions 2)."""

from __future__ import annotations

import re

from sitemap_audit.coordinate.probes import probe_urls
from sitemap_audit.coordinate.work import Work
from sitemap_audit.formats.urls import parse_url, url_id
from sitemap_audit.options import RunOptions
from sitemap_audit.rules.thresholds import THRESHOLDS
from sitemap_audit.settings import PROBE_SEGMENT_URLS, PROBES_OF_HOST

SHOP = "https://shop.example"


def below(segment: str, number: int) -> list[str]:
    return [f"{SHOP}/{segment}/{n}" for n in range(number)]


def test_two_at_the_root_of_each_origin() -> None:
    probes = probe_urls([f"{SHOP}/", f"{SHOP}/a?b=/c/d", f"{SHOP}/x/1", "http://shop.example:8080/"])
    assert len(probes) == len(set(probes)) == 4
    for origin, probe in zip(
        [SHOP, SHOP, "http://shop.example:8080", "http://shop.example:8080"], probes, strict=True
    ):
        assert re.fullmatch(re.escape(origin) + r"/sitemap-audit-404-probe-[0-9a-f]{12}", probe)
    assert probes == probe_urls(reversed([f"{SHOP}/z", f"{SHOP}/y"])) + probes[2:]


def test_one_below_each_segment_with_many_urls_and_five_at_most() -> None:
    listed = [
        url for n, segment in enumerate("abcdef") for url in below(segment, PROBE_SEGMENT_URLS + n)
    ] + below("few", PROBE_SEGMENT_URLS - 1)
    probes = probe_urls(listed)
    assert [probe.split("/")[3] for probe in probes[2:]] == ["f", "e", "d"]
    assert len(probes) == PROBES_OF_HOST == THRESHOLDS["soft404_probes_per_host"].value
    assert len(probe_urls(below("few", PROBE_SEGMENT_URLS - 1))) == 2


def test_they_are_planned_once_when_the_listing_is_whole_and_count_for_nothing_listed() -> None:
    work = Work(RunOptions(run_id="r1", rate=0.0, scope=("shop.example",), depth="page"))
    for text in (f"{SHOP}/a", f"{SHOP}/b", "https://other.example/c"):
        url = parse_url(text)
        assert url is not None
        work.listed(int(url_id(url.key), 16), url, f"{SHOP}/sitemap.xml")
    work.listing_is_whole()
    work.listing_is_whole()
    planned = work.next_batch(1)
    assert planned is not None
    hows = [u.how for u in planned.batch.urls if u.url.startswith(SHOP)]
    assert hows == ["sitemap", "sitemap", "probe", "probe"]
    assert work.ledger.counts().listed == 3


def test_without_content_nobody_asks_for_them() -> None:
    work = Work(RunOptions(run_id="r1", rate=0.0, scope=("shop.example",), depth="head"))
    url = parse_url(f"{SHOP}/a")
    assert url is not None
    work.listed(1, url, f"{SHOP}/sitemap.xml")
    work.listing_is_whole()
    planned = work.next_batch(1)
    assert planned is not None
    assert [u.how for u in planned.batch.urls] == ["sitemap"]
