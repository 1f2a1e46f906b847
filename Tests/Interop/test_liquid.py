"""Liquid as the outside sees it: the documents that bind apps to this host, python-socketio over each transport, and an operator who ends a session."""
from __future__ import annotations

import uuid
from concurrent.futures import Future
from queue import Empty, Queue

import pytest
import requests
import socketio
import websocket

from server import ANDROID_APP, APPLE_APP, FINGERPRINT, Server
from wallet import TIMEOUT_S, Wallet, b64
from waiting import eventually

TRANSPORTS = {"polling": ["polling"], "websocket": ["websocket"], "upgrade": ["polling", "websocket"]}
OFFER = "v=0\r\no=- 1 1 IN IP4 192.0.2.7\r\ns=-\r\n"
CANDIDATE = {"candidate": "candidate:1 1 UDP 2122252543 192.0.2.7 54321 typ host", "sdpMid": "0", "sdpMLineIndex": 0}
EVENTS = ("offer-description", "answer-description", "offer-candidate", "answer-candidate")


class Peer:
    """A socket of one side. `heard` has what came, in order."""

    def __init__(self, server: Server, http: requests.Session, transport: str):
        self.heard: Queue = Queue()
        self.socket = socketio.Client(http_session=http, reconnection=False, request_timeout=TIMEOUT_S)
        for event in EVENTS:
            self.socket.on(event, lambda argument, event=event: self.heard.put((event, argument)))
        self.socket.connect(server.issuer, transports=TRANSPORTS[transport], wait_timeout=TIMEOUT_S)
        assert eventually(lambda: self.socket.transport() == TRANSPORTS[transport][-1]), self.socket.transport()

    def link(self, request: str) -> Future:
        answer: Future = Future()
        self.socket.emit("link", {"requestId": request}, callback=answer.set_result)
        return answer

    def hears(self, seconds: float = TIMEOUT_S) -> tuple[str, object]:
        return self.heard.get(timeout=seconds)


@pytest.fixture
def peers(server):
    made: list[Peer] = []

    def make(http: requests.Session, transport: str = "websocket") -> Peer:
        made.append(Peer(server, http, transport))
        return made[-1]
    yield make
    for peer in made:
        peer.socket.disconnect()


def visitor(server: Server) -> requests.Session:
    """Somebody's browser at a page that waits for a wallet."""
    http = requests.Session()
    assert http.get(f"{server.issuer}/auth/session", timeout=TIMEOUT_S).json()["user"] is None
    return http


def test_apps_of_this_host(server):
    """assetlinks.json and apple-app-site-association: JSON at their one address, without a redirect, as configured."""
    links = requests.get(f"{server.issuer}/.well-known/assetlinks.json", timeout=TIMEOUT_S, allow_redirects=False)
    assert links.status_code == 200 and links.headers["Content-Type"].startswith("application/json")
    [app] = [entry for entry in links.json() if entry["target"]["namespace"] == "android_app"]
    assert app["target"] == {"namespace": "android_app", "package_name": ANDROID_APP, "sha256_cert_fingerprints": [FINGERPRINT]}
    assert set(app["relation"]) == {"delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"}

    association = requests.get(f"{server.issuer}/.well-known/apple-app-site-association", timeout=TIMEOUT_S, allow_redirects=False)
    assert association.status_code == 200 and association.headers["Content-Type"].startswith("application/json")
    assert association.json()["webcredentials"] == {"apps": [APPLE_APP]}


def test_related_origins(server):
    """webauthn (WebAuthn Level 3, 5.11): web origins alone, JSON, without a redirect."""
    related = requests.get(f"{server.issuer}/.well-known/webauthn", timeout=TIMEOUT_S, allow_redirects=False)
    assert related.status_code == 200 and related.headers["Content-Type"].startswith("application/json")
    origins = related.json()["origins"]
    assert server.issuer in origins and all(origin.startswith("http") for origin in origins)


