"""A web application by Authlib: its Flask client finds the provider, logs in, refreshes, pushes requests, binds tokens, logs out."""
from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
import requests
from authlib.common.urls import add_params_to_uri
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8628 import DEVICE_CODE_GRANT_TYPE
from flask.testing import FlaskClient
from requests.auth import AuthBase

from application import CALLBACK, GOODBYE, HOME, HOST, Learn
from browsing import Browser
from clients import DEVICE, REFRESH, web_client
from keys import Proof, Together, new_key, public, verified
from phone import ShortAssertion, person


@pytest.fixture(scope="module")
def client(server) -> dict:
    return web_client(server, "Learn", redirect=CALLBACK, goodbye=GOODBYE)


@pytest.fixture
def learn(server, client) -> Learn:
    return Learn(server.issuer, client)


@pytest.fixture
def browser(server, username) -> Browser:
    return Browser(server.issuer, username)


def at_home(learn: Learn) -> FlaskClient:
    """A browser's side of the application: its cookies there."""
    return learn.web.test_client()


def visit(side: FlaskClient, url: str):
    """Opens a page of the application."""
    parts = urlsplit(url)
    return side.get(f"{parts.path}?{parts.query}", base_url=HOME, headers={"Host": HOST})


def begin(side: FlaskClient, **asked: str) -> str:
    """Where the application's link sends its visitor."""
    return side.get("/login", base_url=HOME, query_string=asked).location


def log_in(learn: Learn, browser: Browser, side: FlaskClient | None = None, **asked: str) -> dict:
    """From the application's link to its own page; the token that it got."""
    side = side or at_home(learn)
    back = visit(side, browser.come_back(begin(side, **asked)))
    assert back.status_code == 302 and back.location == "/", back.text
    return learn.tokens[-1]


def session_of(learn: Learn) -> OAuth2Session:
    """Authlib's session with all that its Flask client knows."""
    return learn.pando._get_oauth_client(**learn.pando.load_server_metadata())


def parameters(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query))


class Shown(AuthBase):
    """A token with its scheme, and no proof."""

    def __init__(self, scheme: str, token: dict):
        self.header = f"{scheme} {token['access_token']}"

    def __call__(self, request):
        request.headers["Authorization"] = self.header
        return request


def test_login(server, learn, browser, username):
    """By code with PKCE, state and nonce; Authlib validates the ID token and reads what userinfo says."""
    side = at_home(learn)

    token = log_in(learn, browser, side)

    claims = token["userinfo"]
    assert username in visit(side, f"{HOME}/").text and f"{username}@example.org" in visit(side, f"{HOME}/").text
    assert claims["iss"] == server.issuer and claims["aud"] == learn.pando.client_id and claims["sid"] and claims["auth_time"]
    assert verified(token["access_token"], server.issuer, "at+jwt")["sub"] == claims["sub"]
    assert token["token_type"] == "Bearer" and token["scope"] == "openid profile email"


def test_a_changed_nonce_is_noticed(server, learn, browser):
    """What makes the validation above worth something: for another nonce, Authlib refuses the same ID token."""
    token = log_in(learn, browser)

    with pytest.raises(Exception, match="nonce"):
        learn.pando.parse_id_token(token, nonce="another")


def test_the_second_login_asks_nothing(server, learn, browser):
    """Single sign-on: known at the browser, and the consent stands; `prompt=none` shows no page at all."""
    first = log_in(learn, browser)

    second = log_in(learn, browser, prompt="none")

    assert (second["userinfo"]["sub"], second["userinfo"]["sid"]) == (first["userinfo"]["sub"], first["userinfo"]["sid"])
    assert second["userinfo"]["auth_time"] == first["userinfo"]["auth_time"] and second["access_token"] != first["access_token"]


