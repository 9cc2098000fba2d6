"""The engine: what becomes a finding, what is counted as not judged, and what a finding carries."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import duckdb
import pytest

from sitemap_audit.rules import Confidence, Need, Rule, Severity, all_rules, lacking, load
from sitemap_audit.rules.rule import Fires, Passes, Source
from sitemap_audit.rules.thresholds import default_thresholds
from sitemap_audit.store.judge_settings import JudgeSettings

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"


def listed(*paths: str, sitemap: str = MAP) -> list[dict[str, Any]]:
    return [
        {
            "url_key": f"{SITE}/{path}",
            "loc": f"{SITE}/{path}",
            "sitemap": sitemap,
            "position": n,
            "line": 3 * n,
        }
        for n, path in enumerate(paths, 1)
    ]


def page(path: str, status: int | None = 200, **more: Any) -> dict[str, Any]:
    answered = {"first_status": status, "status": status} if status else {}
    signals = {"canonical_state": "none"} if status == 200 else {}
    return {
        "url_key": f"{SITE}/{path}",
        "requested_url": f"{SITE}/{path}",
        "origin": SITE,
        "state": "checked",
        "hop_count": 0,
        "attempts": 2,
        "allowed": True,
        **answered,
        **signals,
        **more,
    }


def own_rule(sql: str, **more: Any) -> Rule:
    """A rule that is in no catalogue."""
    given: dict[str, Any] = {
        "id": "own-rule",
        "severity": Severity.NOTICE,
        "title": "t",
        "why": "w",
        "fix": "Look at {url} ({reality}), near {related_url}.",
        "source": (Source("practice", "here"),),
        "needs": frozenset(),
        "sql": sql,
        "fires": (),
        "passes": (),
    }
    return Rule(**given | more)


def unjudged(con: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    return con.execute("SELECT about, reason, n FROM unjudged ORDER BY ALL").fetchall()


def test_a_site_with_several_faults(bench: Any) -> None:
    """All rules over one site: each fault once, every required column there, keys unique."""
    bench.load(
        {
            "entries": [*listed("a", "gone", "old", "draft", "b"), *listed("a", "gone", sitemap=MAP + ".gz")],
            "sitemap_files": [
                {
                    "url": MAP,
                    "source": "robots",
                    "state": "ok",
                    "kind": "urlset",
                    "status": 200,
                    "entries": 50_001,
                    "usable": 50_001,
                    "lastmod_present": 50_001,
                },
                {
                    "url": MAP + ".gz",
                    "source": "robots",
                    "state": "ok",
                    "kind": "urlset",
                    "status": 200,
                    "entries": 2,
                    "usable": 2,
                    "lastmod_present": 2,
                },
                {"url": f"{SITE}/more.xml", "source": "option", "state": "failed", "status": 404},
            ],
            "robots_files": [
                {"origin": SITE, "robots_url": f"{SITE}/robots.txt", "state": "ok", "status": 200}
            ],
            "pages": [
                page("a", canonical_state="other", canonical=f"{SITE}/gone"),
                page("gone", 404),
                page("old", first_status=301, hop_count=1, final_url=f"{SITE}/a", final_key=f"{SITE}/a"),
                page("draft", noindex=True),
                page("b", 500),
            ],
        }
    )
    findings = bench.found(all_rules())
    assert [(f["rule"], f["severity"], f["url"] or f["sitemap"]) for f in findings] == [
        ("canonical-elsewhere", "error", f"{SITE}/a"),
        ("canonical-target-bad", "error", f"{SITE}/a"),
        ("entry-duplicate-across-files", "notice", MAP),
        ("index-noindex", "error", f"{SITE}/draft"),
        ("sitemap-http-error", "error", f"{SITE}/more.xml"),
        ("sitemap-too-many-urls", "error", MAP),
        ("url-client-error", "error", f"{SITE}/gone"),
        ("url-redirects", "warning", f"{SITE}/old"),
        ("url-server-error", "error", f"{SITE}/b"),
    ]
    keys = [finding["finding_key"] for finding in findings]
    assert len(set(keys)) == len(keys)
    for finding in findings:
        assert all(finding[name] for name in ("subject", "claim", "reality", "fix", "source", "confidence"))


def test_two_files_list_it_one_finding_at_the_first(bench: Any) -> None:
    bench.load(
        {
            "entries": [*listed("x", "gone"), *listed("gone", sitemap=MAP + ".gz")],
            "pages": [page("gone", 404)],
        }
    )
    (finding,) = bench.found([load("url-client-error")])
    assert (finding["sitemap"], finding["line"], finding["claim"]) == (MAP, 6, f"listed in {MAP}, line 6")


def test_what_could_not_be_judged_is_counted_by_reason(bench: Any) -> None:
    con = bench.load(
        {
            "entries": listed("a", "slow", "walled", "late", "lost"),
            "pages": [
                page("a"),
                page("slow", None, state="unchecked", reason="rate_limited"),
                page("walled", None, state="unchecked", reason="challenge"),
                page("late", None, state="unchecked", reason="rate_limited"),
            ],
        }
    )
    rule = load("url-client-error")
    assert bench.found([rule]) == []
    assert unjudged(con) == [("url", "challenge", 1), ("url", "never_tried", 1), ("url", "rate_limited", 2)]
    rows = con.execute(
        f"SELECT url_key FROM ({lacking(rule)}) WHERE reason = 'rate_limited' ORDER BY ALL"
    ).fetchall()
    assert rows == [(f"{SITE}/late",), (f"{SITE}/slow",)]


def test_unread_targets_are_counted_and_accuse_nobody(bench: Any) -> None:
    other = "https://elsewhere.example/x"
    con = bench.load(
        {
            "entries": listed("a", "b"),
            "pages": [
                page("a", canonical_state="other", canonical=other),
                page("b", canonical_state="other", canonical=f"{SITE}/c"),
                page("c", None, state="skipped", reason="limit", discovered_by="canonical"),
            ],
        }
    )
    assert bench.found([load("canonical-target-bad")]) == []
    assert unjudged(con) == [("target", "limit", 1), ("target", "never_tried", 1)]


def test_a_host_whose_robots_txt_was_not_read_is_counted(bench: Any) -> None:
    shop, down = "https://shop.example.com/a", "https://down.example.com/a"
    con = bench.load(
        {
            "entries": [
                {"url_key": shop, "loc": shop, "sitemap": MAP, "position": 1, "line": 3},
                {"url_key": down, "loc": down, "sitemap": MAP, "position": 2, "line": 6},
            ],
            "sitemap_files": [
                {"url": MAP, "kind": "urlset", "source": "robots", "state": "ok", "status": 200}
            ],
            "robots_files": [
                {
                    "origin": "https://down.example.com",
                    "robots_url": "https://down.example.com/robots.txt",
                    "state": "server_error",
                }
            ],
        }
    )
    rule = load("entry-host-mismatch")
    assert bench.found([rule]) == []
    assert unjudged(con) == [("url", "never_tried", 1), ("url", "robots_paused", 1)]
    assert len(con.execute(lacking(rule)).fetchall()) == 2


def test_an_unread_b_that_only_a_page_names_is_a_target_not_judged(bench: Any) -> None:
    says = {"from_key": f"{SITE}/a", "source": "html", "code_raw": "fr", "code": "fr", "in_head": True}
    con = bench.load(
        {
            "entries": listed("a"),
            "pages": [page("a")],
            "alternates": [says | {"href_raw": "/b", "href": f"{SITE}/b", "href_key": f"{SITE}/b"}],
        }
    )
    assert bench.found([load("hreflang-no-return")]) == []
    assert unjudged(con) == [("target", "never_tried", 1)]


def test_the_fix_names_the_values_of_this_finding(bench: Any) -> None:
    bench.load({"entries": listed("a"), "pages": [page("a")]})
    sql = (
        f"SELECT url_key, url_key AS subject, 'seen {{url}}' AS reality, '{SITE}/b' AS related_url FROM pages"
    )
    (finding,) = bench.found([own_rule(sql)])
    assert finding["fix"].startswith(f"Look at {SITE}/a (seen ")
    assert finding["fix"].endswith(f"near {SITE}/b.")


def test_an_empty_value_leaves_no_brace_in_the_fix(bench: Any) -> None:
    bench.load({"entries": listed("a")})
    (finding,) = bench.found(
        [own_rule("SELECT NULL::VARCHAR AS url_key, 's' AS subject, 'c' AS claim, 'r' AS reality")]
    )
    assert finding["fix"] == "Look at  (r), near ."
    assert finding["url"] is None


def test_the_key_is_the_same_in_each_run(bench: Any) -> None:
    for _ in range(2):
        bench.load({"entries": listed("gone"), "pages": [page("gone", 404)]})
        (finding,) = bench.found([load("url-client-error")])
        text = f"url-client-error\n{SITE}/gone"
        assert finding["finding_key"] == hashlib.sha256(text.encode()).hexdigest()[:16]
        assert finding["source"] == "text-000 | text-002 | g-http"


def test_severity_is_the_config_s_then_the_query_s_then_the_rule_s(bench: Any) -> None:
    sql = "SELECT url_key, url_key AS subject, 'r' AS reality{} FROM pages"
    facts = {"entries": listed("a"), "pages": [page("a")]}
    bench.load(facts)
    assert bench.found([own_rule(sql.format(""))])[0]["severity"] == "notice"
    bench.load(facts)
    weighed = own_rule(sql.format(", 'warning' AS severity, 'possible' AS confidence"))
    (finding,) = bench.found([weighed])
    assert (finding["severity"], finding["confidence"]) == ("warning", "possible")
    bench.load(facts)
    assert bench.found([weighed], {"own-rule": Severity.ERROR})[0]["severity"] == "error"


def test_a_second_call_adds_the_user_s_own_findings(bench: Any) -> None:
    con = bench.load({"entries": listed("gone"), "pages": [page("gone", 404)]})
    bench.found([load("url-client-error")])
    own = own_rule("SELECT url_key, url_key AS subject, 'r' AS reality FROM pages WHERE status = 404")
    assert [f["rule"] for f in bench.found([own])] == ["own-rule", "url-client-error"]
    assert con.execute("SELECT count(*) FROM hits").fetchall() == [(0,)]
    assert con.execute("SELECT id FROM rules ORDER BY id").fetchall() == [
        ("own-rule",),
        ("url-client-error",),
    ]


def test_sql_that_ends_in_a_comment_swallows_nothing(bench: Any) -> None:
    bench.load({"entries": listed("a"), "pages": [page("a")]})
    assert (
        len(bench.found([own_rule("SELECT url_key, url_key AS subject, 'r' AS reality FROM pages -- all")]))
        == 1
    )


def test_a_url_that_nobody_lists_has_no_finding(bench: Any) -> None:
    bench.load({"entries": listed("a"), "pages": [page("a"), page("target", 404, discovered_by="canonical")]})
    assert bench.found([load("url-client-error")]) == []


def test_needs_of_the_run_are_their_own_reason(bench: Any) -> None:
    con = bench.load({"entries": listed("a"), "pages": [page("a")]})
    rule = own_rule(
        "SELECT url_key, url_key AS subject, 'r' AS reality FROM pages", needs=frozenset({Need.PREVIOUS_RUN})
    )
    assert bench.found([rule]) == []
    assert unjudged(con) == [("url", "previous_run", 1)]


def test_thresholds_are_columns_of_settings(bench: Any) -> None:
    facts = {
        "sitemap_files": [{"url": MAP, "kind": "urlset", "source": "robots", "status": 200, "entries": 11}]
    }
    changed = JudgeSettings(thresholds=default_thresholds() | {"sitemap_max_urls": 10})
    bench.load(facts, changed)
    (finding,) = bench.found([load("sitemap-too-many-urls")])
    assert finding["reality"] == "11 entries; the limit is 10"
    bench.load(facts)
    assert bench.found([load("sitemap-too-many-urls")]) == []


def test_the_verdict_s_bot_is_named(bench: Any) -> None:
    blocked = page(
        "a", None, state="skipped", reason="robots", allowed=False, robots_line=2, robots_rule="Disallow: /"
    )
    bench.load(
        {"entries": listed("a"), "pages": [blocked]},
        JudgeSettings(verdict_bot="bingbot", thresholds=default_thresholds()),
    )
    (finding,) = bench.found([load("entry-blocked-by-robots")])
    assert finding["reality"] == f"{SITE}/robots.txt, line 2: Disallow: / (bingbot)"


def test_a_429_of_robots_txt_limits_nothing_in_rfc_mode(bench: Any) -> None:
    bench.load(
        {
            "entries": listed("a"),
            "robots_files": [
                {"origin": SITE, "robots_url": f"{SITE}/robots.txt", "state": "server_error", "status": 429}
            ],
        },
        JudgeSettings(robots_mode="rfc", thresholds=default_thresholds()),
    )
    (finding,) = bench.found([load("robots-server-error")])
    assert finding["severity"] == "warning"


@pytest.mark.parametrize("options", [None, "", "no json", "{}", '{"sites": []}', '{"sites": null}'])
def test_a_run_without_readable_options_is_judged(bench: Any, options: str | None) -> None:
    robots = {
        "origin": SITE,
        "robots_url": f"{SITE}/robots.txt",
        "state": "unreachable",
        "error_class": "dns",
    }
    bench.load({"runs": [{"run_id": "r", "options": options}], "robots_files": [robots]})
    assert bench.found([load("robots-unreachable")]) == []


@pytest.mark.parametrize("name", ["Url-Redirects", "redirects", "url_redirects", "url--redirects", ""])
def test_an_id_is_kebab_case(name: str) -> None:
    with pytest.raises(ValueError, match="kebab-case"):
        own_rule("SELECT 1", id=name)


def test_rank_and_tier_go_together() -> None:
    with pytest.raises(ValueError, match="rank"):
        own_rule("SELECT 1", rank=3)
    with pytest.raises(ValueError, match="rank"):
        replace(load("url-redirects"), rank=None)


def test_target_needs_want_targets() -> None:
    with pytest.raises(ValueError, match="target_needs"):
        own_rule("SELECT 1", target_needs=frozenset({Need.HEAD}))


def test_a_rule_is_a_plain_record() -> None:
    rule = own_rule("SELECT 1", fires=(Fires("f", {}, {}),), passes=(Passes("p", {}),))
    assert (rule.area, rule.confidence, rule.fix_columns) == (
        "own",
        Confidence.SURE,
        frozenset({"url", "reality", "related_url"}),
    )
