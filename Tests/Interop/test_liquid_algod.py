"""Rekeyed accounts: with `liquid-algod` a node says whose key signs for an address; where it says nothing that can be read, no wallet registers."""
from __future__ import annotations

import json
from pathlib import Path
from tempfile import mkdtemp

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from algorand_node import AlgorandNode
from server import Cluster, Server
from wallet import Wallet, address

TOKEN = "a" * 64


@pytest.fixture(scope="module")
def node():
    with AlgorandNode.listening() as node:
        yield node


@pytest.fixture(scope="module")
def asking(folder, node) -> Server:
    """A server that asks the node, with a token, and a path behind which it is."""
    place = Path(mkdtemp(dir=folder))
    (place / "algod.token").write_text(TOKEN + "\n")
    cluster = Cluster(place / "postgres").start()
    server = Server(place, cluster.url("pando_algod"), PANDO_LIQUID_ALGOD=node.url + "/", PANDO_LIQUID_ALGOD_TOKEN=str(place / "algod.token"))
    try:
        yield server.start()
        server.stop()
    finally:
        server.clear()
        cluster.discard()


@pytest.fixture(autouse=True)
def afresh(node):
    node.answer = None
    node.asked.clear()
    node.rekeyed.clear()


def test_the_node_is_asked(asking, node):
    """Once for a registration, by path, with nothing that is not needed, and with the token."""
    wallet = Wallet(asking.issuer)

    assert wallet.register().status_code == 201
    assert node.asked == [(f"/v2/accounts/{wallet.address}?exclude=all", TOKEN)]


def test_a_rekeyed_account(asking, node):
    """Its own key signs for it no longer, the other does."""
    wallet, other = Wallet(asking.issuer), Ed25519PrivateKey.generate()
    node.rekeyed[wallet.address] = address(other.public_key().public_bytes_raw())

    refused = wallet.register()
    assert refused.status_code == 401 and isinstance(refused.json()["error"], str)
    wallet.account = other
    assert wallet.register().json()["wallet"] == wallet.address


@pytest.mark.parametrize("status, body", [
    (500, b"{}"), (404, b'{"message": "account not found"}'), (302, b""), (200, b""), (200, b"no JSON"), (200, b"{}"), (200, b'{"address": "AAAA"}'),
    (200, b'{"address": "ADDRESS", "auth-addr": 1}'), (200, b'{"address": "ADDRESS", "auth-addr": "AAAA"}'), (200, b'{"address": "ADDRESS", "address": "ADDRESS"}'),
    (200, json.dumps({"address": "ADDRESS", "note": "x" * 100_000}).encode())], ids=range(11))
def test_a_node_that_cannot_be_understood_lets_nobody_in(asking, node, status, body):
    """Whatever it is: the key of the address itself is not taken instead."""
    wallet = Wallet(asking.issuer)
    node.answer = status, body.replace(b"ADDRESS", wallet.address.encode())

    refused = wallet.register()

    assert refused.status_code == 401 and isinstance(refused.json()["error"], str) and node.asked
    node.answer = None
    assert wallet.register().status_code == 201, "it is the node that was wrong"


def test_a_node_that_is_away_lets_nobody_in(asking, node):
    """No connection is no answer. Those who are known log in with their passkey all the same. Last: the node does not come back."""
    known, fresh = Wallet(asking.issuer), Wallet(asking.issuer)
    assert known.register().status_code == 201
    node.close()

    assert fresh.register().status_code == 401
    known.http.cookies.clear()
    assert known.log_in().status_code == 201
