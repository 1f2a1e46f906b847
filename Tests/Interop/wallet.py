"""A wallet in the manner of the iOS kit of Liquid Auth: an Algorand account, one passkey, a cookie jar. Its keys are those of `cryptography`."""
from __future__ import annotations

import base64
import hashlib
import json

import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

TIMEOUT_S = 30
# User present and verified, backup eligible and backed up; with attested data.
USED, MADE = 0x1D, 0x5D


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def address(key: bytes) -> str:
    return base64.b32encode(key + hashlib.new("sha512_256", key).digest()[-4:]).decode().rstrip("=")


def cbor(value) -> bytes:
    """Of integers, bytes, text and maps, up to 255 bytes each."""
    def head(major: int, size: int) -> bytes:
        return bytes([major << 5 | size]) if size < 24 else bytes([major << 5 | 24, size])
    match value:
        case int(): return head(0, value) if value >= 0 else head(1, -1 - value)
        case bytes(): return head(2, len(value)) + value
        case str(): return head(3, len(value)) + value.encode()
        case dict(): return head(5, len(value)) + b"".join(cbor(key) + cbor(item) for key, item in value.items())
    raise TypeError(value)


class Wallet:
    def __init__(self, host: str):
        self.host, self.http = host, requests.Session()
        self.account, self.passkey = Ed25519PrivateKey.generate(), ec.generate_private_key(ec.SECP256R1())
        self.address = address(self.account.public_key().public_bytes_raw())
        numbers = self.passkey.public_key().public_numbers()
        self.x, self.y = numbers.x.to_bytes(32, "big"), numbers.y.to_bytes(32, "big")
        self.id = hashlib.sha256(self.x + self.y).digest()
        # What its next answer counts; wallets stay at zero.
        self.count = 0

    def post(self, path: str, body: dict) -> requests.Response:
        return self.http.post(self.host + path, json=body, timeout=TIMEOUT_S)

    def register(self, request: str | None = None) -> requests.Response:
        asked = self.post("/attestation/request", {"username": self.address, "extensions": {"liquid": True}})
        assert asked.status_code == 201, asked.text
        options, key = asked.json(), {1: 2, 3: -7, -1: 1, -2: self.x, -3: self.y}
        party, challenge = options["rp"]["id"], unb64(options["challenge"])
        data = hashlib.sha256(party.encode()).digest() + bytes([MADE, 0, 0, 0, 0]) + bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cbor(key)
        liquid = {"type": "algorand", "address": self.address, "signature": b64(self.account.sign(challenge))}
        return self._answer("/attestation/response", party, "webauthn.create", challenge, liquid | ({"requestId": request} if request else {}),
                            lambda _: {"attestationObject": b64(cbor({"fmt": "none", "attStmt": {}, "authData": data}))})

    def log_in(self, request: str | None = None) -> requests.Response:
        asked = self.post(f"/assertion/request/{b64(self.id)}", {"extensions": True})
        assert asked.status_code == 201, asked.text
        options = asked.json()
        data = hashlib.sha256(options["rpId"].encode()).digest() + bytes([USED]) + self.count.to_bytes(4, "big")

        def signed(client: bytes) -> dict:
            signature = self.passkey.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
            return {"authenticatorData": b64(data), "signature": b64(signature)}
        return self._answer("/assertion/response", options["rpId"], "webauthn.get", unb64(options["challenge"]), {"requestId": request} if request else {}, signed)

    def _answer(self, path: str, party: str, kind: str, challenge: bytes, liquid: dict, parts) -> requests.Response:
        client = json.dumps({"type": kind, "challenge": b64(challenge), "origin": f"https://{party}"}).encode()
        return self.post(path, {"id": b64(self.id), "rawId": b64(self.id), "type": "public-key", "response": {"clientDataJSON": b64(client)} | parts(client),
                                "clientExtensionResults": {"liquid": liquid} if liquid else {}})
