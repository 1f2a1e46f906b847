"""kill -9 of sender, receiver and PostgreSQL in turn, while many revoke: every revocation arrives, in order, and none has its effect twice.

PANDO_KILLS  how often each of the three is killed (2): PANDO_KILLS=50 deploy/interop.sh --built -k killed_delivery
"""
from __future__ import annotations

import base64
import json
import os
import random
import threading
import time
from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests

from keys import verified
from phone import Phone, Release, person
from receiver import Receiver
from server import Server, free_port
from waiting import eventually

KILLS = int(os.environ.get("PANDO_KILLS") or 2)
PHONES = 4
ENDED = "urn:pando:event:ended"
# A sender that was killed keeps its claim for 12 s, and a receiver that was away is tried again after pauses that double.
DELIVERED_WITHIN_S = 120
NO_ANSWER = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)


def told(jwt: str) -> dict:
    """Its claims, unverified."""
    part = jwt.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class Revoker:
    """A phone that gets assertions for the service and revokes each. `asked` has the pseudonyms, and when their revocation was asked for that was acknowledged."""

    def __init__(self, server: Server, base: str, release: Release):
        self.base, self.phone = base, Phone(server.issuer, release).register().log_in(person(server))
        self.asked: dict[str, float] = {}
        self.wrong: list[str] = []

    def _ask(self, path: str, data: dict) -> requests.Response | None:
        """`None`: nobody knows what became of it, or the database is away."""
        try:
            answer = self.phone.ask("POST", path, data=data)
        except NO_ANSWER:
            time.sleep(0.05)
            return None
        if answer.status_code == 200:
            return answer
        if answer.status_code != 503:
            self.wrong.append(f"{path}: {answer.status_code} {answer.text}")
        return None

    def once(self, is_over: threading.Event) -> None:
        answer = self._ask("/authorization", {"response_type": "code", "redirect_uri": self.base})
        if answer is None:
            return
        assertion = answer.json()["code"]
        while not is_over.is_set() and not self.wrong:
            began = time.time()
            if self._ask("/revoke", {"token": assertion}) is not None:
                self.asked[told(assertion)["lineage"][-1]] = began
                return


class Service:
    """Somebody else's, known to the index, with a receiver that may die."""

    def __init__(self, server: Server, folder: Path):
        port = free_port()
        self.server, self.base = server, f"http://127.0.0.1:{port}/learn"
        self.receiver = Receiver(port, Path(mkdtemp(dir=folder)) / "events")
        self.id = server.admin("services", "add", self.base, "--name", "Learn", "--claim", "email", "--allow-loopback")["id"]
        server.admin("services", "approve", self.id)

    def is_told(self) -> bool:
        [status] = self.server.admin("events", "status", self.id)["items"]
        return status["last"] == status["acknowledged"]


@pytest.fixture
def service(own_server, folder):
    service = Service(own_server, folder)
    yield service
    service.receiver.kill()


def during(revokers: list[Revoker], disturb) -> None:
    """All revoke, before `disturb()`, meanwhile and behind it."""
    over = threading.Event()

    def repeat(revoker: Revoker) -> None:
        while not over.is_set() and not revoker.wrong:
            revoker.once(over)
    threads = [threading.Thread(target=repeat, args=(revoker,)) for revoker in revokers]
    for thread in threads:
        thread.start()
    try:
        time.sleep(random.uniform(0.3, 0.8))
        disturb()
        time.sleep(0.5)
    finally:
        over.set()
        for thread in threads:
            thread.join()


def effects(service: Service) -> list[tuple[float, int, str]]:
    """When, number and node, in order, of each event that had one: a service that hears twice of a thing knows it by its `jti`."""
    known, found = set(), []
    for arrival in service.receiver.arrivals:
        claims = told(arrival.body)
        if claims["jti"] not in known:
            known.add(claims["jti"])
            body = claims["events"][ENDED]
            found.append((arrival.at, body["seq"], body["node"]))
    return found


def percentile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def test_every_revocation_arrives_in_order_and_once(own_server, own_cluster, service):
    release = Release.add(own_server)
    revokers = [Revoker(own_server, service.base, release) for _ in range(PHONES)]
    service.receiver.start()

    def kill_server():
        own_server.kill()
        own_server.start()

    def kill_receiver():
        service.receiver.kill()
        time.sleep(0.5)
        service.receiver.start()

    def kill_postgresql():
        own_cluster.kill()
        own_cluster.start()
        assert eventually(own_server.is_ready, within_s=30)

    for _ in range(KILLS):
        for kill in (kill_server, kill_receiver, kill_postgresql):
            during(revokers, kill)

    assert [wrong for revoker in revokers for wrong in revoker.wrong] == []
    asked = {node: began for revoker in revokers for node, began in revoker.asked.items()}
    assert len(asked) > 3 * KILLS
    assert eventually(service.is_told, within_s=DELIVERED_WITHIN_S, every_s=1)

    had = effects(service)
    numbers, nodes = [number for _, number, _ in had], [node for _, _, node in had]
    assert numbers == list(range(1, len(had) + 1)), "in order, none left out, none under two names"
    assert len(set(nodes)) == len(nodes), "no node ended twice"
    assert not set(asked) - set(nodes), "each that was acknowledged arrived"
    assert verified(service.receiver.arrivals[-1].body, own_server.issuer, "secevent+jwt")["aud"] == service.base
    again = len(service.receiver.arrivals) - len(had)

    took = [at - asked[node] for at, _, node in had if node in asked]
    print(f"{KILLS} kills of each of three: {len(asked)} revocations acknowledged, {len(had)} events, {again} of them heard twice; "
          f"revoke to effect p50 {percentile(took, 0.5) * 1000:.0f} ms, p99 {percentile(took, 0.99) * 1000:.0f} ms")
