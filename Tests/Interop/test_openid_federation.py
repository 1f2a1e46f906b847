"""The bridge to OpenID Federation 1.0, as others read it.

`grindvakt` (Rust, by pygrindvakt) knows 1.0: it asks the trust anchor to resolve, and proves answer and chain. `fedservice`, by the editor of the
specification, is on PyPI as of its draft of 2020: it walks from a leaf up to the anchor and proves the chain; where the draft differs from 1.0 (one
endpoint for all, tenants looked for at the host first) `Walker` says what 1.0 says. `idpyoidc` has nothing for federations. `cryptojwt` and joserfc
check single statements.
"""
from __future__ import annotations

import time

import pytest
import requests
from cryptojwt import KeyJar
from fedservice.entity_statement.collect import Collector, branch2lists, construct_tenant_well_known_url, verify_self_signed_signature
from fedservice.entity_statement.verify import eval_chain
from joserfc import jwt
from joserfc.jwk import KeySet
from pygrindvakt import GrindvaktError, federation

from keys import ALGORITHMS, new_key, public
from outside_service import OutsideService

STATEMENT, RESOLVED = "entity-statement+jwt", "resolve-response+jwt"


class Walker(Collector):
    """fedservice's collector, told of 1.0."""

    def get_configuration_information(self, entity_id):
        return self.get_signed_entity_statement(construct_tenant_well_known_url(entity_id, "openid-federation"), self.httpc_params)

    def get_federation_api_endpoint(self, intermediate):
        self.config_cache[intermediate] = verify_self_signed_signature(self.get_configuration_information(intermediate))
        return self.config_cache[intermediate]["metadata"]["federation_entity"]["federation_fetch_endpoint"]

    def chains(self, entity_id) -> list:
        own = self.get_configuration_information(entity_id)
        return branch2lists({entity_id: (own, self.collect_superiors(entity_id, verify_self_signed_signature(own)))})


class Federation:
    """The trust anchor, with its keys from elsewhere than its own statement, as those who trust it should have them."""

    def __init__(self, issuer: str):
        self.issuer = issuer
        self.jwks = requests.get(f"{issuer}/jwks.json", timeout=20).json()
        self.endpoints = self.read(f"{issuer}/.well-known/openid-federation", STATEMENT)["metadata"]["federation_entity"]

    def get(self, endpoint: str, **parameters) -> requests.Response:
        return requests.get(self.endpoints[f"federation_{endpoint}_endpoint"], params=parameters, timeout=20)

    def read(self, url: str, typ: str, **parameters) -> dict:
        """Claims, checked by joserfc."""
        answer = requests.get(url, params=parameters, timeout=20)
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, f"application/{typ}"), answer.text
        token = jwt.decode(answer.text, KeySet.import_key_set(self.jwks), algorithms=ALGORITHMS)
        assert token.header["typ"] == typ and token.header["kid"]
        return token.claims

    def entity(self, base: str) -> str:
        """The entity of a service, found as anyone would: in the list of all."""
        page = self.get("extended_list", claims="metadata").json()["immediate_subordinate_entities"]
        found = [item["id"] for item in page if item["metadata"]["pando_service"]["base"] == base]
        assert len(found) == 1, page
        return found[0]


@pytest.fixture(scope="module")
def anchor(server) -> Federation:
    return Federation(server.issuer)


@pytest.fixture(scope="module")
def leaf(anchor, viewer) -> str:
    return anchor.entity(viewer)


@pytest.fixture
def strangers_keys() -> dict:
    return {"keys": [public(new_key(), kid="stranger", alg="ES256", use="sig")]}


def test_configuration_of_the_anchor(anchor):
    """Three readers agree; it says of the provider what the provider says."""
    own = anchor.read(f"{anchor.issuer}/.well-known/openid-federation", STATEMENT)

    token = federation.fetch_entity_configuration(None, anchor.issuer)

    assert federation.verify(token, anchor.jwks).sub() == own["iss"] == own["sub"] == anchor.issuer
    assert verify_self_signed_signature(token)["metadata"] == own["metadata"]
    assert own["metadata"]["openid_provider"] == requests.get(f"{anchor.issuer}/.well-known/openid-configuration", timeout=20).json()
    assert "authority_hints" not in own and own["iat"] <= time.time() < own["exp"]


def test_grindvakt_resolves(anchor, leaf):
    """It checks the answer's type and signature, and every link of the chain."""
    resolved = federation.resolve_via_trust_anchors(None, leaf, {anchor.issuer: anchor.jwks})

    assert (resolved.issuer, resolved.subject) == (anchor.issuer, leaf) and resolved.exp > time.time()
    assert resolved.metadata["federation_entity"]["organization_name"] and resolved.subject_jwks["keys"]
    assert federation.verify_self_signed(federation.fetch_entity_configuration(None, leaf)).authority_hints() == [anchor.issuer]


