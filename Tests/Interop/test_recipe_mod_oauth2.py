"""docs/resource-servers.md: Apache's mod_oauth2 takes tokens that are for its service, by introspection, by signature, and with a DPoP proof."""
from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests
from requests.auth import HTTPBasicAuth

from apache import Apache, Told
from keys import Proof, Together, new_key, verified
from recipe import Recipe
from server import free_port
from waiting import eventually

PAGE = "docs/resource-servers.md"


@pytest.fixture(scope="module")
def api():
    told = Told()
    yield told
    told.close()


@pytest.fixture
def apache(folder):
    apache = Apache(Path(mkdtemp(dir=folder)), "archive.example.org", "oauth2")
    yield apache
    print(apache.tail())  # shown where a test fails
    apache.close()


@pytest.fixture
def recipe(server, api) -> Recipe:
    """The service lives on this machine, so the operator's line says so."""
    port = free_port()
    recipe = Recipe(server, "Be known", PAGE, **{"https://archive.example.org": f"http://127.0.0.1:{port}", "--id archive": f"--id archive-{port} --allow-loopback",
                                                 "approve archive": f"approve archive-{port}", "http://127.0.0.1:3000/": f"{api.address}/"})
    service = recipe.create("sh service")
    recipe.changes |= {"SERVICE_ID": service["client_id"], "SERVICE_SECRET": service["client_secret"]}
    recipe.turn_to("Tokens for you")
    recipe.create("sh client")
    recipe.turn_to("mod_oauth2")
    return recipe


def token(server, recipe: Recipe, *proof: Proof, **changes: str) -> str:
    """As the page's line asks for it."""
    asked = {"grant_type": "client_credentials", "scope": "read", "resource": recipe.changed("https://archive.example.org")} | changes
    own = HTTPBasicAuth(recipe.changes["CLIENT_ID"], recipe.changes["CLIENT_SECRET"])
    answer = requests.post(f"{server.issuer}/token", data=asked, auth=Together(own, *proof), timeout=20)
    assert answer.status_code == 200, answer.text
    return answer.json()["access_token"]


def ask(apache: Apache, shown: str | None) -> requests.Response:
    return requests.get(f"http://127.0.0.1:{apache.port}/api/", headers={"Authorization": f"Bearer {shown}"} if shown else {}, timeout=20)


def test_by_introspection(server, apache, recipe):
    """Who calls with which scope is told; not for this service is not active, and revoked is not active any more."""
    apache.start(recipe.fence("apache introspection"))
    good = token(server, recipe)

    told = ask(apache, good).json()

    assert told["OAUTH2_CLAIM_client_id"] == recipe.changes["CLIENT_ID"] and told["OAUTH2_CLAIM_scope"] == "read"
    assert ask(apache, None).status_code == 401
    assert ask(apache, token(server, recipe, resource=f"{server.issuer}/services/viewer")).status_code == 401
    server.admin("tokens", "revoke", f"token:{verified(good, server.issuer, 'at+jwt')['jti']}")
    assert eventually(lambda: ask(apache, good).status_code == 401)


def test_by_signature(server, apache, recipe):
    """Nobody is asked: for another service is refused by `aud`, spoilt by its signature."""
    apache.start(recipe.fence("apache jwks"))
    good = token(server, recipe)
    head, body, signature = good.split(".")

    assert ask(apache, good).json()["OAUTH2_CLAIM_client_id"] == recipe.changes["CLIENT_ID"]
    assert ask(apache, None).status_code == 401
    assert ask(apache, token(server, recipe, resource=f"{server.issuer}/services/viewer")).status_code == 401
    assert ask(apache, f"{head}.{body}.{'A' * len(signature)}").status_code == 401


def test_with_a_proof(server, apache, recipe):
    """RFC 9449: the proof of the token's key lets in; none, or another key's, does not, nor the same proof twice."""
    apache.start(recipe.fence("apache dpop"))
    key = new_key()
    bound, at = token(server, recipe, Proof(key)), f"http://127.0.0.1:{apache.port}/api/"
    first = requests.Request("GET", at, auth=Proof(key, bound)).prepare()

    with requests.Session() as session:
        statuses = [session.send(first, timeout=20).status_code, session.send(first, timeout=20).status_code]

    assert statuses == [200, 401], apache.tail()
    assert requests.get(at, auth=Proof(new_key(), bound), timeout=20).status_code == 401
    assert ask(apache, bound).status_code == 401
