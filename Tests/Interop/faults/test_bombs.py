"""Little that becomes much when it is unpacked: sent to the server, and answered to it. It stays as small as it was."""
from __future__ import annotations

import gzip
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from load import Load
from processes import site
from server import CommandFailed

# Fifty kilobytes: as much as a body may have.
BOMB = gzip.compress(bytes(50 << 20))
GROWS_BY_MIB = 40


class Answering(BaseHTTPRequestHandler):
    """Whatever is asked for."""

    asked: list[str] = []

    def log_message(self, *arguments) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        for name, value in (("Content-Type", "application/json"), ("Content-Encoding", "gzip"), ("Content-Length", str(len(BOMB)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(BOMB)

    do_POST = do_GET


def memory_mib(process: int) -> float:
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[1]) / 1024


@pytest.fixture(scope="module")
def at(folder):
    with site(folder) as made:
        yield made


@pytest.mark.short
def test_bodies(at, row):
    load = Load(at.world, row("40 bodies of 50 KB that unpack to 50 MB"))

    def send() -> None:
        for path, kind in (("/token", "application/x-www-form-urlencoded"), ("/introspect", "application/x-www-form-urlencoded"), ("/register", "application/json"),
                           ("/token", "application/json")) * 10:
            answer = requests.post(at.one.issuer + path, data=BOMB, headers={"Content-Encoding": "gzip", "Content-Type": kind}, timeout=20)
            assert answer.status_code in (401, 415) and "error" in answer.json(), answer.text
    before = memory_mib(at.one.process.pid)
    load.during(send)
    load.check()
    assert memory_mib(at.one.process.pid) < before + GROWS_BY_MIB
    assert not load.row.others


def test_answers(at, row):
    """Of a service that is crawled."""
    load = Load(at.world, row("a crawled service that answers with such"))
    listener = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{listener.server_port}/bomb"

    def crawl() -> None:
        added = at.one.admin("services", "add", base, "--name", "Bomb", "--claim", "email", "--allow-loopback")
        at.one.admin("services", "approve", added["id"])
        for _ in range(3):
            try:
                at.one.admin("crawl", "run", added["id"])
            except CommandFailed:
                pass
    before = memory_mib(at.one.process.pid)
    try:
        load.during(crawl)
        load.check()
        assert Answering.asked, "nobody asked for it"
        assert memory_mib(at.one.process.pid) < before + GROWS_BY_MIB
        assert not load.row.others
    finally:
        listener.shutdown()
        listener.server_close()