def test_nobody_is_known_silently(learn, browser):
    """`prompt=none` with nobody logged in: Authlib raises what the provider said."""
    side = at_home(learn)

    back = visit(side, browser.come_back(begin(side, prompt="none")))

    assert back.status_code == 400 and "login_required" in back.text


def test_no_is_an_answer(server, learn):
    """Who does not agree comes back with access_denied."""
    browser, side = Browser(server.issuer, person(server)), at_home(learn)

    back = visit(side, browser.come_back(begin(side), decision="deny"))

    assert back.status_code == 400 and "access_denied" in back.text


def test_refresh(learn, browser):
    """Authlib rotates; the refresh token shown twice ends the family."""
    token, session = log_in(learn, browser), session_of(learn)
    session.token = token

    with learn.web.app_context():
        renewed = session.refresh_token(refresh_token=token["refresh_token"])
        again = session.refresh_token(refresh_token=renewed["refresh_token"])

    assert learn.pando.userinfo(token=again)["sub"] == token["userinfo"]["sub"]
    with pytest.raises(OAuthError) as refused:
        session_of(learn).refresh_token(refresh_token=token["refresh_token"])
    assert refused.value.error == "invalid_grant"
    with pytest.raises(requests.HTTPError, match="401"):
        learn.pando.userinfo(token=again)


def test_logout(learn, browser):
    """RP-initiated: back at the application with its state, nobody known any more, and the tokens of the session are dead."""
    side = at_home(learn)
    token = log_in(learn, browser, side)

    asked = visit(side, f"{HOME}/logout").location
    back = browser.come_back(asked)
    goodbye = visit(side, back)

    assert back.startswith(f"{GOODBYE}?state=") and goodbye.status_code == 200 and "logged out" in goodbye.text
    silently = browser.come_back(begin(side, prompt="none"))
    assert "error=login_required" in silently
    with pytest.raises(requests.HTTPError, match="401"):
        learn.pando.userinfo(token=token)
    with pytest.raises(OAuthError):
        session_of(learn).refresh_token(refresh_token=token["refresh_token"])


def test_the_logout_was_made_by_this_browser_only(server, learn, browser, username):
    """Somebody else's ID token as hint ends nobody's session: that person is asked first."""
    token = log_in(learn, browser)
    stranger = Browser(server.issuer, person(server))
    log_in(learn, stranger)

    page = stranger.open(learn.pando.create_logout_url(GOODBYE, id_token_hint=token["id_token"])["url"])

    assert not page.is_outside and page.forms[0].buttons == [("decision", "logout")]
    assert log_in(learn, stranger, prompt="none")


def test_private_key_jwt_and_pushed_requests(server, browser):
    """RFC 9126 with RFC 7523. Authlib has no call for pushing: its session posts what its own URL would have said, with its client authentication."""
    key = new_key()
    client = web_client(server, "Pusher", "--require-par", redirect=CALLBACK, goodbye=GOODBYE, auth="private_key_jwt", jwks={"keys": [public(key, kid="k1")]})
    learn = Learn(server.issuer, client, token_endpoint_auth_method="private_key_jwt")
    learn.pando.client_secret, learn.pando.client_auth_methods = key, [ShortAssertion(server.issuer, {"kid": "k1"})]
    asked, session = learn.pando.create_authorization_url(CALLBACK), session_of(learn)
    unpushed = browser.open(asked["url"])

    pushed = session.post(f"{server.issuer}/par", data=parameters(asked["url"]), auth=session.client_auth("private_key_jwt"))
    there = add_params_to_uri(f"{server.issuer}/authorize", {"client_id": client["client_id"], "request_uri": pushed.json()["request_uri"]})
    back = browser.come_back(there)
    token = learn.pando.fetch_access_token(CALLBACK, authorization_response=back, state=asked["state"], code_verifier=asked["code_verifier"])

    assert unpushed.answer["error"] == "invalid_request"
    assert pushed.status_code == 201 and pushed.json()["expires_in"] > 0
    assert learn.pando.parse_id_token(token, nonce=asked["nonce"])["sub"]
    assert browser.open(there).status == 400, "a pushed request is opened once"


