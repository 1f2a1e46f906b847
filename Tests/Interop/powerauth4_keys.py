"""Algorithms of PowerAuth 4 and what they are made of, from the protocol's public documents alone: KMAC, labelled HKDF, keys and signatures of both kinds."""
from __future__ import annotations

import base64
import hmac
import json
import struct
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, mldsa, mlkem, utils
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key
from Cryptodome.Hash import cSHAKE256

from powerauth_phone import Distrust, sized

VERSION = "4.0"
CURVE, RATE, SUITE = ec.SECP384R1(), 136, b"\x00\x11\x00\x02\xff\xff"
KEM_INFO = b"DHKEM-P384"


@dataclass(frozen=True)
class Suite:
    """What an algorithm has beside P-384, and in which member of a configuration its master key stands."""

    signatures: tuple[str, ...]
    kem: type | None = None
    dsa: type | None = None
    verifier: type | None = None
    master: int | None = None


SUITES = {"EC_P384": Suite(("ES384",)),
          "EC_P384_ML_L3": Suite(("ES384", "ML-DSA-65"), mlkem.MLKEM768PrivateKey, mldsa.MLDSA65PrivateKey, mldsa.MLDSA65PublicKey, 3),
          "EC_P384_ML_L5": Suite(("ES384", "ML-DSA-87"), mlkem.MLKEM1024PrivateKey, mldsa.MLDSA87PrivateKey, mldsa.MLDSA87PublicKey, 4)}
HYBRIDS = tuple(name for name, suite in SUITES.items() if suite.kem)


# Arithmetic


def left_encoded(number: int) -> bytes:
    written = number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big")
    return bytes([len(written)]) + written


def kmac(key: bytes, message: bytes, custom: str, length: int = 32) -> bytes:
    """NIST SP 800-185, 4; for keys of any length."""
    block = left_encoded(RATE) + left_encoded(8 * len(key)) + key
    size = left_encoded(8 * length)
    padded = block + bytes(-len(block) % RATE)
    return cSHAKE256._new(padded + message + size[1:] + size[:1], custom.encode(), b"KMAC").read(length)


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


def described(key) -> bytes:
    """ML-KEM's and ML-DSA's public keys, as they go over the wire."""
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def unsigned(part: str) -> bytes:
    """Base64url without padding."""
    return base64.urlsafe_b64decode(part + "==")


@dataclass
class ServerKeys:
    """What the server signs with: P-384, and ML-DSA in hybrid suites."""

    algorithm: str
    ecdsa: ec.EllipticCurvePublicKey
    lattice: mldsa.MLDSA65PublicKey | mldsa.MLDSA87PublicKey | None = None

    @staticmethod
    def read(algorithm: str, ecdsa: bytes, lattice: bytes | None) -> "ServerKeys":
        key = load_der_public_key(lattice) if lattice is not None else None
        if not isinstance(key, SUITES[algorithm].verifier or type(None)):
            raise Distrust(f"other keys than those of {algorithm}")
        return ServerKeys(algorithm, point(ecdsa), key)

    def claims(self, jws: str) -> dict:
        """Of a JWS in general form (RFC 7515, 7.2.1), once each key of the suite has signed it."""
        whole = json.loads(jws)
        signatures = [(one["protected"], unsigned(one["signature"])) for one in whole["signatures"]]
        if tuple(json.loads(unsigned(head))["alg"] for head, _ in signatures) != SUITES[self.algorithm].signatures:
            raise Distrust("other signatures than the suite's")
        for number, (head, signature) in enumerate(signatures):
            message = f"{head}.{whole['payload']}".encode()
            if number == 0:
                if len(signature) != 96:
                    raise Distrust("a signature of ES384 that is not r and s")
                halves = (int.from_bytes(half, "big") for half in (signature[:48], signature[48:]))
                trust(self.ecdsa, utils.encode_dss_signature(*halves), message, "a temporary key")
            else:
                try:
                    self.lattice.verify(signature, message)
                except InvalidSignature:
                    raise Distrust("the second signature of a temporary key") from None
        return json.loads(unsigned(whole["payload"]))
