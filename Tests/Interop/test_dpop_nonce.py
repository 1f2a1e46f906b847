"""A server that wants its nonce in every proof (`dpop-nonce: required`): what clients are told, and that those who listen get through."""
from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests
from authlib.integrations.requests_client import OAuth2Session
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session as OldSession

from browsing import Browser
from clients import CALLBACK, web_client
from keys import NoncedProof, Proof, Together, new_key, pkce
from phone import person
from server import Cluster, Server


@pytest.fixture(scope="module")
def strict(folder):
    """A server of its own: the setting is one for all."""
    cluster = Cluster(Path(mkdtemp(dir=folder)) / "postgres")
    server = Server(Path(mkdtemp(dir=folder)), cluster.start().url("pando_strict"), PANDO_DPOP_NONCE="required")
    try:
        yield server.start()
        server.stop()
    finally:
        server.clear()
        cluster.discard()


@pytest.fixture(scope="module")
def client(strict) -> dict:
    return web_client(strict, "Strict")


@pytest.fixture(scope="module")
def browser(strict) -> Browser:
    return Browser(strict.issuer, person(strict))


def code(strict: Server, client: dict, browser: Browser) -> tuple[OAuth2Session, dict[str, str]]:
    """A session of Authlib's, and what its token request needs."""
    session = OAuth2Session(client["client_id"], client["client_secret"], scope="openid email", redirect_uri=CALLBACK, code_challenge_method="S256", default_timeout=30)
    verifier, _ = pkce()
    url, state = session.create_authorization_url(f"{strict.issuer}/authorize", code_verifier=verifier)
    return session, {"authorization_response": browser.come_back(url), "state": state, "code_verifier": verifier}


def test_a_proof_without_nonce_is_told_one(strict, client, browser):
    """400 at the token endpoint, 401 where a token is shown, each with the nonce to use; nothing was used up."""
    session, asked = code(strict, client, browser)
    own, key, endpoint = session.client_auth("client_secret_basic"), new_key(), f"{strict.issuer}/token"

    refused = requests.post(endpoint, data={"grant_type": "refresh_token", "refresh_token": "x"}, auth=Together(own, Proof(key)), timeout=20)
    token = session.fetch_token(endpoint, auth=Together(own, NoncedProof(key)), **asked)
    shown = requests.get(f"{strict.issuer}/userinfo", auth=Proof(key, token["access_token"]), timeout=20)

    assert (refused.status_code, refused.json()["error"]) == (400, "use_dpop_nonce") and refused.headers["DPoP-Nonce"]
    assert shown.status_code == 401 and 'error="use_dpop_nonce"' in shown.headers["WWW-Authenticate"] and shown.headers["DPoP-Nonce"]


def test_authlib_with_a_proof_that_listens(strict, client, browser):
    """Login, refresh and userinfo; the nonce that came once serves again."""
    session, asked = code(strict, client, browser)
    key = new_key()
    own = Together(session.client_auth("client_secret_basic"), NoncedProof(key))

    token = session.fetch_token(f"{strict.issuer}/token", auth=own, **asked)
    renewed = session.refresh_token(f"{strict.issuer}/token", refresh_token=token["refresh_token"], auth=own)

    reader = NoncedProof(key, renewed["access_token"])
    first, second = (requests.get(f"{strict.issuer}/userinfo", auth=reader, timeout=20) for _ in range(2))
    assert token["token_type"] == "DPoP" and (first.status_code, second.status_code) == (200, 200)
    assert len(first.history) == 1 and not second.history


def test_requests_oauthlib_with_a_proof_that_listens(strict, client, browser, monkeypatch):
    """The same by the other session, whose `auth` may be anything."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    session, key = OldSession(client["client_id"], redirect_uri=CALLBACK, scope=["openid"], pkce="S256"), new_key()
    own = Together(HTTPBasicAuth(client["client_id"], client["client_secret"]), NoncedProof(key))
    back = browser.come_back(session.authorization_url(f"{strict.issuer}/authorize")[0])

    token = session.fetch_token(f"{strict.issuer}/token", authorization_response=back, auth=own)

    assert session.get(f"{strict.issuer}/userinfo", auth=NoncedProof(key, token["access_token"]), withhold_token=True).json()["sub"]
    assert session.refresh_token(f"{strict.issuer}/token", auth=own)["token_type"] == "DPoP"


def test_an_invented_nonce_is_no_nonce(strict, client):
    """Only this server's own count."""
    proof = Proof(new_key())
    proof.nonce = "bm90LXlvdXJz"

    refused = requests.post(f"{strict.issuer}/token", data={"grant_type": "refresh_token", "refresh_token": "x"},
                            auth=Together(HTTPBasicAuth(client["client_id"], client["client_secret"]), proof), timeout=20)

    assert refused.json()["error"] == "use_dpop_nonce"
