"""One question to a TURN server over UDP (RFC 8656, 7.1): a relay, please, by name and password (RFC 8489, 9.2). Written apart from what Pando makes of them."""
from __future__ import annotations

import base64
import hashlib
import hmac
import os
import socket
import struct

COOKIE, TIMEOUT_S = 0x2112A442, 5
ALLOCATE, ALLOCATED, REFUSED = 0x0003, 0x0103, 0x0113
USERNAME, MESSAGE_INTEGRITY, ERROR_CODE, REALM, NONCE, REQUESTED_TRANSPORT = 0x0006, 0x0008, 0x0009, 0x0014, 0x0015, 0x0019
UDP = b"\x11\x00\x00\x00"
UNAUTHENTICATED = 401


def credential(name: str, secret: str) -> str:
    """draft-uberti-behave-turn-rest-00, 2.2."""
    return base64.b64encode(hmac.new(secret.encode(), name.encode(), hashlib.sha1).digest()).decode()


def _attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("!HH", kind, len(value)) + value + bytes(-len(value) % 4)


def _message(attributes: bytes, key: bytes | None = None) -> bytes:
    """With `key` signed: the length counts the signature already (RFC 8489, 14.5)."""
    head = struct.pack("!HHI", ALLOCATE, len(attributes) + (24 if key else 0), COOKIE) + os.urandom(12)
    if key is None:
        return head + attributes
    return head + attributes + _attribute(MESSAGE_INTEGRITY, hmac.new(key, head + attributes, hashlib.sha1).digest())


def _read(answer: bytes) -> tuple[int, dict[int, bytes]]:
    kind, length, cookie = struct.unpack("!HHI", answer[:8])
    assert cookie == COOKIE and length == len(answer) - 20, answer
    found, at = {}, 20
    while at < len(answer):
        name, size = struct.unpack("!HH", answer[at:at + 4])
        found.setdefault(name, answer[at + 4:at + 4 + size])
        at += 4 + size + -size % 4
    return kind, found


def _code(attributes: dict[int, bytes]) -> int:
    return attributes[ERROR_CODE][2] * 100 + attributes[ERROR_CODE][3]


class Turn:
    """A client of the server at that port of this machine, from a port of its own."""

    def __init__(self, port: int):
        self.place = ("127.0.0.1", port)

    def _ask(self, peer: socket.socket, message: bytes) -> tuple[int, dict[int, bytes]]:
        """Once more where nothing comes: it is UDP."""
        for _ in range(3):
            peer.sendto(message, self.place)
            try:
                answer = peer.recv(2_048)
            except TimeoutError:
                continue
            assert answer[8:20] == message[8:20], "the answer to another question"
            return _read(answer)
        raise AssertionError(f"no TURN server answers at {self.place}")

    def allocate(self, name: str, password: str) -> int | None:
        """The code with which it refuses; `None`: there is a relay."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
            peer.settimeout(TIMEOUT_S)
            wanted = _attribute(REQUESTED_TRANSPORT, UDP)
            kind, told = self._ask(peer, _message(wanted))
            assert (kind, _code(told)) == (REFUSED, UNAUTHENTICATED), "nobody gets a relay without a name"
            key = hashlib.md5(b":".join([name.encode(), told[REALM], password.encode()])).digest()
            signed = wanted + _attribute(USERNAME, name.encode()) + _attribute(REALM, told[REALM]) + _attribute(NONCE, told[NONCE])
            kind, told = self._ask(peer, _message(signed, key))
            assert kind in (ALLOCATED, REFUSED), kind
            return None if kind == ALLOCATED else _code(told)
