"""What a curl error number means: one table to our error classes, and a sentence for the reader."""

from __future__ import annotations

from typing import Any, Final

from sitemap_audit.facts import ErrorClass, Tls
from sitemap_audit.http.libcurl import pycurl

DETAIL_MAX_CHARS: Final = 300

HTTP2_STREAM: Final = 92
"""CURLE_HTTP2_STREAM, not named by pycurl: the stream was reset by the server, or it breaks the rules."""

# libcurl-errors(3). What is not here cannot come from a plain GET; it would be shown as bad_http.
CLASSES: Final[dict[int, ErrorClass]] = {
    pycurl.E_URL_MALFORMAT: ErrorClass.INVALID_URL,
    pycurl.E_BAD_FUNCTION_ARGUMENT: ErrorClass.INVALID_URL,
    pycurl.E_COULDNT_RESOLVE_HOST: ErrorClass.DNS,
    pycurl.E_COULDNT_CONNECT: ErrorClass.CONNECT,
    pycurl.E_INTERFACE_FAILED: ErrorClass.CONNECT,
    pycurl.E_NO_CONNECTION_AVAILABLE: ErrorClass.CONNECT,
    pycurl.E_OPERATION_TIMEDOUT: ErrorClass.TIMEOUT,
    pycurl.E_SSL_CONNECT_ERROR: ErrorClass.TLS,
    pycurl.E_SSL_CERTPROBLEM: ErrorClass.TLS,
    pycurl.E_SSL_CIPHER: ErrorClass.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: ErrorClass.TLS,
    pycurl.E_SSL_ENGINE_INITFAILED: ErrorClass.TLS,
    pycurl.E_SSL_CACERT_BADFILE: ErrorClass.TLS,
    pycurl.E_SSL_SHUTDOWN_FAILED: ErrorClass.TLS,
    pycurl.E_SSL_ISSUER_ERROR: ErrorClass.TLS,
    pycurl.E_SSL_INVALIDCERTSTATUS: ErrorClass.TLS,
    pycurl.E_PARTIAL_FILE: ErrorClass.RESET,
    pycurl.E_GOT_NOTHING: ErrorClass.RESET,
    pycurl.E_SEND_ERROR: ErrorClass.RESET,
    pycurl.E_RECV_ERROR: ErrorClass.RESET,
    pycurl.E_UNSUPPORTED_PROTOCOL: ErrorClass.BAD_HTTP,
    pycurl.E_FTP_WEIRD_SERVER_REPLY: ErrorClass.BAD_HTTP,
    pycurl.E_HTTP2: ErrorClass.BAD_HTTP,
    HTTP2_STREAM: ErrorClass.RESET,
    pycurl.E_BAD_CONTENT_ENCODING: ErrorClass.CONTENT_ENCODING,
    pycurl.E_FILESIZE_EXCEEDED: ErrorClass.TOO_LARGE,
    100: ErrorClass.TOO_LARGE,  # CURLE_TOO_LARGE, not named by pycurl: a header line beyond curl's own bound
}

RESOLVING: Final = "Resolving timed out"
"""libcurl's words where CONNECTTIMEOUT or TIMEOUT ended a look-up."""
BROKEN_OFF: Final = ("reset by peer", "SYSCALL", "unexpected eof")
"""OpenSSL's words for a connection that ended in the handshake: no fault of certificate or version."""

# X509_V_ERR_… of OpenSSL's x509_vfy.h.
VERIFY_CAUSES: Final[dict[int, str]] = {
    0: "wrong_host",  # the chain is in order: curl compares the names itself
    1: "wrong_host",  # X509_V_ERR_UNSPECIFIED: what curl leaves there then
    9: "expired",  # not yet valid: the same clock and the same mend
    10: "expired",
    18: "self_signed",
    19: "unknown_issuer",
    62: "wrong_host",
    64: "wrong_host",
}
VERIFY_NO_ISSUER: Final = frozenset({2, 20, 21})
CA_ISSUERS: Final = "CA Issuers"


def error_class(code: int, message: str) -> ErrorClass:
    """The class of a curl error number; the message decides only where one number has two meanings."""
    if code == pycurl.E_RECV_ERROR and "chunk" in message:
        return ErrorClass.BAD_HTTP
    if code == HTTP2_STREAM and "Invalid HTTP header" in message:
        return ErrorClass.BAD_HTTP
    if code == pycurl.E_OPERATION_TIMEDOUT and message.startswith(RESOLVING):
        return ErrorClass.DNS
    if code == pycurl.E_SSL_CONNECT_ERROR and any(word in message for word in BROKEN_OFF):
        return ErrorClass.RESET
    return CLASSES.get(code, ErrorClass.BAD_HTTP)


def tls_cause(code: int, verify_result: int, chain: list[Any]) -> str:
    """expired, wrong_host, self_signed, unknown_issuer, incomplete_chain or protocol.

    `chain` holds the certificates that the server sent, leaf first, each a sequence of (name, text), as
    curl's CERTINFO shows them. A
    certificate without known issuer is the end of an incomplete chain when it came alone though it names
    where its issuer can be had (RFC 5280, 4.2.2.1), as those of the public authorities do.
    """
    if code != pycurl.E_PEER_FAILED_VERIFICATION:
        return "protocol"
    if verify_result in VERIFY_NO_ISSUER:
        alone = len(chain) == 1 and any(CA_ISSUERS in pair[-1] for pair in chain[0])
        return "incomplete_chain" if alone else "unknown_issuer"
    # What is left is a chain that cannot be built or is too weak to be believed.
    return VERIFY_CAUSES.get(verify_result, "unknown_issuer")


SENTENCES: Final[dict[ErrorClass, str]] = {
    ErrorClass.TOO_LARGE: "a header line, or all of them together, is longer than libcurl reads",
    ErrorClass.TIMEOUT: "it took too long",
    ErrorClass.RESET: "no reason given",
}
TLS_SENTENCES: Final[dict[str, str]] = {
    "expired": "the certificate is outside of its dates",
    "wrong_host": "the certificate is not for this host",
    "self_signed": "the certificate is signed by itself",
    "unknown_issuer": "the issuer of the certificate is not trusted here",
    "incomplete_chain": "the server sends its own certificate without that of its issuer",
    "protocol": "no common TLS version or cipher, or no TLS on this port",
}


def describe(
    error: ErrorClass, reason: str | None, message: str, tls: Tls | None, phase: str, wire: int
) -> str:
    """The sentence beside an error class: our own `reason` if there is one, else from curl's `message`."""
    if reason is None:
        reason = message or SENTENCES.get(error, "libcurl gives no reason")
        if error is ErrorClass.TIMEOUT:
            reason = f"{reason} ({phase})"
        elif error is ErrorClass.RESET:
            reason = f"the connection ended {phase}, after {wire} bytes of body: {reason}"
        elif tls is not None and tls.error is not None:
            reason = f"{TLS_SENTENCES[tls.error]}: {reason}"
    return printable(reason)


def printable(text: str) -> str:
    """At most 300 characters on one line, without control characters."""
    return "".join(c if c.isprintable() else " " for c in text[:DETAIL_MAX_CHARS])
