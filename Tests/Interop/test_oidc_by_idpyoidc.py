"""A relying party by idpyoidc (JWTConnect): its handler discovers, registers, logs in, refreshes and logs out; add-ons sign requests and make proofs.

What it cannot do, and is done here in its place: pushing (its add-on sends an unnamed request object and takes 200 only, where RFC 9126 says 201), and the
`ath` of a proof (written as hex, where RFC 9449 says base64url). A server's nonce it leaves out of its proofs altogether. The `scope` that a registration
answers (RFC 7591, 2) it takes for the name of one scope that it does not know, so it is not shown it.
"""
from __future__ import annotations

import json
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests
from idpyoidc.client.exception import OidcServiceError
from idpyoidc.client.oauth2.add_on.dpop import DPoPProof
from idpyoidc.client.oauth2.stand_alone_client import StandAloneClient, backchannel_logout
from idpyoidc.client.rp_handler import RPHandler
from idpyoidc.exception import MessageException

from browsing import Browser
from clients import CALLBACK, CODE, DEVICE, GOODBYE, REFRESH, web_client
from keys import new_id, now, sha256, verified
from logout_listener import LogoutListener

CLIENT, ADD_ON = "idpyoidc.client.oidc", "idpyoidc.client.oauth2.add_on"
SERVICES = {
    "discovery": "provider_info_discovery.ProviderInfoDiscovery", "registration": "registration.Registration", "authorization": "authorization.Authorization",
    "accesstoken": "access_token.AccessToken", "refresh_token": "refresh_access_token.RefreshAccessToken", "userinfo": "userinfo.UserInfo",
    "end_session": "end_session.EndSession"}
PKCE = {"function": f"{ADD_ON}.pkce.add_support", "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"}}
JAR = {"function": f"{ADD_ON}.jar.add_support", "kwargs": {"request_object_signing_alg": "ES256"}}
PROVED = ["accesstoken", "refresh_token"]
SHOWN_WITH_DPOP = {"default_authn_method": "dpop_client_auth", "client_authn_methods": {"dpop_client_auth": {"class": f"{ADD_ON}.dpop.DPoPClientAuth", "kwargs": {}}}}


def dpop(*services: str) -> dict:
    return {"function": f"{ADD_ON}.dpop.add_support", "kwargs": {"dpop_signing_alg_values_supported": ["ES256"], "with_dpop_header": list(services)}}


class Party:
    """One relying party and its provider. `client` is the dictionary of a registration; without it, `handler` still has to register."""

    def __init__(self, issuer: str, client: dict | None = None, add_ons: dict | None = None, services: dict[str, dict] | None = None,
                 key: dict = {"type": "EC", "crv": "P-256", "use": ["sig"]}, **preferences):
        self.issuer = issuer
        known = {name: client[name] for name in ("client_id", "client_secret") if name in client} if client else {}
        self.settings = known | {
            "client_type": "oidc", "issuer": issuer, "redirect_uris": [CALLBACK], "post_logout_redirect_uris": [GOODBYE], "response_types_supported": ["code"],
            "scopes_supported": ["openid", "profile", "email"], "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "client_authn_methods": ["client_secret_basic"], "id_token_signing_alg_values_supported": ["RS256"], "add_ons": {"pkce": PKCE} | (add_ons or {}),
            "services": {name: {"class": f"{CLIENT}.{place}", "kwargs": (services or {}).get(name, {})} for name, place in SERVICES.items()}} | preferences
        self.handler = RPHandler(base_url="https://rp.example.org", client_configs={issuer: self.settings}, httpc=asked, httpc_params={"timeout": 30},
                                 key_conf={"key_defs": [key]})

    @property
    def at_provider(self) -> StandAloneClient:
        return self.handler.client_setup(self.issuer)

    def url(self, **asked) -> str:
        return self.handler.begin(self.issuer, req_args=asked or None, behaviour_args={"expires_in": 300})

    def finish(self, back: str) -> dict:
        """From the callback's parameters to userinfo, all checks by the library."""
        return self.handler.finalize(self.issuer, parameters(back))

    def log_in(self, browser: Browser, **asked) -> dict:
        return self.finish(browser.come_back(self.url(**asked)))


