"""The server or PostgreSQL is killed, or stands still for twelve seconds, or the network between them does, while many ask."""
from __future__ import annotations

import signal
import time

import pytest

from load import Load
from processes import postmaster, signal_all, site, tree

# Beyond what any request waits for, and beyond the ten seconds in which a refresh may be asked for again: what is done late, or was done and not heard of, then
# is an answer that nobody got.
STOPPED_S = 12
SILENT_S = 14
SLOW_S = 0.15


@pytest.fixture(scope="module")
def served(folder):
    with site(folder) as made:
        yield made


@pytest.fixture
def at(served):
    yield served
    # What the next one begins with.
    served.wire.delay_s = 0.0
    served.wire.silence(False)


@pytest.fixture
def under(at, row):
    """Gives the load for a fault of that name."""
    return lambda fault: Load(at.world, row(fault))


def test_the_server_is_killed(at, under):
    load = under("kill -9 of the server")

    def kill() -> float:
        at.one.kill()
        killed = time.monotonic()
        at.one.start()
        return killed
    load.during(kill)
    load.check()


def test_postgresql_is_killed(at, under):
    load = under("kill -9 of PostgreSQL")

    def kill() -> float:
        at.cluster.kill()
        killed = time.monotonic()
        at.cluster.start()
        return killed
    load.during(kill)
    load.check()


@pytest.mark.short
def test_the_server_stands_still(at, under):
    load = under("SIGSTOP of the server for 12 s")

    def stop() -> None:
        at.one.process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        at.one.process.send_signal(signal.SIGCONT)
    load.during(stop)
    load.check()


def test_postgresql_stands_still(at, under):
    """All of its processes: it has taken what was asked, and does it later, when the asker was told 503."""
    load = under("SIGSTOP of PostgreSQL for 12 s")

    def stop() -> None:
        all_of_it = tree(postmaster(at.cluster))
        signal_all(all_of_it, signal.SIGSTOP)
        time.sleep(STOPPED_S)
        signal_all(all_of_it, signal.SIGCONT)
    load.during(stop)
    load.check()


def test_connections_end(at, under):
    load = under("every connection to PostgreSQL cut, 20 times")

    def cut() -> None:
        for _ in range(20):
            at.wire.cut_all()
            time.sleep(0.15)
    load.during(cut)
    load.check()


def test_the_network_is_silent(at, under):
    load = under("network to PostgreSQL silent for 14 s")

    def silence() -> None:
        at.wire.silence(True)
        time.sleep(SILENT_S)
        at.wire.silence(False)
    load.during(silence)
    load.check()


@pytest.mark.short
def test_queries_are_slow(at, under):
    """Slower, and nothing else."""
    load = under("each round trip to PostgreSQL 150 ms slower, for 6 s")

    def slow() -> None:
        at.wire.delay_s = SLOW_S
        time.sleep(6)
        at.wire.delay_s = 0.0
    load.during(slow)
    load.check()
    assert not load.row.others


def test_queries_are_too_slow(at, under):
    load = under("each round trip to PostgreSQL 6 s slower, for 10 s")

    def slow() -> None:
        at.wire.delay_s = 6.0
        time.sleep(10)
        at.wire.delay_s = 0.0
    load.during(slow)
    load.check()
    assert set(load.row.others) <= {"503"}


def test_all_connections_wait_for_a_lock(at, under):
    """Somebody at psql holds a table that refreshes want: the pool is used up by those who wait, and they are told 503 when their time is over."""
    load = under("table of families locked by hand for 8 s: pool used up")

    def lock() -> None:
        at.world.sql("begin; lock table family in access exclusive mode; select pg_sleep(8); commit")
    load.during(lock)
    load.check()
    assert set(load.row.others) <= {"503"}
