"""The server that all other tests stand on: sites by name, TLS, log, and an end that leaves nothing."""

from __future__ import annotations

import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from tests.site.server import Reply, Seen, Site, Sites, in_turn, serve

SITES: Sites = {
    "a.example": {
        "/": Reply.html("home of a", X_Robots_Tag="noindex"),
        "/page?x=1": Reply.html("with query"),
        "/page": Reply.html("without"),
        "/turn": in_turn(Reply.text("first", 503), Reply.text("second")),
        "/who": lambda seen: Reply.text(seen.url),
        "/packed": Reply(200, b"x" * 1000, gzip=True),
    },
    "https://b.example": {"*": Reply.xml("<only-tls/>")},
    "c.example": lambda seen: Reply.text(f"all paths: {seen.path}"),
}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve(SITES) as site:
        yield site


def get(site: Site, host: str, path: str, scheme: str = "http") -> tuple[int, bytes, dict[str, str]]:
    port = site.http_port if scheme == "http" else site.https_port
    request = urllib.request.Request(f"{scheme}://127.0.0.1:{port}{path}", headers={"Host": host})
    context = ssl.create_default_context(cafile=str(site.ca_file))
    try:
        with urllib.request.urlopen(request, context=context, timeout=10) as answer:
            return answer.status, answer.read(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(), dict(error.headers)


def test_sites_by_name(site: Site) -> None:
    status, body, headers = get(site, "a.example", "/")
    assert (status, body, headers["X-Robots-Tag"]) == (200, b"home of a", "noindex")
    assert get(site, "A.EXAMPLE:8080", "/")[0] == 200
    assert get(site, "c.example", "/any/where")[1] == b"all paths: /any/where"
    assert get(site, "nobody.example", "/")[0] == 421
    assert get(site, "a.example", "/nothing")[0] == 404


def test_a_query_is_tried_before_the_bare_path(site: Site) -> None:
    assert get(site, "a.example", "/page?x=1")[1] == b"with query"
    assert get(site, "a.example", "/page?x=2")[1] == b"without"


def test_one_scheme_only(site: Site) -> None:
    assert get(site, "b.example", "/x", "https")[1] == b"<only-tls/>"
    assert get(site, "b.example", "/x", "http")[0] == 421


def test_answers_in_turn_and_by_function(site: Site) -> None:
    assert [get(site, "a.example", "/turn")[0] for _ in range(3)] == [503, 200, 200]
    assert get(site, "a.example", "/who", "https")[1] == b"https://a.example/who"


def test_packed(site: Site) -> None:
    _, body, headers = get(site, "a.example", "/packed")
    assert headers["Content-Encoding"] == "gzip"
    assert len(body) < 100


def test_the_log(site: Site) -> None:
    get(site, "a.example", "/?logged")
    (seen,) = site.requests("a.example", "/?logged")
    assert isinstance(seen, Seen)
    assert (seen.method, seen.scheme, seen.url) == ("GET", "http", "http://a.example/?logged")
    assert seen.header("host") == "a.example"
    assert seen.header("cookie") is None


def test_what_leads_here(site: Site) -> None:
    assert site.transport.connect_to == site.connect_to
    assert site.arguments == [
        *("--connect-to", f":80:127.0.0.1:{site.http_port}"),
        *("--connect-to", f":443:127.0.0.1:{site.https_port}"),
        *("--cacert", str(site.ca_file)),
    ]


def test_the_end_leaves_no_threads() -> None:
    before = threading.active_count()
    with serve({"*": {"*": Reply.text("ok")}}) as site:
        get(site, "a.example", "/")
        assert threading.active_count() > before
    assert threading.active_count() <= before
    assert not site.ca_file.exists()
