"""What nobody should send to a service: assertions, proofs and codes with one thing wrong each, forgeries, and forms that make no sense.

A claim that is `...` is left out; what depends on the service's base or on the time is a function of the base.
"""
from __future__ import annotations

import base64
import json

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from keys import base64url, new_key, now, public, sha256

OLD = 7_200
WRONG = {
    "of another issuer": {"iss": "https://id.example.org"},
    "for another service": {"aud": "https://other.example.org/token"},
    "for it and another": lambda base: {"aud": [f"{base}/token", "https://other.example.org/token"]},
    "for its base": lambda base: {"aud": base},
    "expired": lambda _: {"iat": now() - OLD, "exp": now() - OLD + 300},
    "of the future": lambda _: {"iat": now() + OLD, "exp": now() + OLD + 300},
    "for an hour": lambda _: {"exp": now() + 3_600},
    "not begun": lambda _: {"nbf": now() + OLD},
    "nbf a word": {"nbf": "soon"},
    "exp no time": {"exp": float("nan")},
    "exp a long number": {"exp": 10**400},
    "exp a word": lambda _: {"exp": str(now() + 300)},
    "without exp": {"exp": ...},
    "without iat": {"iat": ...},
    "without jti": {"jti": ...},
    "jti a number": {"jti": 7},
    "without sub": {"sub": ...},
    "without client": {"client_id": ...},
    "without lineage": {"lineage": ...},
    "nothing in lineage": {"lineage": []},
    "lineage a word": {"lineage": "version-1"},
    "a number in lineage": {"lineage": ["version-1", 7]},
    "without cnf": {"cnf": ...},
    "cnf null": {"cnf": None},
    "cnf a certificate": {"cnf": {"x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"}},
    "cnf a thumbprint": {"cnf": {"jkt": sha256("key")}},
    "cnf another thumbprint": lambda _: {"cnf": {"jwk": public(new_key()), "jkt": sha256("key")}},
    "cnf a secret": {"cnf": {"jwk": {"kty": "oct", "k": "c2VjcmV0"}}},
    "cnf off the curve": {"cnf": {"jwk": {"kty": "EC", "crv": "P-256", "x": base64url(b"\1" * 32), "y": base64url(b"\1" * 32)}}},
    "cnf too short": {"cnf": {"jwk": {"kty": "EC", "crv": "P-256", "x": "AQ", "y": "AQ"}}},
    "cnf a private key": lambda _: {"cnf": {"jwk": new_key().as_dict(private=True)}},
}

PROOFS = {
    "of another method": {"htm": "DELETE"}, "of another place": {"htu": "https://other.example.org/notes"}, "of an hour ago": {"iat": 1_000_000_000},
    "of the future": {"iat": 9_000_000_000}, "iat a word": {"iat": "now"}, "of no time": {"iat": float("nan")}, "of the end": {"iat": float("inf")},
    "of a long number": {"iat": 10**400}, "without jti": {"jti": ...}, "jti a list": {"jti": ["a"]}, "without htu": {"htu": ...},
    "of another token": {"ath": sha256("other")}, "of no token": {"ath": ...},
}

CODES = {
    "of another phone": {"iss": "phone-2"}, "for another app": {"sub": "org.example.other"}, "for the issuer": {"aud": "https://id.example.org"},
    "expired": {"iat": 1_000_000_000, "exp": 1_000_000_060}, "for a day": {"exp": 9_000_000_000}, "without jti": {"jti": ...}, "without exp": {"exp": ...},
    "without end": {"exp": float("nan")}, "of no time": {"iat": float("nan"), "exp": float("nan")}, "of a long number": {"iat": 10**400, "exp": 10**400},
    "cnf a certificate": {"cnf": {"x5t#S256": "x"}}, "cnf empty": {"cnf": {}}, "cnf a word": {"cnf": "key"}, "cnf null": {"cnf": None},
}

FORMS = [
    b"", b"grant_type", b"grant_type=%00", b"grant_type=%ff", b"grant_type=password", b"grant_type=refresh_token&refresh_token=", b"\xff\xfe",
    b"grant_type[]=refresh_token&refresh_token[]=x&token[]=x", b"grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer",
    b"grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=%00", b"grant_type=authorization_code&code=x&client_id=x&scope=x",
    b"token=" + b"x" * 200_000,
]


def forgeries(issuer, base):
    """Assertions by no key of the issuer, or by none at all."""
    good = issuer.assertion(base, new_key())
    head, body, signature = good.split(".")
    header = json.loads(base64.urlsafe_b64decode(head + "=="))
    yield issuer.assertion(base, new_key(), key=new_key())
    yield issuer.assertion(base, new_key(), key=new_key(), kid="unknown")
    yield issuer.assertion(base, new_key(), header={"crit": ["x"], "x": 1})
    for algorithm in ("none", "None", "HS256", "ES512", "", None, 7):
        yield f"{sealed(header | {'alg': algorithm})}.{body}.{signature}"
        yield f"{sealed(header | {'alg': algorithm})}.{body}."
    secret = OctKey.import_key(json.dumps(public(issuer.keys["one"])).encode())
    yield jwt.encode({**header, "alg": "HS256"}, json.loads(base64.urlsafe_b64decode(body + "==")), secret, algorithms=["HS256"])
    yield jwt.encode({**header, "alg": "RS256"}, json.loads(base64.urlsafe_b64decode(body + "==")), RSAKey.generate_key(2048), algorithms=["RS256"])
    yield f"{head}.{sealed({**json.loads(base64.urlsafe_b64decode(body + '==')), 'sub': 'grace'})}.{signature}"
    yield from (f"{head}.{body}.{base64url(wrong)}" for wrong in (bytes(64), b"\xff" * 64, bytes(63), b"\1"))
    yield from (good + ".", f"{good}.{signature}", f"{head}.{body}", head, "..", ".", "ey.ey.ey", "é", "[" * 5_000, f"{head}.{base64url(b'[]')}.{signature}",
                f"{base64url(b'7')}.{body}.{signature}", f"{base64url(b'{}')}.{body}.{signature}", f"{head}.{base64url(b'[' * 9_000)}.{signature}")


def sealed(value) -> str:
    return base64url(json.dumps(value).encode())
