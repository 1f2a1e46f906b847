"""SIGTERM while requests are under way: whoever was being served is served to the end."""
from __future__ import annotations

import socket
import threading
import time

from phone import Phone, Release, person
from waiting import at_once

BODY = b"grant_type=client_credentials&client_id=nobody&client_secret=wrong"


def half_sent(port: int) -> socket.socket:
    """A request whose head and half of its body have arrived."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.sendall(b"POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                       + f"Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY[:20])
    return connection


def rest_of(connection: socket.socket) -> bytes:
    """Sends the other half and reads the answer to its end."""
    connection.sendall(BODY[20:])
    answer = b""
    while piece := connection.recv(65_536):
        answer += piece
        head, _, body = answer.partition(b"\r\n\r\n")
        length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        if length and len(body) >= int(length[0].split(b":")[1]):
            break
    connection.close()
    return answer


def test_requests_in_flight_are_answered(own_server):
    """Logins that are being hashed and requests of which half has come all get their answer; then the process ends with 0."""
    release, name = Release.add(own_server), person(own_server)
    phones = [Phone(own_server.issuer, release).register() for _ in range(8)]
    halves = [half_sent(own_server.port) for _ in range(8)]
    idle = socket.create_connection(("127.0.0.1", own_server.port))
    answers: list = []
    challenge = {"username": name, "password": "not the password", "code_challenge": "A" * 43, "code_challenge_method": "S256"}
    logins = threading.Thread(target=lambda: answers.extend(at_once([
        lambda phone=phone: phone.ask("POST", "/authorize/challenge", phone.instance, data=challenge) for phone in phones])))
    logins.start()
    time.sleep(0.15)

    began = time.monotonic()
    own_server.terminate()
    time.sleep(0.3)
    rests = at_once([lambda half=half: rest_of(half) for half in halves])
    logins.join()

    took = own_server.ended(began)
    idle.close()
    assert [getattr(answer, "status_code", answer) for answer in answers] == [403] * len(phones)
    assert all(isinstance(rest, bytes) and rest.startswith(b"HTTP/1.1 401 ") and b"invalid_client" in rest for rest in rests), rests
    assert took < 10, f"nothing was left to wait for, yet it took {took:.1f} s"


def test_an_idle_connection_does_not_hold_it(own_server):
    """A browser that keeps its connection open is no reason to stay."""
    idle = [socket.create_connection(("127.0.0.1", own_server.port)) for _ in range(5)]

    took = own_server.stop()

    for connection in idle:
        connection.close()
    assert took < 5
