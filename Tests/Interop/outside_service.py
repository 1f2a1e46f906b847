"""A federation service of somebody else's, as far as it must be one to hear of revocations (RFC 8935) or to ask for them (RFC 8936)."""
from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests
from requests.auth import HTTPBasicAuth

from keys import verified
from phone import Phone, Release, person
from server import Server, free_port

ENDED = "urn:pando:event:ended"


class OutsideService:
    """Entered in the index and approved; listens only between `open` and `close`. `events` are verified claims, `bodies` what they came as."""

    def __init__(self, server: Server, notify: str = "push"):
        self.server, self.port = server, free_port()
        self.base = f"http://127.0.0.1:{self.port}/learn"
        self.events: list[dict] = []
        self.bodies: list[str] = []
        self._listener: ThreadingHTTPServer | None = None
        self.entry = server.admin("services", "add", self.base, "--name", "Learn", "--claim", "email", "--allow-loopback", "--notify", notify)
        server.admin("services", "approve", self.entry["id"])

    @property
    def id(self) -> str:
        return self.entry["id"]

    def status(self) -> dict:
        return self.server.admin("events", "status", self.id)["items"][0]

    def token(self, scope: str) -> str:
        """Short-lived, of the service for itself: `client_credentials`."""
        answer = requests.post(f"{self.server.issuer}/token", auth=HTTPBasicAuth(self.entry["client_id"], self.entry["client_secret"]),
                               data={"grant_type": "client_credentials", "scope": scope}, timeout=20)
        assert answer.status_code == 200, answer.text
        return answer.json()["access_token"]

    def met(self, release: Release) -> tuple[str, Phone]:
        """A person whom the service has met, and the phone by which."""
        name = person(self.server)
        phone = Phone(self.server.issuer, release).register().log_in(name)
        phone.assertion(self.base)
        return name, phone

    def ask(self, method: str, path: str, **members):
        """The server, by its client id and secret."""
        credentials = (self.entry["client_id"], self.entry["client_secret"])
        answer = requests.request(method, self.server.issuer + path, auth=credentials, timeout=40, **members)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def poll(self, **members) -> list[tuple[str, int, str]]:
        """Events without heartbeats: (jti, number, node), in their order."""
        sets = self.ask("POST", "/events/poll", json=members)["sets"]
        found = []
        for jti, text in sets.items():
            claims = verified(text, self.server.issuer, "secevent+jwt")
            assert claims["jti"] == jti and claims["aud"] == self.base
            if ENDED in claims["events"]:
                found.append((jti, claims["events"][ENDED]["seq"], claims["events"][ENDED]["node"]))
        return sorted(found, key=lambda event: event[1])

    def open(self) -> "OutsideService":
        self._listener = ThreadingHTTPServer(("127.0.0.1", self.port), type("Handler", (_Handler,), {"service": self}))
        threading.Thread(target=self._listener.serve_forever, daemon=True).start()
        return self

    def close(self) -> None:
        if self._listener:
            self._listener.shutdown()
            self._listener.server_close()
            self._listener = None


class _Handler(BaseHTTPRequestHandler):
    service: OutsideService

    def log_message(self, *arguments) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        good = self.path == "/learn/events" and self.headers.get("Content-Type") == "application/secevent+jwt"
        if good:
            claims = verified(body, self.service.server.issuer, "secevent+jwt")
            # A heartbeat is no event.
            if "urn:pando:event:heartbeat" not in claims["events"]:
                self.service.bodies.append(body)
                self.service.events.append(claims)
        self.send_response(202 if good else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()
