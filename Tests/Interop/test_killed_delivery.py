"""kill -9 of sender, receivers and PostgreSQL in turn, while many revoke: every revocation takes effect at home and arrives, however a service hears;
events come in order, and none has its effect twice.

PANDO_KILLS  how often each of the three is killed (2): PANDO_KILLS=50 deploy/interop.sh --built -k killed_delivery
"""
from __future__ import annotations

import base64
import itertools
import json
import os
import random
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import parse_qs

import pytest
import requests

from keys import verified
from phone import Phone, Release, person
from poller import Poller
from receiver import Receiver
from server import Server, free_port
from waiting import eventually

KILLS = int(os.environ.get("PANDO_KILLS") or 2)
PHONES = 4
# Each phone: so that times are those of delivery, not of a queue that grows.
REVOKES_EVERY_S = 0.1
ENDED = "urn:pando:event:ended"
HEARTBEAT = "urn:pando:event:heartbeat"
# A sender that was killed keeps its claim for 12 s, and a receiver that was away is tried again after pauses that double.
DELIVERED_WITHIN_S = 45 + KILLS
NO_ANSWER = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)


def told(jwt: str) -> dict:
    """Its claims, unverified."""
    part = jwt.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@dataclass
class Effect:
    """`key` is the pseudonym that ended, or the `jti` that was called for; `None` of an event of another kind. Calls have no number."""

    at: float
    key: str | None
    number: int | None


class Service:
    """Somebody else's, known to the index, which hears by push, poll or calls (`way`) in a process that may die."""

    def __init__(self, server: Server, folder: Path, way: str):
        port, journal = free_port(), Path(mkdtemp(dir=folder)) / way
        self.server, self.way, self.base = server, way, f"http://127.0.0.1:{port}/{way}"
        endpoint = ("--revocation-endpoint", self.base + "/revoke") if way == "revoke" else ()
        self.entry = server.admin("services", "add", self.base, "--name", way, "--claim", "email", "--allow-loopback", "--notify", way, *endpoint)
        server.admin("services", "approve", self.entry["id"])
        self.credentials = (self.entry["client_id"], self.entry["client_secret"])
        self.receiver = Poller(server.issuer, *self.credentials, journal) if way == "poll" else Receiver(port, journal)

    def key(self, assertion: str) -> str:
        claims = told(assertion)
        return claims["jti"] if self.way == "revoke" else claims["lineage"][-1]

    def is_told(self) -> bool:
        [status] = self.server.admin("events", "status", self.entry["id"])["items"]
        return status["last"] == status["acknowledged"]

    def effects(self) -> list[Effect]:
        """In order, what had one: who hears twice of a thing knows an event by its `jti`, and what it was called for."""
        known, found = set(), []
        for arrival in self.receiver.arrivals:
            if self.way == "revoke":
                name = key = parse_qs(arrival.body, strict_parsing=True)["token"][0]
                number = None
            else:
                claims = told(arrival.body)
                [(event, members)] = claims["events"].items()
                if event == HEARTBEAT:
                    continue
                name, key, number = claims["jti"], members["node"] if event == ENDED else None, members["seq"]
            if name not in known:
                known.add(name)
                found.append(Effect(arrival.at, key, number))
        return found

    def heard_again(self) -> int:
        """What came more often than it had an effect."""
        beats = sum(HEARTBEAT in told(arrival.body)["events"] for arrival in self.receiver.arrivals) if self.way != "revoke" else 0
        return len(self.receiver.arrivals) - beats - len(self.effects())

    def stored(self) -> list[int]:
        """The numbers of all events that the issuer has for it: what it tells in no other way leaves gaps among them."""
        numbers, more = [], True
        while more:
            answer = requests.get(f"{self.server.issuer}/events", params={"after": numbers[-1] if numbers else 0, "limit": 1000},
                                  auth=self.credentials, timeout=30)
            assert answer.status_code == 200, answer.text
            page = answer.json()
            numbers += sorted(next(iter(told(text)["events"].values()))["seq"] for text in page["sets"].values())
            more = page["moreAvailable"] and page["sets"]
        return numbers


