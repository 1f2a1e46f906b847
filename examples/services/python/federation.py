"""What a service checks of what comes from the federation and from apps (docs/join-the-federation.md, 3 to 5).

Nothing here is written down but by `claim`, a function that is true the first time it is given a text.
"""
from __future__ import annotations

import base64
import hashlib
import json
import threading
import time

import requests
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, JWKRegistry

SKEW = 60
ASSERTION, EVENT = "oauth-id-jag+jwt", "secevent+jwt"
ISSUER_ALGORITHMS = ["ES256", "RS256"]
APP_ALGORITHMS = ["ES256"]      # phones have P-256 keys
TIMEOUT_S = 5


class Refused(Exception):
    """What is answered: status, `error` and `error_description`."""

    def __init__(self, status: int, error: str, why: str, retry_after: int | None = None):
        super().__init__(why)
        self.status, self.error, self.why, self.retry_after = status, error, why, retry_after


def away(why: str) -> Refused:
    return Refused(503, "temporarily_unavailable", why, retry_after=2)


def sha256(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def opened(text: str) -> tuple[dict, dict]:
    """Header and claims of a compact JWT, of which nothing is known yet. Raises ValueError."""
    try:
        parts = jws.extract_compact(text.encode())
        header, claims = parts.headers(), json.loads(parts.payload)
    except (JoseError, ValueError, TypeError, RecursionError) as wrong:
        raise ValueError("it is no JWT") from wrong
    if not isinstance(claims, dict) or "crit" in header:
        raise ValueError("it is no JWT that is understood here")
    return header, claims


def check_signature(text: str, key, algorithms: list[str]) -> None:
    """The list of algorithms is ours, and joserfc takes none that is not of the key's kind."""
    try:
        jwt.decode(text, key, algorithms=algorithms)
    except (JoseError, ValueError, TypeError, RecursionError) as wrong:
        raise ValueError("the signature is wrong") from wrong


def number(claims: dict, name: str) -> float:
    # Python reads NaN, which is neither before nor behind anything, and numbers of any length.
    if type(claims.get(name)) not in (int, float) or not -1e15 < claims[name] < 1e15:
        raise ValueError(f"{name} is no number")
    return claims[name]


def text_of(claims: dict, *names: str) -> None:
    for name in names:
        if not isinstance(claims.get(name), str) or not claims[name]:
            raise ValueError(f"{name} is missing")


def check_times(claims: dict, longest: int) -> None:
    now, made, expires = time.time(), number(claims, "iat"), number(claims, "exp")
    if made > now + SKEW or expires <= now - SKEW:
        raise ValueError("it has expired, or was made in the future")
    if expires - made > longest:
        raise ValueError(f"it lives for more than {longest} seconds")
    check_begun(claims)


def check_begun(claims: dict) -> None:
    if "nbf" in claims and number(claims, "nbf") > time.time() + SKEW:
        raise ValueError("nbf has not come")


def app_key(jwk) -> ECKey:
    """A public P-256 key. Whatever else is given refuses the JWT in which it stands."""
    if not isinstance(jwk, dict) or jwk.get("kty") != "EC" or jwk.get("crv") != "P-256" or "d" in jwk:
        raise ValueError("the key is no public P-256 key")
    try:
        key = ECKey.import_key({name: jwk[name] for name in ("kty", "crv", "x", "y")})
        key.public_key
        return key
    except (JoseError, ValueError, TypeError, KeyError) as wrong:
        raise ValueError("the key is no public P-256 key") from wrong


def confirmed(claims: dict) -> ECKey | None:
    """The key of `cnf` (RFC 7800); nothing without `cnf`. One that is not understood would unbind what is issued."""
    if "cnf" not in claims:
        return None
    if not isinstance(claims["cnf"], dict) or not {"jwk"} <= set(claims["cnf"]) <= {"jwk", "jkt"}:
        raise ValueError("cnf must be cnf.jwk")
    key = app_key(claims["cnf"]["jwk"])
    if claims["cnf"].get("jkt", key.thumbprint()) != key.thumbprint():
        raise ValueError("cnf.jkt is not of cnf.jwk")
    return key


class KeySet:
    """ISS/jwks.json, remembered for ten minutes, read again for a `kid` that is not in it, at most every ten seconds."""

    def __init__(self, url: str):
        self.url, self.known, self.read, self.asked, self.lock = url, {}, float("-inf"), float("-inf"), threading.Lock()

    def key(self, kid):
        if not isinstance(kid, str):
            raise ValueError("it names no kid")
        with self.lock:
            now = time.monotonic()
            if (kid not in self.known or now - self.read > 600) and now - self.asked > 10:
                self.asked = now
                try:
                    answer = requests.get(self.url, timeout=TIMEOUT_S, allow_redirects=False)
                    answer.raise_for_status()
                    self.known = {jwk["kid"]: jwk for jwk in answer.json()["keys"] if "kid" in jwk}
                    self.read = now
                except (requests.RequestException, ValueError, KeyError, TypeError) as wrong:
                    self.asked = now - 9    # again in a second
                    if now - self.read > 86_400:
                        raise away("the federation's keys cannot be read now") from wrong
            if kid not in self.known:
                raise ValueError("it is signed by no key of the federation")
            try:
                return JWKRegistry.import_key(self.known[kid])
            except (JoseError, ValueError, TypeError, KeyError) as wrong:
                raise ValueError("it is signed by a key of a kind that is not known here") from wrong


class Federation:
    def __init__(self, issuer: str, base: str, client: tuple[str, str], claim, has_ended):
        """`client`: id and secret. `has_ended`: whether one of some nodes has."""
        self.issuer, self.base, self.token_endpoint, self.client = issuer, base, f"{base}/token", client
        self.claim, self.has_ended, self.keys = claim, has_ended, KeySet(f"{issuer}/jwks.json")

    def signed(self, text: str, kind: str) -> tuple[dict, str]:
        """Claims of a JWT of the federation, and the node of the key that signed it: a key that was stolen ends, too."""
        header, claims = opened(text)
        if header.get("typ") != kind or claims.get("iss") != self.issuer:
            raise ValueError(f"it is no {kind} of {self.issuer}")
        check_signature(text, self.keys.key(header.get("kid")), ISSUER_ALGORITHMS)
        signer = "signer:" + header["kid"]
        if self.has_ended([signer]):
            raise ValueError("it is signed by a key that was revoked")
        return claims, signer

    def assertion(self, text: str) -> tuple[dict, ECKey, list[str]]:
        """Claims, the key of the installation, and all from which it hangs, itself last but for the signer.
        Whether it was used, and what of it has ended, is the ledger's to say."""
        try:
            claims, signer = self.signed(text, ASSERTION)
            if claims.get("aud") != self.token_endpoint:
                raise ValueError("it is for another service")
            check_times(claims, longest=300)
            text_of(claims, "jti", "sub", "client_id")
            lineage, key = claims.get("lineage"), confirmed(claims)
            if not isinstance(lineage, list) or not 0 < len(lineage) <= 64 or not all(isinstance(node, str) for node in lineage):
                raise ValueError("lineage is missing")
            if key is None:
                raise ValueError("cnf is missing")
            return claims, key, lineage + [signer]
        except ValueError as wrong:
            raise Refused(400, "invalid_grant", f"the assertion was refused: {wrong}") from wrong

    def event(self, text: str) -> dict:
        """Claims of a Security Event Token for this service."""
        try:
            claims, _ = self.signed(text, EVENT)
            if claims.get("aud") != self.base:
                raise ValueError("it is for another service")
            text_of(claims, "jti")
            number(claims, "iat")
            events = claims.get("events")
            if not isinstance(events, dict) or not events or not all(isinstance(body, dict) for body in events.values()):
                raise ValueError("events is missing")
            return claims
        except ValueError as wrong:
            raise Refused(400, "invalid_request", f"the event was refused: {wrong}") from wrong

    def missed(self, after: int) -> dict:
        """A page of stored events: `events` in their order, `latest`, `more` (docs/events.md, "What was missed")."""
        try:
            answer = requests.get(f"{self.issuer}/events", params={"after": after, "limit": 100}, auth=self.client, timeout=TIMEOUT_S, allow_redirects=False)
            answer.raise_for_status()
            page = answer.json()
            # One that cannot be verified spoils the answer: what it would have ended is not known.
            events = [self.event(text) for text in page["sets"].values()]
            return {"events": sorted(events, key=sequence), "latest": int(page["latest"]), "more": page["moreAvailable"] is True}
        except (requests.RequestException, ValueError, KeyError, TypeError, AttributeError, Refused) as wrong:
            raise away("the federation cannot be asked for events now") from wrong

    # What apps make

    def proof(self, text: str, method: str, url: str, token: str | None = None, status: int = 401) -> str:
        """Thumbprint of the key behind a DPoP proof (RFC 9449, 4.3). `url` is the public one, never made of the Host header."""
        try:
            header, claims = opened(text)
            if header.get("typ") != "dpop+jwt":
                raise ValueError("it is no dpop+jwt")
            key = app_key(header.get("jwk"))
            check_signature(text, key, APP_ALGORITHMS)
            text_of(claims, "htm", "htu", "jti")
            if claims["htm"] != method or claims["htu"].split("?")[0].split("#")[0] != url:
                raise ValueError("it is for another request")
            if abs(number(claims, "iat") - time.time()) > SKEW:
                raise ValueError("it was not made within the last minute")
            check_begun(claims)
            if token is not None and claims.get("ath") != sha256(token):
                raise ValueError("it is for another token")
            if not self.claim(f"dpop {key.thumbprint()} {claims['jti']}", 3 * SKEW):
                raise ValueError("it was used before")
            return key.thumbprint()
        except ValueError as wrong:
            raise Refused(status, "invalid_dpop_proof", f"the proof was refused: {wrong}") from wrong

    def app_code(self, text: str, instance: str, instance_key: ECKey, app: str) -> ECKey | None:
        """The key of the app for which an installation asks; none where the app gets a bearer token."""
        try:
            header, claims = opened(text)
            if header.get("typ", "JWT").lower() != "jwt":
                raise ValueError("it is something else")
            check_signature(text, instance_key, APP_ALGORITHMS)
            if (claims.get("iss"), claims.get("sub"), claims.get("aud")) != (instance, app, self.token_endpoint):
                raise ValueError("iss, sub or aud is another's")
            check_times(claims, longest=300)
            text_of(claims, "jti")
            key = confirmed(claims)
            if not self.claim(f"code {instance_key.thumbprint()} {claims['jti']}", 300 + 2 * SKEW):
                raise ValueError("it was used before")
            return key
        except (ValueError, AttributeError) as wrong:
            raise Refused(400, "invalid_grant", f"the code was refused: {wrong}") from wrong


def sequence(claims: dict) -> int:
    """The number of an event; 0 for what is not counted, such as a heartbeat."""
    numbers = [body["seq"] for name, body in claims["events"].items() if name != "urn:pando:event:heartbeat" and type(body.get("seq")) is int]
    return min(numbers, default=0)
