"""A machine with credentials of its own, by Authlib: secrets, signed assertions, introspection, revocation."""
from __future__ import annotations

import json

import pytest
import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT, private_key_jwt_sign

from keys import new_key, public, verified
from phone import ShortAssertion


@pytest.fixture(scope="module")
def secretive(server) -> dict:
    """A client with a secret."""
    return server.admin("clients", "create", "--name", "Secretive", "--grant", "client_credentials", "--scope", "reports")


@pytest.fixture(scope="module")
def keyed(server):
    """A client with a key, and that key."""
    key = new_key()
    made = server.admin("clients", "create", "--name", "Keyed", "--grant", "client_credentials", "--scope", "reports", "--auth-method", "private_key_jwt",
                        "--jwks", "-", stdin=json.dumps({"keys": [public(key, kid="k1")]}))
    return made, key


def by_secret(client: dict, **changes) -> OAuth2Session:
    return OAuth2Session(**{"client_id": client["client_id"], "client_secret": client["client_secret"], "default_timeout": 20} | changes)


def by_key(client: dict, key, method: PrivateKeyJWT) -> OAuth2Session:
    session = OAuth2Session(client["client_id"], key, token_endpoint_auth_method="private_key_jwt", default_timeout=20)
    session.register_client_auth_method(method)
    return session


def test_client_secret_basic(server, secretive):
    """Authlib's default. The token is a plain Bearer JWT for the IdP itself."""
    token = by_secret(secretive).fetch_token(f"{server.issuer}/token", grant_type="client_credentials")

    claims = verified(token["access_token"], server.issuer, "at+jwt")
    assert token["token_type"] == "Bearer" and "refresh_token" not in token
    assert (claims["sub"], claims["aud"], claims["scope"]) == (secretive["client_id"], server.issuer, "reports")


def test_client_secret_in_the_body(server, secretive):
    """A secret is one, by Basic and in the body (RFC 6749, 2.3.1); another one is refused in both."""
    session = by_secret(secretive, token_endpoint_auth_method="client_secret_post")

    token = session.fetch_token(f"{server.issuer}/token", grant_type="client_credentials")

    assert verified(token["access_token"], server.issuer, "at+jwt")["sub"] == secretive["client_id"]
    for method in ("client_secret_post", "client_secret_basic"):
        with pytest.raises(OAuthError) as refused:
            by_secret(secretive, client_secret="wrong", token_endpoint_auth_method=method).fetch_token(f"{server.issuer}/token", grant_type="client_credentials")
        assert refused.value.error == "invalid_client"


def test_private_key_jwt(server, keyed):
    """RFC 7523, 2.2, with the issuer as audience; each assertion works once."""
    session = by_key(*keyed, ShortAssertion(server.issuer, {"kid": "k1"}))

    first, second = (session.fetch_token(f"{server.issuer}/token", grant_type="client_credentials") for _ in range(2))

    assert first["access_token"] != second["access_token"]
    assert verified(second["access_token"], server.issuer, "at+jwt")["client_id"] == keyed[0]["client_id"]


def test_authlibs_own_audience_and_hour_are_refused(server, keyed):
    """Authlib's defaults name the token endpoint and live for an hour; rfc7523bis wants the issuer, and Pando ten minutes."""
    session = by_key(*keyed, PrivateKeyJWT(alg="ES256", headers={"kid": "k1"}))

    with pytest.raises(OAuthError) as refused:
        session.fetch_token(f"{server.issuer}/token", grant_type="client_credentials")

    assert refused.value.error == "invalid_client" and server.issuer in refused.value.description


class TenMinutes(PrivateKeyJWT):
    """Authlib's own, for whatever endpoint is asked, but for ten minutes instead of an hour."""

    def sign(self, auth, token_endpoint):
        return private_key_jwt_sign(auth.client_secret, auth.client_id, token_endpoint, alg=self.alg, header=self.headers, expires_in=600)


