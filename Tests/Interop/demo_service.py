"""The small service that the server's own program brings: `pando demo service`."""
from __future__ import annotations

import subprocess
import time

import requests

from server import BINARY, CHECKOUT, Server, free_port

LISTENS_WITHIN_S = 30


class DemoService:
    """Trusts `issuer`."""

    def __init__(self, server: Server, issuer: str):
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen([BINARY, "demo", "service", "--port", str(self.port), "--issuer", issuer], cwd=CHECKOUT,
                                        env=server.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self) -> "DemoService":
        deadline = time.monotonic() + LISTENS_WITHIN_S
        while True:
            assert self.process.poll() is None, self.process.stderr.read()
            try:
                assert requests.get(self.base, timeout=5).status_code == 200
                return self
            except requests.ConnectionError:
                assert time.monotonic() < deadline, "the small service does not listen"
                time.sleep(0.1)

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.communicate(timeout=20)
