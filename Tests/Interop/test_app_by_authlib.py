"""A phone app by Authlib, from its version key to the token of another app, and back down."""
from __future__ import annotations

import pytest
import requests
from authlib.integrations.base_client import OAuthError

from keys import Proof, SelfMade, new_key, verified
from phone import ID_JAG, Phone, Release
from waiting import eventually

SCOPE, BUNDLE = "ch.pando.viewer", "org.example.photos"


def attributes(viewer: str, **options) -> requests.Response:
    return requests.get(f"{viewer}/attributes", timeout=20, **options)


def test_registers_with_the_key_of_its_version(server, release):
    """Authlib's private_key_jwt, made with the version key, gives an instance token bound to the instance's own key."""
    phone = Phone(server.issuer, release).register()

    claims = verified(phone.instance["access_token"], server.issuer, "at+jwt")
    assert phone.instance["token_type"] == "DPoP" and phone.instance["refresh_token"]
    assert claims["client_id"] == claims["sub"] == phone.client_id
    assert claims["cnf"]["jwk"]["x"] == phone.key.as_dict(private=False)["x"]


def test_a_key_that_was_never_registered_is_refused(server, release):
    """The signature decides, not the name of the version."""
    forged = Release(release.app, release.version, kid=release.kid)

    with pytest.raises(OAuthError) as refused:
        Phone(server.issuer, forged).register()

    assert refused.value.error == "invalid_client"


def test_logs_a_person_in(server, phone):
    """The personal access token says who, and is bound to the same key."""
    claims = verified(phone.pat["access_token"], server.issuer, "at+jwt")

    assert claims["sub"] == phone.ask("GET", "/userinfo").json()["sub"]
    assert claims["cnf"]["jkt"] == phone.key.thumbprint()


def test_introspects_its_own_tokens(server, phone):
    """RFC 7662 by Authlib, authenticated by the instance token and a proof."""
    answer = phone.session().introspect_token(f"{server.issuer}/introspect", token=phone.pat["access_token"], auth=phone.proof(phone.instance))

    assert answer.json()["active"] is True and answer.json()["client_id"] == phone.client_id
    assert answer.json()["cnf"]["jkt"] == phone.key.thumbprint()


def test_introspection_tells_nothing_about_strangers(server, phone, release, username):
    """What is not the asker's looks like what does not exist."""
    other = Phone(server.issuer, release).register().log_in(username)

    answer = other.session().introspect_token(f"{server.issuer}/introspect", token=phone.pat["access_token"], auth=other.proof(other.instance))

    assert (answer.status_code, answer.json()) == (200, {"active": False})


@pytest.mark.parametrize("which", ["instance", "pat"])
def test_refreshes_with_a_proof(phone, which):
    """Authlib builds the refresh request; the proof comes as its `auth`. Both tokens of the pair are new."""
    before = getattr(phone, which)

    after = phone.refresh(before)

    assert after["access_token"] != before["access_token"] and after["refresh_token"] != before["refresh_token"]
    assert phone.ask("POST", "/introspect", after, data={"token": after["access_token"]}).json()["active"] is True


def test_a_lost_answer_may_be_asked_for_again(phone):
    """Within ten seconds the same refresh token gives the same child: nothing forks."""
    first, again = phone.refresh(phone.pat), phone.refresh(phone.pat)

    assert first["refresh_token"] == again["refresh_token"]


def test_reuse_ends_the_family(phone):
    """An old refresh token whose child was used is theft: everything of the family ends, the instance does not."""
    newest = phone.refresh(phone.refresh(phone.pat))

    with pytest.raises(OAuthError) as refused:
        phone.refresh(phone.pat)

    assert refused.value.error == "invalid_grant"
    assert phone.ask("GET", "/user-profile", newest).status_code == 401
    assert phone.lives(phone.instance)