def test_authlibs_own_audience_where_the_operator_lets_it(server, keyed):
    """`--assertion-audience endpoint`, and ten minutes, at three endpoints. Without the setting the audience is refused, and with it the hour still is."""
    strict, key = keyed
    made = server.admin("clients", "create", "--name", "Endpoint", "--grant", "client_credentials", "--scope", "reports", "--auth-method", "private_key_jwt",
                        "--assertion-audience", "endpoint", "--jwks", "-", stdin=json.dumps({"keys": [public(key, kid="k1")]}))
    session = by_key(made, key, TenMinutes(alg="ES256", headers={"kid": "k1"}))
    session.revocation_endpoint_auth_method = "private_key_jwt"     # a setting of its own there

    token = session.fetch_token(f"{server.issuer}/token", grant_type="client_credentials")["access_token"]
    known = session.introspect_token(f"{server.issuer}/introspect", token=token).json()
    revoked = session.revoke_token(f"{server.issuer}/revoke", token=token)

    assert known["active"] is True and known["client_id"] == made["client_id"] and revoked.status_code == 200
    for client, method in ((strict, TenMinutes), (made, PrivateKeyJWT)):
        with pytest.raises(OAuthError) as refused:
            by_key(client, key, method(alg="ES256", headers={"kid": "k1"})).fetch_token(f"{server.issuer}/token", grant_type="client_credentials")
        assert refused.value.error == "invalid_client"


def test_a_replayed_assertion_is_refused(server, keyed):
    """An Authlib session that was given fixed claims keeps its `jti`: the second request is a replay."""
    client, key = keyed
    fixed = ShortAssertion(server.issuer, {"kid": "k1"}, jti="made-once-only")
    by_key(client, key, fixed).fetch_token(f"{server.issuer}/token", grant_type="client_credentials")

    with pytest.raises(OAuthError) as refused:
        by_key(client, key, fixed).fetch_token(f"{server.issuer}/token", grant_type="client_credentials")

    assert refused.value.error == "invalid_client"


def test_scope_stays_within_registration(server, secretive):
    """RFC 6749, 3.3."""
    with pytest.raises(OAuthError) as refused:
        by_secret(secretive, scope="reports everything").fetch_token(f"{server.issuer}/token", grant_type="client_credentials")

    assert refused.value.error == "invalid_scope"


def test_a_resource_becomes_the_audience(server, secretive, viewer):
    """RFC 8707: a token for one service says so, and is nothing at the IdP."""
    token = by_secret(secretive).fetch_token(f"{server.issuer}/token", grant_type="client_credentials", resource=viewer)

    assert verified(token["access_token"], server.issuer, "at+jwt")["aud"] == viewer


def test_introspection_and_its_signed_form(server, secretive):
    """RFC 7662 by Authlib; RFC 9701 when the Accept header asks for it, for this client and verified by the published keys."""
    session = by_secret(secretive)
    token = session.fetch_token(f"{server.issuer}/token", grant_type="client_credentials")["access_token"]
    plain = session.introspect_token(f"{server.issuer}/introspect", token=token).json()

    signed = session.introspect_token(f"{server.issuer}/introspect", token=token, headers={
        "Accept": "application/token-introspection+jwt", "Content-Type": "application/x-www-form-urlencoded"})

    claims = verified(signed.text, server.issuer, "token-introspection+jwt")
    assert signed.headers["Content-Type"] == "application/token-introspection+jwt"
    assert claims["aud"] == secretive["client_id"] and claims["token_introspection"] == plain
    assert plain["active"] is True and plain["client_id"] == secretive["client_id"]


def test_revocation(server, secretive):
    """RFC 7009 by Authlib: silent, immediate, and harmless twice."""
    session = by_secret(secretive)
    token = session.fetch_token(f"{server.issuer}/token", grant_type="client_credentials")["access_token"]

    answers = [session.revoke_token(f"{server.issuer}/revoke", token=token).status_code for _ in range(2)]

    assert answers == [200, 200]
    assert session.introspect_token(f"{server.issuer}/introspect", token=token).json() == {"active": False}


def test_a_machine_is_no_person(server, secretive):
    """Its token opens nothing that is about people."""
    token = by_secret(secretive).fetch_token(f"{server.issuer}/token", grant_type="client_credentials")["access_token"]

    for path in ("/user-profile", "/userinfo", "/instances"):
        answer = requests.get(server.issuer + path, headers={"Authorization": f"Bearer {token}"}, timeout=20)
        assert (answer.status_code, answer.json()["error"]) == (403, "insufficient_scope")
