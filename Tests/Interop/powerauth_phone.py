"""A phone of the operations SDK: PowerAuth 3.3 and the Mobile Token API on the wire (protocols/operations.md), with a PIN, for one activation."""
from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import struct
import time
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import requests
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

TIMEOUT_S = 30
VERSION = "3.3"
OPERATIONS = "/api/auth/token/app/operation"
CURVE, ZEROS = ec.SECP256R1(), bytes(16)


class Distrust(Exception):
    """What a phone would not go on with."""


class Refused(Exception):
    """An answer other than 200: its status, and the code in the SDK's envelope."""

    def __init__(self, status: int, code: str):
        super().__init__(f"{status} {code}")
        self.status, self.code = status, code


# Arithmetic (4.1)


def text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def raw(written: str) -> bytes:
    return base64.b64decode(written, validate=True)


def unpadded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def mac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def folded(digest: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(digest[:16], digest[16:]))


def inner_key(key: bytes, message: bytes) -> bytes:
    return folded(mac(key, message))


def cbc(key: bytes, iv: bytes, data: bytes, *, opening: bool = False) -> bytes:
    cipher = Cipher(algorithms.AES(key), modes.CBC(iv))
    worker = cipher.decryptor() if opening else cipher.encryptor()
    return worker.update(data) + worker.finalize()


def numbered_key(key: bytes, number: int) -> bytes:
    return cbc(key, ZEROS, struct.pack(">QQ", 0, number))


