"""Published test vectors as seeds: vectors.py FOLDER... OUT writes OUT/TARGET/*, one file each, from all JSON below the folders."""

import base64
import hashlib
import json
import pathlib
import re
import sys

COMPACT = re.compile(r"^[\w-]+\.[\w-]*\.[\w-]+$")
HEXADECIMAL = re.compile(r"^(?:[0-9a-f]{2})+$")


def raw(text):
    """Bytes of hexadecimal or of any base64."""
    if HEXADECIMAL.match(text):
        return bytes.fromhex(text)
    return base64.b64decode(text.translate(str.maketrans("-_", "+/")).rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))


def spelt(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def registration(value):
    """The response of a browser; vectors of the W3C have no frame around it."""
    client, attested = (raw(value[name]) for name in ("clientDataJSON", "attestationObject"))
    at = attested.find(b"authData")
    data = attested[at + 8:] if at >= 0 else b""
    head = {0x58: 2, 0x59: 3}.get(data[0] if data else 0, 0)
    size = int.from_bytes(data[head + 53:head + 55], "big")
    id = spelt(data[head + 55:head + 55 + size])
    response = {"clientDataJSON": spelt(client), "attestationObject": spelt(attested)}
    return json.dumps({"id": id, "rawId": id, "type": "public-key", "response": response}).encode()


def ceremony(value):
    if {"clientDataJSON", "attestationObject"} <= value.keys():
        yield "attestation", registration(value)
        yield "cbor", raw(value["attestationObject"])
    for name in ("authenticatorData", "authData"):
        if isinstance(value.get(name), str):
            yield "authdata", raw(value[name])


def found(value):
    """(target, bytes) of everything in `value` that a target reads."""
    if isinstance(value, str):
        if COMPACT.match(value):
            yield "jwt", value.encode()
    elif isinstance(value, list):
        for item in value:
            yield from found(item)
    elif isinstance(value, dict):
        if "kty" in value or "keys" in value:
            yield "jwk", json.dumps(value).encode()
        try:
            yield from ceremony(value)
        except (AttributeError, IndexError, ValueError):  # one that is spoilt on purpose
            pass
        for item in value.values():
            yield from found(item)


def main(*folders):
    *folders, out = folders
    for file in sorted(file for folder in folders for file in pathlib.Path(folder).rglob("*.json")):
        for target, seed in found(json.loads(file.read_text())):
            if len(seed) > 4096:
                continue
            place = pathlib.Path(out) / target / hashlib.sha1(seed).hexdigest()
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(seed)


main(*sys.argv[1:])
