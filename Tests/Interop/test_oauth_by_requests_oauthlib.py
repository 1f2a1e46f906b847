"""A web application by requests-oauthlib. It is OAuth without OpenID: ID tokens are checked here by joserfc, and what it never heard of is done by its session.

Its session makes URL, state and PKCE, reads the answer, fetches and refreshes tokens, shows them, and does the device grant by oauthlib's DeviceClient.
Pushing, proofs, logout and introspection are requests of that session with `withhold_token`, authenticated as its token requests are.
"""
from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
import requests
from joserfc import jwt
from joserfc.jwk import KeySet
from oauthlib.oauth2 import BackendApplicationClient, DeviceClient, MismatchingStateError, OAuth2Error
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

from browsing import Browser
from clients import CALLBACK, DEVICE, GOODBYE, REFRESH, web_client
from keys import Proof, Together, new_id, new_key, verified
from phone import person


class Site:
    """The provider as its metadata tell, and one client there."""

    def __init__(self, issuer: str, client: dict):
        self.issuer, self.client = issuer, client
        self.metadata = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=20).json()

    @property
    def own(self) -> HTTPBasicAuth:
        return HTTPBasicAuth(self.client["client_id"], self.client["client_secret"])

    def at(self, endpoint: str) -> str:
        return self.metadata[f"{endpoint}_endpoint"]

    def session(self, scope: str = "openid profile email") -> OAuth2Session:
        return OAuth2Session(self.client["client_id"], redirect_uri=CALLBACK, scope=scope.split(), pkce="S256")

    def post(self, session: OAuth2Session, endpoint: str, auth=None, **data: str) -> requests.Response:
        return session.post(self.at(endpoint), data=data, auth=auth or self.own, withhold_token=True, timeout=20)

    def read_id_token(self, token: dict, nonce: str) -> dict:
        """OpenID Connect Core, 3.1.3.7."""
        keys = KeySet.import_key_set(requests.get(self.metadata["jwks_uri"], timeout=20).json())
        claims = jwt.decode(token["id_token"], keys, algorithms=self.metadata["id_token_signing_alg_values_supported"]).claims
        jwt.JWTClaimsRegistry(iss={"essential": True, "value": self.issuer}, aud={"essential": True, "value": self.client["client_id"]},
                              nonce={"essential": True, "value": nonce}, exp={"essential": True}, iat={"essential": True}).validate(claims)
        return claims

    def log_in(self, browser: Browser, session: OAuth2Session, auth=None, **asked: str) -> dict:
        """From the session's URL to its token, whose ID token is checked; the claims of that."""
        nonce = new_id()
        url, _ = session.authorization_url(self.at("authorization"), nonce=nonce, **asked)
        token = session.fetch_token(self.at("token"), authorization_response=browser.come_back(url), auth=auth or self.own, timeout=20)
        return self.read_id_token(token, nonce)


@pytest.fixture(autouse=True)
def plain_http(monkeypatch):
    """oauthlib speaks TLS only, unless it is told that this is a test."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")


@pytest.fixture(scope="module")
def site(server) -> Site:
    return Site(server.issuer, web_client(server, "Old hand", scope="openid profile email offline_access"))


@pytest.fixture
def browser(server, username) -> Browser:
    return Browser(server.issuer, username)


def test_login_and_userinfo(site, browser, username):
    """Code with PKCE; the session shows its token by itself."""
    session = site.session()

    claims = site.log_in(browser, session)

    told = session.get(site.at("userinfo"), timeout=20).json()
    assert session.authorized and told == {"sub": claims["sub"], "email": f"{username}@example.org", "email_verified": False,
                                           "preferred_username": username}


def test_a_changed_state_is_noticed(site, browser):
    """`state` comes back byte for byte, whatever is in it; another one is the library's MismatchingStateError."""
    session, odd = site.session(), "a b+c&d=é/%20"
    url, _ = session.authorization_url(site.at("authorization"), state=odd)
    back = browser.come_back(url)
    session._state = odd

    with pytest.raises(MismatchingStateError):
        session.fetch_token(site.at("token"), authorization_response=back.replace("state=", "state=x"), auth=site.own)
    assert session.fetch_token(site.at("token"), authorization_response=back, auth=site.own)["access_token"]


