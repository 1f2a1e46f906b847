"""More connections than descriptors: new ones wait, it is said, no core spins, and those that are there are served."""
from __future__ import annotations

import os
import resource
import socket
import time

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
