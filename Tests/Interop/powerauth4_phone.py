"""A phone of PowerAuth 4 with the algorithm EC_P384, written from the protocol's public documents alone (docs/operations.md, "PowerAuth 4"): activation, codes, a token."""
from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import struct
import time

import requests
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from Cryptodome.Hash import cSHAKE256

from powerauth_phone import OPERATIONS, TIMEOUT_S, Distrust, Refused, raw, sized, text, unpadded

VERSION, ALGORITHM = "4.0", "EC_P384"
CURVE, RATE, SUITE = ec.SECP384R1(), 136, b"\x00\x11\x00\x02\xff\xff"
KEM_INFO = b"DHKEM-P384"


# Arithmetic


def left_encoded(number: int) -> bytes:
    digits = number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big")
    return bytes([len(digits)]) + digits


def kmac(key: bytes, message: bytes, custom: str, length: int = 32) -> bytes:
    """NIST SP 800-185, 4; for keys of any length."""
    block = left_encoded(RATE) + left_encoded(8 * len(key)) + key
    digits = left_encoded(8 * length)
    padded = block + bytes(-len(block) % RATE)
    return cSHAKE256._new(padded + message + digits[1:] + digits[:1], custom.encode(), b"KMAC").read(length)


def derived(key: bytes, label: str, diversifier: bytes = b"") -> bytes:
    return kmac(key, sized(label.encode(), diversifier), "PA4KDF")


def extracted(salt: bytes, suite: bytes, label: bytes, material: bytes) -> bytes:
    return hmac.digest(salt or bytes(48), b"HPKE-v1" + suite + label + material, "sha384")


def expanded(key: bytes, suite: bytes, label: bytes, info: bytes) -> bytes:
    """48 bytes, which is one block."""
    return hmac.digest(key, struct.pack(">H", 48) + b"HPKE-v1" + suite + label + info + b"\x01", "sha384")


def point(bytes_: bytes) -> ec.EllipticCurvePublicKey:
    return ec.EllipticCurvePublicKey.from_encoded_point(CURVE, bytes_)


