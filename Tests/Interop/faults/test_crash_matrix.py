"""Something breaks between any two statements of each grant, and at its commit: the same request asked again gets what it asks for, and nothing is half done.

A case is one grant, one point and one way to break:
* `cut`: the connection to PostgreSQL ends before the statement, so what was not committed is undone
* `cut, answer lost`: PostgreSQL has done it, and the server never hears: it does not know whether
* `killed`, `killed, answer lost`: the server gets SIGKILL there, and starts again
"""
from __future__ import annotations

import time

import pytest
import requests

from grants import GRANTS, Case, World, client_credentials, code_of_web_client, jwt_bearer, refresh_of_phone, refresh_of_web_client, revoke
from ledger import THROW_AWAY, Row
from served import replicas
from server import free_port
from wire import Point, Wire

NO_ANSWER = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)
# More than any grant has; the loop ends where a grant ends before its point.
MOST_POINTS = 60
RECOVERED_WITHIN_S = 30
SHORT = [client_credentials, refresh_of_phone, refresh_of_web_client, code_of_web_client, jwt_bearer, revoke]


class Broken:
    """A server whose way to PostgreSQL breaks where a test says so."""

    def __init__(self, one, wire: Wire, database: str):
        self.one, self.wire = one, wire
        self.one.start()
        self.world = World(one, database)
        # A request, as leases and what goes with them are kept up only where somebody asks.
        self.world.active({"access_token": "x"})
        wire.learn(3)

    def kill(self) -> None:
        self.one.process.kill()

    def answer(self, case: Case) -> requests.Response | None:
        try:
            return case.ask()
        except NO_ANSWER:
            return None

    def again(self, case: Case, row: Row) -> tuple[requests.Response | None, float]:
        """The same request until somebody says something else than 503; and how long that took."""
        began, answer = time.monotonic(), None
        while time.monotonic() - began < RECOVERED_WITHIN_S:
            answer = self.answer(case)
            row.requests += 1
            if answer is not None and answer.status_code not in (503, 429):
                break
            row.other(answer)
            time.sleep(0.1)
        return answer, time.monotonic() - began

    def case(self, make, row: Row, number: int, after: bool, killing: bool) -> Point:
        case = make(self.world)
        point = Point(number, after, self.kill if killing else None)
        with self.wire.breaking(point):
            answer = self.answer(case)
            row.requests += 1
            if point.hit is not None:
                point.struck.wait(timeout=20)
        where = f"{make.__name__}, {number} ({point.hit})"
        if point.hit is not None and killing:
            self.one.process.wait(timeout=20)
            began = time.monotonic()
            self.one.start()
            row.recovered(time.monotonic() - began)
        if answer is None or answer.status_code not in (200, 201):
            # What was broken is told as a failure of ours, or not at all.
            if point.hit is None:
                row.problems.append(f"{where}: {answer is not None and answer.text}")
                row.refused += 1
            row.other(answer)
            self.blame(answer, row, where)
            answer, took = self.again(case, row)
            if not killing:
                row.recovered(took)
        self.settle(case, answer, row, where, killing)
        return point

    def blame(self, answer, row: Row, where: str) -> None:
        """A client that was told to throw away what is good: the first answer under a fault is never such a one."""
        if answer is not None and answer.status_code in (400, 401, 403) and answer.json().get("error") in THROW_AWAY:
            row.refused += 1
            row.problems.append(f"{where}: {answer.text}")

    def settle(self, case: Case, answer, row: Row, where: str, killing: bool) -> None:
        if answer is not None and answer.status_code in (200, 201):
            row.acknowledged += 1
            told = answer.json() if answer.content else {}
            if not case.holds(told):
                row.lost += 1
                row.problems.append(f"{where}: acknowledged, and does not hold")
            if case.ends and not case.ends():
                row.alive += 1
                row.problems.append(f"{where}: revoked, and lives")
        elif answer is not None and case.spent and (answer.status_code, answer.json().get("error")) == case.refusal and case.spent():
            row.begun_anew += 1
        elif answer is not None and killing and case.missed and case.missed():
            row.begun_anew += 1
        else:
            row.refused += 1
            row.problems.append(f"{where}: asked again: {answer is not None and (answer.status_code, answer.text)}")


@pytest.fixture(scope="module")
def broken(folder):
    port = free_port()
    with replicas(folder, 1, f"http://localhost:{port}", PANDO_DRAIN_DELAY="0") as (one,):
        one.port, one.environment["PANDO_PORT"] = port, str(port)
        database = one.environment["PANDO_DATABASE"]
        wire = Wire(one.folder, database)
        one.environment["PANDO_DATABASE"] = wire.url
        try:
            yield Broken(one, wire, database)
        finally:
            one.clear()
            wire.close()


def through(broken: Broken, make, row: Row, after: bool, killing: bool, step: int = 1) -> int:
    """Each point in turn, until the grant is over before it."""
    for number in range(1, MOST_POINTS, step):
        if broken.case(make, row, number, after, killing).hit is None:
            return number - 1
    raise AssertionError(f"{make.__name__} does not end")


@pytest.mark.short
def test_the_commonest_grants(broken, row):
    one = row("crash matrix (part): connection cut, answers lost")
    for make in SHORT:
        for after in (False, True):
            assert through(broken, make, one, after, killing=False), make.__name__


@pytest.mark.parametrize("make", GRANTS, ids=lambda make: make.__name__)
def test_the_connection_is_cut(broken, row, make):
    for after, name in ((False, "cut"), (True, "cut, answer lost")):
        one = row(f"{make.__name__.replace('_', ' ')}: {name}")
        one.points = through(broken, make, one, after, killing=False)
        assert one.points


@pytest.mark.parametrize("make", GRANTS, ids=lambda make: make.__name__)
def test_the_server_is_killed(broken, row, make):
    for after, name in ((False, "killed"), (True, "killed, answer lost")):
        one = row(f"{make.__name__.replace('_', ' ')}: {name}")
        one.points = through(broken, make, one, after, killing=True)
        assert one.points
