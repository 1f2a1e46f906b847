"""RFC 8707 by a web application: one login for two services, a token for each, and userinfo beside. By requests-oauthlib and requests."""
from __future__ import annotations

import pytest
import requests
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

from browsing import Browser
from clients import CALLBACK, web_client
from keys import new_id, pkce, verified
from phone import person


@pytest.fixture(autouse=True)
def plain_http(monkeypatch):
    """oauthlib speaks TLS only, unless it is told that this is a test."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")


@pytest.fixture(scope="module")
def tiqr(server) -> str:
    return f"{server.issuer}/services/tiqr"


class Application:
    """One client, which shows its secret by Basic."""

    def __init__(self, server, name: str):
        self.issuer, self.client = server.issuer, web_client(server, name)
        self.auth = HTTPBasicAuth(self.client["client_id"], self.client["client_secret"])

    def ask(self, browser: Browser, *resources: str, scope: str = "openid email", decision: str = "allow", **more: str) -> tuple[dict, str]:
        """What comes back from /authorize, and the verifier."""
        verifier, challenge = pkce()
        query = [("response_type", "code"), ("client_id", self.client["client_id"]), ("redirect_uri", CALLBACK), ("scope", scope), ("state", new_id()),
                 ("code_challenge", challenge), ("code_challenge_method", "S256"), *more.items(), *(("resource", resource) for resource in resources)]
        page = browser.walk(requests.Request("GET", f"{self.issuer}/authorize", params=query).prepare().url, decision)
        assert page.is_outside, page.text[-1500:]
        return page.answer, verifier

    def post(self, **form: str) -> requests.Response:
        return requests.post(f"{self.issuer}/token", data=form, auth=self.auth, timeout=20)

    def redeem(self, answer: dict, verifier: str, **form: str) -> requests.Response:
        return self.post(grant_type="authorization_code", code=answer["code"], code_verifier=verifier, redirect_uri=CALLBACK, **form)

    def refresh(self, token: dict, **form: str) -> requests.Response:
        return self.post(grant_type="refresh_token", refresh_token=token["refresh_token"], **form)

    def audience(self, token: dict) -> str:
        return verified(token["access_token"], self.issuer, "at+jwt")["aud"]

    def userinfo(self, token: dict) -> requests.Response:
        return requests.get(f"{self.issuer}/userinfo", headers={"Authorization": f"Bearer {token['access_token']}"}, timeout=20)


@pytest.fixture(scope="module")
def notes(server) -> Application:
    return Application(server, "Notes for two")


@pytest.fixture
def browser(server, username) -> Browser:
    return Browser(server.issuer, username)


def test_one_login_gives_a_token_for_each_service_and_for_userinfo(notes, browser, username, viewer, tiqr):
    first = notes.redeem(*notes.ask(browser, viewer, tiqr), resource=viewer).json()
    second = notes.refresh(first, resource=tiqr).json()
    third = notes.refresh(second, resource=notes.issuer).json()

    assert [notes.audience(token) for token in (first, second, third)] == [viewer, tiqr, notes.issuer]
    assert notes.userinfo(third).json()["email"].startswith(username)
    for token in (first, second):
        refused = notes.userinfo(token)
        assert refused.status_code == 401 and 'error="invalid_token"' in refused.headers["WWW-Authenticate"]


def test_a_library_that_names_no_resource_reads_userinfo_as_ever(notes, browser, username, viewer):
    """The first token of several resources is the issuer's."""
    session = OAuth2Session(notes.client["client_id"], redirect_uri=CALLBACK, scope=["openid", "email"], pkce="S256")
    url, _ = session.authorization_url(f"{notes.issuer}/authorize", resource=viewer)
    back = browser.come_back(f"{url}&resource={requests.utils.quote(notes.issuer, safe='')}")
    token = session.fetch_token(f"{notes.issuer}/token", authorization_response=back, auth=notes.auth, timeout=20)

    assert session.get(f"{notes.issuer}/userinfo", timeout=20).json()["email"].startswith(username)
    assert notes.audience(notes.refresh(token, resource=viewer).json()) == viewer


@pytest.mark.parametrize("resource", ["https://unknown.example.org", "nonsense"])
def test_what_was_not_authorized_is_invalid_target(notes, browser, viewer, resource):
    answer, verifier = notes.ask(browser, viewer)
    refused = notes.redeem(answer, verifier, resource=resource)
    token = notes.redeem(answer, verifier).json()

    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_target")
    assert notes.refresh(token, resource=resource).json()["error"] == "invalid_target"
    assert notes.audience(notes.refresh(token).json()) == viewer
    assert notes.ask(browser, resource)[0]["error"] == "invalid_target"


def test_another_service_asks_again(server, viewer, tiqr):
    """Consent holds for the services that it named."""
    notes, browser = Application(server, "Notes that grow"), Browser(server.issuer, person(server))
    assert "code" in notes.ask(browser, viewer)[0]

    assert "code" in notes.ask(browser, viewer, prompt="none")[0]
    assert notes.ask(browser, viewer, tiqr, prompt="none")[0]["error"] == "consent_required"
    assert notes.ask(browser, viewer, tiqr, decision="deny")[0]["error"] == "access_denied"
    assert "code" in notes.ask(browser, viewer, tiqr)[0]
    assert "code" in notes.ask(browser, tiqr, prompt="none")[0]


def test_unknown_scopes_are_left_out(notes, browser):
    """OpenID Connect Core, 3.1.2.1; RFC 6749, 5.1."""
    token = notes.redeem(*notes.ask(browser, scope="openid phone email groups")).json()

    assert token["scope"] == "openid email"
    assert notes.ask(browser, scope="phone groups")[0]["error"] == "invalid_scope"
    assert notes.refresh(token, scope="openid phone").json()["error"] == "invalid_scope"
