"""Whom the pushes of an operation reach, and in which language: `registrationId`, `flag`, `language` and `silent`, read where
`operations-webhook` sends them (docs/operations.md, "Operating")."""
from __future__ import annotations

import base64
import json
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import mkdtemp

import pytest

from approving_phones import Phone, PhoneBank, approve
from bank import PAYMENT
from server import Cluster, Server
from waiting import eventually

TEXTS = [PAYMENT["texts"][0] | {"language": language, "title": title, "message": "${amount} ${currency}"}
         for language, title in (("en", "Payment"), ("de", "Zahlung"), ("fr", "Paiement"))]


class PushListener:
    """What pushes to the phones, for the server. `pushes` are their `data`, as they came."""

    def __init__(self):
        self.pushes: list[dict] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"listener": self}))
        self.url = f"http://127.0.0.1:{self._http.server_port}/push"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def of(self, order: dict) -> list[dict]:
        return [push for push in self.pushes if push["payload"].get("operationId") == order["operationId"]]

    def addresses(self, order: dict, kind: str) -> list[str]:
        return sorted(push["token"] for push in self.of(order) if push["payload"]["messageType"] == f"mtoken.{kind}")


class _Handler(BaseHTTPRequestHandler):
    listener: PushListener

    def log_message(self, *arguments) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if told["type"] == "mtoken.push":
            self.listener.pushes.append(told["data"])
        self.send_response(204)
        self.end_headers()


@pytest.fixture(scope="module")
def listener():
    listener = PushListener()
    yield listener
    listener.close()


@pytest.fixture(scope="module")
def bank(folder, listener) -> PhoneBank:
    place = Path(mkdtemp(dir=folder))
    (place / "push.key").write_text(base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=") + "\n")
    cluster = Cluster(place / "postgres").start()
    server = Server(place, cluster.url("pando_pushes"), PANDO_OPERATIONS_WEBHOOK=listener.url,
                    PANDO_OPERATIONS_WEBHOOK_SECRET=str(place / "push.key"))
    try:
        bank = PhoneBank(server.start())
        bank.ask("POST", "/templates", PAYMENT | {"name": "spoken", "texts": TEXTS})
        yield bank
        server.stop()
    finally:
        server.clear()
        cluster.discard()


def reached(phone: Phone, language: str | None = None) -> str:
    """Where the phone takes pushes from now on."""
    address = secrets.token_hex(16)
    body = {"requestObject": {"platform": "fcm", "token": address}}
    phone.good(phone.post("/api/push/device/register/token", body, phone.token_header() | {"Accept-Language": language}))
    return address


def settled(bank: PhoneBank, listener: PushListener, user: str, address: str) -> None:
    """What was begun before has been pushed: this is pushed later, to the same phones."""
    last = bank.order(user)
    assert eventually(lambda: address in listener.addresses(last, "operationInit"))


@pytest.mark.parametrize("narrowed", ["registrationId", "flag"])
def test_only_phones_that_an_operation_is_for_ring(bank, listener, user, protocol, narrowed):
    """When it begins, and when it has ended; the others hear nothing of it, not even that there was something."""
    mine, other, stranger = (bank.phone(*whose) for whose in ((user, protocol), (user, protocol), (f"{user}-2", protocol)))
    bank.ask("PUT", f"/registrations/{mine.id}", {"change": "FLAGS", "flags": ["VIP"]})
    bank.ask("PUT", f"/registrations/{stranger.id}", {"change": "FLAGS", "flags": ["VIP"]})
    places = [reached(phone) for phone in (mine, other, stranger)]
    order = bank.order(user, **{narrowed: {"registrationId": mine.id, "flag": "VIP"}[narrowed]})
    approve(mine, order)
    for address in places[:2]:
        settled(bank, listener, user, address)
    for kind in ("operationInit", "operationFinished"):
        assert eventually(lambda: listener.addresses(order, kind)) == [places[0]]
    assert len(listener.of(order)) == 2 and not [push for push in listener.pushes if push["token"] == places[2]]


def test_every_phone_of_its_user_rings_where_none_is_chosen(bank, listener, user, protocol):
    phones = [bank.phone(user, protocol), bank.phone(user, protocol)]
    places = sorted(reached(phone) for phone in phones)
    order, silent = bank.order(user), bank.order(user, silent=True)
    assert eventually(lambda: listener.addresses(order, "operationInit") == places)
    settled(bank, listener, user, places[0])
    assert listener.of(silent) == []


@pytest.mark.parametrize("asked, own, title", [
    ("de-CH, en;q=0.5", "fr", "Zahlung"), (None, "fr", "Paiement"), ("*", "fr", "Paiement"), ("sv", "fr", "Payment"),
    (None, None, "Payment")])
def test_a_push_speaks_the_language_of_the_phone_then_the_operations(bank, listener, user, protocol, asked, own, title):
    """That which the phone named when it told its address: a push is asked for by nobody."""
    phone = bank.phone(user, protocol)
    address = reached(phone, asked)
    order = bank.order(user, template="spoken", language=own)
    assert eventually(lambda: listener.addresses(order, "operationInit") == [address])
    [push] = listener.of(order)
    assert (push["title"], push["body"]) == (title, "10.00 CHF")