def asked(method: str, url: str, **options) -> requests.Response:
    """The library's way out, without the one member that it trips over."""
    answer = requests.request(method, url, **options)
    if url.endswith("/register") and answer.status_code == 201:
        answer._content = json.dumps({name: value for name, value in answer.json().items() if name != "scope"}).encode()
    return answer


def parameters(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query))


@pytest.fixture(scope="module")
def client(server) -> dict:
    return web_client(server, "Idpy")


@pytest.fixture
def party(server, client) -> Party:
    return Party(server.issuer, client)


@pytest.fixture
def browser(server, username) -> Browser:
    return Browser(server.issuer, username)


def test_login(server, party, browser, username):
    """Discovery, code with PKCE, ID token with nonce and at_hash, userinfo of the same subject."""
    done = party.log_in(browser)

    assert "error" not in done and done["userinfo"]["email"] == f"{username}@example.org"
    assert done["id_token"]["iss"] == server.issuer and done["id_token"]["sub"] == done["userinfo"]["sub"]
    assert party.handler.has_active_authentication(done["state"])
    assert verified(done["token"], server.issuer, "at+jwt")["sub"] == done["id_token"]["sub"]


def test_an_answer_of_another_issuer_is_noticed(party, browser):
    """RFC 9207: `iss` comes with the code, and the library compares it."""
    back = browser.come_back(party.url())

    with pytest.raises(Exception, match="[Ii]ss"):
        party.handler.finalize(party.issuer, parameters(back) | {"iss": "https://elsewhere.example.org"})
    assert "userinfo" in party.finish(back)


def test_refresh(party, browser):
    """A new access token, and a new refresh token in its place."""
    done = party.log_in(browser)
    before = party.at_provider.get_context().cstate.get(done["state"])["refresh_token"]

    renewed = party.handler.refresh_access_token(done["state"])

    assert renewed["access_token"] != done["token"] and renewed["refresh_token"] != before
    assert party.handler.get_user_info(done["state"])["sub"] == done["id_token"]["sub"]


def test_claims_one_by_one(party, browser, username):
    """OpenID Connect Core, 5.5: e-mail asked for in the ID token comes there, with the level and time of the login."""
    done = party.log_in(browser, claims={"id_token": {"email": None}}, max_age=3600)

    assert done["id_token"]["email"] == f"{username}@example.org" and done["id_token"]["auth_time"] and done["id_token"]["acr"]


def test_logout_and_who_is_told(server, browser):
    """RP-initiated by the library's URL; two parties of one browser session are told, and each logout token passes the library's own check."""
    with LogoutListener.listening() as here, LogoutListener.listening() as there:
        first, second = register(server, here), register(server, there)
        ended, other = first.log_in(browser), second.log_in(browser)

        back = browser.come_back(first.handler.logout(ended["state"], post_logout_redirect_uri=GOODBYE)["url"])

        assert backchannel_logout(first.at_provider, here.first()) == ended["state"]
        assert backchannel_logout(second.at_provider, there.first()) == other["state"]
        with pytest.raises(MessageException):
            backchannel_logout(first.at_provider, there.first())
        sent = verified(here.tokens[0], server.issuer, "logout+jwt", "RS256")
    assert back.startswith(f"{GOODBYE}?state=") and browser.come_back(first.url(prompt="none")).find("error=login_required") > 0
    assert sent["sid"] == ended["id_token"]["sid"] and sent["sub"] == ended["id_token"]["sub"] and "nonce" not in sent
    with pytest.raises(OidcServiceError):
        second.handler.get_user_info(other["state"])


def register(server, listener: LogoutListener | None = None, **preferences) -> Party:
    """RFC 7591: with an initial access token, as the library asks by itself."""
    told = {"backchannel_logout_uri": listener.uri} if listener else {}
    party = Party(server.issuer, services={"registration": {"default_authn_method": "bearer_header"}}, client_name="Registered", **told, **preferences)
    invitation = server.admin("clients", "invite")
    client = party.handler.init_client(server.issuer)
    party.handler.do_provider_info(client)
    client.do_client_registration(request_args={"access_token": invitation["initial_access_token"], "post_logout_redirect_uris": [GOODBYE],
                                                "scope": "openid profile email", "grant_types": [CODE, REFRESH]})
    party.handler.issuer2rp[server.issuer] = client
    return party


