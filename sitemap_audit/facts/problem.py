"""What a parser or a transfer could not do, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ErrorClass(StrEnum):
    """Why a transfer gave no usable answer."""

    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    RESET = "reset"
    BAD_HTTP = "bad_http"
    CONTENT_ENCODING = "content_encoding"
    TOO_LARGE = "too_large"
    INVALID_URL = "invalid_url"
    PRIVATE_HOST = "private_host"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing a parser met. `kind` is a kebab-case code; `text` at most 200 characters, as found."""

    kind: str
    line: int | None = None
    byte: int | None = None
    text: str | None = None
    count: int = 1
