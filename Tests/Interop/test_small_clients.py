"""Libraries with their defaults: httpx-oauth, which FastAPI's applications have, simple-openid-connect, and pyoidc with a key in place of a secret."""
from __future__ import annotations

import asyncio
from urllib.parse import parse_qs, urlsplit

import pytest
from httpx_oauth.clients.openid import OpenID
from oic.oic import Client
from oic.oic.message import AuthorizationResponse
from oic.utils.authn.client import PrivateKeyJWT
from oic.utils.keyio import build_keyjar
from simple_openid_connect.client import OpenidClient
from simple_openid_connect.pkce import generate_pkce_pair

from browsing import Browser
from clients import CALLBACK, web_client
from keys import new_id


@pytest.fixture
def browser(server, username) -> Browser:
    return Browser(server.issuer, username)


def test_httpx_oauth(server, browser, username):
    """It picks the way to authenticate from the metadata, asks userinfo who it is, refreshes and revokes."""
    made, (verifier, challenge) = web_client(server, "Fast"), generate_pkce_pair()
    fast = OpenID(made["client_id"], made["client_secret"], f"{server.issuer}/.well-known/openid-configuration")

    async def walk() -> tuple[str, str]:
        url = await fast.get_authorization_url(CALLBACK, state="s", code_challenge=challenge, code_challenge_method="S256")
        back = parse_qs(urlsplit(await asyncio.to_thread(browser.come_back, url)).query)
        token = await fast.get_access_token(back["code"][0], CALLBACK, code_verifier=verifier)
        renewed = await fast.refresh_token(token["refresh_token"])
        known = await fast.get_id_email(renewed["access_token"])
        await fast.revoke_token(renewed["refresh_token"], "refresh_token")
        return known

    identifier, email = asyncio.run(walk())

    assert identifier and email == f"{username}@example.org"


def test_simple_openid_connect(server, browser, username):
    """It validates the ID token by the algorithms that it knows: RS256 and its kin."""
    made, (verifier, challenge), nonce = web_client(server, "Simple"), generate_pkce_pair(), new_id()
    simple = OpenidClient.from_issuer_url(server.issuer, CALLBACK, made["client_id"], made["client_secret"], scope="openid email")
    flow = simple.authorization_code_flow

    back = browser.come_back(flow.start_authentication(state="s", nonce=nonce, code_challenge=challenge, code_challenge_method="S256"))
    token = flow.handle_authentication_result(back, state="s", code_verifier=verifier, code_challenge=challenge, code_challenge_method="S256")

    claims = simple.decode_id_token(token.id_token, nonce=nonce)
    assert claims.sub == simple.fetch_userinfo(token.access_token).sub and simple.fetch_userinfo(token.access_token).email == f"{username}@example.org"
    assert simple.exchange_refresh_token(token.refresh_token).access_token != token.access_token


@pytest.mark.parametrize("setting", [("--assertion-audience", "endpoint"), ()], ids=["for the endpoint", "where nobody set it"])
def test_pyoidc_by_a_key(server, browser, username, setting):
    """It signs RS256 for the token endpoint and ten minutes: taken where the operator has set that, and refused elsewhere in words that name the setting."""
    _, keys, _ = build_keyjar([{"type": "RSA", "use": ["sig"], "name": ""}])      # with a name it would be a file
    made = web_client(server, "Pyoidc", *setting, auth="private_key_jwt", jwks=keys.export_jwks())
    py, nonce = Client(made["client_id"], keyjar=keys, client_authn_method={"private_key_jwt": PrivateKeyJWT}, config={"code_challenge": {}}), new_id()
    py.provider_config(server.issuer)
    py.redirect_uris = [CALLBACK]
    challenge, verifier = py.add_code_challenge()

    asked = py.construct_AuthorizationRequest(request_args={"response_type": "code", "scope": ["openid", "email"], "state": "s", "nonce": nonce} | challenge)
    back = browser.come_back(asked.request(py.authorization_endpoint))
    code = py.parse_response(AuthorizationResponse, urlsplit(back).query, sformat="urlencoded")
    asked = {"code": code["code"], "redirect_uri": CALLBACK, "code_verifier": verifier}
    token = py.do_access_token_request(state="s", authn_method="private_key_jwt", request_args=asked)

    if setting:
        assert token["id_token"]["nonce"] == nonce
        # By itself it posts the token in the body, which RFC 6750 leaves to servers (2.2), and this one does not take.
        assert py.do_user_info_request(state="s", method="GET")["email"] == f"{username}@example.org"
    else:
        assert token["error"] == "invalid_client" and "assertion_audience" in token["error_description"]