def test_registration(server, browser):
    """The library registers what it prefers, and works with what it got; the server's operator sees the client."""
    party = register(server)
    registered = party.at_provider.get_context().registration_response

    done = party.log_in(browser)

    assert registered["registration_access_token"] and registered["registration_client_uri"].startswith(f"{server.issuer}/register/")
    assert "error" not in done and done["userinfo"]["sub"]
    read = requests.get(registered["registration_client_uri"], headers={"Authorization": f"Bearer {registered['registration_access_token']}"}, timeout=20)
    assert read.json()["client_id"] == registered["client_id"] and read.json()["client_name"] == "Registered"


def test_an_invitation_is_for_one(server):
    """The initial access token was used up; without any, nobody registers."""
    token = server.admin("clients", "invite")["initial_access_token"]
    body = {"redirect_uris": [CALLBACK], "client_name": "Another"}

    answers = [requests.post(f"{server.issuer}/register", json=body, headers=headers, timeout=20).status_code for headers in (
        {}, {"Authorization": "Bearer made-up"}, {"Authorization": f"Bearer {token}"}, {"Authorization": f"Bearer {token}"})]

    assert answers == [401, 401, 201, 401]


def test_signed_userinfo_and_es256(server, browser):
    """A party that registers userinfo signed and ES256 for its ID tokens gets both; the library checks both, and the logout token's ES256 too."""
    with LogoutListener.listening() as listener:
        party = register(server, listener, userinfo_signing_alg_values_supported=["ES256"], id_token_signing_alg_values_supported=["ES256"])

        done = party.log_in(browser)

        answer = requests.get(f"{server.issuer}/userinfo", headers={"Authorization": f"Bearer {done['token']}"}, timeout=20)
        browser.come_back(party.handler.logout(done["state"], post_logout_redirect_uri=GOODBYE)["url"])
        assert done["id_token"].jws_header["alg"] == "ES256" and done["userinfo"]["sub"] == done["id_token"]["sub"]
        assert answer.headers["Content-Type"] == "application/jwt" and verified(answer.text, server.issuer, "JWT")["aud"] == done["id_token"]["aud"][0]
        assert backchannel_logout(party.at_provider, listener.first()) == done["state"]


def signing(server, **flags) -> Party:
    """A party whose authorization requests are signed by its own key (RFC 9101)."""
    party = Party(server.issuer, add_ons={"jar": JAR}, request_object_signing_alg_values_supported=["ES256"])
    made = web_client(server, "Signer", *flags.get("flags", ()), jwks=party.handler.keyjar.export_jwks())
    party.settings |= {name: made[name] for name in ("client_id", "client_secret")}
    return party


def test_signed_requests(server, browser):
    """RFC 9101, by value: nonce and challenge stand inside only."""
    party = signing(server)
    url = party.url()

    done = party.finish(browser.come_back(url))

    assert "request" in parameters(url) and "code_challenge" not in parameters(url) and done["userinfo"]["sub"]


def test_a_changed_request_is_refused(server, browser):
    """Somebody who turns a bit of the signature is told so, and nobody logs in."""
    party = signing(server)
    url = party.url()
    head, body, signature = parameters(url)["request"].split(".")

    page = browser.open(url.replace(signature, ("A" if signature[0] != "A" else "B") + signature[1:]))

    assert page.answer.get("error") == "invalid_request_object"


def test_pushed_signed_requests(server, browser):
    """RFC 9126: the library's own request and client authentication, sent by a plain POST (see above)."""
    party = signing(server, flags=("--require-par",))
    url, service = party.url(), party.at_provider.get_service("authorization")
    headers = service.get_headers({}, http_method="POST", authn_method="client_secret_basic")

    pushed = requests.post(f"{server.issuer}/par", data=parameters(url), headers=headers, timeout=20)
    done = party.finish(browser.come_back(f"{server.issuer}/authorize?client_id={party.settings['client_id']}&request_uri={pushed.json()['request_uri']}"))

    assert pushed.status_code == 201 and done["userinfo"]["sub"]


