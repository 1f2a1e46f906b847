"""More connections than descriptors: new ones wait, it is said, no core spins, and those that are there are served."""
from __future__ import annotations

import os
import resource
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

from clients import machine
from server import BINARY

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def seconds_of_work(pid: int) -> float:
    """Of all its threads, since it began (proc(5), stat)."""
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def asked(connection: socket.socket) -> bytes:
    connection.sendall(REQUEST)
    return connection.recv(65_536)


def test_idle_connections_over_the_limit(own_server):
    pid, place = own_server.process.pid, ("127.0.0.1", own_server.port)
    known = socket.create_connection(place, timeout=10)
    assert asked(known).startswith(b"HTTP/1.1 200 ")
    limit = len(os.listdir(f"/proc/{pid}/fd")) + 40
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, limit))

    idle = [socket.create_connection(place, timeout=10) for _ in range(120)]
    time.sleep(1)
    before = seconds_of_work(pid)
    time.sleep(4)
    worked = seconds_of_work(pid) - before

    assert worked < 1, f"{worked:.1f} s of work in 4 s, for nothing"
    lines = [line for line in own_server.log.read_text().splitlines() if "connections wait" in line]
    # A listener each for IPv4 and IPv6.
    assert 1 <= len(lines) <= 2 and str(limit) in lines[0], lines
    answer = asked(known)
    assert answer.startswith(b"HTTP/1.1 200 "), f"who is there is served: {answer} from {own_server.process.poll()}\n{own_server.log.read_text()[-4000:]}"

    for connection in idle:
        connection.close()
    time.sleep(2)
    with socket.create_connection(place, timeout=10) as new:
        assert asked(new).startswith(b"HTTP/1.1 200 ")
    known.close()


def test_a_busy_server_keeps_descriptors_of_its_own(own_server, tmp_path):
    """Of few it has half for itself, so that those who come for nothing leave those who work their answers; libdispatch ends a process that can open no file."""
    client = machine(own_server)
    own_server.stop()
    own_server.binary = limited(tmp_path, 300)
    own_server.start()
    sessions = [requests.Session() for _ in range(8)]

    def ask(session: requests.Session, seconds: float) -> list[int]:
        """Once at least; the connection is kept."""
        answers, until = [], time.monotonic() + seconds
        while not answers or time.monotonic() < until:
            answers.append(session.post(f"{own_server.issuer}/token", data={"grant_type": "client_credentials"}, auth=client, timeout=30).status_code)
        return answers

    known = [status for session in sessions for status in ask(session, 0)]
    idle = [socket.create_connection(("127.0.0.1", own_server.port), timeout=10) for _ in range(280)]
    with ThreadPoolExecutor(len(sessions)) as several:
        answers = known + [status for one in several.map(lambda session: ask(session, 8), sessions) for status in one]

    assert own_server.process.poll() is None, own_server.tail()
    assert set(answers) == {200} and "connections wait" not in own_server.log.read_text(), own_server.tail()
    for connection in [*sessions, *idle]:
        connection.close()


def test_a_server_with_too_few_descriptors_says_so(own_server, tmp_path):
    finished = subprocess.run([limited(tmp_path, 200), "serve"], env=own_server.environment | own_server.serving(), text=True, capture_output=True, timeout=60)

    assert finished.returncode == 2 and "LimitNOFILE (ulimit -n) is 200" in finished.stderr, finished.stderr


def limited(folder: Path, descriptors: int) -> str:
    """The program, with so many of them."""
    script = folder / "pando"
    script.write_text(f'#!/bin/sh\nulimit -n {descriptors}\nexec "{BINARY}" "$@"\n')
    script.chmod(0o755)
    return str(script)
