"""A phone of PowerAuth 4 with each of its algorithms, written from the protocol's public documents alone (docs/operations.md, "PowerAuth 4"): activation, upgrade,
codes of each factor, tokens, the vault, offline codes. ML-KEM and ML-DSA are OpenSSL's, where the server has BoringSSL's."""
from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import struct
import time
from collections.abc import Callable

import requests
from cryptography.hazmat.primitives.asymmetric import ec, mldsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from powerauth4_keys import CURVE, KEM_INFO, SUITE, SUITES, VERSION, ServerKeys, derived, described, expanded, extracted, kmac, point, trust, uncompressed
from powerauth_phone import OPERATIONS, TIMEOUT_S, Distrust, PowerAuthPhone, Refused, digits, first_coordinate, raw, sized, text, unpadded


class Offer:
    """Keys for which the server encapsulates secrets: P-384's (RFC 9180, DHKEM(P-384, HKDF-SHA384), exported), and ML-KEM's in hybrid suites."""

    def __init__(self, algorithm: str):
        self.algorithm, kem = algorithm, SUITES[algorithm].kem
        self.key = ec.generate_private_key(CURVE)
        self.public = uncompressed(self.key.public_key())
        self.lattice = kem.generate() if kem else None

    @property
    def request(self) -> dict:
        keys = [self.public] + ([described(self.lattice.public_key())] if self.lattice else [])
        return {"algorithm": self.algorithm, "encapsulationKeys": [text(key) for key in keys]}

    def shares(self, response: dict) -> list[bytes]:
        """One secret of each key. Of a wrong ciphertext ML-KEM makes another one, and no error (FIPS 203, 6.3)."""
        sent, *rest = [raw(key) for key in response["encapsulatedKeys"]]
        if len(rest) != (self.lattice is not None):
            raise Distrust("another number of secrets than of keys")
        return [self.elliptic(sent)] + [self.lattice.decapsulate(one) for one in rest]

    def elliptic(self, sent: bytes) -> bytes:
        kem = b"KEM" + SUITE[:2]
        shared = expanded(extracted(b"", kem, b"eae_prk", self.key.exchange(ec.ECDH(), point(sent))), kem, b"shared_secret", sent + self.public)
        suite = b"HPKE" + SUITE
        context = b"\x00" + extracted(b"", suite, b"psk_id_hash", b"") + extracted(b"", suite, b"info_hash", KEM_INFO)
        exporter = expanded(extracted(shared, suite, b"secret", b""), suite, b"exp", context)
        return expanded(exporter, suite, b"sec", KEM_INFO)

    def secret(self, response: dict) -> bytes:
        return self.combined(response, self.shares(response))

    def combined(self, response: dict, shares: list[bytes]) -> bytes:
        fixed = sized(f"shared-secret/{self.algorithm}".encode(), VERSION.encode())
        return kmac(raw(response["salt"]), struct.pack(">I", 1) + sized(*shares) + fixed, "KDF")