def stretched(secret: bytes, info: bytes, length: int) -> bytes:
    """ANSI X9.63 with SHA-256."""
    blocks = (hashlib.sha256(secret + struct.pack(">I", number) + info).digest() for number in range(1, length // 32 + 2))
    return b"".join(blocks)[:length]


def sized(*parts: bytes) -> bytes:
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def digits(digest: bytes) -> str:
    return f"{int.from_bytes(digest[-4:], 'big') % 2**31 % 10**8:08}"


def point(bytes_: bytes) -> ec.EllipticCurvePublicKey:
    return ec.EllipticCurvePublicKey.from_encoded_point(CURVE, bytes_)


def compressed(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)


def first_coordinate(key: ec.EllipticCurvePublicKey) -> bytes:
    """As a number: no zeros before it."""
    number = key.public_numbers().x
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def trust(key: ec.EllipticCurvePublicKey, signature: bytes, message: bytes, of: str) -> None:
    try:
        key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise Distrust(f"the signature of {of}") from None


# What is scanned


@dataclass
class Nearness:
    """A proximity code: the operation, and the digits of the moment."""

    operation: str
    code: str | None

    @staticmethod
    def read(link: str) -> "Nearness":
        query = parse_qs(urlsplit(link).query)
        assert "oid" in query, f"no phone can read {link}"
        return Nearness(query["oid"][0], query.get("potp", query.get("totp", [None]))[0])


@dataclass
class Sealed:
    """A request in an envelope (4.5), and the keys that open its answer."""

    body: dict
    keys: tuple[bytes, bytes, bytes]
    shared: tuple[bytes, bytes]

    def open(self, answer: dict) -> dict:
        encryption, authentication, ivs = self.keys
        base, associated = self.shared
        data, nonce = raw(answer["encryptedData"]), raw(answer["nonce"])
        covered = data + sized(base, nonce, struct.pack(">Q", answer["timestamp"]), b"", associated)
        if not hmac.compare_digest(mac(authentication, covered), raw(answer["mac"])):
            raise Distrust("the MAC of an answer")
        filled, strip = cbc(encryption, inner_key(ivs, nonce), data, opening=True), padding.PKCS7(128).unpadder()
        return json.loads(strip.update(filled) + strip.finalize())


class PowerAuthPhone:
    """`config` is what the app was built with, `base` where its server is. The counter moves with every signature, whatever comes of it."""

    def __init__(self, base: str, config: str):
        self.base, whole = base, raw(config)
        assert whole[:2] == b"\x01\x10" and whole[18] == 16 and whole[35:38] == b"\x01\x01\x41" and len(whole) == 103, "no configuration of protocol 3"
        self.application, self.secret, self.master = text(whole[2:18]), text(whole[19:35]), point(whole[38:])
        self.device = ec.generate_private_key(CURVE)
        self.id, self.server, self.token, self.counter = "", None, None, b""
        self.keys: dict[str, bytes] = {}

    # HTTP

    def post(self, path: str, body: dict | bytes, headers: dict | None = None) -> requests.Response:
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        return requests.post(self.base + path, data=body, headers={"Content-Type": "application/json", "Accept-Language": "en"} | (headers or {}), timeout=TIMEOUT_S)

    def good(self, answer: requests.Response) -> dict:
        if answer.status_code != 200:
            raise Refused(answer.status_code, answer.json()["responseObject"]["code"])
        return answer.json()

    # Encryption

    def temporary_key(self) -> tuple[str, ec.EllipticCurvePublicKey]:
        """By the activation's keys once there are any, else by the application's."""
        claims, key, signer = {"applicationKey": self.application, "challenge": text(secrets.token_bytes(18))}, raw(self.secret), self.server or self.master
        if self.id:
            claims["activationId"], key = self.id, inner_key(self.keys["transport"], key)
        asked = ".".join(unpadded(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
        answer = self.good(self.post("/pa/v3/keystore/create", {"requestObject": {"jwt": f"{asked}.{unpadded(mac(key, asked.encode()))}"}}))
        signed, _, signature = answer["responseObject"]["jwt"].rpartition(".")
        header, told = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in signed.split("."))
        both = base64.urlsafe_b64decode(signature + "==")
        trust(signer, utils.encode_dss_signature(int.from_bytes(both[:32], "big"), int.from_bytes(both[32:], "big")), signed.encode(), "a temporary key")
        if header != {"typ": "JWT", "alg": "ES256"} or any(told.get(name) != value for name, value in claims.items()):
            raise Distrust("a temporary key for something else")
        return told["sub"], point(raw(told["publicKey"]))

    def seal(self, label: str, plaintext: dict, key: tuple[str, ec.EllipticCurvePublicKey]) -> Sealed:
        name, peer = key
        ephemeral = ec.generate_private_key(CURVE)
        sent, nonce, now = compressed(ephemeral), secrets.token_bytes(16), time.time_ns() // 1_000_000
        keys = stretched(ephemeral.exchange(ec.ECDH(), peer), VERSION.encode() + label.encode() + sent, 48)
        encryption, authentication, ivs = keys[:16], keys[16:32], keys[32:]
        secret, bound = self.secret.encode(), [self.id.encode()] if self.id else []
        base = mac(self.keys["transport"], secret) if self.id else hashlib.sha256(secret).digest()
        associated = sized(VERSION.encode(), self.application.encode(), *bound, name.encode())
        fill = padding.PKCS7(128).padder()
        data = cbc(encryption, inner_key(ivs, nonce), fill.update(json.dumps(plaintext).encode()) + fill.finalize())
        tag = mac(authentication, data + sized(base, nonce, struct.pack(">Q", now), sent, associated))
        body = {"temporaryKeyId": name, "ephemeralPublicKey": text(sent), "encryptedData": text(data), "mac": text(tag), "nonce": text(nonce), "timestamp": now}
        return Sealed(body, (encryption, authentication, ivs), (base, associated))

    # Activation

    def activate(self, scanned: str) -> "PowerAuthPhone":
        """By what the QR code of a registration says: code and signature."""
        code, _, signature = scanned.partition("#")
        trust(self.master, raw(signature), code.encode(), "an activation code")
        return self.activate_unsigned(code)

    def activate_unsigned(self, code: str) -> "PowerAuthPhone":
        """By a code that was typed."""
        key = self.temporary_key()
        inner = self.seal("/pa/activation", {"activationName": "Interop phone", "devicePublicKey": text(compressed(self.device)), "platform": "android",
                                             "deviceInfo": "simulated"}, key)
        outer = self.seal("/pa/generic/application", {"type": "CODE", "identityAttributes": {"code": code}, "activationData": inner.body}, key)
        header = {"X-PowerAuth-Encryption": f'PowerAuth version="{VERSION}" application_key="{self.application}"'}
        made = inner.open(outer.open(self.good(self.post("/pa/v3/activation/create", outer.body, header)))["activationData"])
        self.id, self.counter, self.server = made["activationId"], raw(made["ctrData"]), point(raw(made["serverPublicKey"]))
        shared = folded(self.device.exchange(ec.ECDH(), self.server))
        numbers = {"possession": 1, "knowledge": 2, "biometry": 3, "transport": 1000}
        self.keys = {name: numbered_key(shared, number) for name, number in numbers.items()}
        return self

    @property
    def fingerprint(self) -> str:
        """What people compare before the phone is committed."""
        both = first_coordinate(self.device.public_key()) + self.id.encode() + first_coordinate(self.server)
        return digits(hashlib.sha256(both).digest())

    # Signatures

    def signature(self, data: bytes, factors: str, wrong_pin: bool = False) -> list[bytes]:
        """One component a factor, each bound to the keys before it; moves the counter."""
        keys = [self.keys[name] for name in factors.split("_")]
        if wrong_pin:  # opens the key store to some other key
            keys[-1] = secrets.token_bytes(16)
        derived, components = [mac(key, self.counter) for key in keys], []
        for place, key in enumerate(derived):
            for other in derived[1:place + 1]:
                key = mac(other, key)
            components.append(mac(key, data))
        self.counter = folded(hashlib.sha256(self.counter).digest())
        return components

    def signed(self, path: str, uri: str, document: dict, factors: str = "possession_knowledge", wrong_pin: bool = False) -> requests.Response:
        body, nonce = json.dumps(document).encode(), text(secrets.token_bytes(16))
        data = "&".join(["POST", text(uri.encode()), nonce, text(body), self.secret]).encode()
        made = text(b"".join(part[-16:] for part in self.signature(data, factors, wrong_pin)))
        header = (f'PowerAuth pa_version="{VERSION}", pa_activation_id="{self.id}", pa_application_key="{self.application}", pa_nonce="{nonce}", '
                  f'pa_signature_type="{factors}", pa_signature="{made}"')
        return self.post(path, body, {"X-PowerAuth-Authorization": header})

    def validates(self) -> bool:
        """Whether the server takes this phone's PIN."""
        return self.signed("/pa/v3/signature/validate", "/pa/signature/validate", {}).status_code == 200

    def remove(self) -> None:
        self.good(self.signed("/pa/v3/activation/remove", "/pa/activation/remove", {}, "possession"))

    # Reading

    def token_header(self) -> dict:
        if self.token is None:
            sealed = self.seal("/pa/token/create", {}, self.temporary_key())
            made = sealed.open(self.good(self.signed("/pa/v3/token/create", "/pa/token/create", sealed.body, "possession")))
            self.token = (made["tokenId"], raw(made["tokenSecret"]))
        (name, secret), nonce, now = self.token, secrets.token_bytes(16), str(time.time_ns() // 1_000_000)
        digest = text(mac(secret, b"&".join([nonce, now.encode(), VERSION.encode()])))
        return {"X-PowerAuth-Token": f'PowerAuth version="{VERSION}", token_id="{name}", token_digest="{digest}", nonce="{text(nonce)}", timestamp="{now}"'}

    def read(self, path: str, **members: str) -> dict | list:
        body = {"requestObject": members} if members else {}
        return self.good(self.post(OPERATIONS + path, body, self.token_header()))["responseObject"]

    def operations(self) -> list[dict]:
        return self.read("/list")

    def claim(self, operation: str) -> dict:
        """What is nobody's becomes this phone's user's."""
        return self.read("/detail/claim", id=operation)

    # Deciding

    def approve(self, operation: dict, near: Nearness | None = None, factors: str = "possession_knowledge", wrong_pin: bool = False, **told) -> requests.Response:
        """`told` is what the app tells besides."""
        members = {"id": operation["id"], "data": operation["data"]} | told
        if near is not None:
            members["proximityCheck"] = {"otp": near.code, "type": "QR_CODE", "timestampReceived": "2026-01-01T12:00:00Z", "timestampSent": "2026-01-01T12:00:01Z"}
        return self.signed(f"{OPERATIONS}/authorize", "/operation/authorize", {"requestObject": members}, factors, wrong_pin)

    def reject(self, operation: str, reason: str = "UNEXPECTED_OPERATION", **told) -> None:
        members = {"requestObject": {"id": operation, "reason": reason} | told}
        self.good(self.signed(f"{OPERATIONS}/cancel", "/operation/cancel", members, "possession"))

    def answer(self, scanned: str, uri: str = "/operation/authorize/offline") -> str:
        """What it shows for the QR code of an operation when it has no network (2.4); `uri` is what its app gave the SDK."""
        lines = scanned.split("\n")
        kind, signature = lines[-1][0], raw(lines[-1][1:])
        trust({"0": self.master, "1": self.server}[kind], signature, scanned[:len(scanned) - len(lines[-1]) + 1].encode(), "an offline code")
        body = "&".join([lines[0], lines[3]] + lines[5:-2])
        data = "&".join(["POST", text(uri.encode()), lines[-2], text(body.encode()), "offline"]).encode()
        return "-".join(digits(part) for part in self.signature(data, "possession_knowledge"))
