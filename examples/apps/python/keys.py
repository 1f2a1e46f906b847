"""Keys, the JWTs that they sign, and proofs of possession (RFC 9449) for `requests`."""
from __future__ import annotations

import base64
import hashlib
import secrets
import time
from urllib.parse import urlsplit

import requests
from joserfc import jwt
from joserfc.jwk import ECKey

nonces: dict[str, str] = {}     # the latest of each server (RFC 9449, 8)


def new_key() -> ECKey:
    return ECKey.generate_key("P-256", private=True)


def public(key: ECKey) -> dict:
    return key.as_dict(private=False)


def sha256(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def signed(key: ECKey, header: dict, **claims) -> str:
    return jwt.encode({"alg": "ES256", **header}, {"iat": int(time.time()), "jti": secrets.token_urlsafe(16), **claims}, key, algorithms=["ES256"])


class Proof(requests.auth.AuthBase):
    """A proof for each request; with `token`, the token too. Where a server wants its nonce in it, once more with that."""

    def __init__(self, key: ECKey, token: str | None = None):
        self.key, self.token = key, token

    def __call__(self, request):
        request.register_hook("response", self.listen)
        return self.prove(request)

    def prove(self, request):
        claims, nonce = {"htm": request.method, "htu": request.url.split("?")[0]}, nonces.get(urlsplit(request.url).netloc)
        claims |= {"nonce": nonce} if nonce else {}
        if self.token:
            claims["ath"] = sha256(self.token)
            request.headers["Authorization"] = f"DPoP {self.token}"
        request.headers["DPoP"] = signed(self.key, {"typ": "dpop+jwt", "jwk": public(self.key)}, **claims)
        return request

    def listen(self, answer, **options):
        if "DPoP-Nonce" in answer.headers:
            nonces[urlsplit(answer.url).netloc] = answer.headers["DPoP-Nonce"]
        if answer.status_code not in (400, 401) or "use_dpop_nonce" not in answer.text + answer.headers.get("WWW-Authenticate", ""):
            return answer
        second = answer.connection.send(self.prove(answer.request.copy()), **options)   # hooks are not run for it: no third one
        second.history.append(answer)
        return second
