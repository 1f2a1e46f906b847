"""The demo page and the script of liquid in Chromium: a wallet that is a page of another host meets it through coturn alone, and a revocation ends the connection."""
from __future__ import annotations

import shutil
import subprocess
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from barriers import barriers
from chromium import Chromium
from server import Server, free_port
from turn import UNAUTHENTICATED, Turn, credential
from wallet import TIMEOUT_S, Wallet
from waiting import eventually

SECRET, SOON_S = "a secret of both sides", 30
# What went through a relay at both ends.
RELAYED = """(async () => {
  const found = [...(await wallet.peer.getStats()).values()], pair = found.find(one => one.type === 'candidate-pair' && one.nominated);
  return [pair.localCandidateId, pair.remoteCandidateId].map(id => found.find(one => one.id === id).candidateType).join();
})()"""


class Elsewhere(BaseHTTPRequestHandler):
    """A host with an empty page."""

    def do_GET(self):
        body = b"<!doctype html><html lang=en><title>A wallet</title><body>A wallet"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextmanager
def coturn(folder, port: int):
    """Of this machine alone, as deploy/turnserver.conf lets in."""
    assert shutil.which("turnserver"), "coturn is missing: deploy/packages.sh test installs it"
    with (folder / "turn.log").open("wb") as log:
        process = subprocess.Popen(
            ["turnserver", "-n", "--use-auth-secret", f"--static-auth-secret={SECRET}", "--realm=turn.example.org", "--listening-ip=127.0.0.1",
             "--relay-ip=127.0.0.1", f"--listening-port={port}", "--allow-loopback-peers", "--no-tls", "--no-dtls", "--no-cli", "--log-file=stdout",
             f"--pidfile={folder / 'turn.pid'}", f"--userdb={folder / 'turndb'}"], stdout=log, stderr=subprocess.STDOUT)
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=10)


@pytest.fixture(scope="module")
def elsewhere():
    host = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    Thread(target=host.serve_forever, daemon=True).start()
    yield f"http://localhost:{host.server_address[1]}"
    host.shutdown()
    host.server_close()


@pytest.fixture(scope="module")
def relayed(tmp_path_factory, elsewhere):
    folder, port = tmp_path_factory.mktemp("liquid-page"), free_port()
    (folder / "secret").write_text(SECRET + "\n")
    server = Server(folder, PANDO_LIQUID_ORIGINS=elsewhere, PANDO_LIQUID_TURN_URLS=f"turn:127.0.0.1:{port}?transport=udp",
                    PANDO_LIQUID_TURN_SECRET=str(folder / "secret"))
    with coturn(folder, port), server.running():
        yield server


@pytest.fixture(scope="module")
def browsers(tmp_path_factory):
    made = [Chromium(tmp_path_factory.mktemp(name), {}) for name in ("page", "phone")]
    yield made
    for chromium in made:
        chromium.close()


def shows(chromium: Chromium, state: str) -> bool:
    return eventually(lambda: chromium.ask(f"!document.querySelector('[data-state={state}]').hidden"), within_s=SOON_S)


def wallet_of(server: Server, phone: Chromium, elsewhere: str, request: str) -> Wallet:
    """Logs in for the page, and is a page itself from then on."""
    wallet = Wallet(server.issuer)
    assert wallet.register(request).status_code == 201
    phone.open(elsewhere)
    phone.devtools("Network.setCookie", name="connect.sid", value=wallet.http.cookies.get("connect.sid"), url=server.issuer)
    phone.ask(f"""import("{server.issuer}/services/liquid/client.js").then(({{ LiquidClient }}) => {{
      [window.heard, window.wallet] = [[], new LiquidClient({{ server: "{server.issuer}", requestId: "{request}", role: "wallet", relayOnly: true }})];
      wallet.addEventListener("message", event => heard.push(event.detail));
      wallet.start();
    }})""")
    return wallet


def test_a_page_and_a_wallet_meet_through_the_relay_until_the_session_is_ended(relayed, browsers, elsewhere):
    """Messages go both ways, relayed at both ends; the page's session revoked, its script closes the connection."""
    page, phone = browsers
    page.open(f"{relayed.issuer}/services/liquid/demo?relay=1")
    assert shows(page, "waiting"), page.complaints()
    wallet = wallet_of(relayed, phone, elsewhere, page.ask("document.querySelector('[data-request]').dataset.request"))
    assert shows(page, "open") and wallet.address in page.text, (page.text, page.complaints(), phone.complaints())
    assert eventually(lambda: phone.ask("wallet.state") == "open", within_s=SOON_S)
    ends = phone.devtools("Runtime.evaluate", expression=RELAYED, awaitPromise=True, returnByValue=True)["result"].get("value")
    assert ends == "relay,relay"

    page.element("[data-field]").send_keys("from the page")
    page.element("[data-send]").click()
    phone.ask("wallet.send('<b>from the wallet</b>')")
    assert eventually(lambda: phone.ask("heard") == ["from the page"], within_s=SOON_S)
    assert eventually(lambda: "<b>from the wallet</b>" in page.text, within_s=SOON_S), "it is text, whatever it is"
    assert page.too_wide() + page.faint() + page.faint(dark=True) + page.nameless() + barriers(page) == []

    [linked] = [session for session in relayed.admin("wallets", "sessions", wallet.address)["items"] if session["entered"] == "link"]
    relayed.admin("wallets", "revoke", wallet.address, "--session", linked["id"])
    assert shows(page, "over"), page.text
    assert eventually(lambda: phone.ask("wallet.state") != "open", within_s=SOON_S)
    assert page.complaints() == []


def test_the_relay_lets_in_by_what_a_wallet_was_given_and_by_nothing_else(relayed):
    """Not by a name whose time is over, nor by one with a later time that its password is not of, nor by a password of another secret."""
    wallet = Wallet(relayed.issuer)
    assert wallet.register().status_code == 201
    [given] = wallet.http.get(f"{relayed.issuer}/services/liquid/ice", timeout=TIMEOUT_S).json()["iceServers"]
    name, password, port = given["username"], given["credential"], given["urls"][0].split(":")[2].split("?")[0]
    until, session = name.split(":")
    relay, over, later = Turn(int(port)), f"{int(time.time()) - 1}:{session}", f"{int(until) + 3_600}:{session}"

    assert password == credential(name, SECRET) and relay.allocate(name, password) is None
    assert relay.allocate(over, credential(over, SECRET)) == UNAUTHENTICATED
    assert relay.allocate(later, password) == UNAUTHENTICATED
    assert relay.allocate(name, credential(name, "a secret of one side")) == UNAUTHENTICATED
    assert relay.allocate(name, password) is None, "and refusals take nothing from who was given it"


@pytest.mark.parametrize("language", ["en", "de", "fr", "it"])
def test_the_demo_page_is_a_page_as_all(relayed, browsers, language):
    page = browsers[0]
    page.speak(language)
    page.open(f"{relayed.issuer}/services/liquid/demo")
    assert shows(page, "waiting")
    assert page.ask("document.documentElement.lang") == language
    assert page.too_wide() + page.faint() + page.faint(dark=True) + page.nameless() + page.out_of_reach() + barriers(page) + page.complaints() == []
