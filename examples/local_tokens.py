"""Checks a federation's access tokens in memory, with revocation (docs/local-checks.md). Needs `cryptography` alone.

    feed = Feed("https://id.example.org", "https://learn.example.org", client_id, client_secret)
    threading.Thread(target=feed.run, daemon=True).start()
    claims = feed.verify(token)     # or raises Refused, with the HTTP status to answer

Tokens that are bound to a key or certificate (`cnf`) are refused, unless you say whose possession was proven: check the
proof (RFC 9449, or by the library of your framework), and give the key's thumbprint as `proven`.
"""
from __future__ import annotations

import base64
import json
import threading
import time
import urllib.parse
import urllib.request

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils

SKEW = 60
MEMBERS = {"urn:pando:event:ended": ("node",), "urn:pando:event:moved": ("node", "from", "to")}
LONGEST_WAIT = 10   # seconds for which the issuer is asked to hold an answer


class _Direct(urllib.request.HTTPRedirectHandler):
    """Credentials go to the issuer and to nobody else."""

    def redirect_request(self, *_):
        return None


_http = urllib.request.build_opener(_Direct)


class Refused(Exception):
    """`status` is to be answered: 401 for a token that is no good, 503 when nobody can know."""

    def __init__(self, status: int, why: str):
        super().__init__(why)
        self.status = status


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class _Keys:
    """The issuer's key set, read again for a key that is not in it, at most every ten seconds."""

    def __init__(self, url: str):
        self.url, self.known, self.asked, self.lock = url, {}, float("-inf"), threading.Lock()

    def key(self, kid: str) -> dict:
        if kid not in self.known:
            with self.lock:     # who comes meanwhile waits for the same answer
                if kid not in self.known and time.monotonic() - self.asked > 10:
                    self.asked = time.monotonic()
                    self.known = self._read()
        if kid not in self.known:
            raise Refused(401, "signed by no key of the issuer")
        return self.known[kid]

    def _read(self) -> dict:
        try:
            with _http.open(self.url, timeout=5) as answer:
                return {jwk["kid"]: jwk for jwk in json.load(answer)["keys"] if "kid" in jwk}
        except Exception as away:
            raise Refused(503, "the issuer's keys cannot be read now") from away


