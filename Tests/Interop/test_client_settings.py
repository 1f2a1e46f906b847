"""What the operator sets for a client's library, by the command line: at once, and with what was refused before."""
from __future__ import annotations

import json

import pytest
import requests

from clients import CALLBACK, web_client
from keys import new_id, new_key, now, public, signed
from server import CommandFailed

JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


@pytest.fixture(scope="module")
def keyed(server):
    """A machine that authenticates by a key, and that key."""
    key = new_key()
    made = server.admin("clients", "create", "--name", "Keyed", "--grant", "client_credentials", "--scope", "reports", "--auth-method", "private_key_jwt",
                        "--jwks", "-", stdin=json.dumps({"keys": [public(key, kid="k1")]}))
    return made["client_id"], key


def ask(server, client: str, key, audience) -> requests.Response:
    claims = {"iss": client, "sub": client, "aud": audience, "exp": now() + 60, "jti": new_id()}
    return requests.post(f"{server.issuer}/token", timeout=20, data={
        "grant_type": "client_credentials", "client_assertion_type": JWT_BEARER, "client_assertion": signed(key, claims, kid="k1")})


def test_the_audience_of_assertions(server, keyed):
    """The endpoint as `aud` is refused, in words that name the setting; then it is set, tried, and taken back."""
    client, key = keyed
    endpoint = f"{server.issuer}/token"
    refused = ask(server, client, key, endpoint)
    assert refused.status_code == 401 and "assertion_audience" in refused.json()["error_description"]

    tried = server.admin("clients", "update", client, "--assertion-audience", "endpoint", "--dry-run")
    assert tried["dry_run"] is True and tried["assertion_audience"] == "endpoint"
    assert ask(server, client, key, endpoint).status_code == 401

    changed = server.admin("clients", "update", client, "--assertion-audience", "endpoint", "--reason", "its library knows no better")
    assert changed["assertion_audience"] == "endpoint" and "id_token_signed_response_alg" not in changed
    assert [ask(server, client, key, audience).status_code for audience in (endpoint, server.issuer, [server.issuer, endpoint])] == [200] * 3
    assert ask(server, client, key, [endpoint, "https://other.example.org"]).status_code == 401
    line = server.admin("audit", "list", "--node", f"client:{client}")["items"][0]
    assert line["action"] == "clients.update" and line["reason"] == "its library knows no better"

    assert "assertion_audience" not in server.admin("clients", "update", client, "--assertion-audience", "")
    assert ask(server, client, key, endpoint).status_code == 401 and ask(server, client, key, server.issuer).status_code == 200


def test_algorithms_and_pkce(server):
    """What was left out is told as it holds; each option changes one setting and leaves the rest."""
    made = web_client(server, "Settled", "--allow-nonce-instead", userinfo_alg="ES256")
    client = made["client_id"]
    assert made["id_token_signed_response_alg"] == "RS256" and made["userinfo_signed_response_alg"] == "ES256" and made["allow_nonce_instead"] is True

    server.admin("clients", "update", client, "--id-token-alg", "ES256", "--no-allow-nonce-instead")
    shown = server.admin("clients", "show", client)
    assert shown["id_token_signed_response_alg"] == "ES256" and shown["userinfo_signed_response_alg"] == "ES256" and "allow_nonce_instead" not in shown
    assert {name: shown[name] for name in ("redirect_uris", "scope", "grant_types")} == {name: made[name] for name in ("redirect_uris", "scope", "grant_types")}

    plain = server.admin("clients", "update", client, "--id-token-alg", "", "--userinfo-alg", "")
    assert plain["id_token_signed_response_alg"] == "RS256" and "userinfo_signed_response_alg" not in plain


def test_claims(server):
    """A claim is added to what the scopes give, and `--no-claims` begins with nothing."""
    client = web_client(server, "Curious")["client_id"]

    assert server.admin("clients", "update", client, "--claim", "groups")["claims"] == ["email", "name", "given_name", "family_name", "preferred_username", "groups"]
    assert server.admin("clients", "update", client, "--no-claims", "--claim", "email")["claims"] == ["email"]
    assert server.admin("audit", "list", "--node", f"client:{client}")["items"][0]["action"] == "clients.update"


def test_web_origins(server):
    """Those that are named take the place of those that were there; an empty one leaves none."""
    client = web_client(server, "Paged", "--web-origin", "https://one.example.org")["client_id"]

    changed = server.admin("clients", "update", client, "--web-origin", "https://two.example.org", "--web-origin", "http://localhost:3000")
    assert changed["web_origins"] == ["https://two.example.org", "http://localhost:3000"]
    with pytest.raises(CommandFailed):
        server.admin("clients", "update", client, "--web-origin", "https://two.example.org/path")
    assert "web_origins" not in server.admin("clients", "update", client, "--web-origin", "")


def test_without_pkce(server):
    """A request without a challenge is refused until the operator lets the client do without, and then wants a nonce."""
    client = web_client(server, "Classic")["client_id"]
    asked = {"response_type": "code", "client_id": client, "redirect_uri": CALLBACK, "scope": "openid", "state": "s"}

    def told(**more: str) -> str:
        answer = requests.get(f"{server.issuer}/authorize", params=asked | more, allow_redirects=False, timeout=20)
        return answer.headers["Location"]

    assert "error=invalid_request" in told(nonce="n")
    server.admin("clients", "update", client, "--allow-nonce-instead")
    assert "error=" not in told(nonce="n") and "error=invalid_request" in told()


@pytest.mark.parametrize(("arguments", "exit_code"), [
    ((), 2), (("--id-token-alg", "HS256"), 5), (("--userinfo-alg", "none"), 5), (("--assertion-audience", "anybody"), 2)])
def test_what_cannot_be_set(server, keyed, arguments, exit_code):
    with pytest.raises(CommandFailed) as failed:
        server.admin("clients", "update", keyed[0], *arguments)

    assert failed.value.exit_code == exit_code


def test_a_public_client_keeps_pkce(server):
    public_one = web_client(server, "Open", auth="none")["client_id"]

    with pytest.raises(CommandFailed) as failed:
        server.admin("clients", "update", public_one, "--allow-nonce-instead")

    assert "public client" in failed.value.stderr and "allow_nonce_instead" not in server.admin("clients", "show", public_one)
    with pytest.raises(CommandFailed) as unknown:
        server.admin("clients", "update", "unknown", "--allow-nonce-instead")
    assert unknown.value.exit_code == 3