def test_another_key_refreshes_nothing_and_ends_nothing(phone):
    """A stolen refresh token is worth nothing, and showing it harms nobody."""
    own, phone.key = phone.key, new_key()
    with pytest.raises(OAuthError) as refused:
        phone.refresh(phone.pat)
    phone.key = own

    assert refused.value.error == "invalid_grant"
    assert phone.refresh(phone.pat)["access_token"]


def test_exchanges_its_token_for_an_assertion(server, phone, viewer):
    """RFC 8693 by Authlib: the answer is an ID-JAG for one service."""
    answer = phone.exchange(viewer)

    claims = verified(answer["access_token"], server.issuer, "oauth-id-jag+jwt")
    assert (answer["token_type"], answer["issued_token_type"]) == ("N_A", ID_JAG)
    assert claims["aud"] == f"{viewer}/token" and claims["client_id"] == phone.client_id
    assert claims["azp"] == phone.release.app and claims["lineage"]


def test_goes_to_a_service_and_hands_a_token_on(server, phone, viewer):
    """Assertion, service token, app token: each by Authlib, the last one shown in both ways."""
    app_key = new_key()

    app_token = phone.hand_out(phone.open(viewer), viewer, SCOPE, BUNDLE, app_key)

    claims = verified(app_token["access_token"], server.issuer, "at+jwt")
    assert claims["iss"] == viewer and claims["client_id"] == BUNDLE and app_token["scope"] == SCOPE
    for auth in (Proof(app_key, app_token["access_token"]), SelfMade(app_key, BUNDLE, claims["jti"])):
        assert attributes(viewer, auth=auth).json()["attributes"]["email"].endswith("@example.org")


def test_an_assertion_works_once(server, phone, viewer):
    """The second use is refused, and ends what the first one gave."""
    assertion, endpoint = phone.assertion(viewer)
    form = {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion}
    first = requests.post(endpoint, data=form, timeout=20)

    second = requests.post(endpoint, data=form, timeout=20)

    assert (first.status_code, second.status_code, second.json()["error"]) == (200, 400, "invalid_grant")
    with pytest.raises(OAuthError):
        phone.hand_out(first.json(), viewer, SCOPE, BUNDLE)


def test_a_bound_token_shown_bare_is_refused(server, phone):
    """RFC 9449, 7.2: a token with `cnf` is no bearer token, wherever it was found."""
    bare = requests.get(f"{server.issuer}/user-profile", headers={"Authorization": f"Bearer {phone.pat['access_token']}"}, timeout=20)

    assert bare.status_code == 401 and bare.json()["error"] == "invalid_token"
    assert bare.headers["WWW-Authenticate"].startswith("DPoP ")


def test_the_host_header_decides_nothing(server, phone):
    """A proof names the URL that the world knows: a request under another Host is judged by the configured issuer."""
    proof = Proof(phone.key, phone.pat["access_token"])

    good = requests.get(f"{server.issuer}/userinfo", auth=proof, headers={"Host": "evil.example"}, timeout=20)
    forged = requests.Request("GET", "http://evil.example/userinfo", auth=proof).prepare().headers
    bad = requests.get(f"{server.issuer}/userinfo", headers={**forged, "Host": "evil.example"}, timeout=20)

    assert (good.status_code, bad.status_code, bad.json()["error"]) == (200, 401, "invalid_dpop_proof")


def test_revoking_takes_down_what_hangs_below(server, phone, viewer):
    """RFC 7009 by Authlib at the IdP; the token of the third app, two rungs down and at a service, dies within ten seconds."""
    app_token = phone.hand_out(phone.open(viewer), viewer, SCOPE, BUNDLE)
    headers = {"Authorization": f"Bearer {app_token['access_token']}"}
    assert attributes(viewer, headers=headers).status_code == 200

    answer = phone.session().revoke_token(f"{server.issuer}/revoke", token=phone.pat["access_token"], auth=phone.proof(phone.instance))

    assert answer.status_code == 200
    assert phone.ask("GET", "/user-profile").status_code == 401, "at the IdP it is immediate"
    assert eventually(lambda: attributes(viewer, headers=headers).status_code == 401)
    assert phone.lives(phone.instance), "what is above lives"