class Revoker:
    """A phone that gets assertions for each service in turn and revokes them. `asked` has what each service must hear of, and since when: the request that
    was acknowledged. `home` are seconds from there to the answer of introspection that says so."""

    def __init__(self, server: Server, services: list[Service], release: Release):
        self.phone = Phone(server.issuer, release).register().log_in(person(server))
        self.services = itertools.cycle(services)
        self.asked: dict[str, dict[str, float]] = {service.way: {} for service in services}
        self.home: list[float] = []
        self.wrong: list[str] = []

    def _ask(self, path: str, data: dict, token: dict | None = None) -> requests.Response | None:
        """`None`: nobody knows what became of it, or the database is away."""
        try:
            answer = self.phone.ask("POST", path, token, data=data)
        except NO_ANSWER:
            time.sleep(0.05)
            return None
        if answer.status_code == 200:
            return answer
        if answer.status_code != 503:
            self.wrong.append(f"{path}: {answer.status_code} {answer.text}")
        return None

    def once(self, is_over: threading.Event) -> None:
        service = next(self.services)
        answer = self._ask("/authorization", {"response_type": "code", "redirect_uri": service.base})
        if answer is None:
            return
        assertion = answer.json()["code"]
        while not is_over.is_set() and not self.wrong:
            began = time.time()
            if self._ask("/revoke", {"token": assertion}) is not None:
                self.asked[service.way][service.key(assertion)] = began
                return self._look(assertion, began, is_over)

    def _look(self, assertion: str, began: float, is_over: threading.Event) -> None:
        while not is_over.is_set() and not self.wrong:
            answer = self._ask("/introspect", {"token": assertion}, self.phone.instance)
            if answer is None:
                continue
            self.home.append(time.time() - began)
            if answer.json()["active"]:
                self.wrong.append("what was revoked, and acknowledged, is taken at home")
            return


@pytest.fixture
def calling_server(folder, own_cluster):
    """As `own_server`: calls do not wait for their pace, and heartbeats come between the events."""
    own = Server(Path(mkdtemp(dir=folder)), own_cluster.url("pando_own"), PANDO_EVENTS_PACE="1000", PANDO_EVENTS_HEARTBEAT="2")
    try:
        yield own.start()
        if own.process.poll() is None:
            own.stop()
    finally:
        own.clear()


@pytest.fixture
def services(calling_server, folder):
    services = [Service(calling_server, folder, way) for way in ("push", "poll", "revoke")]
    yield services
    for service in services:
        service.receiver.kill()


def during(revokers: list[Revoker], disturb) -> None:
    """All revoke, before `disturb()`, meanwhile and behind it."""
    over = threading.Event()

    def repeat(revoker: Revoker) -> None:
        while not over.is_set() and not revoker.wrong:
            revoker.once(over)
            over.wait(REVOKES_EVERY_S)
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


def times(values: list[float]) -> str:
    """Their median and 99th percentile."""
    ordered = sorted(values)
    p50, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1000 for part in (0.5, 0.99))
    return f"p50 {p50:.0f} ms, p99 {p99:.0f} ms"


def check(service: Service, asked: dict[str, float], effects: list[Effect]) -> None:
    keys = [effect.key for effect in effects if effect.key]
    assert len(set(keys)) == len(keys), f"{service.way}: nothing ended twice"
    assert not set(asked) - set(keys), f"{service.way}: each that was acknowledged arrived"
    if service.way == "revoke":
        form = parse_qs(service.receiver.arrivals[-1].body)
        caller = verified(form["client_assertion"][0], service.server.issuer, "client-authentication+jwt")
        assert caller["aud"] == service.base + "/revoke"
        return
    assert [effect.number for effect in effects] == service.stored(), f"{service.way}: in order, and none left out"
    assert verified(service.receiver.arrivals[-1].body, service.server.issuer, "secevent+jwt")["aud"] == service.base


def test_every_revocation_arrives_in_order_and_once(calling_server, own_cluster, services):
    release = Release.add(calling_server)
    revokers = [Revoker(calling_server, services, release) for _ in range(PHONES)]
    for service in services:
        service.receiver.start()

    def kill_server():
        calling_server.kill()
        calling_server.start()

    def kill_receivers():
        for service in services:
            service.receiver.kill()
        time.sleep(0.5)
        for service in services:
            service.receiver.start()

    def kill_postgresql():
        own_cluster.kill()
        own_cluster.start()
        assert eventually(calling_server.is_ready, within_s=30)

    for _ in range(KILLS):
        for kill in (kill_server, kill_receivers, kill_postgresql):
            during(revokers, kill)

    assert [wrong for revoker in revokers for wrong in revoker.wrong] == []
    assert eventually(lambda: all(service.is_told() for service in services), within_s=DELIVERED_WITHIN_S, every_s=1)

    home = [seconds for revoker in revokers for seconds in revoker.home]
    print(f"{KILLS} kills of each of three. Revoke to effect: at home {times(home)}")
    for service in services:
        asked = {key: began for revoker in revokers for key, began in revoker.asked[service.way].items()}
        assert len(asked) > KILLS, f"{service.way}: too few were revoked to say anything"
        effects = service.effects()
        check(service, asked, effects)
        # A request that was not answered may have been done: then the one that is counted comes behind its effect.
        took = [max(0.0, effect.at - asked[effect.key]) for effect in effects if effect.key in asked]
        print(f"  {service.way}: {times(took)}; {len(asked)} acknowledged, {len(effects)} effects, {service.heard_again()} heard again")
