"""examples/local_tokens.py against an issuer that is written here: what a federation in good health never answers."""
from __future__ import annotations

import base64
import io
import json
import pathlib
import sys
import time

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))
import local_tokens  # noqa: E402

ISSUER, BASE = "https://id.example.org", "https://learn.example.org"
PERSON, OLDER, NEWER = "person", "older", "newer"


def encoded(data: bytes | dict) -> str:
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Issuer:
    """Answers `pages` one after the other, then the last one again; an exception among them is raised."""

    def __init__(self):
        self.key, self.pages, self.asked = ed25519.Ed25519PrivateKey.generate(), [], []

    def open(self, request, timeout):
        if request == ISSUER + "/jwks.json":
            raw = self.key.public_key().public_bytes_raw()
            return io.BytesIO(json.dumps({"keys": [{"kty": "RSA"}, {"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": encoded(raw)}]}).encode())
        self.asked.append(request)
        page = self.pages.pop(0) if len(self.pages) > 1 else self.pages[0]
        if isinstance(page, BaseException):
            raise page
        return io.BytesIO(json.dumps(page).encode())

    def signed(self, kind: str, claims: dict | list, **header) -> str:
        text = encoded({"alg": "EdDSA", "kid": "k", "typ": kind} | header) + "." + encoded(claims if isinstance(claims, dict) else json.dumps(claims).encode())
        return text + "." + encoded(self.key.sign(text.encode()))

    def event(self, name: str, **body) -> str:
        return self.signed(
            "secevent+jwt", {"iss": ISSUER, "aud": BASE, "iat": int(time.time()), "jti": "j", "events": {f"urn:pando:event:{name}": body}})

    def page(self, *events: str, latest: int, more: bool = False) -> dict:
        return {"sets": dict(enumerate(events)), "moreAvailable": more, "latest": latest}

    def token(self, *lineage: str, **claims) -> str:
        now = int(time.time())
        return self.signed("at+jwt", {"iss": ISSUER, "aud": BASE, "iat": now, "exp": now + 600, "lineage": list(lineage)} | claims)


@pytest.fixture
def issuer(monkeypatch):
    issuer = Issuer()
    monkeypatch.setattr(local_tokens, "_http", issuer)
    issuer.pages = [issuer.page(latest=0)]
    return issuer


@pytest.fixture
def known(issuer):
    return local_tokens.Feed(ISSUER, BASE, "learn", "se:cret")


def refusal(known, text, **proven):
    with pytest.raises(local_tokens.Refused) as refused:
        known.verify(text, **proven)
    return refused.value.status


def test_numbers_that_begin_anew_are_read_again(issuer, known):
    """What has ended stays ended, also for tokens that were moved away from it since."""
    issuer.pages = [
        issuer.page(issuer.event("ended", node=OLDER, seq=7), latest=7), issuer.page(latest=4),
        issuer.page(
            issuer.event("moved", node=PERSON, **{"from": OLDER}, to=NEWER, seq=3), issuer.event("ended", node=NEWER, seq=4), latest=4)]
    known.read()
    with pytest.raises(ValueError):
        known.read()
    assert refusal(known, issuer.token(PERSON)) == 503
    assert refusal(known, issuer.token(OLDER)) == 401
    known.read()

    assert "after=0&" in issuer.asked[-1].full_url
    assert known.verify(issuer.token(PERSON))
    assert refusal(known, issuer.token(NEWER)) == 401
    assert refusal(known, issuer.token(OLDER, PERSON)) == 401


@pytest.mark.parametrize("wrong", [
    lambda i: {"sets": {"a": i.event("ended", node="n")}, "moreAvailable": False, "latest": 1},
    lambda i: {"sets": {"a": i.event("ended", seq=1)}, "moreAvailable": False, "latest": 1},
    lambda i: {"sets": {"a": i.event("ended", node=["n"], seq=1)}, "moreAvailable": False, "latest": 1},
    lambda i: {"sets": {"a": i.token("n")}, "moreAvailable": False, "latest": 1},
    lambda i: {"sets": {"a": 1}, "moreAvailable": False, "latest": 1},
    lambda i: {"sets": {}}, lambda i: [], lambda i: ConnectionResetError(),
])
def test_an_answer_that_is_wrong_is_not_believed(issuer, known, wrong):
    issuer.pages = [wrong(issuer)]
    with pytest.raises(Exception):
        known.read()
    assert known.heard is None and known.latest == 0


def test_whatever_goes_wrong_the_feed_goes_on(issuer, known, monkeypatch):
    """It asks no faster than once a second where its questions are not held."""
    slept = []

    class Enough(BaseException):
        pass

    def sleep(seconds):
        slept.append(seconds)
        if len(slept) == 5:
            raise Enough

    monkeypatch.setattr(local_tokens.time, "sleep", sleep)
    issuer.pages = [TypeError(), RuntimeError(), local_tokens.Refused(401, "x"), issuer.page(latest=0)]
    with pytest.raises(Enough):
        known.run()
    assert slept == [0.25, 0.5, 1.0, 1, 1]
    assert known.heard is not None and issuer.asked[-1].get_header("Prefer") == "wait=10"


def test_texts_of_any_shape_are_refused(issuer, known):
    known.read()
    good = issuer.token(PERSON)
    assert known.verify(good)
    head, body, signature = good.split(".")
    listed = encoded(b"[1]")
    for text in ["", "..", "a.b.c", f"{head}.{listed}.{signature}", f"{listed}.{body}.{signature}", f"{head}.{encoded(b'[' * 100_000)}.{signature}"]:
        assert refusal(known, text) == 401
    assert refusal(known, issuer.signed("at+jwt", {"iss": ISSUER}, kid=["k"])) == 401
    assert refusal(known, issuer.signed("at+jwt", {"iss": ISSUER}, alg="none")) == 401
    assert refusal(known, issuer.token(PERSON, exp=int(time.time()) - 61)) == 401
    assert refusal(known, issuer.token(PERSON, exp=int(time.time()) + 3_700)) == 401


def test_what_is_bound_needs_its_proof(issuer, known):
    known.read()
    bound = issuer.token(PERSON, cnf={"jkt": "thumbprint", "jwk": {}})
    assert refusal(known, bound) == 401
    assert refusal(known, bound, proven="another") == 401
    assert known.verify(bound, proven="thumbprint")
    assert refusal(known, issuer.token(PERSON, cnf={})) == 401
    assert refusal(known, issuer.token(PERSON, cnf={"jkt": "thumbprint", "x5t#S256": "other"}), proven="thumbprint") == 401


def test_redirects_are_not_followed():
    assert local_tokens._Direct().redirect_request(None, None, 302, "Found", {}, "https://elsewhere.example") is None
