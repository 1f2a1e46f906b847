"""kill -9 while many ask: nothing that was acknowledged is lost, nothing revoked lives, nothing that works once works twice.

PANDO_KILLS  how often each of the two is killed (2): PANDO_KILLS=50 deploy/interop.sh --built -k under_load
"""
from __future__ import annotations

import json
import os
import random
import threading
import time

import pytest
import requests
from requests.auth import HTTPBasicAuth

from clients import machine
from keys import new_id, new_key, now, public, signed
from phone import Phone, Release, person
from waiting import at_once, eventually

KILLS = int(os.environ.get("PANDO_KILLS") or 2)
ASSERTED = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
# What clients see of a kill: no answer, or 503. Anything else would make them throw something away.
NO_ANSWER = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)


class Load:
    """Machines that get and revoke tokens, others that show a client assertion each time, and a phone that refreshes."""

    def __init__(self, server):
        self.server, self.issuer = server, server.issuer
        self.basic = HTTPBasicAuth(*machine(server))
        self.key = new_key()
        keyed = server.admin("clients", "create", "--name", "keyed", "--grant", "client_credentials", "--scope", "read", "--auth-method", "private_key_jwt",
                             "--jwks", "-", stdin=json.dumps({"keys": [public(self.key, kid="k1")]}))
        self.keyed = keyed["client_id"]
        self.phone = Phone(self.issuer, Release.add(server)).register().log_in(person(server))
        self.pat = self.phone.pat
        # What was acknowledged. A token leaves `live` before its revocation is asked for, and comes to `ended` when that was answered.
        self.live: list[str] = []
        self.ended: list[str] = []
        self.used: list[str] = []
        self.refreshed = 0
        self.wrong: list[str] = []

    def post(self, path: str, **options) -> requests.Response | None:
        """`None`: nobody knows what became of it."""
        try:
            answer = requests.post(self.issuer + path, timeout=30, **options)
        except NO_ANSWER:
            time.sleep(0.02)
            return None
        if answer.status_code == 200:
            return answer
        if answer.status_code != 503:
            self.wrong.append(f"{path}: {answer.status_code} {answer.text}")
        return None

    def issue(self) -> None:
        if answer := self.post("/token", data={"grant_type": "client_credentials"}, auth=self.basic):
            self.live.append(answer.json()["access_token"])
        if len(self.live) > 20 and random.random() < 0.5:
            token = self.live.pop(random.randrange(10))
            if self.post("/revoke", data={"token": token}, auth=self.basic):
                self.ended.append(token)

    def asserted(self, assertion: str) -> dict:
        return {"grant_type": "client_credentials", "client_id": self.keyed, "client_assertion_type": ASSERTED, "client_assertion": assertion}

    def prove(self) -> None:
        claims = {"iss": self.keyed, "sub": self.keyed, "aud": self.issuer, "iat": now(), "exp": now() + 120, "jti": new_id()}
        assertion = signed(self.key, claims, kid="k1")
        if self.post("/token", data=self.asserted(assertion)):
            self.used.append(assertion)

    def refresh(self) -> None:
        data = {"grant_type": "refresh_token", "refresh_token": self.pat["refresh_token"], "client_id": self.phone.client_id}
        if answer := self.post("/token", data=data, auth=self.phone.proof()):
            self.pat, self.refreshed = answer.json(), self.refreshed + 1

    def during(self, disturb) -> None:
        """Everybody asks, before `disturb()`, meanwhile and behind it."""
        over = threading.Event()

        def repeat(action):
            while not over.is_set():
                action()
        threads = [threading.Thread(target=repeat, args=(action,)) for action in [self.issue] * 6 + [self.prove] * 3 + [self.refresh]]
        for thread in threads:
            thread.start()
        try:
            time.sleep(random.uniform(0.3, 0.8))
            disturb()
            time.sleep(0.3)
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def active(self, token: str) -> bool:
        answer = requests.post(f"{self.issuer}/introspect", data={"token": token}, auth=self.basic, timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()["active"]

    def check(self) -> None:
        """All of what the last round did, and some of what those before it did."""
        assert not self.wrong, self.wrong[:3]
        live, ended, used = self.live[-150:], self.ended[-150:], self.used[-40:]
        before = len(self.used)
        assert ended and used
        said = at_once([lambda: [self.active(token) for token in live], lambda: [self.active(token) for token in ended]])
        assert said == [[True] * len(live), [False] * len(ended)]
        for assertion in used:
            again = requests.post(f"{self.issuer}/token", data=self.asserted(assertion), timeout=30)
            assert again.status_code == 401 and again.json()["error"] == "invalid_client", f"shown twice: {again.status_code} {again.text}"
        self.prove()
        assert len(self.used) > before, "one that was not shown yet"
        assert self.phone.lives(self.pat), "the newest of the tokens that were refreshed"


@pytest.fixture
def load(own_server):
    return Load(own_server)


def test_the_server(own_server, load):
    def kill():
        own_server.kill()
        own_server.start()
    for _ in range(KILLS):
        load.during(kill)
        load.check()
    assert load.refreshed > KILLS
    print(f"{KILLS} kills of the server: {len(load.live)} tokens live, {len(load.ended)} revoked, {len(load.used)} client assertions used, {load.refreshed} refreshed")


def test_postgresql(own_server, own_cluster, load):
    def kill():
        own_cluster.kill()
        own_cluster.start()
        assert eventually(own_server.is_ready, within_s=30)
    for _ in range(KILLS):
        load.during(kill)
        load.check()
    assert load.refreshed > KILLS
    print(f"{KILLS} kills of PostgreSQL: {len(load.live)} tokens live, {len(load.ended)} revoked, {len(load.used)} client assertions used, {load.refreshed} refreshed")
