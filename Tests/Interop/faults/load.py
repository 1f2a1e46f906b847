"""Many who get, use, refresh and revoke tokens while something breaks, with a ledger of what they were told; and whether it is true afterwards."""
from __future__ import annotations

import random
import threading
import time
from collections import Counter
from contextlib import contextmanager

import requests

from grants import World
from ledger import THROW_AWAY, Row
from phone import Phone
from waiting import at_once

NO_ANSWER = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)
ANSWERED_WITHIN_S = 60
CHECKED = 300


class Load:
    """Machines that get and revoke tokens, one that proves itself by a key, and phones that refresh."""

    def __init__(self, world: World, row: Row, machines: int = 4, phones: int = 2, proving: bool = True):
        self.world, self.row, self.lock = world, row, threading.Lock()
        self.phones = [Phone(world.issuer, world.release).register().log_in(world.name) for _ in range(phones)]
        self.machines, self.proving = machines, proving
        # What was refused, by its word; these are good, so there should be none but where a test says so.
        self.wrong: Counter[str] = Counter()
        # What was acknowledged. A token leaves `live` before its revocation is asked for, and comes to `ended` when that was answered.
        self.live: list[str] = []
        self.ended: list[str] = []
        self.used: list[dict] = []
        self.answered_at = 0.0
        self.over = threading.Event()

    def ask(self, session: requests.Session, path: str, what: str, **options) -> requests.Response | None:
        """`None`: nobody knows what became of it."""
        answer = None
        try:
            answer = session.post(self.world.issuer + path, timeout=30, allow_redirects=False, **options)
        except NO_ANSWER:
            time.sleep(0.05)
        with self.lock:
            self.row.requests += 1
            if answer is not None and answer.status_code == 200:
                self.row.acknowledged += 1
                self.answered_at = time.monotonic()
                return answer
            self.row.other(answer)
            if answer is not None and answer.status_code != 503:
                self.wrong[self.error(answer)] += 1
            if answer is not None and (text := self.complaint(answer)):
                self.row.refused += 1
                self.row.problems.append(f"{what}: {text}")
            if answer is not None and answer.status_code == 503 and "Retry-After" not in answer.headers:
                self.row.refused += 1
                self.row.problems.append(f"{what}: 503 without Retry-After")
        time.sleep(0.02)
        return None

    @staticmethod
    def error(answer: requests.Response) -> str:
        try:
            return answer.json()["error"]
        except (ValueError, KeyError):
            return f"{answer.status_code} {answer.text[:80]}"

    def complaint(self, answer: requests.Response) -> str:
        """All that these ask with is good; who is told otherwise would throw it away."""
        is_one = answer.status_code in (400, 401, 403) and self.error(answer) in THROW_AWAY
        return f"{answer.status_code} {answer.text}" if is_one else ""

    # Who asks

    def machine(self, session: requests.Session) -> None:
        if answer := self.ask(session, "/token", "client_credentials", data={"grant_type": "client_credentials"}, auth=self.world.basic):
            with self.lock:
                self.live.append(answer.json()["access_token"])
        with self.lock:
            token = self.live.pop(random.randrange(10)) if len(self.live) > 20 and random.random() < 0.5 else None
        if token and self.ask(session, "/revoke", "revoke", data={"token": token}, auth=self.world.basic):
            with self.lock:
                self.ended.append(token)

    def prover(self, session: requests.Session) -> None:
        form = {"grant_type": "client_credentials"} | self.world.asserted()
        # A new one for each request, so that one whose answer was lost is nobody's.
        if self.ask(session, "/token", "private_key_jwt", data=form):
            with self.lock:
                self.used.append(form)
        time.sleep(0.05)

    def refresher(self, phone: Phone):
        def refresh(session: requests.Session) -> None:
            form = {"grant_type": "refresh_token", "refresh_token": phone.pat["refresh_token"], "client_id": phone.client_id}
            if answer := self.ask(session, "/token", "refresh", data=form, auth=phone.proof()):
                phone.pat = answer.json()
        return refresh

    @contextmanager
    def running(self):
        self.over.clear()

        def repeat(action) -> None:
            with requests.Session() as session:
                while not self.over.is_set():
                    action(session)
        actions = [self.machine] * self.machines + [self.prover] * self.proving + [self.refresher(phone) for phone in self.phones]
        threads = [threading.Thread(target=repeat, args=(action,)) for action in actions]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self.over.set()
            for thread in threads:
                thread.join()

    def during(self, disturb, before_s: float = 1.0, after_s: float = 1.0) -> None:
        """`disturb` returns when the fault is over, or gives the moment at which it was (by time.monotonic): from then on it is counted until all is answered
        again, for a second without one that is not."""
        with self.running():
            time.sleep(before_s)
            over = disturb() or time.monotonic()
            self.row.recovered(self.steady_since() - over)
            time.sleep(after_s)

    def steady_since(self) -> float:
        """When the first answer came behind which nothing failed for a second."""
        deadline = time.monotonic() + ANSWERED_WITHIN_S
        while time.monotonic() < deadline:
            began, failed, known = time.monotonic(), self.row.requests - self.row.acknowledged, self.row.acknowledged
            first = 0.0
            while time.monotonic() - began < 1.0 and self.row.requests - self.row.acknowledged == failed:
                first = first or (time.monotonic() if self.row.acknowledged > known else 0.0)
                time.sleep(0.01)
            if first and self.row.requests - self.row.acknowledged == failed:
                return first
        raise AssertionError(f"not served again within {ANSWERED_WITHIN_S} s: {self.row.others}")

    # What is true afterwards

    def active(self, token: str) -> bool:
        for _ in range(20):
            answer = self.world.post("/introspect", data={"token": token}, auth=self.world.basic)
            if answer.status_code == 200:
                return answer.json()["active"]
            time.sleep(0.25)
        raise AssertionError(f"introspection: {answer.status_code} {answer.text}")

    def check(self, refreshing: bool = True) -> None:
        live, ended, used = self.live[-CHECKED:], self.ended[-CHECKED:], self.used[-40:]
        said = at_once([lambda: [self.active(token) for token in live], lambda: [self.active(token) for token in ended]])
        for answer in said:
            if isinstance(answer, Exception):
                raise answer
        self.row.lost += said[0].count(False)
        self.row.alive += said[1].count(True)
        for form in used:
            again = self.world.post("/token", data=form)
            if again.status_code == 200:
                self.row.alive += 1
                self.row.problems.append("a client assertion was taken twice")
        for phone in self.phones if refreshing else []:
            if not phone.lives(phone.pat):
                self.row.lost += 1
                self.row.problems.append("the newest token of a phone does not live")
            form = {"grant_type": "refresh_token", "refresh_token": phone.pat["refresh_token"], "client_id": phone.client_id}
            answer = self.world.post("/token", data=form, auth=phone.proof())
            if answer.status_code != 200:
                self.row.refused += 1
                self.row.problems.append(f"a phone cannot refresh: {answer.text}")
            else:
                phone.pat = answer.json()
        assert live and ended, "the load did nothing"