def test_a_code_without_its_verifier_is_worth_nothing(site, browser):
    """RFC 7636: the library brings another verifier, and the code is used up by that."""
    session = site.session()
    back = browser.come_back(session.authorization_url(site.at("authorization"))[0])

    for verifier in ("x" * 43, session._code_verifier):
        session._code_verifier = verifier
        with pytest.raises(OAuth2Error, match="invalid_grant"):
            session.fetch_token(site.at("token"), authorization_response=back, auth=site.own)


def test_refresh(site, browser):
    """The library's call, and its automatic one when a token has run out."""
    session = site.session()
    site.log_in(browser, session)
    before = dict(session.token)

    renewed = session.refresh_token(site.at("token"), auth=site.own)
    session.auto_refresh_url, session.token_updater = site.at("token"), lambda token: None
    session.token = renewed | {"expires_at": 1, "expires_in": -1}

    told = session.get(site.at("userinfo"), client_id=site.client["client_id"], client_secret=site.client["client_secret"], timeout=20)
    assert renewed["refresh_token"] != before["refresh_token"]
    assert told.status_code == 200 and session.token["access_token"] not in (before["access_token"], renewed["access_token"])


def test_logout(site, server):
    """By plain URL: back with state, nobody known, tokens dead; what was granted for a person's absence goes on (OpenID Connect Core, 11)."""
    browser, present, away = Browser(server.issuer, person(server)), site.session(), site.session("openid offline_access")
    site.log_in(browser, present)
    site.log_in(browser, away, prompt="consent")

    url = requests.Request("GET", site.at("end_session"), params={"id_token_hint": present.token["id_token"], "post_logout_redirect_uri": GOODBYE, "state": "s 1"})
    back = browser.come_back(url.prepare().url)

    assert dict(parse_qsl(urlsplit(back).query)) == {"state": "s 1"} and back.startswith(GOODBYE)
    assert "error=login_required" in browser.come_back(present.authorization_url(site.at("authorization"), prompt="none")[0])
    with pytest.raises(OAuth2Error, match="invalid_grant"):
        present.refresh_token(site.at("token"), auth=site.own)
    assert away.refresh_token(site.at("token"), auth=site.own)["access_token"]


def test_an_unregistered_goodbye_is_not_followed(site, browser):
    """Logged out, and sent nowhere."""
    session = site.session()
    site.log_in(browser, session)

    page = browser.open(f"{site.at('end_session')}?id_token_hint={session.token['id_token']}&post_logout_redirect_uri=https://elsewhere.example.org/")

    assert not page.is_outside and page.status == 200 and not page.forms


def test_pushed_requests(site, browser):
    """RFC 9126: the parameters of the library's URL, pushed by its session."""
    session, nonce = site.session(), new_id()
    url, _ = session.authorization_url(site.at("authorization"), nonce=nonce)
    pushed = site.post(session, "pushed_authorization_request", **dict(parse_qsl(urlsplit(url).query)))

    back = browser.come_back(f"{site.at('authorization')}?client_id={site.client['client_id']}&request_uri={pushed.json()['request_uri']}")

    token = session.fetch_token(site.at("token"), authorization_response=back, auth=site.own)
    assert pushed.status_code == 201 and site.read_id_token(token, nonce)["sub"]


def test_pushing_wants_authentication_and_a_sound_request(site):
    """RFC 9126, 2.3: refused where it is pushed, before any browser goes anywhere."""
    session = site.session()
    sound = dict(parse_qsl(urlsplit(session.authorization_url(site.at("authorization"))[0]).query))

    answers = [site.post(session, "pushed_authorization_request", HTTPBasicAuth(site.client["client_id"], "guess"), **sound),
               site.post(session, "pushed_authorization_request", **sound | {"redirect_uri": "https://elsewhere.example.org/"}),
               site.post(session, "pushed_authorization_request", **sound | {"request_uri": "urn:ietf:params:oauth:request_uri:x"})]

    assert [(answer.status_code, answer.json()["error"]) for answer in answers] == [(401, "invalid_client"), (400, "invalid_request"), (400, "invalid_request")]


