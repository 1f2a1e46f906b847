"""A node of Algorand, as far as a server asks one (algod's REST API, v2): who signs for an address."""
from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class AlgorandNode:
    """`rekeyed` says which address signs for another; `answer`, where it is set, is status and body of whatever is asked. `asked` are path and token, as they came."""

    def __init__(self):
        self.rekeyed: dict[str, str] = {}
        self.answer: tuple[int, bytes] | None = None
        self.asked: list[tuple[str, str | None]] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"node": self}))
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    @classmethod
    @contextmanager
    def listening(cls):
        node = cls()
        threading.Thread(target=node._http.serve_forever, daemon=True).start()
        try:
            yield node
        finally:
            node.close()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def says(self, path: str) -> tuple[int, bytes]:
        if self.answer:
            return self.answer
        address = path.removeprefix("/v2/accounts/").removesuffix("?exclude=all")
        account = {"address": address, "amount": 0}
        return 200, json.dumps(account | ({"auth-addr": self.rekeyed[address]} if address in self.rekeyed else {})).encode()


class _Handler(BaseHTTPRequestHandler):
    node: AlgorandNode

    def log_message(self, *arguments) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self.node.asked.append((self.path, self.headers.get("X-Algo-API-Token")))
        status, body = self.node.says(self.path)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
