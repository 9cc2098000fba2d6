"""What the account needs of entries: in their order, by file and origin, children of an index left out by the caller."""

from __future__ import annotations

from sitemap_audit.queue.listing import Listed, Listing

MAP = "https://shop.example/sitemap.xml"


def test_neighbours_of_one_origin_and_file_are_told_together() -> None:
    listing = Listing()
    for url_id, href in (("0" * 15 + "a", "https://shop.example/a"), ("f" * 16, "https://shop.example/b")):
        listing.add(MAP, url_id, href)
    listing.add(MAP, "0" * 16, "http://shop.example:8080/a")
    listing.add("https://shop.example/2.xml", "1" * 16, "http://shop.example:8080/b")
    assert listing.take() == (
        Listed(
            MAP,
            "https://shop.example",
            "shop.example",
            "shop.example",
            [10, 2**64 - 1],
            ["https://shop.example/a", "https://shop.example/b"],
        ),
        Listed(MAP, *_PORT, [0], ["http://shop.example:8080/a"]),
        Listed("https://shop.example/2.xml", *_PORT, [0x1111111111111111], ["http://shop.example:8080/b"]),
    )
    assert listing.take() == ()


_PORT = ("http://shop.example:8080", "shop.example", "shop.example:8080")


def test_order_is_kept_over_hosts_so_that_a_limit_takes_the_first() -> None:
    listing = Listing()
    hrefs = [f"https://{host}.example/{n}" for n in range(2) for host in "aab"]
    for href in hrefs:
        listing.add(MAP, "0" * 16, href)
    assert [href for run in listing.take() for href in run.hrefs] == hrefs


def test_a_host_whose_name_begins_alike_is_another_one() -> None:
    listing = Listing()
    listing.add(MAP, "0" * 16, "https://shop.example/")
    listing.add(MAP, "0" * 16, "https://shop.example.org/")
    listing.add(MAP, "0" * 16, "https://shop.example:444/")
    assert [run.host for run in listing.take()] == ["shop.example", "shop.example.org", "shop.example"]


def test_the_next_message_begins_anew() -> None:
    listing = Listing()
    listing.add(MAP, "0" * 16, "https://shop.example/a")
    first = listing.take()
    listing.add(MAP, "0" * 16, "https://shop.example/b")
    assert [run.hrefs for run in (*first, *listing.take())] == [
        ["https://shop.example/a"],
        ["https://shop.example/b"],
    ]
