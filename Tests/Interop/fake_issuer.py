"""An issuer whose keys the test has, so that it says what no good one would: to a service that is given nothing else to trust."""
from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

from joserfc.jwk import ECKey

from keys import new_id, new_key, now, public, signed_as_it_is

ENDED, MOVED, HEARTBEAT = (f"urn:pando:event:{name}" for name in ("ended", "moved", "heartbeat"))


class FakeIssuer:
    """`keys` are published by their `kid`; `stored` are the events that it gives again; while `is_away` it answers 503 to everything."""

    def __init__(self):
        self.keys: dict[str, ECKey] = {"one": new_key()}
        self.stored: list[tuple[int, str, str]] = []
        self.is_away, self.asked = False, []
        self._listener = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"issuer": self}))
        self.url = f"http://127.0.0.1:{self._listener.server_port}"
        threading.Thread(target=self._listener.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown()
        self._listener.server_close()

    def sign(self, claims: dict, key: ECKey | None = None, kid: str = "one", **header) -> str:
        return signed_as_it_is(key or self.keys[kid], {"alg": "ES256", "kid": kid} | header, claims)

    def assertion(self, base: str, app: ECKey, *, header: dict | None = None, key: ECKey | None = None, kid: str = "one", **claims) -> str:
        """A good one, but for what is given; a claim that is `...` is left out."""
        jti = new_id()
        given = {"iss": self.url, "aud": f"{base}/token", "sub": "ada", "azp": "org.example.app", "client_id": "phone-1", "jti": jti, "iat": now(),
                 "exp": now() + 300, "cnf": {"jwk": public(app)}, "lineage": ["account-1", "version-1", "instance-1", f"assertion-{jti}"]} | claims
        given = {name: value for name, value in given.items() if value is not ...}
        return self.sign(given, key, kid, **({"typ": "oauth-id-jag+jwt"} | (header or {})))

    def event(self, base: str, name: str, body: dict, *, seq: int | None = None, typ: str = "secevent+jwt", kid: str = "one", key=None, **claims) -> str:
        """Stored as well, where it has a number."""
        given = {"iss": self.url, "aud": base, "jti": new_id(), "iat": now(), "events": {name: body | ({"seq": seq} if seq is not None else {})}} | claims
        text = self.sign(given, key, kid, typ=typ)
        if seq is not None and name != HEARTBEAT:
            self.stored.append((seq, given["jti"], text))
        return text


class _Handler(BaseHTTPRequestHandler):
    issuer: FakeIssuer

    def log_message(self, *arguments) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        place = urlparse(self.path)
        self.issuer.asked.append(place.path)
        if self.issuer.is_away:
            self.send_error(503)
        elif place.path == "/jwks.json":
            self.answer({"keys": [public(key, kid=kid, alg="ES256", use="sig") for kid, key in self.issuer.keys.items()]})
        elif place.path == "/events":
            after = int(parse_qs(place.query).get("after", ["0"])[0])
            found = sorted(event for event in self.issuer.stored if event[0] > after)
            # A page at a time, so that there is more than one.
            self.answer({"sets": {jti: text for _, jti, text in found[:2]}, "moreAvailable": len(found) > 2,
                         "latest": max((event[0] for event in self.issuer.stored), default=0)})
        else:
            self.send_error(404)

    def answer(self, body: dict) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
