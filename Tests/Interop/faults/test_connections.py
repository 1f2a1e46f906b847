"""Thousands of connections, and some that send a letter now and then, beside those who ask as they should."""
from __future__ import annotations

import resource
import selectors
import socket
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from load import Load
from processes import site
from waiting import eventually

STORM, SLOW = 5_000, 300
# A connection that has asked takes some 50 KB, and a process gives back within ten seconds what they had; this much may stay.
STAYS_MB, GIVEN_BACK_S = 60, 30
# A head has twenty seconds (docs/operate.md, "Limits").
HEAD_S = 20


@pytest.fixture(scope="module")
def at(folder):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < STORM + 1_000:
        pytest.skip(f"a process may have {hard} descriptors here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with site(folder) as made:
        yield made
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def memory_mb(process) -> int:
    return next(int(line.split()[1]) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines() if line.startswith("VmRSS")) // 1024


@contextmanager
def sockets(port: int, count: int):
    made = []
    try:
        for _ in range(count):
            made.append(socket.create_connection(("127.0.0.1", port), timeout=10))
        yield made
    finally:
        for one in made:
            one.close()


def test_a_storm(at, row):
    """Each asks once. All others are served beside it, and memory goes back."""
    load, most = Load(at.world, row("5,000 connections at once, open for 5 s")), []

    def storm() -> None:
        with sockets(at.one.port, STORM) as made:
            for one in made:
                one.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            time.sleep(5)
            most.append(memory_mb(at.one.process))
    before = memory_mb(at.one.process)
    load.during(storm)
    load.check()
    assert not load.row.others
    assert most[0] > before + 100, f"{before} MB became {most[0]}: no storm"
    assert eventually(lambda: memory_mb(at.one.process) < before + STAYS_MB, within_s=GIVEN_BACK_S), f"{before} MB, {most[0]} under it, {memory_mb(at.one.process)} left"


def test_heads_that_never_end(at, row):
    """Each is told 408 or closed when its time is over, and nobody else waits for it."""
    load = Load(at.world, row("300 connections that send a header a letter a second"))
    closed = []

    def dawdle() -> None:
        with sockets(at.one.port, SLOW) as slow, selectors.DefaultSelector() as waiting:
            began = time.monotonic()
            for one in slow:
                one.sendall(b"POST /token HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
                waiting.register(one, selectors.EVENT_READ)
            while len(closed) < SLOW and time.monotonic() - began < HEAD_S + 10:
                for key, _ in waiting.select(timeout=0):
                    try:
                        said = key.fileobj.recv(4096)
                    except OSError:
                        said = b""
                    if not said:
                        waiting.unregister(key.fileobj)
                        closed.append(time.monotonic() - began)
                for key in list(waiting.get_map().values()):
                    try:
                        key.fileobj.send(b"a")
                    except OSError:
                        pass
                time.sleep(1)
    load.during(dawdle)
    load.check()
    assert len(closed) == SLOW
    assert not load.row.others
