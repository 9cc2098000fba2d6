"""Files known, open, waiting, and counted where a cap leaves them unread."""

from __future__ import annotations

from crawler.frontier import Brood, Frontier, Group, Target
from sitemap_audit.facts import SitemapSource
from sitemap_audit.formats.urls import Url, parse_url
from sitemap_audit.settings import INDEX_TRIAL_CHILDREN


def _url(text: str) -> Url:
    url = parse_url(text)
    assert url is not None
    return url


def _target(text: str, **fields: object) -> Target:
    return Target(_url(text), SitemapSource.INDEX, **fields)  # type: ignore[arg-type]


def test_a_file_is_taken_up_once_by_its_key() -> None:
    frontier = Frontier(2)
    assert frontier.add(_target("https://a.example/%7Emap.xml"))
    assert not frontier.add(_target("https://A.example:443/~map.xml#x"))
    assert frontier.files == 1
    assert frontier.unread == 0


def test_a_host_has_so_many_files_open_and_others_do_not_wait_for_it() -> None:
    frontier = Frontier(2)
    for n in range(5):
        frontier.add(_target(f"https://a.example/{n}.xml"))
    frontier.add(_target("https://b.example/0.xml"))
    frontier.add(_target("http://a.example/plain.xml"))
    first = list(frontier.ready())
    assert [t.url.href for t in first] == [
        "https://a.example/0.xml",
        "https://a.example/1.xml",
        "https://b.example/0.xml",
    ]
    assert list(frontier.ready()) == []
    frontier.done(first[1])
    (again,) = frontier.ready()
    assert again.url.href == "https://a.example/2.xml"


def test_provenance_is_merged_whatever_comes_first() -> None:
    child = "https://a.example/child.xml"
    by_robots = Target(_url(child), SitemapSource.ROBOTS, declared_in=("https://a.example",))
    by_index = [_target(child, depth=1, parent=f"https://a.example/{n}.xml") for n in "cab"]
    seen = set()
    for order in ([by_robots, *by_index], [by_index[1], by_robots, by_index[0]]):
        frontier = Frontier(1)
        targets = [
            Target(t.url, t.source, depth=t.depth, parent=t.parent, declared_in=t.declared_in) for t in order
        ]
        for target in targets:
            frontier.add(target)
        kept = targets[0]
        seen.add((kept.source, kept.depth, kept.parent, kept.declared_in))
    assert seen == {(SitemapSource.ROBOTS, 0, "https://a.example/a.xml", ("https://a.example",))}


def test_a_file_is_no_parent_of_itself() -> None:
    frontier = Frontier(1)
    own = _target("https://a.example/self.xml")
    frontier.add(own)
    frontier.add(_target("https://a.example/self.xml", depth=1, parent="https://a.example/self.xml"))
    assert own.parent is None


def test_children_beyond_the_cap_are_counted_exactly() -> None:
    frontier = Frontier(1, max_files=10)
    for _ in range(2):
        for n in range(25):
            frontier.add(_target(f"https://a.example/{n}.xml"))
    assert (frontier.files, frontier.unread) == (10, 15)


def _children(brood: Brood, first: int, number: int) -> list[Target]:
    return [_target(f"https://a.example/{n}.xml", brood=brood) for n in range(first, first + number)]


def _end(frontier: Frontier, *, readable: bool) -> int:
    """All files that are open now end; how many."""
    ready = list(frontier.ready())
    for target in ready:
        frontier.done(target)
        frontier.judged(target, readable=readable)
    return len(ready)


def test_an_index_that_names_no_sitemaps_costs_no_request_for_each() -> None:
    frontier, brood = Frontier(INDEX_TRIAL_CHILDREN), Brood()
    for child in _children(brood, 0, INDEX_TRIAL_CHILDREN + 50):
        frontier.add(child)
    assert _end(frontier, readable=False) == INDEX_TRIAL_CHILDREN
    assert frontier.unread == 50
    assert not any(frontier.add(c) for c in _children(brood, INDEX_TRIAL_CHILDREN + 50, 7)), "still arriving"
    assert frontier.unread == 57
    assert list(frontier.ready()) == []
    assert frontier.add(_target(f"https://a.example/{INDEX_TRIAL_CHILDREN + 1}.xml")), (
        "somebody else names it"
    )


def test_one_good_child_lets_all_others_go() -> None:
    frontier, brood = Frontier(INDEX_TRIAL_CHILDREN + 100), Brood()
    for child in _children(brood, 0, INDEX_TRIAL_CHILDREN + 50):
        frontier.add(child)
    first, *others = list(frontier.ready())
    for target in others:
        frontier.done(target)
        frontier.judged(target, readable=False)
    frontier.done(first)
    frontier.judged(first, readable=True)
    assert _end(frontier, readable=False) == 50
    assert frontier.add(_children(brood, 900, 1)[0])
    assert frontier.unread == 0


def test_an_index_too_deep_is_left() -> None:
    frontier = Frontier(1, max_depth=2)
    assert frontier.add(_target("https://a.example/2.xml", depth=2))
    assert not frontier.add(_target("https://a.example/3.xml", depth=3))
    assert frontier.unread == 1


def test_one_document_under_two_addresses_is_read_once() -> None:
    frontier = Frontier(2)
    old, new = _target("http://a.example/s.xml"), _target("https://a.example/s.xml")
    frontier.add(old)
    frontier.add(new)
    assert frontier.same_file(old, new.url.key) == new.url.href
    assert frontier.same_file(new, new.url.key) is None
    third = _target("https://a.example/third.xml")
    frontier.add(third)
    assert frontier.same_file(third, "https://a.example/unlisted.xml") is None
    assert frontier.same_file(third, "https://a.example/unlisted.xml") is None
    late = _target("https://a.example/unlisted.xml")
    frontier.add(late)
    assert frontier.same_file(late, late.url.key) == third.url.href


def test_a_guess_that_was_none_leaves_no_trace() -> None:
    frontier = Frontier(2)
    guess = _target("https://a.example/sitemap.xml")
    frontier.add(guess)
    list(frontier.ready())
    frontier.same_file(guess, "https://a.example/home")
    frontier.done(guess)
    frontier.forget(guess)
    assert frontier.add(_target("https://a.example/sitemap.xml"))
    assert frontier.same_file(_target("https://a.example/home"), "https://a.example/home") is None


def test_a_group_knows_its_open_files() -> None:
    frontier, group = Frontier(2), Group()
    targets = [_target(f"https://a.example/{n}.xml", group=group) for n in (1, 2, 1)]
    assert [frontier.add(t) for t in targets] == [True, True, False]
    assert group.open == set(targets[:2])
