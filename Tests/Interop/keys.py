"""Keys and JWTs by joserfc: nothing here was written by those who wrote the server."""
from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time

import requests
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet
from requests.auth import AuthBase

ALGORITHMS = ["ES256"]


def new_key() -> ECKey:
    return ECKey.generate_key("P-256", private=True)


def public(key: ECKey, **members: str) -> dict:
    return key.as_dict(private=False) | members


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sha256(text: str) -> str:
    return base64url(hashlib.sha256(text.encode()).digest())


def new_id() -> str:
    return secrets.token_urlsafe(16)


def now() -> int:
    return int(time.time())


def pkce() -> tuple[str, str]:
    """RFC 7636: a verifier and its S256 challenge."""
    verifier = secrets.token_urlsafe(48)
    return verifier, sha256(verifier)


def signed(key: ECKey, claims: dict, **header) -> str:
    return jwt.encode({"alg": "ES256", **header}, claims, key, algorithms=ALGORITHMS)


def signed_as_it_is(key: ECKey, header: dict, claims: dict) -> str:
    """ES256 over a header that no library would write."""
    head, body = (base64url(json.dumps(part).encode()) for part in (header, claims))
    r, s = decode_dss_signature(key.private_key.sign(f"{head}.{body}".encode(), ECDSA(SHA256())))
    return f"{head}.{body}.{base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def verified(text: str, issuer: str, typ: str, algorithm: str = "ES256") -> dict:
    """The claims of a JWT of the server, checked against its published keys, with `alg`, `typ` and `iss` as they must be."""
    published = requests.get(f"{issuer}/jwks.json", timeout=20)
    published.raise_for_status()
    token = jwt.decode(text, KeySet.import_key_set(published.json()), algorithms=[algorithm])
    assert token.header["typ"] == typ, token.header
    assert token.claims["iss"].startswith(issuer), token.claims
    return token.claims


def kid(text: str) -> str:
    """By which key a JWT says that it is signed."""
    head = text.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))["kid"]


class Proof(AuthBase):
    """RFC 9449 for `requests`: a DPoP proof, and the access token when one is shown. Fresh for each request."""

    def __init__(self, key: ECKey, access_token: str | None = None):
        self.key, self.access_token, self.nonce = key, access_token, None

    def __call__(self, request):
        claims = {"htm": request.method, "htu": request.url.split("?")[0], "iat": now(), "jti": new_id()}
        claims |= {"nonce": self.nonce} if self.nonce else {}
        if self.access_token:
            claims["ath"] = sha256(self.access_token)
            request.headers["Authorization"] = f"DPoP {self.access_token}"
        request.headers["DPoP"] = signed(self.key, claims, typ="dpop+jwt", jwk=public(self.key))
        return request


class NoncedProof(Proof):
    """The same for a server that wants its own nonce in each proof (RFC 9449, 8 and 9): asks again with it, and keeps it for the next request."""

    def __call__(self, request):
        request.register_hook("response", self.listen)
        return super().__call__(request)

    def listen(self, answer: requests.Response, **options) -> requests.Response:
        wanted = answer.status_code in (400, 401) and "use_dpop_nonce" in answer.text + answer.headers.get("WWW-Authenticate", "")
        known, self.nonce = self.nonce, answer.headers.get("DPoP-Nonce", self.nonce)
        if not wanted or self.nonce == known:
            return answer
        again = super().__call__(answer.request.copy())
        answer.close()
        asked = answer.connection.send(again, **options)
        asked.history.append(answer)
        return asked


class Together(AuthBase):
    """Several in one request: a client's own authentication, and a proof."""

    def __init__(self, *parts: AuthBase):
        self.parts = parts

    def __call__(self, request):
        for part in self.parts:
            request = part(request)
        return request


class SelfMade(AuthBase):
    """eduID's own presentation: a Bearer JWT made for this one request, whose `kid` is the `jti` of the token it stands for."""

    def __init__(self, key: ECKey, holder: str, jti: str):
        self.key, self.holder, self.jti = key, holder, jti

    def __call__(self, request):
        claims = {"iss": self.holder, "aud": request.url.split("?")[0], "iat": now(), "exp": now() + 60, "jti": new_id()}
        request.headers["Authorization"] = f"Bearer {signed(self.key, claims, typ='JWT', kid=self.jti)}"
        return request
