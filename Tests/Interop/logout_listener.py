"""An application's back-channel logout address (OpenID Connect Back-Channel Logout 1.0, 2.5), listening on this machine."""
from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

from waiting import eventually


class LogoutListener:
    """`bodies` are the forms that came, as they came."""

    def __init__(self):
        self.bodies: list[str] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"listener": self}))
        self.uri = f"http://127.0.0.1:{self._http.server_port}/backchannel"

    @property
    def tokens(self) -> list[str]:
        return [parse_qs(body)["logout_token"][0] for body in self.bodies]

    def first(self) -> str:
        """The form that came first; waits for it."""
        assert eventually(lambda: self.bodies), "no logout token came"
        return self.bodies[0]

    @classmethod
    @contextmanager
    def listening(cls):
        listener = cls()
        threading.Thread(target=listener._http.serve_forever, daemon=True).start()
        try:
            yield listener
        finally:
            listener._http.shutdown()
            listener._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    listener: LogoutListener

    def log_message(self, *arguments) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        good = self.path == "/backchannel" and self.headers.get("Content-Type") == "application/x-www-form-urlencoded"
        if good:
            self.listener.bodies.append(body)
        self.send_response(200 if good else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()