def test_dpop(server, learn, browser):
    """RFC 9449. Authlib knows Bearer only: joserfc makes the proofs, beside Authlib's client authentication and in place of its token header."""
    key, asked, session = new_key(), learn.pando.create_authorization_url(CALLBACK), session_of(learn)
    back, own = browser.come_back(asked["url"]), session.client_auth("client_secret_basic")

    token = session.fetch_token(redirect_uri=CALLBACK, authorization_response=back, state=asked["state"], code_verifier=asked["code_verifier"],
                                auth=Together(own, Proof(key)))

    userinfo = learn.pando.load_server_metadata()["userinfo_endpoint"]
    shown = [session.get(userinfo, auth=auth) for auth in (
        Proof(key, token["access_token"]), Shown("Bearer", token), Shown("DPoP", token), Proof(new_key(), token["access_token"]))]
    assert token["token_type"] == "DPoP" and verified(token["access_token"], server.issuer, "at+jwt")["cnf"]["jkt"] == key.thumbprint()
    assert [answer.status_code for answer in shown] == [200, 401, 401, 401]
    assert shown[1].headers["WWW-Authenticate"].startswith("DPoP ")
    with learn.web.app_context():
        renewed = session.refresh_token(refresh_token=token["refresh_token"], auth=Together(own, Proof(key)))
    assert session.get(userinfo, auth=Proof(key, renewed["access_token"])).status_code == 200


def test_a_client_that_must_bind_gets_no_bearer(server, browser):
    """`--dpop-bound`: without a proof the token request is refused."""
    learn = Learn(server.issuer, web_client(server, "Bound", "--dpop-bound", redirect=CALLBACK, goodbye=GOODBYE))
    side = at_home(learn)

    back = visit(side, browser.come_back(begin(side)))

    assert back.status_code == 400 and "DPoP" in back.text and not learn.tokens


def test_device(server, browser, username):
    """RFC 8628: the person types the code in a browser, the device gets an ID token too. Authlib's helper is the grant's name."""
    client = web_client(server, "Television", grants=(DEVICE, REFRESH), auth="none")
    session = OAuth2Session(client["client_id"], scope="openid email", default_timeout=30)
    begun = session.post(f"{server.issuer}/device_authorization", data={"scope": "openid email"}, auth=session.client_auth("none")).json()

    connected = browser.walk(begun["verification_uri_complete"])
    token = session.fetch_token(f"{server.issuer}/token", grant_type=DEVICE_CODE_GRANT_TYPE, device_code=begun["device_code"])

    learn = Learn(server.issuer, client)
    assert connected.url == begun["verification_uri"] and connected.status == 200
    assert learn.pando.parse_id_token(token, nonce=None)["sub"] == learn.pando.userinfo(token=token)["sub"]
    assert learn.pando.userinfo(token=token)["email"] == f"{username}@example.org"
    assert session.refresh_token(f"{server.issuer}/token", refresh_token=token["refresh_token"])["access_token"]


def test_a_device_waits_and_is_told_no(server, browser):
    """Pending, too fast, denied: each has its own error."""
    client = web_client(server, "Radio", grants=(DEVICE,), auth="none")
    session = OAuth2Session(client["client_id"], default_timeout=30)
    begun = session.post(f"{server.issuer}/device_authorization", data={"scope": "openid"}, auth=session.client_auth("none")).json()

    def answer() -> str:
        with pytest.raises(OAuthError) as refused:
            session.fetch_token(f"{server.issuer}/token", grant_type=DEVICE_CODE_GRANT_TYPE, device_code=begun["device_code"])
        return refused.value.error

    assert [answer(), answer()] == ["authorization_pending", "slow_down"]
    browser.walk(begun["verification_uri_complete"], decision="deny")
    assert answer() == "access_denied"
