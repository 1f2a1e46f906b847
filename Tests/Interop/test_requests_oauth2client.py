"""requests-oauth2client, which knows of most that OAuth has: with its defaults, and with PAR, JAR, DPoP, the device grant and token exchange."""
from __future__ import annotations

import pytest
from jwskate import Jwk
from requests_oauth2client import BearerToken, DeviceAuthorizationPollingJob, DPoPKey, InvalidGrant, OAuth2Client, PrivateKeyJwt

from browsing import Browser
from clients import CALLBACK, CODE, DEVICE, REFRESH, web_client
from keys import verified
from phone import ID_JAG, TOKEN_EXCHANGE
from waiting import eventually

SCOPE = "openid profile email"


@pytest.fixture
def browser(server, username) -> Browser:
    return Browser(server.issuer, username)


def client(server, made: dict, **options) -> OAuth2Client:
    """As its discovery makes it; `testing` lets addresses of this machine be without TLS."""
    own = {"client_secret": made["client_secret"]} if "client_secret" in made else {}
    return OAuth2Client.from_discovery_endpoint(issuer=server.issuer, client_id=made["client_id"], redirect_uri=CALLBACK, testing=True, **own | options)


def keyed(server, *flags: str) -> tuple[Jwk, dict]:
    """A key, and a client that signs for the endpoint's address, as the library does."""
    key = Jwk.generate(alg="ES256").with_kid_thumbprint()
    return key, web_client(server, "Keyed", "--assertion-audience", "endpoint", *flags, auth="private_key_jwt", jwks={"keys": [dict(key.public_jwk())]})


def log_in(client: OAuth2Client, browser: Browser, **options) -> BearerToken:
    """The library checks state and issuer, then the ID token with its nonce."""
    asking = client.authorization_request(scope=SCOPE)
    return client.authorization_code(asking.validate_callback(browser.come_back(asking.uri)), **options)


def test_with_its_defaults(server, browser, username):
    """Secret in the body, RS256; userinfo, refresh, revocation."""
    learn = client(server, web_client(server, "Defaults"))

    token = log_in(learn, browser)
    renewed = learn.refresh_token(token)

    assert token.id_token.alg == "RS256" and learn.userinfo(token)["email"] == f"{username}@example.org"
    assert renewed.refresh_token != token.refresh_token and learn.introspect_token(renewed.access_token)["active"]
    assert learn.revoke_refresh_token(renewed)
    with pytest.raises(InvalidGrant):
        learn.refresh_token(renewed)


def test_a_key_with_its_defaults(server, browser):
    """`private_key_jwt` whose audience is the endpoint that is asked, at each of them."""
    key, made = keyed(server)
    learn = client(server, made, private_key=key)

    token = log_in(learn, browser)

    assert isinstance(learn.auth, PrivateKeyJwt) and learn.refresh_token(token).access_token


def test_pushed(server, browser):
    """RFC 9126: all of it goes to `/par`, by a client that is taken no other way."""
    key, made = keyed(server, "--require-par")
    learn = client(server, made, private_key=key)
    asking = learn.authorization_request(scope=SCOPE)

    pushed = learn.pushed_authorization_request(asking)
    token = learn.authorization_code(asking.validate_callback(browser.come_back(pushed.uri)))

    assert token.id_token.nonce == asking.nonce and browser.open(asking.uri).answer["error"] == "invalid_request"


def test_signed(server, browser):
    """RFC 9101: the request is an object signed by the client's key; spoilt, it is none."""
    key, made = keyed(server)
    learn = client(server, made, private_key=key)
    asking = learn.authorization_request(scope=SCOPE, iss=made["client_id"], aud=server.issuer)
    uri = asking.sign(key, lifetime=60).uri

    token = learn.authorization_code(asking.validate_callback(browser.come_back(uri)))

    assert "request=" in uri and token.id_token.nonce == asking.nonce
    assert browser.open(f"{uri}x").status == 400


def test_dpop(server, browser, username):
    """RFC 9449: the code is bound by `dpop_jkt`, the token to the same key; the library takes the nonces that it is given. Its 1.8 fails at
    copying a DPoP token once it has validated the ID token, so it is told not to."""
    learn = client(server, web_client(server, "Bound", "--dpop-bound"), dpop_bound_access_tokens=True)

    token = log_in(learn, browser, validate=False)

    assert token.token_type == "DPoP" and learn.userinfo(token)["email"] == f"{username}@example.org"
    assert learn.refresh_token(token, dpop_key=token.dpop_key).token_type == "DPoP"
    with pytest.raises(InvalidGrant):
        learn.refresh_token(token.refresh_token, dpop=True, dpop_key=DPoPKey.generate())


def test_device(server, browser):
    """RFC 8628, by the library's job, which waits as it is told. Its discovery does not read where a device begins."""
    made = web_client(server, "Television", grants=(DEVICE, REFRESH), auth="none")
    learn = client(server, made, device_authorization_endpoint=f"{server.issuer}/device_authorization")
    begun = learn.authorize_device(scope=SCOPE)

    browser.walk(begun.verification_uri_complete)
    token = eventually(DeviceAuthorizationPollingJob(learn, begun), within_s=30)

    assert token.id_token and learn.userinfo(token)["sub"] == token.id_token.sub


def test_exchange(server, browser, viewer):
    """RFC 8693: of a login, an assertion for a service, bound to a key."""
    learn = client(server, web_client(server, "Acts elsewhere", grants=(CODE, REFRESH, TOKEN_EXCHANGE)))
    token = log_in(learn, browser)

    given = learn.token_exchange(subject_token=token.id_token, subject_token_type="id_token", requested_token_type=ID_JAG, audience=viewer, dpop=True)

    claims = verified(given.access_token, server.issuer, "oauth-id-jag+jwt")
    assert claims["aud"] == f"{viewer}/token" and claims["client_id"] == learn.client_id
