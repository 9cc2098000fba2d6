"""sitemap-audit.toml: the names of the options, and [rules]. What is misspelt stops before the first request."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from sitemap_audit.cli import main
from sitemap_audit.cli.config import Config, read_config
from sitemap_audit.errors import UsageError
from tests.cli.audit import call, run
from tests.site.server import Reply, Sites, serve

KNOWN = {"rate", "bot", "scope", "out"}


def read(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "c.toml"
    path.write_text(dedent(text), "utf-8")
    return read_config(path, KNOWN)


def test_options_and_rules(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        """
        rate = 2.5
        bot = "bingbot"
        scope = ["a.example", "b.example"]

        [rules.severity]
        url-redirects = "notice"
        hreflang-no-self = "off"

        [rules.thresholds]
        sitemap_max_urls = 100
        """,
    )
    assert config.options == {"rate": 2.5, "bot": ["bingbot"], "scope": ["a.example", "b.example"]}
    assert config.severities == {"url-redirects": "notice"}
    assert config.off == {"hreflang-no-self"}
    assert config.thresholds == {"sitemap_max_urls": 100}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rat = 1", "unknown option 'rat'"),
        ("rate =", "not readable TOML"),
        ('[rules.severity]\nurl-redirect = "notice"', "unknown rule 'url-redirect'"),
        ('[rules.severity]\nurl-redirects = "fatal"', "'fatal'"),
        ("[rules.thresholds]\nsitemap_max = 1", "unknown threshold"),
        ("[rules.ignored]\na = 1", "unknown part"),
        ("rules = 3", "[rules] is a table"),
    ],
)
def test_what_is_wrong_gives_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        read(tmp_path, text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_no_file_is_no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_config(None, KNOWN) == Config()
    with pytest.raises(UsageError, match="cannot read"):
        read_config(tmp_path / "none.toml", KNOWN)


def test_the_command_line_wins_and_severities_count(tmp_path: Path) -> None:
    sites: Sites = {
        "shop.example": {
            "/sitemap.txt": Reply.text("https://shop.example/gone\n"),
            "/robots.txt": Reply.text("Sitemap: https://shop.example/sitemap.txt\n"),
        }
    }
    (tmp_path / "sitemap-audit.toml").write_text(
        'max-urls = 7\nfail-on = "error"\nuser-agent = "from-the-file"\n[rules.severity]\nurl-client-error = "notice"\n'
    )
    with serve(sites) as site:
        done = run(
            "https://shop.example", site.arguments, "--user-agent", "from-the-line", out=tmp_path / "r"
        )
        assert {r.header("user-agent") for r in site.requests()} == {"from-the-line"}
    assert done.code == 0, done.stderr
    assert done.findings["url-client-error"][0]["severity"] == "notice"
    judged = call("judge", str(tmp_path / "r"), "--fail-on", "notice", out=tmp_path / "r")
    assert judged.code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "https://shop.example", "--bot", "Googlebot/2.1"),
        ("run", "https://shop.example", "--connect-to", "nonsense"),
        ("run", "https://shop.example", "--allow-private", "10.0.0.0/99"),
        ("run", "https://shop.example", "--include", "("),
        ("run", "https://shop.example", "--header", "no colon"),
        ("run", "https://shop.example", "--cacert", "/nowhere.pem"),
        ("run", "https://shop.example", "--list", "/nowhere.txt"),
        ("run", "https://shop.example", "--depth", "deep"),
        ("run", "https://shop.example", "--redis", "http://x"),
        ("run", "ftp://shop.example"),
        ("resume", "/nowhere"),
        ("judge", "/nowhere"),
        ("report", "/nowhere", "--format", "pdf"),
        ("explain", "no-such-rule"),
        ("worker",),
        ("nonsense",),
    ],
    ids=" ".join,
)
def test_wrong_use_is_one_line_and_2(
    arguments: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SITEMAP_AUDIT_REDIS", raising=False)
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1, err
    assert err.startswith("sitemap-audit: ")
    assert not list(tmp_path.iterdir()), "nothing is made for a command that cannot run"
