"""Sockets of python-socketio that show a token or a pairing at CONNECT, and what closes them."""
from __future__ import annotations

import json
import uuid
from queue import Queue

import pytest
import requests
import socketio
from joserfc.jwk import ECKey

from keys import new_id, now, public, sha256, signed
from phone import Phone, Release, person
from server import Server
from wallet import TIMEOUT_S, Wallet
from waiting import eventually

BUNDLE, SCOPE = "org.example.notes", "com.liquidauth.signaling org.w3.webauthn"


@pytest.fixture(scope="module")
def liquid(server) -> str:
    return f"{server.issuer}/services/liquid"


@pytest.fixture
def phone(server) -> Phone:
    return Phone(server.issuer, Release.add(server)).register().log_in(person(server))


class Peer:
    """A client without cookies. `heard` has the events that came, in order."""

    def __init__(self, server: Server, shown: dict | None = None, headers: dict | None = None):
        self.heard: Queue = Queue()
        self.refused: Queue = Queue()
        self.socket = socketio.Client(http_session=requests.Session(), reconnection=False, request_timeout=TIMEOUT_S)
        self.socket.on("*", lambda event, *arguments: self.heard.put((event, *arguments)))
        self.socket.on("connect_error", self.refused.put)
        self.server, self.shown, self.headers = server, shown, headers or {}

    def connect(self) -> "Peer":
        self.socket.connect(self.server.issuer, auth=self.shown, headers=self.headers, transports=["websocket"], wait_timeout=TIMEOUT_S)
        return self

    def hears(self, event: str) -> object:
        while (heard := self.heard.get(timeout=TIMEOUT_S))[0] != event:
            pass
        return heard[1]


@pytest.mark.parametrize("place", ["header", "connect"])
def test_a_socket_lives_as_long_as_its_token(server, liquid, phone, place):
    """Revoked by its holder: the socket hears why and is closed; the token opens none any more."""
    service = phone.open(liquid)
    token = phone.hand_out(service, liquid, SCOPE, BUNDLE)["access_token"]
    shown, headers = ({"access_token": token}, {}) if place == "connect" else (None, {"Authorization": f"Bearer {token}"})
    peer = Peer(server, shown, headers).connect()

    answer = requests.post(f"{liquid}/revoke", data={"token": token}, auth=phone.proof(service), timeout=TIMEOUT_S)

    assert answer.status_code == 200, answer.text
    assert peer.hears("token:ended") == {"reason": "token_revoked"}
    assert eventually(lambda: not peer.socket.connected, within_s=TIMEOUT_S)
    with pytest.raises(socketio.exceptions.ConnectionError):
        Peer(server, shown, headers).connect()


def test_whoever_suspends_the_person_closes_the_socket(server, liquid):
    name = person(server)
    phone = Phone(server.issuer, Release.add(server)).register().log_in(name)
    token = phone.hand_out(phone.open(liquid), liquid, SCOPE, BUNDLE)["access_token"]
    peer = Peer(server, {"access_token": token}).connect()

    server.admin("accounts", "suspend", name)

    assert peer.hears("token:ended") == {"reason": "token_revoked"}
    assert eventually(lambda: not peer.socket.connected, within_s=TIMEOUT_S)


@pytest.mark.parametrize("scope", ["org.w3.webauthn", None])
def test_a_token_for_something_else_opens_no_socket(server, liquid, phone, scope):
    """The client hears the code in the data of its error."""
    service = phone.open(liquid)
    token = phone.hand_out(service, liquid, scope, BUNDLE)["access_token"] if scope else "nothing"
    peer = Peer(server, {"access_token": token})
    with pytest.raises(socketio.exceptions.ConnectionError):
        peer.connect()
    assert peer.refused.get(timeout=TIMEOUT_S)["data"]["code"] == ("insufficient_scope" if scope else "invalid_token")


def test_a_bound_token_shows_its_proof_once(server, liquid, phone):
    """By long polling, packet by packet: what is refused may be tried again at the same socket."""
    key, place = ECKey.generate_key("P-256"), f"{server.issuer}/socket.io/"
    token = phone.hand_out(phone.open(liquid), liquid, SCOPE, BUNDLE, app_key=key)["access_token"]
    claims = {"htm": "GET", "htu": place, "iat": now(), "jti": new_id(), "ath": sha256(token)}
    proven = {"access_token": token, "dpop": signed(key, claims, typ="dpop+jwt", jwk=public(key))}

    def opened() -> str:
        return json.loads(requests.get(f"{place}?EIO=4&transport=polling", timeout=TIMEOUT_S).text[1:])["sid"]

    def connected(sid: str, shown: dict) -> str:
        socket = f"{place}?EIO=4&transport=polling&sid={sid}"
        assert requests.post(socket, data=f"40{json.dumps(shown)}", timeout=TIMEOUT_S).text == "ok"
        return requests.get(socket, timeout=TIMEOUT_S).text

    one, other = opened(), opened()
    bare = connected(one, {"access_token": token})
    assert bare.startswith("44{") and '"code":"invalid_token"' in bare
    assert connected(one, proven).startswith('40{"sid":')
    assert "invalid_dpop_proof" in connected(other, proven)


def test_the_services_document_leads_to_the_credentials(server, liquid, phone):
    document = requests.get(f"{liquid}/rsd", headers={"Accept": "application/json"}, timeout=TIMEOUT_S).json()
    assert f"{liquid}/credentials" in str(document)
    token = phone.hand_out(phone.open(liquid), liquid, SCOPE, BUNDLE)["access_token"]
    answer = requests.get(f"{liquid}/credentials", headers={"Authorization": f"Bearer {token}"}, timeout=TIMEOUT_S)
    assert answer.status_code == 200 and answer.json() == {"credentials": []}


def test_a_pairing_outlives_sessions_and_ends_on_both_sides(server):
    """Neither side has a cookie any more; an operator ends it by the page's session."""
    wallet, request = Wallet(server.issuer), str(uuid.uuid4())
    page = requests.post(f"{server.issuer}/pairings/invitations", json={"requestId": request}, timeout=TIMEOUT_S).json()
    phone = wallet.register(request).json()["pairing"]
    wallet.http.get(f"{server.issuer}/auth/logout", allow_redirects=False, timeout=TIMEOUT_S)
    keys = ("version", "pairingId", "role", "credential")
    one, two = (Peer(server, {key: side[key] for key in keys}).connect() for side in (page, phone))
    two.hears("presence")

    two.socket.emit("offer-description", "v=0")
    assert one.hears("offer-description") == "v=0"
    sessions = server.admin("wallets", "sessions", wallet.address)["items"]
    for session in sessions:
        if session["entered"] == "link":
            server.admin("wallets", "revoke", wallet.address, "--session", session["id"])

    for peer in (one, two):
        assert peer.hears("pairing:revoked") == {"version": 2, "pairingId": request, "status": "revoked"}
        assert eventually(lambda peer=peer: not peer.socket.connected, within_s=TIMEOUT_S)
    late = Peer(server, {key: page[key] for key in keys})
    with pytest.raises(socketio.exceptions.ConnectionError):
        late.connect()
    assert late.refused.get(timeout=TIMEOUT_S)["data"]["code"] == "PAIRING_REVOKED"
