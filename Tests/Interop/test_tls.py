"""TLS of the server itself, by OpenSSL: certificates of clients, and sessions that are resumed with them (RFC 8705; RFC 8446, 2.2)."""
from __future__ import annotations

import json
import socket
import ssl
import tempfile
from pathlib import Path

import pytest
import requests

from authority import Authority
from server import Server


@pytest.fixture
def secured(folder, monkeypatch):
    """A server with TLS of its own, its authority's file, and a client's certificate below an authority that the server has to be shown."""
    place = Path(tempfile.mkdtemp(dir=folder))
    root = Authority("root")
    deputy = Authority("deputy", above=root)
    trusted, (certificate, key) = place / "root.pem", root.leaf(place, "server", "localhost")
    trusted.write_bytes(root.own)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(trusted))
    server = Server(place, PANDO_TLS_CERTIFICATE=str(certificate), PANDO_TLS_KEY=str(key), PANDO_TLS_CLIENT_CA=str(trusted))
    server.issuer = server.issuer.replace("http://", "https://")
    server.environment["PANDO_ISSUER"] = server.issuer
    try:
        yield server.start(), trusted, deputy.leaf(place, "machine", "machine.example.org", chain=deputy.own)
        server.stop()
    finally:
        server.clear()


def post(server: Server, context: ssl.SSLContext, body: str, session: ssl.SSLSession | None = None) -> tuple[dict, ssl.SSLSession, bool]:
    """One request on a connection of its own: the answer, the session for another, and whether this one was resumed."""
    with socket.create_connection(("127.0.0.1", server.port)) as plain, context.wrap_socket(plain, server_hostname="localhost", session=session) as secure:
        secure.sendall((f"POST /token HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
        answer = b""
        while part := secure.recv(65_536):
            answer += part
        return json.loads(answer.split(b"\r\n\r\n", 1)[1]), secure.session, secure.session_reused


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_resumed_session_has_its_certificate_and_its_trust(secured, version):
    server, trusted, (certificate, key) = secured
    made = server.admin("clients", "create", "--name", "machine", "--auth-method", "tls_client_auth", "--certificate-name", "dns:machine.example.org",
                        "--grant", "client_credentials", "--scope", "read", "--yes")
    context = ssl.create_default_context(cafile=trusted)
    context.load_cert_chain(certificate, key)
    context.minimum_version = context.maximum_version = version
    body = f"grant_type=client_credentials&client_id={made['client_id']}"

    first, session, resumed = post(server, context, body)
    assert not resumed and "access_token" in first, first

    again, _, resumed = post(server, context, body, session)
    assert resumed and "access_token" in again, again


def test_metadata_tells_of_certificates(secured):
    server, _, _ = secured

    document = requests.get(f"{server.issuer}/.well-known/oauth-authorization-server", timeout=10).json()

    assert document["issuer"] == server.issuer and document["tls_client_certificate_bound_access_tokens"]
    assert {"tls_client_auth", "self_signed_tls_client_auth"} <= set(document["token_endpoint_auth_methods_supported"])