def test_a_socket_names_its_host_by_its_own_scheme(server):
    """Kits of iOS (Starscream) send `Origin: ws://HOST`; another host is refused."""
    host = server.issuer.removeprefix("http")
    address = f"ws{host}/socket.io/?EIO=4&transport=websocket"
    socket = websocket.create_connection(address, timeout=TIMEOUT_S, origin=f"ws{host}")
    assert socket.recv().startswith("0{")
    socket.close()
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        websocket.create_connection(address, timeout=TIMEOUT_S, origin="ws://evil.example")
    assert refused.value.status_code == 403


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_page_and_a_wallet_meet(server, peers, transport):
    """By python-socketio: the page waits, the wallet registers, both are told; offer, answer and candidates go to the other side alone, in order."""
    browser, wallet, request = visitor(server), Wallet(server.issuer), str(uuid.uuid4())
    page = peers(browser, transport)
    waiting = page.link(request)
    assert wallet.register(request).status_code == 201
    assert waiting.result(TIMEOUT_S) == {"data": {"credId": b64(wallet.id), "requestId": request, "wallet": wallet.address}}
    assert browser.get(f"{server.issuer}/auth/user", timeout=TIMEOUT_S).json()["wallet"] == wallet.address

    phone = peers(wallet.http, transport)
    assert phone.link(request).result(TIMEOUT_S)["data"]["wallet"] == wallet.address
    phone.socket.emit("offer-description", OFFER)
    for number in range(5):
        phone.socket.emit("offer-candidate", CANDIDATE | {"sdpMLineIndex": number})
    assert page.hears() == ("offer-description", OFFER)
    assert [page.hears()[1]["sdpMLineIndex"] for _ in range(5)] == list(range(5))
    page.socket.emit("answer-description", {"type": "answer", "sdp": OFFER})
    assert phone.hears() == ("answer-description", {"type": "answer", "sdp": OFFER})
    with pytest.raises(Empty):
        page.hears(seconds=0.5)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_operator_ends_the_session(server, peers, transport):
    """A linked session is a node of the tree: revoked, it is nobody's, and its socket closes by itself. The wallet's own goes on."""
    browser, wallet, request = visitor(server), Wallet(server.issuer), str(uuid.uuid4())
    page = peers(browser, transport)
    waiting = page.link(request)
    wallet.register(request)
    waiting.result(TIMEOUT_S)
    phone = peers(wallet.http)
    sessions = server.admin("wallets", "sessions", wallet.address)["items"]
    [linked] = [one["id"] for one in sessions if one["entered"] == "link"]

    assert server.admin("wallets", "revoke", wallet.address, "--session", linked)["ended"] == [linked]

    assert eventually(lambda: not page.socket.connected, within_s=TIMEOUT_S)
    assert browser.get(f"{server.issuer}/auth/user", timeout=TIMEOUT_S).status_code == 403
    assert phone.socket.connected and wallet.http.get(f"{server.issuer}/auth/user", timeout=TIMEOUT_S).status_code == 200


def test_cutting_by_the_tree_is_the_same(server, peers):
    """`tokens revoke session:liquid:ID`, as for every other session."""
    wallet = Wallet(server.issuer)
    wallet.register()
    phone = peers(wallet.http)
    [own] = [one["id"] for one in server.admin("wallets", "sessions", wallet.address)["items"] if one["live"]]

    server.admin("tokens", "revoke", f"session:liquid:{own}")

    assert eventually(lambda: not phone.socket.connected, within_s=TIMEOUT_S)
    assert wallet.http.get(f"{server.issuer}/auth/user", timeout=TIMEOUT_S).status_code == 403
    assert wallet.log_in().status_code == 201, "the passkey is as good as before"


def test_a_wallet_logs_in_again(server):
    """With its passkey alone, in another jar; a stranger's passkey does not do for it."""
    wallet = Wallet(server.issuer)
    assert wallet.register().json()["wallet"] == wallet.address
    wallet.http.cookies.clear()
    assert wallet.log_in().json()["wallet"] == wallet.address
    thief = Wallet(server.issuer)
    thief.id = wallet.id
    refused = thief.log_in()
    assert refused.status_code == 401 and isinstance(refused.json()["error"], str)
