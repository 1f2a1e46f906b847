"""The key of the client that signs its assertions (private_key_jwt), which peers know and pando-bench signs with.

    peer_keys.py FILE    makes one (P-256, PEM)

In: PEER_KEY, the file.
"""
from __future__ import annotations

import base64
import os
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

SIGNER = "bench-signer"


def key_set() -> dict:
    """The public half (RFC 7517, 5)."""
    point = load_pem_private_key(Path(os.environ["PEER_KEY"]).read_bytes(), None).public_key().public_numbers()
    x, y = (base64.urlsafe_b64encode(number.to_bytes(32, "big")).rstrip(b"=").decode() for number in (point.x, point.y))
    return {"keys": [{"kty": "EC", "crv": "P-256", "kid": "bench", "alg": "ES256", "use": "sig", "x": x, "y": y}]}


def make(file: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    file.touch(mode=0o600)
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


if __name__ == "__main__":
    make(Path(sys.argv[1]))