# What a phone makes of the server's answer to its offer: those that were tampered with make something else.
Learn = Callable[[Offer, dict], bytes]


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

    def __init__(self, base: str, config: str, algorithm: str = "EC_P384"):
        self.base, self.algorithm, whole = base, algorithm, raw(config)
        self.application, self.secret = text(whole[2:18]), text(whole[19:35])
        keys, rest = {}, whole[36:]
        for _ in range(whole[35]):
            kind, count, head = rest[0], rest[1], 2
            if count >= 0x80:
                count, head = struct.unpack(">H", rest[1:3])[0] & 0x3FFF, 3
            keys[kind], rest = rest[head:head + count], rest[head + count:]
        assert not rest and 2 in keys, "no configuration of protocol 4"
        suite = SUITES[algorithm]
        self.master = ServerKeys.read(algorithm, keys[2], keys[suite.master] if suite.master else None)
        self.device, self.device_lattice = ec.generate_private_key(CURVE), suite.dsa.generate() if suite.dsa else None
        self.id, self.server, self.counter = "", None, b""
        self.keys: dict[str, bytes] = {}
        self.vault: dict[str, bytes] = {}
        self.token: tuple[str, bytes] | None = None

    def post(self, path: str, body: dict | bytes, headers: dict | None = None) -> requests.Response:
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        return requests.post(self.base + path, data=body, headers={"Content-Type": "application/json", "Accept-Language": "en"} | (headers or {}), timeout=TIMEOUT_S)

    def good(self, answer: requests.Response) -> dict:
        if answer.status_code != 200:
            raise Refused(answer.status_code, answer.json()["responseObject"]["code"])
        return answer.json()

    # Encryption

    def temporary_key(self, learn: Learn = Offer.secret, algorithm: str | None = None) -> tuple[str, bytes]:
        """By the activation's keys once there are any, else by the application's."""
        offer = Offer(algorithm or self.algorithm)
        told, claims = self.signed_key(offer.request)
        if any(told.get(name) != value for name, value in claims.items()):
            raise Distrust("a temporary key for something else")
        return told["sub"], learn(offer, told["sharedSecretResponse"])

    def signed_key(self, request: dict) -> tuple[dict, dict]:
        """What the server signed, and what it should have."""
        jws, claims = self.given_key(request)
        return (self.server or self.master).claims(jws), claims

    def given_key(self, request: dict) -> tuple[str, dict]:
        claims, key = {"applicationKey": self.application, "challenge": text(secrets.token_bytes(18))}, derived(raw(self.secret), "util/mac/get-app-temp-key")
        if self.id:
            claims["activationId"], key = self.id, self.keys["temporary"]
        asked = ".".join(unpadded(json.dumps(part).encode()) for part in ({"alg": "HS384"}, claims | {"sharedSecretRequest": request}))
        jwt = f"{asked}.{unpadded(hmac.digest(key, asked.encode(), 'sha384'))}"
        return self.good(self.post("/pa/v4/keystore/create", {"requestObject": {"jwt": jwt}}))["responseObject"]["jwt"], claims

    def encryption(self) -> dict:
        bound = f', activation_id="{self.id}"' if self.id else ""
        return {"X-PowerAuth-Encryption": f'PowerAuth version="{VERSION}", application_key="{self.application}"{bound}'}

    # Activation

    def activate(self, scanned: str, **told) -> "PowerAuth4Phone":
        code, _, signature = scanned.partition("#")
        trust(self.master.ecdsa, raw(signature), code.encode(), "an activation code")
        return self.activate_unsigned(code, **told)

    def activate_unsigned(self, code: str, *, key: tuple[str, bytes] | None = None, learn: Learn = Offer.secret, **told) -> "PowerAuth4Phone":
        """By a code that was typed. `told` takes the place of what the phone would tell of its keys."""
        key, offer = key or self.temporary_key(), Offer(self.algorithm)
        members = {"activationName": "phone of tests", "platform": "android", "deviceInfo": "Python"} | self.exchange(offer) | told
        inner = Sealed(self, "/pa/activation", members, key)
        outer = Sealed(self, "/pa/generic/application", {"type": "CODE", "identityAttributes": {"code": code}, "activationData": inner.body}, key)
        made = inner.open(outer.open(self.good(self.post("/pa/v4/activation/create", outer.body, self.encryption())))["activationData"])
        self.keep(made["activationId"], made, learn(offer, made["sharedSecretResponse"]))
        return self

    def exchange(self, offer: Offer) -> dict:
        return {"sharedSecretRequest": offer.request, "devicePublicKeys": self.device_keys}

    @property
    def device_keys(self) -> dict:
        lattice = {"mldsa": text(described(self.device_lattice.public_key()))} if self.device_lattice else {}
        return {"ecdsa": text(uncompressed(self.device.public_key()))} | lattice

    def keep(self, activation: str, made: dict, secret: bytes) -> None:
        """What an exchange of keys has made."""
        authentication, utility, vault = (derived(secret, label) for label in ("auth", "util", "vault"))
        self.keys = {name: derived(authentication, f"auth/{name}") for name in ("possession", "knowledge", "biometry")}
        self.keys |= {"temporary": derived(utility, "util/mac/get-act-temp-key"), "sh2": derived(utility, "util/key-e2ee-sh2"),
                      "status": derived(utility, "util/mac/status"), "counter": derived(utility, "util/mac/ctr-data"),
                      "offline": derived(utility, "util/mac/personalized-data")}
        self.vault = {"KEK_DEVICE_PRIVATE": derived(vault, "vault/kek-device-private"), "KDK_APP_VAULT_2FA": derived(vault, "vault/kdk-app-vault-2fa"),
                      "KDK_APP_VAULT_KNOWLEDGE": derived(vault, "vault/kdk-app-vault-knowledge")}
        keys = made["serverPublicKeys"]
        self.server = ServerKeys.read(self.algorithm, raw(keys["ecdsa"]), raw(keys["mldsa"]) if keys.get("mldsa") else None)
        self.id, self.counter = activation, raw(made["ctrData"])
        self.earlier = self.counter

    @property
    def fingerprint(self) -> str:
        """What people compare before the phone is committed."""
        device, server = (described(key) if key else b"" for key in (self.device_lattice and self.device_lattice.public_key(), self.server.lattice))
        whole = first_coordinate(self.device.public_key()) + device + self.id.encode() + first_coordinate(self.server.ecdsa) + server
        return digits(hashlib.sha3_256(self.algorithm.encode() + whole).digest())

    def confirm(self, biometry: bool = False) -> None:
        self.good(self.signed("/pa/v4/activation/confirm", "/pa/activation/confirm", {"requestObject": {"enableBiometry": biometry}}))

    def status(self, versions: bytes = b"\x04\x04") -> tuple[int, int, int]:
        """State, flags, and failed attempts; the counter must be the server's. `versions` are the current one and the one to upgrade to."""
        sealed = Sealed(self, "/pa/generic/activation", {}, self.temporary_key())
        blob = raw(sealed.open(self.good(self.post("/pa/v4/activation/status", sealed.body, self.encryption())))["activationStatus"])
        if not hmac.compare_digest(kmac(self.keys["status"], blob[:48], "PA4MAC-STATUS"), blob[48:]):
            raise Distrust("the MAC of a status")
        assert blob[:4] == b"\xde\xc0\xde\xd4" and blob[5:7] == versions, blob.hex()
        # A code that the server refused moved the phone's alone.
        assert blob[16:48] in {kmac(self.keys["counter"], each, "PA4MAC-CTR") for each in (self.counter, self.earlier)}, "out of step"
        return blob[4], blob[7], blob[13]

    def user(self, key: tuple[str, bytes] | None = None) -> str:
        """Whose phone it is."""
        sealed = Sealed(self, "/pa/generic/activation", {}, key or self.temporary_key())
        return sealed.open(self.good(self.post("/pa/v4/user/info", sealed.body, self.encryption())))["sub"]

    # Upgrade

    def upgrade(self, old: PowerAuthPhone, *, biometry: bool = False, wrong_pin: bool = False) -> None:
        """What a phone of 3.3 has is to go on as this one's."""
        offer = Offer(self.algorithm)
        sealed = Sealed(self, "/pa/upgrade/start", self.exchange(offer) | {"enableBiometry": biometry}, self.temporary_key())
        made = sealed.open(self.good(old.signed("/pa/v4/upgrade/start", "/pa/upgrade/start", sealed.body, wrong_pin=wrong_pin)))
        self.keep(old.id, made, offer.secret(made["sharedSecretResponse"]))

    def confirm_upgrade(self) -> int:
        return self.signed("/pa/v4/upgrade/confirm", "/pa/upgrade/confirm", {}, "possession").status_code

    # Authentication codes

    def components(self, data: bytes, factors: list[str], *, wrong: bool = False) -> list[bytes]:
        """One a factor, each bound to those before it; moves the counter."""
        before, parts = b"", []
        for factor in factors:
            key = secrets.token_bytes(32) if wrong and factor == factors[-1] else self.keys[factor]
            own = kmac(key, self.counter, "PA4CODE")
            before = kmac(own, before, "PA4CODE") if before else own
            parts.append(kmac(before, data, "PA4CODE"))
        self.earlier, self.counter = self.counter, hashlib.sha3_256(self.counter).digest()
        return parts

    def signed(self, path: str, uri: str, body: dict, kind: str = "possession_knowledge", *, wrong: bool = False) -> requests.Response:
        bytes_, nonce = json.dumps(body).encode(), text(secrets.token_bytes(16))
        data = "&".join(["POST", text(uri.encode()), nonce, text(bytes_), self.secret]).encode()
        members = {"pa_activation_id": self.id, "pa_application_key": self.application, "pa_nonce": nonce, "pa_auth_code_type": kind,
                   "pa_auth_code": text(b"".join(self.components(data, kind.split("_"), wrong=wrong))), "pa_version": VERSION}
        header = "PowerAuth " + ", ".join(f'{name}="{value}"' for name, value in members.items())
        return self.post(path, bytes_, {"X-PowerAuth-Authorization": header})

    def validate(self, kind: str = "possession_knowledge", *, wrong: bool = False) -> int:
        return self.signed("/pa/v4/auth/validate", "/pa/auth/validate", {}, kind, wrong=wrong).status_code

    def approve(self, operation: dict, kind: str = "possession_knowledge") -> int:
        body = {"requestObject": {"id": operation["operationId"], "data": operation["data"]}}
        return self.signed(f"{OPERATIONS}/authorize", "/operation/authorize", body, kind).status_code

    def answer(self, scanned: str) -> str:
        """What it shows for the QR code of an operation when it has no network; the code is for this phone alone."""
        *lines, last = scanned.split("\n")
        covered = scanned[:len(scanned) - len(last) + 1].encode()
        if last[0] != "2" or not hmac.compare_digest(kmac(self.keys["offline"], covered, "PA4MAC-QR"), raw(last[1:])):
            raise Distrust("the MAC of an offline code")
        body = "&".join([lines[0], lines[3]] + lines[5:-1])
        data = "&".join(["POST", text(b"/operation/authorize/offline"), lines[-1], text(body.encode()), "offline"]).encode()
        return "-".join(digits(part) for part in self.components(data, ["possession", "knowledge"]))

    # Factors

    def change_pin(self) -> None:
        self.keys["knowledge"] = self.agree("password/change")

    def add_biometry(self) -> None:
        self.keys["biometry"] = self.agree("biometry/add")

    def remove_biometry(self) -> None:
        self.good(self.signed("/pa/v4/biometry/remove", "/pa/biometry/remove", {}, "possession"))

    def agree(self, name: str, algorithm: str | None = None) -> bytes:
        """A new key for a factor."""
        offer = Offer(algorithm or self.algorithm)
        sealed = Sealed(self, f"/pa/{name}", offer.request, self.temporary_key())
        return offer.secret(sealed.open(self.good(self.signed(f"/pa/v4/{name}", f"/pa/{name}", sealed.body))))

    def unlock(self, name: str, kind: str = "possession_knowledge") -> bytes:
        """A key of the vault, as the server gives it."""
        sealed = Sealed(self, "/pa/vault/unlock", {"keyIdentifier": name, "reason": "NOT_SPECIFIED"}, self.temporary_key())
        return raw(sealed.open(self.good(self.signed("/pa/v4/vault/unlock", "/pa/vault/unlock", sealed.body, kind)))["vaultEncryptionKey"])

    # Tokens

    def make_token(self) -> None:
        sealed = Sealed(self, "/pa/token/create", {}, self.temporary_key())
        made = sealed.open(self.good(self.signed("/pa/v4/token/create", "/pa/token/create", sealed.body, "possession")))
        self.token = made["tokenId"], raw(made["tokenSecret"])

    def token_header(self) -> dict:
        assert self.token, "no token"
        nonce, now = secrets.token_bytes(16), str(time.time_ns() // 1_000_000)
        digest = kmac(self.token[1], b"&".join([nonce, now.encode(), VERSION.encode()]), "PA4DIGEST")
        header = f'PowerAuth version="{VERSION}", token_id="{self.token[0]}", token_digest="{text(digest)}", nonce="{text(nonce)}", timestamp="{now}"'
        return {"X-PowerAuth-Token": header}

    def waiting(self) -> list[str]:
        """Ids of the operations that wait for this phone's user."""
        return [operation["id"] for operation in self.good(self.post(f"{OPERATIONS}/list", {}, self.token_header()))["responseObject"]]