def _check_signature(jwk: dict, algorithm: str, signature: bytes, signed: bytes) -> None:
    """The algorithm is the key's, never the token's alone."""
    try:
        if jwk["kty"] == "EC" and jwk.get("crv") == "P-256" and algorithm == "ES256" and len(signature) == 64:
            numbers = ec.EllipticCurvePublicNumbers(
                int.from_bytes(_decode(jwk["x"]), "big"), int.from_bytes(_decode(jwk["y"]), "big"), ec.SECP256R1())
            pair = utils.encode_dss_signature(
                int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
            return numbers.public_key().verify(pair, signed, ec.ECDSA(hashes.SHA256()))
        if jwk["kty"] == "OKP" and jwk.get("crv") == "Ed25519" and algorithm in ("EdDSA", "Ed25519"):
            return ed25519.Ed25519PublicKey.from_public_bytes(_decode(jwk["x"])).verify(signature, signed)
    except InvalidSignature:
        pass
    raise Refused(401, "the signature is wrong")


class Feed:
    """What has ended, as the issuer tells it. `silence`: seconds without an answer after which nothing is taken.
    `token_life`: the longest life of tokens that are taken."""

    def __init__(self, issuer, base, client_id, client_secret, *, silence=30.0, token_life=3600.0):
        self.issuer, self.base, self.silence, self.token_life = issuer, base, max(15.0, silence), token_life
        pair = ":".join(urllib.parse.quote(part, safe="") for part in (client_id, client_secret))
        credentials = base64.b64encode(pair.encode()).decode()
        self.headers = {"Authorization": f"Basic {credentials}", "Accept": "application/json"}
        self.keys = _Keys(issuer + "/jwks.json")
        self.lock = threading.Lock()
        self.ended: dict[str, tuple[int, float]] = {}   # node: number, time of the event
        self.moves: dict[str, list[tuple[int, str, str, float]]] = {}
        self.latest, self.heard, self.swept = 0, None, time.time()

    # Following the issuer

    def run(self) -> None:
        """For a thread of its own. What goes wrong is tried again, whatever it is: `verify` closes meanwhile."""
        pause = 0.25
        while True:
            began, before, is_first = time.monotonic(), self.latest, self.heard is None
            try:
                is_more = self.read(wait=0 if is_first else int(min(self.silence / 3, LONGEST_WAIT)))
                pause = 0.25
            except Exception:
                time.sleep(pause)
                pause = min(pause * 2, 5)
                continue
            # Answered at once with nothing: others of this service wait already. Not faster than once a second.
            if not (is_first or is_more) and self.latest == before and time.monotonic() - began < 1:
                time.sleep(1)

    def read(self, wait: int = 0) -> bool:
        """One request; whether there is more. For one thread at a time."""
        asked, after = time.monotonic(), self.latest
        url = f"{self.issuer}/events?after={after}&limit=1000"
        if after == 0:
            url += f"&since={max(0, int(time.time() - self.token_life - 2 * SKEW))}"
        request = urllib.request.Request(url, headers=self.headers | ({"Prefer": f"wait={wait}"} if wait else {}))
        with _http.open(request, timeout=wait + 10) as answer:
            page = json.load(answer)
        told, is_more = page["latest"], page["moreAvailable"]
        events = sorted((self._event(text) for text in page["sets"].values()), key=lambda event: event[0])
        with self.lock:
            if told < after:
                self._begin_anew()
                raise ValueError("the issuer's events begin anew, and are read again")
            for number, named, at in events:
                if number > self.latest:
                    for name, body in named.items():
                        self._take(number, name, body, at)
                    self.latest = number
            if not is_more:
                self.latest, self.heard = max(told, self.latest), asked
                if time.time() - self.swept > 60:
                    self._forget()
        return is_more

    def _begin_anew(self) -> None:
        """An older backup of the issuer: its numbers begin again. What has ended stays so, before all that comes."""
        self.ended = {node: (0, at) for node, (_, at) in self.ended.items()}
        self.moves, self.latest, self.heard = {}, 0, None

    def _event(self, text: str) -> tuple[int, dict, float]:
        """One that is wrong spoils the answer: what it would have ended is not known."""
        header, claims = self._signed(text, "secevent+jwt")
        if claims.get("aud") != self.base:
            raise ValueError("an event is for another service")
        if "signer:" + header["kid"] in self.ended:
            raise ValueError("an event is signed by a key that was revoked")
        number = min(body["seq"] for body in claims["events"].values())
        if not isinstance(number, int) or number < 1:
            raise ValueError("an event has no number")
        for name, body in claims["events"].items():
            if not all(isinstance(body[member], str) for member in MEMBERS.get(name, ())):
                raise ValueError(f"{name} does not say of what")
        return number, claims["events"], claims["iat"]

    def _take(self, number: int, name: str, body: dict, at: float) -> None:
        if name == "urn:pando:event:ended":
            self.ended.setdefault(body["node"], (number, at))
        elif name == "urn:pando:event:moved":
            self.moves.setdefault(body["node"], []).append((number, body["from"], body["to"], at))

    def _forget(self) -> None:
        """What no living token can hang from. Who stole a signing key dates tokens as he likes, so those stay."""
        self.swept, oldest = time.time(), time.time() - self.token_life - 2 * SKEW
        self.ended = {n: e for n, e in self.ended.items() if e[1] >= oldest or n.startswith("signer:")}
        young = {n: [m for m in moves if m[3] >= oldest] for n, moves in self.moves.items()}
        self.moves = {n: moves for n, moves in young.items() if moves}

    # Checking

    def verify(self, token: str, proven: str | None = None) -> dict:
        """The claims of a token that lives; raises `Refused`. `proven`: thumbprint (RFC 7638, or RFC 8705, 3.1) of the
        key or certificate whose possession was proven with this request."""
        header, claims = self._signed(token, "at+jwt")
        now = time.time()
        if claims.get("aud") != self.base:
            raise Refused(401, "it is for another service")
        made, expires = claims.get("iat"), claims.get("exp")
        if not isinstance(made, int) or not isinstance(expires, int) or made > now + SKEW or expires <= now - SKEW:
            raise Refused(401, "it has expired, or was not made yet")
        lineage = claims.get("lineage")
        if not isinstance(lineage, list) or not 0 < len(lineage) <= 64 or not all(isinstance(n, str) for n in lineage):
            raise Refused(401, "it does not say what it hangs from")
        if expires - made > self.token_life:
            raise Refused(401, "it lives for longer than is taken here")
        if "cnf" in claims and {claims["cnf"].get(name) for name in ("jkt", "x5t#S256")} - {None} != {proven}:
            raise Refused(401, "it is bound to a key, of which nothing was proven")
        with self.lock:
            if self._is_revoked(lineage + ["signer:" + header["kid"]]):
                raise Refused(401, "it has been revoked")
            if self.heard is None or time.monotonic() - self.heard > self.silence:
                raise Refused(503, "the issuer has not been heard for too long")
        return claims

    def _is_revoked(self, lineage: list[str]) -> bool:
        own = sorted(move for node in lineage for move in self.moves.get(node, ()))
        for name in lineage:
            for number, source, target, _ in own:
                if source == name:
                    if name in self.ended and self.ended[name][0] < number:
                        return True
                    name = target
            if name in self.ended:
                return True
        return False

    def _signed(self, text: str, kind: str) -> tuple[dict, dict]:
        try:
            head, body, signature = text.split(".")
            header, claims = json.loads(_decode(head)), json.loads(_decode(body))
            given, kid, issuer = _decode(signature), header["kid"], claims["iss"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
            raise Refused(401, "it is not a JWT with a kid") from wrong
        if not isinstance(kid, str) or header.get("typ") != kind or issuer != self.issuer or "crit" in header:
            raise Refused(401, f"it is no {kind} of the issuer")
        _check_signature(self.keys.key(kid), header.get("alg", ""), given, f"{head}.{body}".encode())
        return header, claims
