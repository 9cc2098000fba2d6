"""TLS: the cause of a refused certificate, with certificates made here."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import AuthorityInformationAccessOID, NameOID

from sitemap_audit.errors import UsageError
from sitemap_audit.facts import ErrorClass
from sitemap_audit.http import Answer, Client, ClientOptions, Request
from sitemap_audit.http.setup import default_ca_file
from sitemap_audit.options import Transport
from tests.http.conftest import drive
from tests.site.server import Reply, Site, authority, context_of, serve

NOW = datetime.now(UTC)
DAY = timedelta(days=1)


def context_with(chain: list[bytes], key: bytes, folder: Path) -> ssl.SSLContext:
    file = folder / f"{len(list(folder.iterdir()))}.pem"
    file.write_bytes(b"".join([key, *chain]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


def made_leaf(name: str, issuer: trustme.CA | None, folder: Path) -> ssl.SSLContext:
    """Signed by itself, or by an intermediate that is not sent along, with the address of its issuer in it as
    the public authorities write it (trustme does not)."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - DAY)
        .not_valid_after(NOW + 30 * DAY)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    )
    if issuer is None:
        certificate = builder.issuer_name(subject).sign(key, hashes.SHA256())
    else:
        parent = x509.load_pem_x509_certificate(issuer.cert_pem.bytes())
        parent_key = serialization.load_pem_private_key(issuer.private_key_pem.bytes(), None)
        assert isinstance(parent_key, ec.EllipticCurvePrivateKey)
        where = x509.AccessDescription(
            AuthorityInformationAccessOID.CA_ISSUERS,
            x509.UniformResourceIdentifier("http://ca.example/ca.der"),
        )
        builder = builder.add_extension(x509.AuthorityInformationAccess([where]), critical=False)
        certificate = builder.issuer_name(parent.subject).sign(parent_key, hashes.SHA256())
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    plain_key = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return context_with([pem], plain_key, folder)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("certificates")
    good, stranger = authority(), trustme.CA()
    tls = {
        "intermediate.example": context_of(good.create_child_ca().issue_cert("intermediate.example")),
        "expired.example": context_of(
            good.issue_cert("expired.example", not_before=NOW - 9 * DAY, not_after=NOW - DAY)
        ),
        "early.example": context_of(
            good.issue_cert("early.example", not_before=NOW + DAY, not_after=NOW + 9 * DAY)
        ),
        "wrong.example": context_of(good.issue_cert("right.example")),
        "self.example": made_leaf("self.example", None, folder),
        "unknown.example": context_of(stranger.issue_cert("unknown.example")),
        "unknown-chain.example": context_of(stranger.create_child_ca().issue_cert("unknown-chain.example")),
        "incomplete.example": made_leaf("incomplete.example", good.create_child_ca(), folder),
    }
    with serve({"*": {"*": Reply.html("ok")}}, tls=tls) as site:
        yield site


def look(
    site: Site, *urls: str, **transport: object
) -> list[tuple[int | None, ErrorClass | None, str | None]]:
    client = Client(ClientOptions(transport=replace(site.transport, **transport)))  # type: ignore[arg-type]
    answers = drive(client, *map(Request.page, urls))
    client.close()
    return [(a.status, a.error_class, a.tls.error if a.tls is not None else None) for a in answers]


@pytest.mark.parametrize(
    ("name", "cause", "words"),
    [
        ("expired", "expired", "outside of its dates"),
        ("early", "expired", "outside of its dates"),
        ("wrong", "wrong_host", "not for this host"),
        ("self", "self_signed", "signed by itself"),
        ("unknown", "unknown_issuer", "not trusted"),
        ("unknown-chain", "unknown_issuer", "not trusted"),
        ("incomplete", "incomplete_chain", "without that of its issuer"),
    ],
)
def test_causes(site: Site, name: str, cause: str, words: str) -> None:
    client = Client(ClientOptions(transport=site.transport))
    (answer,) = drive(client, Request.page(f"https://{name}.example/"))
    client.close()
    assert (answer.status, answer.error_class) == (None, ErrorClass.TLS)
    assert answer.tls is not None
    assert (answer.tls.ok, answer.tls.error) == (False, cause)
    assert answer.error_detail is not None
    assert words in answer.error_detail
    assert not site.requests(f"{name}.example")


