"""Whom a service takes, by the command line: apps by its policy, one person, one phone; and an app that is refused as a whole."""
from __future__ import annotations

import pytest
import requests
from authlib.integrations.base_client import OAuthError

from phone import Phone, Release, person
from server import CommandFailed, Server

APP, SCOPE = "org.example.photos", "ch.pando.viewer"


@pytest.fixture
def held(own_server: Server):
    """A phone with an app token at the viewer, and the service's base."""
    base, name = f"{own_server.issuer}/services/viewer", person(own_server)
    phone = Phone(own_server.issuer, Release.add(own_server)).register().log_in(name)
    service = phone.open(base)
    return phone, name, base, service, phone.hand_out(service, base, SCOPE, APP)


def attributes(base: str, app: dict) -> int:
    return requests.get(f"{base}/attributes", headers={"Authorization": f"Bearer {app['access_token']}"}, timeout=20).status_code


def test_a_denied_app_is_out_at_once(own_server: Server, held):
    phone, _, base, service, app = held
    assert own_server.admin("services", "policy", "viewer") == {"service": "viewer", "default": "open", "allow": [], "deny": []}
    assert attributes(base, app) == 200
    tried = own_server.admin("services", "policy", "viewer", "deny", APP, "--dry-run")
    assert tried["dry_run"] is True and tried["revoked"][0]["tokens"] == 1 and attributes(base, app) == 200

    done = own_server.admin("services", "policy", "viewer", "deny", APP, "--yes", "--reason", "interop")

    assert done["deny"] == [APP] and done["already"] is False and done["revoked"][0]["node"] == f"admission:viewer/{APP}"
    assert attributes(base, app) == 401
    with pytest.raises(OAuthError) as refused:
        phone.hand_out(service, base, SCOPE, APP)
    assert refused.value.error == "access_denied"
    assert own_server.admin("services", "policy", "viewer", "deny", APP, "--yes")["already"] is True
    assert own_server.admin("services", "policy", "viewer", "clear", APP)["deny"] == []
    assert attributes(base, phone.hand_out(service, base, SCOPE, APP)) == 200


@pytest.mark.parametrize("words, status", [(("default", "half"), 2), (("deny",), 2), (("permit", APP), 2), (("deny", "a b"), 5), (("deny", "x" * 256), 5)],
                         ids=str)
def test_what_is_no_policy(server: Server, words, status):
    with pytest.raises(CommandFailed) as refused:
        server.admin("services", "policy", "viewer", *words, "--yes")
    assert refused.value.exit_code == status


def test_a_person_and_a_phone_are_kept_out_of_one_service(own_server: Server, held):
    phone, name, base, _, _ = held
    node = f"use:{name}/viewer"
    assert any(child["kind"] == "assertion" for child in own_server.admin("tree", "show", node)["children"])

    done = own_server.admin("accounts", "refuse", name, "--service", "viewer")

    assert done["status"] == "refused" and done["already"] is False and done["revoked"]["services"][0]["id"] == "viewer"
    answer = phone.ask("POST", "/authorization", data={"response_type": "code", "redirect_uri": base})
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied")
    assert own_server.admin("accounts", "refuse", name, "--service", base)["already"] is True
    assert [row["kind"] for row in own_server.admin("services", "refusals", "viewer")["items"]] == ["account"]
    assert own_server.admin("accounts", "allow", name, "--service", "viewer")["status"] == "allowed"

    assert own_server.admin("instances", "refuse", phone.client_id, "--service", "viewer")["already"] is False
    answer = phone.ask("POST", "/authorization", data={"response_type": "code", "redirect_uri": base})
    assert (answer.status_code, answer.json()["error"]) == (403, "access_denied")
    assert own_server.admin("instances", "allow", phone.client_id, "--service", "viewer")["already"] is False
    assert phone.open(base)["access_token"]


def test_an_app_is_refused_in_all_versions(own_server: Server):
    release = Release.add(own_server)
    phone = Phone(own_server.issuer, release).register()

    done = own_server.admin("apps", "refuse", release.app)

    assert done["status"] == "refused" and done["already"] is False and done["revoked"][0]["node"] == f"version:{release.id}"
    with pytest.raises(OAuthError) as refused:
        Phone(own_server.issuer, release).register()
    assert refused.value.error == "invalid_client"
    assert phone.ask("GET", "/user-profile", phone.instance).status_code == 401
    assert own_server.admin("apps", "allow", release.app)["status"] == "allowed"
    assert Phone(own_server.issuer, release).register().client_id


def test_an_app_is_told_what_it_is_for(own_server: Server, held):
    phone = held[0]
    own_server.admin("apps", "update", phone.release.app, "--claim", "name", "--name", "Photos")
    assert phone.ask("GET", "/user-profile").json()[0]["mailaddress"] is None
    assert own_server.admin("apps", "update", phone.release.app, "--all-claims")["claims"] is None
    assert phone.ask("GET", "/user-profile").json()[0]["mailaddress"]