def test_grindvakt_resolves_the_provider(anchor):
    """Who logs people in here finds all it needs in one answer."""
    provider = federation.resolve_via_trust_anchors(None, anchor.issuer, {anchor.issuer: anchor.jwks}).metadata["openid_provider"]

    assert provider["issuer"] == anchor.issuer and provider["authorization_endpoint"].startswith(anchor.issuer)


def test_grindvakt_refuses_what_is_not_ours(anchor, leaf, strangers_keys):
    """An anchor with other keys, and an entity that is not there."""
    for subject, keys in ((leaf, strangers_keys), (f"{anchor.issuer}/federation/entity/nobody", anchor.jwks)):
        with pytest.raises(GrindvaktError):
            federation.resolve_via_trust_anchors(None, subject, {anchor.issuer: keys})


def test_fedservice_walks_up(anchor, leaf, strangers_keys):
    """From the leaf by its authority hints to the anchor, and back by the signatures."""
    chains = Walker({anchor.issuer: anchor.jwks}, httpc_params={"timeout": 20}).chains(leaf)
    trusted, others = KeyJar(), KeyJar()
    trusted.import_jwks(anchor.jwks, anchor.issuer)
    others.import_jwks(strangers_keys, anchor.issuer)

    assert [len(chain) for chain in chains] == [2]
    statement = eval_chain(chains[0], trusted, "pando_service")

    assert statement.fo == anchor.issuer and statement.iss_path == [leaf, anchor.issuer] and statement.exp > time.time()
    assert statement.metadata["base"].startswith(anchor.issuer)
    with pytest.raises(Exception, match="kid"):
        eval_chain(chains[0], others, "pando_service")


def test_statements_and_resolved_chain_agree(anchor, leaf):
    """Fetched one by one or resolved at once: the same federation."""
    answer = anchor.read(anchor.endpoints["federation_resolve_endpoint"], RESOLVED, sub=leaf, trust_anchor=anchor.issuer)
    chain = [federation.verify(token, anchor.jwks).claims for token in answer["trust_chain"]]

    assert [claims["sub"] for claims in chain] == [leaf, leaf, anchor.issuer]
    fetched = anchor.read(anchor.endpoints["federation_fetch_endpoint"], STATEMENT, sub=leaf)
    for name in ("iss", "sub", "jwks", "metadata", "source_endpoint"):
        assert fetched[name] == chain[1][name]
    assert answer["exp"] == min(claims["exp"] for claims in chain) and answer["metadata"] == chain[0]["metadata"]


def test_the_list_and_the_pages_agree(anchor, leaf):
    """One by one, following `next`."""
    everything, seen, start = anchor.get("list").json(), [], None

    while True:
        page = anchor.get("extended_list", limit=1, **({"from": start} if start else {})).json()
        seen += [item["id"] for item in page["immediate_subordinate_entities"]]
        start = page.get("next")
        if not start:
            break

    assert leaf in everything and seen == everything and len(set(seen)) == len(seen)


def test_a_suspended_service_is_not_resolved(server, anchor):
    """Suspended by the operator, it is gone with the next question."""
    service = OutsideService(server)
    entity = anchor.entity(service.base)
    assert federation.resolve_via_trust_anchors(None, entity, {anchor.issuer: anchor.jwks}).subject == entity

    server.admin("services", "suspend", service.id)

    for answer in (anchor.get("fetch", sub=entity), anchor.get("resolve", sub=entity, trust_anchor=anchor.issuer)):
        assert (answer.status_code, answer.json()["error"]) == (404, "not_found")
    assert entity not in anchor.get("list").json()
    with pytest.raises(GrindvaktError):
        federation.resolve_via_trust_anchors(None, entity, {anchor.issuer: anchor.jwks})


@pytest.mark.parametrize("endpoint, parameters, status, error", [
    ("fetch", {}, 400, "invalid_request"), ("fetch", {"sub": "https://nobody.example.org"}, 404, "not_found"),
    ("resolve", {"sub": "https://nobody.example.org"}, 400, "invalid_request"),
    ("resolve", {"sub": "https://nobody.example.org", "trust_anchor": "https://other.example.org"}, 404, "invalid_trust_anchor"),
    ("list", {"trust_marked": "true"}, 400, "unsupported_parameter"), ("extended_list", {"from": "https://nobody.example.org"}, 404, "page_not_found"),
])
def test_refusals_are_those_of_the_specification(anchor, endpoint, parameters, status, error):
    """OpenID Federation 1.0, 8.9: a JSON object with two members."""
    answer = anchor.get(endpoint, **parameters)

    assert (answer.status_code, answer.json()["error"], set(answer.json())) == (status, error, {"error", "error_description"})


def test_past_keys(anchor):
    """A server that is new has none; the answer is signed all the same."""
    past = anchor.read(anchor.endpoints["federation_historical_keys_endpoint"], "jwk-set+jwt")

    assert past["iss"] == anchor.issuer and all({"kid", "exp"} <= set(key) for key in past["keys"])
