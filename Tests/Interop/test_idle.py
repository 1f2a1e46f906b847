"""What a server of all roles says to PostgreSQL while nobody asks it anything, as PostgreSQL's own log has it.

docs/performance.md, "What a request asks", tells how many that are. One that is in no row here is what a new worker sends on and on: it gets a row, and the figure
there with it, or the worker learns to wait for a notification.
"""
from __future__ import annotations

import re
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

from databases import superuser
from server import Cluster, Server, session
from waiting import eventually

# What it is, how one knows it, the seconds between two of them, and how many there are each time.
PERIODIC = [
    ("leases of who answers from memory, while anybody asks (docs/token-tree.md)", r"\breplica\b|\bfrom change\b", 1, 4),
    ("replicas greet one another", r"^select pg_notify\(\$1, x\.notice\)", 10, 1),
    ("whether a connection that hears nothing lives", r"^select$", 10, 2),
    ("whom to tell that all is as it was (docs/events.md, Heartbeats)", r"\bheartbeat_at\b", 5, 2),
    ("lines of the audit trail without a place (docs/audit.md)", r"^select \(select s\.value from setting s|pg_try_advisory_xact_lock|^update setting set value", 15, 3),
    ("queues, should a notification have been lost", r"\bnext_try\b", 60, 20),
    ("what services of this server heard", r"\bevent_received\b|^select node from revocation where node", 60, 20),
    ("phones and operations that time ends", r"^(begin )?select .* from phone_registration\b|\bphone_operation\b", 60, 5),
    ("documents that the crawler visits or forgets", r"\bservice_document\b", 60, 5),
    ("wallets' links that nobody came for", r"^delete from signalling_", 60, 5),
    ("figures for the console", r"\bstatistic\b", 300, 5),
]
LINE = re.compile(r"^\S+ \S+ UTC \[(?P<process>[0-9]+)\] (?P<database>\S+ )?(?P<kind>[A-Z]+):  (?P<text>.*)$")
STATEMENT = re.compile(r"^(?:execute [^:]+|statement): (.*)$", re.DOTALL)


class Sent:
    """What the sessions of one database sent, by process of PostgreSQL: a text for each statement, or for each transaction of them."""

    def __init__(self, log: str, database: str):
        entries: list[list[str]] = []
        for line in log.splitlines():
            if found := LINE.match(line):
                entries.append([found["process"], (found["database"] or "").strip(), found["kind"], found["text"]])
            elif entries:
                entries[-1][3] += " " + line.strip()
        self.of: dict[str, list[str]] = {}
        under_way: dict[str, list[str]] = {}
        for process, place, kind, text in entries:
            found = STATEMENT.match(text)
            if kind != "LOG" or place != database or not found:
                continue
            statement = re.sub(r"\s+", " ", found[1]).strip()
            if statement == "begin":
                under_way[process] = []
            if process not in under_way:
                self.of.setdefault(process, []).append(statement)
                continue
            under_way[process].append(statement)
            if statement in ("commit", "rollback"):
                self.of.setdefault(process, []).append(" ".join(under_way.pop(process)))

    @property
    def all(self) -> list[str]:
        return [text for texts in self.of.values() for text in texts]


class Told:
    """A server whose PostgreSQL writes down each statement, from before its start on."""

    def __init__(self, cluster: Cluster, folder: Path):
        url = cluster.url("pando_own")
        for statement in ("alter system set log_statement = 'all'", "select pg_reload_conf()"):
            subprocess.run([*session(superuser(url)), "--command", statement], check=True, timeout=30, stdout=subprocess.DEVNULL)
        self.log, self.server = cluster.folder / "postgres.log", Server(folder, url)

    def since(self, place: int) -> Sent:
        with self.log.open(errors="replace") as log:
            log.seek(place)
            return Sent(log.read(), "pando_own")


@pytest.fixture(scope="module")
def told(folder):
    cluster = Cluster(Path(tempfile.mkdtemp(dir=folder)) / "postgres").start()
    try:
        told = Told(cluster, Path(tempfile.mkdtemp(dir=folder)))
        with told.server.running():
            yield told
    finally:
        cluster.discard()


def kind(text: str) -> str:
    return next((name for name, pattern, _, _ in PERIODIC if re.search(pattern, text)), text[:200])


def test_an_idle_server_sends_what_is_known_alone(told):
    """Nothing that is in no row above, and nothing more often than is told there. The first look of each worker is over by then."""
    time.sleep(5)
    place, begun = told.log.stat().st_size, time.monotonic()

    time.sleep(16)
    sent = eventually(lambda: (found := told.since(place).all) and "replicas greet one another" in map(kind, found) and found, within_s=60)
    took = time.monotonic() - begun

    known = {name for name, _, _, _ in PERIODIC}
    assert sent, "not even a greeting is in the log"
    kinds = Counter(map(kind, sent))
    assert not set(kinds) - known, "sent on and on, for nobody"
    for name, _, seconds, most in PERIODIC:
        assert kinds[name] <= most * (took / seconds + 2), f"{name}: {kinds[name]} in {took:.0f} s"


def test_one_connection_listens_for_all(told):
    """However many channels a process listens to."""
    listening = {process: [text for text in texts if text.lower().startswith("listen ")] for process, texts in told.since(0).of.items()}
    listening = {process: channels for process, channels in listening.items() if channels}

    assert len(listening) == 1, listening
    assert all(len(set(channels)) > 5 for channels in listening.values()), "of all workers"
