"""What a page shows by itself of being an error page that answers 200 (definitions 2).

Points are facts; the score, which needs other pages and the probes of the host, is a query of the store.
"""

from __future__ import annotations

import re
from typing import Final

from sitemap_audit.facts import Soft404Points

_PHRASES: Final = {
    "en": r"page not found|not found|page (?:does not|doesn.t|no longer) exists?|no longer available|page (?:is )?unavailable|nothing (?:was )?found|sorry,? (?:we|this page)|can.t be found|cannot be found|error 404|404 error",
    "pl": r"nie znaleziono|strona nie istnieje|nie istnieje|nie mozna znalezc|nie można znaleźć|błąd 404|blad 404",
    "de": r"seite (?:wurde )?nicht gefunden|nicht gefunden|existiert nicht|nicht mehr verfügbar|fehler 404",
    "fr": r"page (?:introuvable|non trouvée)|introuvable|n.existe (?:pas|plus)|erreur 404",
    "es": r"página no encontrada|no encontrad[oa]|no existe|error 404",
    "it": r"pagina non trovata|non trovat[ao]|non esiste|errore 404",
    "pt": r"página não encontrada|não encontrad[oa]|não existe|erro 404",
    "nl": r"pagina niet gevonden|niet gevonden|bestaat niet",
    "cs": r"stránka nenalezena|nenalezen[ao]|neexistuje",
    "ru": r"страница не найдена|не найден[ао]?|не существует|ошибка 404",
    "ja": r"ページが見つかりません|見つかりません|存在しません",
    "zh": r"页面不存在|找不到|未找到|頁面不存在",
}  # fmt: skip
_PHRASE: Final = "|".join(_PHRASES.values())
_ERROR: Final = re.compile(_PHRASE, re.IGNORECASE)
_ERROR_LOW: Final = re.compile(_PHRASE)
_404: Final = re.compile(r"(?<!\d)404(?!\d)")
_ERROR_WORD: Final = re.compile(r"error|err|not|page|fehler|błąd|erreur", re.IGNORECASE)
_ABOUT_ERRORS: Final = re.compile(r"404|not-?found|error", re.IGNORECASE)
_EMPTY: Final = re.compile(
    r"no (?:results|products|items|posts|matches)(?: were| was)? found|0 (?:results|products|items)|brak (?:wyników|produktów)"
    r"|keine (?:ergebnisse|produkte)|aucun (?:résultat|produit)|sin resultados|nessun risultato",
    re.IGNORECASE,
)
_MARKER: Final = re.compile(
    r"(?:^|[\s_-])(?:error-?404|page-?404|404-?page|not-?found|error-?page)(?:$|[\s_-])", re.IGNORECASE
)
_MARKED_URL: Final = re.compile(r"/(?:404|not-?found|error)(?:[/.?]|$)")
_HEADLINE_CHARS: Final = 160
_TOP_CHARS: Final = 300
_SMALL_CHARS: Final = 800
_LIST_CHARS: Final = 600
_FEW_LINKS: Final = 3
_NEARLY_EMPTY_CHARS: Final = 100
_SHORT_CHARS: Final = 250


def own_points(
    *,
    path: str,
    title: str,
    h1: str,
    start: str,
    chars: int,
    body_names: tuple[str, ...],
    canonical: str,
    links: int,
    thing: bool,
) -> Soft404Points:
    """The points of one page alone.

    `path`: of the requested URL. `start`: the first 600 characters of the main text, white space collapsed;
    `chars`: of all of it. `body_names`: class and id of the body. `links`: in the main text. `thing`: its
    structured data speaks of a thing, such as a product. Never raises.
    """
    hundredths: list[tuple[int, str]] = []
    headline = f"{title} | {h1}"
    if len(headline) <= _HEADLINE_CHARS and _speaks_of_error(headline):
        hundredths.append((25 if _ABOUT_ERRORS.search(path) else 50, "error-title"))
    if any(map(_MARKER.search, body_names)) or _MARKED_URL.search(canonical):
        hundredths.append((50, "error-marker"))
    if chars < _SMALL_CHARS and _has_error_phrase(start[:_TOP_CHARS]):
        hundredths.append((30, "error-phrase-near-top"))
    if links < _FEW_LINKS and _EMPTY.search(start[:_LIST_CHARS]):
        hundredths.append((40, "empty-list"))
    if chars < _NEARLY_EMPTY_CHARS:
        hundredths.append((30, "nearly-empty"))
    elif chars < _SHORT_CHARS:
        hundredths.append((15, "short"))
    if thing:
        hundredths.append((-30, "has-entity-structured-data"))
    return Soft404Points(sum(n for n, _ in hundredths) / 100, tuple(reason for _, reason in hundredths))


def _speaks_of_error(headline: str) -> bool:
    return _has_error_phrase(headline) or (
        _404.search(headline) is not None and _ERROR_WORD.search(headline) is not None
    )


def _has_error_phrase(text: str) -> bool:
    """Without regard to case; ASCII text is folded before, which is the same and a third of the cost."""
    if text.isascii():
        return _ERROR_LOW.search(text.lower()) is not None
    return _ERROR.search(text) is not None
