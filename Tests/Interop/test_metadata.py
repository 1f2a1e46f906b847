"""Metadata and keys as others read them: Authlib's validation, joserfc's key sets."""
from __future__ import annotations

import pytest
import requests
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url
from authlib.oidc import rpinitiated
from authlib.oidc.discovery import OpenIDProviderMetadata
from joserfc.jwk import KeySet


@pytest.fixture(scope="module")
def metadata(server) -> dict:
    answer = requests.get(get_well_known_url(server.issuer, external=True), timeout=20)
    assert answer.status_code == 200
    return answer.json()


def test_authlib_finds_it_valid(server, metadata):
    """RFC 8414, 2 and 3.3: each member is of the right kind, and the issuer is the one that was asked."""
    AuthorizationServerMetadata(metadata).validate()

    assert metadata["issuer"] == server.issuer


def test_authlib_finds_discovery_valid(server):
    """OpenID Connect Discovery 1.0, 3, and RP-Initiated Logout 1.0, 2.1. That RS256 is there is a MUST of the former, and a setting here."""
    document = requests.get(f"{server.issuer}/.well-known/openid-configuration", timeout=20).json()

    OpenIDProviderMetadata(document).validate(metadata_classes=[rpinitiated.OpenIDProviderMetadata])

    assert document["id_token_signing_alg_values_supported"] == ["ES256", "RS256"] and document["end_session_endpoint"].startswith(server.issuer)


def test_openid_discovery_is_the_same_description(server, metadata):
    """Two documents, one truth: nothing in one contradicts the other."""
    discovery = requests.get(f"{server.issuer}/.well-known/openid-configuration", timeout=20).json()

    assert {name: discovery[name] for name in metadata} == metadata
    assert "userinfo_endpoint" in discovery


@pytest.mark.parametrize("endpoint", ["token_endpoint", "introspection_endpoint", "revocation_endpoint", "authorization_challenge_endpoint", "jwks_uri"])
def test_what_apps_need_is_there(metadata, endpoint):
    """An announced endpoint answers, if only with a refusal in JSON."""
    assert requests.request("GET" if endpoint == "jwks_uri" else "POST", metadata[endpoint], timeout=20).status_code in (200, 400, 401)


@pytest.mark.parametrize("endpoint", ["authorization_endpoint", "pushed_authorization_request_endpoint", "registration_endpoint", "device_authorization_endpoint",
                                      "userinfo_endpoint", "end_session_endpoint"])
def test_what_web_applications_need_is_there(server, endpoint):
    """Nothing is announced that is not there."""
    discovery = requests.get(get_well_known_url(server.issuer, external=True, suffix="openid-configuration"), timeout=20).json()
    method = "GET" if endpoint in ("authorization_endpoint", "userinfo_endpoint", "end_session_endpoint") else "POST"
    assert requests.request(method, discovery[endpoint], timeout=20).status_code in (200, 400, 401)


def test_grants_are_those_of_the_token_endpoint(metadata):
    """Each announced grant is known there: it misses parameters, it is not unsupported."""
    for grant in metadata["grant_types_supported"]:
        answer = requests.post(metadata["token_endpoint"], data={"grant_type": grant}, timeout=20)
        assert answer.json()["error"] != "unsupported_grant_type", grant
    refused = requests.post(metadata["token_endpoint"], data={"grant_type": "password", "username": "a", "password": "b"}, timeout=20)
    assert refused.json()["error"] == "unsupported_grant_type"


def test_the_next_key_is_published_before_it_signs(server, metadata):
    """joserfc reads the set: public keys only, each with a name, the active and the next one."""
    published = requests.get(metadata["jwks_uri"], timeout=20).json()
    known = {item["kid"]: item["status"] for item in server.admin("keys", "list")["items"]}

    keys = KeySet.import_key_set(published).keys

    assert {key.kid for key in keys} == set(known) and "next" in known.values()
    assert not any(key.is_private for key in keys)


def test_a_service_of_the_house_publishes_rsd2(viewer):
    """The document an institution must publish too: OAuth, and a protocol with an absolute link."""
    apis = requests.get(f"{viewer}/rsd", timeout=20).json()["apis"]

    assert apis["org.ietf.oauth2"]["apiLink"] == viewer and apis["ch.pando.viewer"]["apiLink"].startswith(viewer)