def keyed(server, *flags: str) -> Party:
    """A party that authenticates by a key of its own, with what the library signs by itself: RS256, and the token endpoint as `aud`."""
    party = Party(server.issuer, key={"type": "RSA", "use": ["sig"]}, token_endpoint_auth_methods_supported=["private_key_jwt"], client_authn_methods=["private_key_jwt"])
    made = web_client(server, "Keyed", *flags, auth="private_key_jwt", jwks=party.handler.keyjar.export_jwks())
    party.settings["client_id"] = made["client_id"]
    return party


def test_private_key_jwt(server, browser):
    """Login and refresh of a client with `--assertion-audience endpoint`, by no secret."""
    party = keyed(server, "--assertion-audience", "endpoint")

    done = party.log_in(browser)
    renewed = party.handler.refresh_access_token(done["state"])

    assert "client_secret" not in party.settings and done["userinfo"]["sub"] and renewed["access_token"] != done["token"]


def test_private_key_jwt_for_the_endpoint_is_refused_where_nobody_set_it(server, browser, caplog):
    """rfc7523bis; the refusal names the setting, in what the library writes to its log."""
    party = keyed(server)

    with pytest.raises(OidcServiceError, match="invalid_client"):
        party.log_in(browser)

    assert "assertion_audience endpoint" in caplog.text


def with_ath(context, headers=None, http_method="", token="", endpoint_url="", **_) -> dict:
    """The library's proof by the library's key, with the hash of the token as RFC 9449, 4.2 writes it."""
    made = context.add_on["dpop"]
    proof = DPoPProof(typ="dpop+jwt", alg=made["alg"], jwk=made["key"].serialize(), jti=new_id(), htm=http_method, htu=endpoint_url, iat=now(), ath=sha256(token))
    proof.key = made["key"]
    return (headers or {}) | {"dpop": proof.create_header()}


def test_dpop(server, client, browser):
    """Bound at the token endpoint by the add-on, refreshed with it, shown with a proof; bare, the token is worth nothing."""
    party = Party(server.issuer, client, add_ons={"dpop": dpop(*PROVED)}, services={"userinfo": SHOWN_WITH_DPOP})
    party.at_provider.get_service("userinfo").construct_extra_headers.append(with_ath)

    done = party.log_in(browser)
    renewed = party.handler.refresh_access_token(done["state"])

    shown = [requests.get(f"{server.issuer}/userinfo", headers={"Authorization": f"{scheme} {renewed['access_token']}"}, timeout=20) for scheme in ("Bearer", "DPoP")]
    assert done["userinfo"]["sub"] and renewed["token_type"] == "DPoP"
    assert party.handler.get_user_info(done["state"])["sub"] == done["userinfo"]["sub"]
    assert [answer.status_code for answer in shown] == [401, 401]


def test_the_librarys_own_ath_is_refused(server, client, browser):
    """It is the hash in hex: a proof for another token, as far as the RFC goes. When this fails, the library was repaired and `with_ath` can go."""
    party = Party(server.issuer, client, add_ons={"dpop": dpop(*PROVED, "userinfo")}, services={"userinfo": SHOWN_WITH_DPOP})

    with pytest.raises(OidcServiceError, match="invalid_dpop_proof"):
        party.log_in(browser)


def test_device(server, browser):
    """RFC 8628, which the library does not know: plain requests, with its client authentication; its keys check the ID token."""
    made = web_client(server, "Projector", grants=(DEVICE, REFRESH))
    party = Party(server.issuer, made)
    headers = party.at_provider.get_service("accesstoken").get_headers({}, http_method="POST", authn_method="client_secret_basic")
    begun = requests.post(f"{server.issuer}/device_authorization", data={"scope": "openid email"}, headers=headers, timeout=20).json()

    browser.walk(begun["verification_uri_complete"])
    token = requests.post(f"{server.issuer}/token", data={"grant_type": DEVICE, "device_code": begun["device_code"]}, headers=headers, timeout=20).json()

    read = party.at_provider.get_service("accesstoken").response_cls(**token)
    assert read.verify(iss=server.issuer, client_id=made["client_id"], keyjar=party.at_provider.keyjar) and read["__verified_id_token"]["sub"]


def test_no_secret_no_device(server):
    """A confidential client that does not authenticate begins nothing."""
    made = web_client(server, "Nobody", grants=(DEVICE,))

    answer = requests.post(f"{server.issuer}/device_authorization", data={"client_id": made["client_id"]}, timeout=20)

    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")
