"""A receiver of events (RFC 8935) and calls (RFC 7009) as a process of its own, which may be killed at any moment: what it acknowledged is in its journal.

Run as a program: receiver.py PORT JOURNAL. It answers 202, or 200 to a call, once the line is on disk, a line of JSON each: when, and the body.
"""
from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

STARTS_WITHIN_S = 20
# What is taken, by the end of its path and its media type.
TAKEN = {("events", "application/secevent+jwt"): 202, ("revoke", "application/x-www-form-urlencoded"): 200}


@dataclass
class Arrival:
    """`at` is this machine's clock."""

    at: float
    body: str


class Receiver:
    """`arrivals` are in the order in which they were written down; a killed process may leave half a line, which it did not acknowledge."""

    def __init__(self, port: int, journal: Path):
        self.port, self.journal, self.process = port, journal, None

    def start(self) -> "Receiver":
        self.process = subprocess.Popen([sys.executable, __file__, str(self.port), str(self.journal)])
        deadline = time.monotonic() + STARTS_WITHIN_S
        while not self._listens():
            assert self.process.poll() is None and time.monotonic() < deadline, "the receiver does not start"
            time.sleep(0.05)
        return self

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def kill(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=10)

    @property
    def arrivals(self) -> list[Arrival]:
        found = []
        for line in self.journal.read_text().splitlines() if self.journal.exists() else []:
            try:
                found.append(Arrival(**json.loads(line)))
            except ValueError:
                continue
        return found


def opened(journal: str) -> int:
    return os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def write(file: int, body: str) -> None:
    """A line feed first, so that what another life left unfinished spoils no line of this one."""
    os.write(file, ("\n" + json.dumps({"at": time.time(), "body": body}) + "\n").encode())
    os.fsync(file)


def serve(port: int, journal: str) -> None:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *arguments) -> None:
            """Quiet."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            kind = (self.headers.get("Content-Type") or "").split(";")[0]
            status = TAKEN.get((self.path.rsplit("/", 1)[-1], kind))
            if status:
                write(file, body)
            self.send_response(status or 404)
            self.send_header("Content-Length", "0")
            self.end_headers()

    file = opened(journal)
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2])