def uncompressed(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def trust(key: ec.EllipticCurvePublicKey, signature: bytes, message: bytes, of: str) -> None:
    try:
        key.verify(signature, message, ec.ECDSA(hashes.SHA384()))
    except InvalidSignature:
        raise Distrust(f"the signature of {of}") from None


class Offer:
    """A key for which the server encapsulates a secret (RFC 9180, DHKEM(P-384, HKDF-SHA384), exported)."""

    def __init__(self):
        self.key = ec.generate_private_key(CURVE)
        self.public = uncompressed(self.key.public_key())

    @property
    def request(self) -> dict:
        return {"algorithm": ALGORITHM, "encapsulationKeys": [text(self.public)]}

    def secret(self, response: dict) -> bytes:
        [sent] = [raw(key) for key in response["encapsulatedKeys"]]
        kem = b"KEM" + SUITE[:2]
        shared = expanded(extracted(b"", kem, b"eae_prk", self.key.exchange(ec.ECDH(), point(sent))), kem, b"shared_secret", sent + self.public)
        suite = b"HPKE" + SUITE
        context = b"\x00" + extracted(b"", suite, b"psk_id_hash", b"") + extracted(b"", suite, b"info_hash", KEM_INFO)
        exporter = expanded(extracted(shared, suite, b"secret", b""), suite, b"exp", context)
        agreed = expanded(exporter, suite, b"sec", KEM_INFO)
        fixed = sized(f"shared-secret/{ALGORITHM}".encode(), VERSION.encode())
        return kmac(raw(response["salt"]), struct.pack(">I", 1) + sized(agreed) + fixed, "KDF")


class Sealed:
    """A request in an envelope, and what opens its answer."""

    def __init__(self, phone: "PowerAuth4Phone", label: str, plaintext: dict, key: tuple[str, bytes]):
        name, self.secret = key
        bound = [phone.id.encode()] if phone.id else []
        application = raw(phone.secret)
        shared = kmac(phone.keys["sh2"], application, "PA4SH2") if phone.id else hashlib.sha3_256(application).digest()
        self.fixed, self.shared = sized(VERSION.encode(), phone.application.encode(), *bound, name.encode()), shared
        self.nonce, now = secrets.token_bytes(24), time.time_ns() // 1_000_000
        self.context = VERSION.encode() + label.encode() + self.nonce
        data = self.ciphered(json.dumps(plaintext).encode(), self.nonce[:12])
        sealed = self.nonce[:12] + self.tag(self.nonce[:12], now, data) + data
        self.body = {"temporaryKeyId": name, "encryptedData": text(sealed), "nonce": text(self.nonce), "timestamp": now}

    def ciphered(self, data: bytes, nonce: bytes) -> bytes:
        worker = Cipher(algorithms.AES(derived(self.secret, "aead/enc", self.context)), modes.CTR(nonce + bytes(4))).encryptor()
        return worker.update(data) + worker.finalize()

    def tag(self, nonce: bytes, timestamp: int, data: bytes) -> bytes:
        associated = self.fixed + sized(struct.pack(">Q", timestamp), self.nonce, self.shared)
        return kmac(derived(self.secret, "aead/mac", self.context), nonce + associated + data, "PA4MAC-AEAD")

    def open(self, answer: dict) -> dict:
        sealed = raw(answer["encryptedData"])
        nonce, tag, data = sealed[:12], sealed[12:44], sealed[44:]
        if nonce != self.nonce[12:] or not hmac.compare_digest(self.tag(nonce, answer["timestamp"], data), tag):
            raise Distrust("the MAC of an answer")
        return json.loads(self.ciphered(data, nonce))


class PowerAuth4Phone:
    """`config` is what the app was built with, `base` where its server is. The counter moves with every code, whatever comes of it."""

    def __init__(self, base: str, config: str):
        self.base, whole = base, raw(config)
        self.application, self.secret = text(whole[2:18]), text(whole[19:35])
        keys, rest = {}, whole[36:]
        for _ in range(whole[35]):
            kind, count, head = rest[0], rest[1], 2
            if count >= 0x80:
                count, head = struct.unpack(">H", rest[1:3])[0] & 0x3FFF, 3
            keys[kind], rest = rest[head:head + count], rest[head + count:]
        assert not rest and 2 in keys, "no configuration of protocol 4"
        self.master, self.device = point(keys[2]), ec.generate_private_key(CURVE)
        self.id, self.server, self.counter = "", None, b""
        self.keys: dict[str, bytes] = {}
        self.token: tuple[str, bytes] | None = None

    def post(self, path: str, body: dict | bytes, headers: dict | None = None) -> requests.Response:
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        return requests.post(self.base + path, data=body, headers={"Content-Type": "application/json", "Accept-Language": "en"} | (headers or {}), timeout=TIMEOUT_S)

    def good(self, answer: requests.Response) -> dict:
        if answer.status_code != 200:
            raise Refused(answer.status_code, answer.json()["responseObject"]["code"])
        return answer.json()

    # Encryption

    def temporary_key(self) -> tuple[str, bytes]:
        """By the activation's keys once there are any, else by the application's."""
        offer, claims = Offer(), {"applicationKey": self.application, "challenge": text(secrets.token_bytes(18))}
        key = derived(raw(self.secret), "util/mac/get-app-temp-key")
        if self.id:
            claims["activationId"], key = self.id, self.keys["temporary"]
        asked = ".".join(unpadded(json.dumps(part).encode()) for part in ({"alg": "HS384"}, claims | {"sharedSecretRequest": offer.request}))
        jwt = f"{asked}.{unpadded(hmac.digest(key, asked.encode(), 'sha384'))}"
        signed = json.loads(self.good(self.post("/pa/v4/keystore/create", {"requestObject": {"jwt": jwt}}))["responseObject"]["jwt"])
        [only] = signed["signatures"]
        both = base64.urlsafe_b64decode(only["signature"] + "==")
        signature = utils.encode_dss_signature(int.from_bytes(both[:48], "big"), int.from_bytes(both[48:], "big"))
        trust(self.server or self.master, signature, f"{only['protected']}.{signed['payload']}".encode(), "a temporary key")
        told = json.loads(base64.urlsafe_b64decode(signed["payload"] + "=="))
        if json.loads(base64.urlsafe_b64decode(only["protected"] + "=="))["alg"] != "ES384" or any(told.get(name) != value for name, value in claims.items()):
            raise Distrust("a temporary key for something else")
        return told["sub"], offer.secret(told["sharedSecretResponse"])

    def encryption(self) -> dict:
        bound = f', activation_id="{self.id}"' if self.id else ""
        return {"X-PowerAuth-Encryption": f'PowerAuth version="{VERSION}", application_key="{self.application}"{bound}'}

    # Activation

    def activate(self, scanned: str) -> "PowerAuth4Phone":
        code, _, signature = scanned.partition("#")
        trust(self.master, raw(signature), code.encode(), "an activation code")
        return self.activate_unsigned(code)

    def activate_unsigned(self, code: str) -> "PowerAuth4Phone":
        """By a code that was typed."""
        key, offer = self.temporary_key(), Offer()
        told = {"activationName": "phone of tests", "platform": "android", "deviceInfo": "Python", "sharedSecretRequest": offer.request,
                "devicePublicKeys": {"ecdsa": text(uncompressed(self.device.public_key()))}}
        inner = Sealed(self, "/pa/activation", told, key)
        outer = Sealed(self, "/pa/generic/application", {"type": "CODE", "identityAttributes": {"code": code}, "activationData": inner.body}, key)
        made = inner.open(outer.open(self.good(self.post("/pa/v4/activation/create", outer.body, self.encryption())))["activationData"])
        secret = offer.secret(made["sharedSecretResponse"])
        authentication, utility = derived(secret, "auth"), derived(secret, "util")
        self.keys = {name: derived(authentication, f"auth/{name}") for name in ("possession", "knowledge")}
        self.keys |= {"temporary": derived(utility, "util/mac/get-act-temp-key"), "sh2": derived(utility, "util/key-e2ee-sh2"),
                      "status": derived(utility, "util/mac/status"), "counter": derived(utility, "util/mac/ctr-data")}
        self.id, self.server, self.counter = made["activationId"], point(raw(made["serverPublicKeys"]["ecdsa"])), raw(made["ctrData"])
        self.earlier = self.counter
        return self

    def confirm(self) -> None:
        self.good(self.signed("/pa/v4/activation/confirm", "/pa/activation/confirm", {"requestObject": {"enableBiometry": False}}))

    def status(self) -> tuple[int, int, int]:
        """State, flags, and failed attempts; the counter must be the server's."""
        sealed = Sealed(self, "/pa/generic/activation", {}, self.temporary_key())
        blob = raw(sealed.open(self.good(self.post("/pa/v4/activation/status", sealed.body, self.encryption())))["activationStatus"])
        if not hmac.compare_digest(kmac(self.keys["status"], blob[:48], "PA4MAC-STATUS"), blob[48:]):
            raise Distrust("the MAC of a status")
        assert blob[:4] == b"\xde\xc0\xde\xd4" and blob[5:7] == b"\x04\x04", blob.hex()
        # A code that the server refused moved the phone's alone.
        assert blob[16:48] in {kmac(self.keys["counter"], each, "PA4MAC-CTR") for each in (self.counter, self.earlier)}, "out of step"
        return blob[4], blob[7], blob[13]

    # Authentication codes

    def code(self, data: bytes, factors: list[str], *, wrong: bool = False) -> str:
        before, parts = b"", b""
        for factor in factors:
            key = secrets.token_bytes(32) if wrong and factor == factors[-1] else self.keys[factor]
            own = kmac(key, self.counter, "PA4CODE")
            before = kmac(own, before, "PA4CODE") if before else own
            parts += kmac(before, data, "PA4CODE")
        self.earlier, self.counter = self.counter, hashlib.sha3_256(self.counter).digest()
        return text(parts)

    def signed(self, path: str, uri: str, body: dict, kind: str = "possession_knowledge", *, wrong: bool = False) -> requests.Response:
        bytes_, nonce = json.dumps(body).encode(), text(secrets.token_bytes(16))
        data = "&".join(["POST", text(uri.encode()), nonce, text(bytes_), self.secret]).encode()
        members = {"pa_activation_id": self.id, "pa_application_key": self.application, "pa_nonce": nonce, "pa_auth_code_type": kind,
                   "pa_auth_code": self.code(data, kind.split("_"), wrong=wrong), "pa_version": VERSION}
        header = "PowerAuth " + ", ".join(f'{name}="{value}"' for name, value in members.items())
        return self.post(path, bytes_, {"X-PowerAuth-Authorization": header})

    def validate(self, *, wrong: bool = False) -> int:
        return self.signed("/pa/v4/auth/validate", "/pa/auth/validate", {}, wrong=wrong).status_code

    def approve(self, operation: dict) -> int:
        body = {"requestObject": {"id": operation["operationId"], "data": operation["data"]}}
        return self.signed(f"{OPERATIONS}/authorize", "/operation/authorize", body).status_code

    # Tokens

    def make_token(self) -> None:
        sealed = Sealed(self, "/pa/token/create", {}, self.temporary_key())
        made = sealed.open(self.good(self.signed("/pa/v4/token/create", "/pa/token/create", sealed.body, "possession")))
        self.token = made["tokenId"], raw(made["tokenSecret"])

    def waiting(self) -> list[str]:
        """Ids of the operations that wait for this phone's user."""
        assert self.token, "no token"
        nonce, now = secrets.token_bytes(16), str(time.time_ns() // 1_000_000)
        digest = kmac(self.token[1], b"&".join([nonce, now.encode(), VERSION.encode()]), "PA4DIGEST")
        header = f'PowerAuth version="{VERSION}", token_id="{self.token[0]}", token_digest="{text(digest)}", nonce="{text(nonce)}", timestamp="{now}"'
        return [operation["id"] for operation in self.good(self.post(f"{OPERATIONS}/list", {}, {"X-PowerAuth-Token": header}))["responseObject"]]
