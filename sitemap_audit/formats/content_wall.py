"""Bot walls that do not say so in a header: recognised by what their pages hold.

Only marks that the walls put on their challenge and refusal pages themselves. The scripts that the same
services add to every page of a customer (Cloudflare's JavaScript detections, AWS's and Kasada's sensors,
captchas in forms) are none. A mark counts only in a small page; with status 200 also only beside little text.
"""

from __future__ import annotations

import re
from typing import Final

from sitemap_audit.settings import WALL_MAX_BYTES

_MARKS: Final = {
    "cloudflare": rb"_cf_chl_opt|/cdn-cgi/challenge-platform/h/[a-z]/orchestrate|cf-browser-verification"
    rb"|<title>Just a moment\.\.\.</title>|<title>Attention Required! \| Cloudflare</title>",
    "aws_waf": rb"window\.gokuProps|<title>Human Verification</title>",
    "datadome": rb"(?:ct|geo)\.captcha-delivery\.com/[a-z]",
    "imperva": rb"/_Incapsula_Resource\?[CS]WUDNSAI=|Incapsula incident ID",
    "akamai": rb"errors\.edgesuite\.net/|/_sec/cp_challenge/|sec-if-cpt-container",
    "human": rb"id=\"px-captcha\"|captcha\.px-cdn\.net/",
    "sucuri": rb"sucuri_cloudproxy_js|<title>Sucuri WebSite Firewall",
    "ddos_guard": rb"check\.ddos-guard\.net/|<title>DDoS-Guard</title>",
    "anubis": rb"id=\"anubis_(?:challenge|version)\"|/\.within\.website/x/cmd/anubis/",
    "vercel": rb"<title>Vercel Security Checkpoint</title>|/\.well-known/vercel/security/",
    "kasada": rb"/ips\.js\?",
    "siteground": rb"/\.well-known/sgcaptcha/",
    "fastly": rb"/_fs-ch-[A-Za-z0-9]+/|<title>Client Challenge</title>",
}
_REFUSAL: Final = {
    "captcha": rb"<title>[^<]{0,60}(?:[Cc]aptcha|CAPTCHA|[Aa]re you (?:a )?human|[Bb]ot [Vv]erification|[Rr]obot [Cc]heck)",
}
"""Words that a page of the site may have in its title too: counted only where the status refuses."""


def _one_of(marks: dict[str, bytes]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(b"(%b)" % pattern for pattern in marks.values()))


_WALL: Final = _one_of(_MARKS)
_WALL_OR_REFUSAL: Final = _one_of(_MARKS | _REFUSAL)
_KINDS: Final = (*_MARKS, *_REFUSAL)


def wall_of(doc: bytes, *, refused: bool = False) -> str | None:
    """The kind of bot wall whose page this is, by marks in its bytes; None for none.

    `refused`: the status is that of a refusal (401, 403, 405, 429, 503 …). Linear, in 64 KB at most.
    """
    if not doc or len(doc) > WALL_MAX_BYTES:
        return None
    found = (_WALL_OR_REFUSAL if refused else _WALL).search(doc)
    return None if found is None or found.lastindex is None else _KINDS[found.lastindex - 1]
