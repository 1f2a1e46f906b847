"""Published test vectors as seeds: vectors.py FOLDER OUT writes OUT/jwt/* and OUT/jwk/*, one file each, from all JSON below FOLDER."""

import hashlib
import json
import pathlib
import re
import sys

COMPACT = re.compile(r"^[\w-]+\.[\w-]*\.[\w-]+$")


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
        for item in value.values():
            yield from found(item)


def main(folder, out):
    for file in sorted(pathlib.Path(folder).rglob("*.json")):
        for target, seed in found(json.loads(file.read_text())):
            if len(seed) > 4096:
                continue
            place = pathlib.Path(out) / target / hashlib.sha1(seed).hexdigest()
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(seed)


main(*sys.argv[1:])
