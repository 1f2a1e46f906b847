"""A server with a streaming standby beside its primary (docs/read-replicas.md): what is asked where, and that no lag makes anything live that was revoked."""
from __future__ import annotations

import re
import secrets
import tempfile
import time
from pathlib import Path

import pytest
import requests

from clients import machine
from server import Cluster, Server, free_port
from standby import Standby
from waiting import eventually

TIMEOUT_S = 30
# Long enough for a standby that was paused to pass for a young one throughout a test of what is revoked meanwhile.
LAG_MS = 5_000


@pytest.fixture(scope="module")
def cluster(folder):
    cluster = Cluster(Path(tempfile.mkdtemp(dir=folder)) / "postgres")
    try:
        yield cluster.start()
    finally:
        cluster.discard()


@pytest.fixture(scope="module")
def standby(cluster):
    cluster.url("pando")
    standby = Standby(cluster)
    yield standby
    standby.discard()


@pytest.fixture(scope="module")
def server(folder, cluster, standby):
    server = Server(Path(tempfile.mkdtemp(dir=folder)), cluster.url("pando"), PANDO_DATABASE_REPLICA=standby.url(), PANDO_DATABASE_REPLICA_LAG=str(LAG_MS),
                    PANDO_METRICS_PORT=str(free_port()))
    with server.running():
        yield server


@pytest.fixture(autouse=True)
def replays(standby):
    """Whatever a test did to it."""
    yield
    standby.go_on()


class Machine:
    def __init__(self, server: Server):
        self.server, self.credentials = server, machine(server)

    def tokens(self, count: int) -> list[str]:
        asked = [requests.post(f"{self.server.issuer}/token", data={"grant_type": "client_credentials"}, auth=self.credentials, timeout=TIMEOUT_S) for _ in range(count)]
        return [answer.json()["access_token"] for answer in asked]

    def lives(self, token: str) -> bool:
        answer = requests.post(f"{self.server.issuer}/introspect", data={"token": token}, auth=self.credentials, timeout=TIMEOUT_S)
        assert answer.status_code == 200, answer.text
        return answer.json()["active"]

    def revoke(self, token: str) -> None:
        answer = requests.post(f"{self.server.issuer}/revoke", data={"token": token}, auth=self.credentials, timeout=TIMEOUT_S)
        assert answer.status_code == 200, answer.text


def reads(server: Server, source: str) -> float:
    page = requests.get(f"http://127.0.0.1:{server.environment['PANDO_METRICS_PORT']}/metrics", timeout=TIMEOUT_S).text
    found = re.search(rf'^pando_replica_reads_total{{source="{source}"}} (\S+)', page, re.MULTILINE)
    return float(found[1]) if found else 0.0


def listed(server: Server) -> list[str]:
    answer = requests.get(f"{server.issuer}/federation/services", params={"limit": 200}, timeout=TIMEOUT_S)
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


def restart(server: Server) -> None:
    """Nothing is in memory any more."""
    server.stop()
    server.start()


def young(server: Server) -> bool:
    """Reads until the standby is asked. Each question is one that nobody asked before, so that no memory has the answer."""
    def asked() -> bool:
        before = reads(server, "replica")
        requests.get(f"{server.issuer}/federation/services", params={"protocol": f"org.example.{secrets.token_hex(4)}"}, timeout=TIMEOUT_S)
        return reads(server, "replica") > before
    return eventually(asked, within_s=20)


def test_rows_of_tokens_are_read_at_the_standby(server):
    client = Machine(server)
    tokens = client.tokens(12)
    restart(server)
    assert young(server)
    # By then there is a lease, under which what is read there may be given.
    until = time.monotonic() + 2
    while time.monotonic() < until:
        assert client.lives(tokens[0])
    before = reads(server, "replica")

    assert all(client.lives(token) for token in tokens[1:])
    assert reads(server, "replica") > before


def test_what_was_revoked_while_the_standby_lags_lives_for_nobody(server, standby):
    """It has the tokens, and passes for young for seconds; the revocations it does not have."""
    client = Machine(server)
    tokens = client.tokens(30)
    restart(server)
    assert client.lives(tokens[0]) and young(server)
    standby.pause()

    for token in tokens[1:]:
        client.revoke(token)
        assert not client.lives(token)
    assert client.lives(tokens[0])
    standby.go_on()
    assert not any(client.lives(token) for token in tokens[1:])


def test_a_service_is_listed_at_once_however_far_the_standby_lags(server, standby):
    """The process has heard of the change, and asks who has it."""
    assert young(server)
    standby.pause()
    added = server.admin("services", "add", "https://late.example.org", "--id", f"late-{secrets.token_hex(3)}", "--name", "Late")
    server.admin("services", "approve", added["id"])

    assert eventually(lambda: added["id"] in listed(server), within_s=3)
    # On the command line, too: what is there must be shown by the standby within the lag, or the primary is asked.
    assert added["id"] in [item["id"] for item in server.admin("services", "list")["items"]]


def test_a_list_on_the_command_line_is_read_at_the_standby(server, standby, cluster):
    """And leaves no row behind that says so."""
    created = server.admin("institutions", "create", f"{secrets.token_hex(3)}.example", "--name", "University")

    assert created["id"] in [item["id"] for item in server.admin("institutions", "list")["items"]]
    assert young(server)
    time.sleep(0.5)
    assert standby.ask("select count(*) from replica_beat") == "1"


def test_a_standby_that_is_gone_is_not_missed_and_asked_again_when_it_is_back(server, standby):
    client = Machine(server)
    tokens = client.tokens(5)
    assert young(server)
    standby.stop()
    try:
        began = time.monotonic()
        assert all(client.lives(token) for token in tokens) and listed(server)
        assert time.monotonic() - began < TIMEOUT_S
    finally:
        standby.start()

    assert young(server)


def test_the_standby_is_not_the_database_itself(server, cluster):
    refused = server.run("config", "check", PANDO_DATABASE_REPLICA=cluster.url("pando"))

    assert refused.returncode == 2 and "database-replica: that is the database itself" in refused.stderr