def test_the_end_of_a_bad_certificate_is_told(site: Site) -> None:
    client = Client(ClientOptions(transport=site.transport))
    (answer,) = drive(client, Request.page("https://expired.example/"))
    client.close()
    assert answer.tls is not None
    assert answer.tls.not_after is not None
    assert abs(answer.tls.not_after - (NOW - DAY)) < timedelta(seconds=2)


def test_good_certificates(site: Site) -> None:
    client = Client(ClientOptions(transport=site.transport))
    first, kept, chain = (
        drive(client, Request.page(url))[0]
        for url in ("https://good.example/", "https://good.example/again", "https://intermediate.example/")
    )
    client.close()
    assert [a.status for a in (first, kept, chain)] == [200, 200, 200]
    assert first.tls is not None
    assert first.tls.ok
    assert first.tls.not_after is not None
    assert first.tls_ms is not None
    assert kept.tls == first.tls  # a kept connection shows no certificate: the one it was opened with counts
    assert kept.tls_ms is None


def test_without_our_authority_nothing_is_trusted(site: Site) -> None:
    assert look(site, "https://good.example/", cacert=None) == [(None, ErrorClass.TLS, "unknown_issuer")]


def test_insecure_verifies_nothing(site: Site) -> None:
    urls = [f"https://{name}.example/" for name in ("expired", "wrong", "self", "unknown")]
    assert look(site, *urls, insecure=True) == [(200, None, None)] * 4


def test_plain_http_to_a_tls_port(site: Site) -> None:
    crossed = (f":80:127.0.0.1:{site.https_port}",)
    ((status, error, _),) = look(site, "http://good.example/", connect_to=crossed)
    assert status is None
    assert error in (ErrorClass.BAD_HTTP, ErrorClass.RESET)


def handshake_with(reply: bytes) -> Answer:
    """The answer when a server sends these bytes to the first packet of the handshake, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def talk() -> None:
            peer, _ = listener.accept()
            with peer:
                peer.recv(10_000)
                peer.sendall(reply)

        thread = threading.Thread(target=talk, daemon=True)
        thread.start()
        client = Client(ClientOptions(allow_sockets=(f"127.0.0.1 {port}",)))
        (answer,) = drive(client, Request.page(f"https://127.0.0.1:{port}/"))
        client.close()
        thread.join(5)
    return answer


@pytest.mark.parametrize(
    "reply",
    [
        b"\x15\x03\x01\x00\x02\x02\x46",  # alert, fatal, protocol_version (RFC 8446, 6)
        b"\x15\x03\x03\x00\x02\x02\x28",  # alert, fatal, handshake_failure
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",  # no TLS on this port
    ],
)
def test_no_common_protocol(reply: bytes) -> None:
    answer = handshake_with(reply)
    assert (answer.status, answer.error_class) == (None, ErrorClass.TLS)
    assert answer.tls is not None
    assert (answer.tls.ok, answer.tls.error) == (False, "protocol")
    assert answer.error_detail is not None
    assert "no TLS on this port" in answer.error_detail


def test_a_connection_that_ends_in_the_handshake_is_no_bad_certificate() -> None:
    answer = handshake_with(b"")
    assert (answer.status, answer.error_class, answer.tls) == (None, ErrorClass.RESET, None)
    assert answer.error_detail is not None
    assert "in the TLS handshake" in answer.error_detail


def test_a_missing_file_of_authorities_is_said_at_once() -> None:
    with pytest.raises(UsageError, match="no such file"):
        Client(ClientOptions(transport=Transport(cacert="/nowhere/ca.pem")))


def test_there_is_a_file_of_authorities() -> None:
    assert b"BEGIN CERTIFICATE" in Path(default_ca_file()).read_bytes()
