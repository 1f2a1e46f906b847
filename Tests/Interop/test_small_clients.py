"""Two small libraries with their defaults: httpx-oauth, which FastAPI's applications have, and simple-openid-connect."""
from __future__ import annotations

import asyncio
from urllib.parse import parse_qs, urlsplit

import pytest
from httpx_oauth.clients.openid import OpenID
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