def test_dpop(site, browser):
    """RFC 9449: joserfc's proofs beside the library's authentication. Bound from the start by `dpop_jkt`; bare, the token is worth nothing."""
    key, session = new_key(), site.session()
    nonce = new_id()
    url, _ = session.authorization_url(site.at("authorization"), nonce=nonce, dpop_jkt=key.thumbprint())
    back = browser.come_back(url)

    with pytest.raises(OAuth2Error, match="invalid_"):
        session.fetch_token(site.at("token"), authorization_response=back, auth=Together(site.own, Proof(new_key())))
    url, _ = session.authorization_url(site.at("authorization"), nonce=nonce, dpop_jkt=key.thumbprint())
    token = session.fetch_token(site.at("token"), authorization_response=browser.come_back(url), auth=Together(site.own, Proof(key)))

    def show(**request) -> int:
        return session.get(site.at("userinfo"), withhold_token=True, timeout=20, **request).status_code

    assert token["token_type"] == "DPoP" and site.read_id_token(token, nonce)["sub"]
    assert show(auth=Proof(key, token["access_token"])) == 200
    assert show(headers={"Authorization": f"Bearer {token['access_token']}"}) == 401
    assert show(headers={"Authorization": f"DPoP {token['access_token']}"}) == 401
    renewed = session.refresh_token(site.at("token"), auth=Together(site.own, Proof(key)))
    assert show(auth=Proof(key, renewed["access_token"])) == 200


def test_device(server, browser):
    """RFC 8628 by oauthlib's DeviceClient: public, with a code that the person types by hand."""
    made = web_client(server, "Watch", grants=(DEVICE, REFRESH), auth="none")
    site = Site(server.issuer, made)
    client = DeviceClient(made["client_id"], scope=["openid", "email"])
    session = OAuth2Session(client=client)
    begun = session.post(site.at("device_authorization"), data={"client_id": made["client_id"], "scope": "openid email"}, withhold_token=True, timeout=20).json()

    entry = browser.walk(begun["verification_uri"])
    browser.walk(f"{begun['verification_uri']}?user_code={begun['user_code'].lower().replace('-', ' ')}")
    token = session.fetch_token(site.at("token"), device_code=begun["device_code"], include_client_id=True, timeout=20)

    assert "user_code" in entry.forms[0].values and entry.forms[0].method == "GET"
    assert token["access_token"] and session.get(site.at("userinfo"), timeout=20).json()["email"] == f"{browser.username}@example.org"


def test_signed_introspection(site, server, browser):
    """RFC 9701: somebody else's server asks about a token that it was shown; the answer is signed for it alone."""
    session = site.session()
    claims = site.log_in(browser, session)
    asker = web_client(server, "Asker", grants=("client_credentials",))
    machine = OAuth2Session(client=BackendApplicationClient(asker["client_id"]))
    own = HTTPBasicAuth(asker["client_id"], asker["client_secret"])
    machine.fetch_token(site.at("token"), auth=own)

    def ask(auth) -> dict:
        answer = machine.post(site.at("introspection"), data={"token": session.token["access_token"]}, auth=auth, withhold_token=True, timeout=20,
                              headers={"Accept": "application/token-introspection+jwt"})
        assert answer.headers["Content-Type"] == "application/token-introspection+jwt", answer.text
        return verified(answer.text, server.issuer, "token-introspection+jwt")

    about, foreign = ask(site.own), ask(own)
    assert about["aud"] == site.client["client_id"] and about["token_introspection"]["active"] and about["token_introspection"]["sub"] == claims["sub"]
    assert foreign["aud"] == asker["client_id"] and foreign["token_introspection"] == {"active": False}, "a token for the provider is nobody else's business"


def test_revocation_ends_the_login_of_this_client(site, browser):
    """RFC 7009: the refresh token and what came of it."""
    session = site.session()
    site.log_in(browser, session)

    revoked = site.post(session, "revocation", token=session.token["refresh_token"])

    assert revoked.status_code == 200 and session.get(site.at("userinfo"), timeout=20).status_code == 401
    with pytest.raises(OAuth2Error, match="invalid_grant"):
        session.refresh_token(site.at("token"), auth=site.own)
