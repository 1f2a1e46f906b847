"""A service that polls for its events (RFC 8936) as a process of its own, which may be killed at any moment: what it acknowledged stands in its journal.

Run as a program: poller.py ISSUER CLIENT SECRET JOURNAL. It acknowledges events once their lines are on disk, as receiver.py has them.
"""
from __future__ import annotations

import base64
import json
import subprocess
import sys
import time
from pathlib import Path

import requests

from receiver import Receiver, opened, write

HELD_S = 40


class Poller(Receiver):
    """`arrivals` are in the order in which they were written down."""

    def __init__(self, issuer: str, client: str, secret: str, journal: Path):
        super().__init__(0, journal)
        self.asks = (issuer, client, secret)

    def start(self) -> "Poller":
        self.process = subprocess.Popen([sys.executable, __file__, *self.asks, str(self.journal)])
        return self


def number(text: str) -> int:
    part = text.split(".")[1]
    events = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))["events"]
    return next(iter(events.values())).get("seq", 0)


def poll(issuer: str, client: str, secret: str, journal: str) -> None:
    file, taken = opened(journal), []
    while True:
        try:
            answer = requests.post(f"{issuer}/events/poll", json={"ack": taken}, auth=(client, secret), timeout=HELD_S)
            sets = answer.json()["sets"] if answer.status_code == 200 else None
        except (requests.RequestException, ValueError):
            sets = None
        if sets is None:
            # Nobody answers, or the database is away; whether the acknowledgements arrived is not known.
            time.sleep(0.05)
            continue
        for text in sorted(sets.values(), key=number):
            write(file, text)
        taken = list(sets)


if __name__ == "__main__":
    poll(*sys.argv[1:5])
