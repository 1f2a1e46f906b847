"""A tiqr phone: reads QR codes from pictures, enrols, and answers challenges by OCRA (RFC 6287), as the Android app would on the wire."""
from __future__ import annotations

import hashlib
import hmac
import io
import secrets
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import requests
import zxingcpp
from PIL import Image

TIMEOUT_S = 30
SPEAKS = {"Accept": "application/json", "X-TIQR-Protocol-Version": "2", "User-Agent": "interop/1 (interop 1/1; Android 16/36; none) okhttp/4"}
LOGGED_IN, WRONG, USED, UNKNOWN = 1, 201, 203, 205


def codes(picture: bytes) -> list[str]:
    """What the QR codes of a picture say."""
    return [found.text for found in zxingcpp.read_barcodes(Image.open(io.BytesIO(picture)).convert("RGB"), formats=zxingcpp.BarcodeFormat.QRCode)]


def ocra(suite: str, secret: bytes, question: str, session: str) -> str:
    """RFC 6287 for suites like OCRA-1:HOTP-SHA1-6:QH10-S064: the question filled up to the right, the session to the left."""
    _, function, _ = suite.split(":")
    _, name, digits = function.split("-")
    message = suite.encode() + b"\0" + bytes.fromhex(question).ljust(128, b"\0") + bytes.fromhex(session).rjust(64, b"\0")
    mac = hmac.new(secret, message, getattr(hashlib, name.lower())).digest()
    start = mac[-1] & 15
    number = int.from_bytes(mac[start:start + 4], "big") & 0x7FFFFFFF
    return str(number % 10 ** int(digits)).rjust(int(digits), "0")


@dataclass
class Challenge:
    """`tiqrauth://[identity@]service/session/question/shown/2`."""

    identity: str | None
    service: str
    session: str
    question: str
    shown: str

    @staticmethod
    def read(link: str) -> "Challenge":
        scheme, rest = link.split("://", 1)
        authority, session, question, shown, version = rest.split("?")[0].split("/")
        assert (scheme, version) == ("tiqrauth", "2"), link
        identity, _, service = authority.rpartition("@")
        return Challenge(unquote(identity) or None, service, session, question, unquote(shown))


@dataclass
class Identity:
    """What the phone keeps; the secret is under a PIN, which nobody types here."""

    name: str
    shown: str
    service: str
    suite: str
    url: str
    secret: bytes


class TiqrPhone:
    """One phone, for one identity."""

    def __init__(self):
        self.identity: Identity | None = None
        self.registration = ""

    # Enrolling

    def read(self, link: str) -> dict:
        """The metadata behind `tiqrenroll://`, which is told once."""
        scheme, url = link.split("://", 1)
        assert scheme == "tiqrenroll" and urlsplit(url).scheme in ("http", "https"), link
        answer = requests.get(url, headers=SPEAKS, timeout=TIMEOUT_S)
        assert answer.status_code == 200, answer.text
        service, identity = answer.json()["service"], answer.json()["identity"]
        logo = requests.get(service["logoUrl"], timeout=TIMEOUT_S)
        assert Image.open(io.BytesIO(logo.content)).width <= 250, "iOS wants a small logo, and goes no further without"
        self.registration = service["enrollmentUrl"]
        self.identity = Identity(identity["identifier"], identity["displayName"], service["identifier"], service["ocraSuite"], service["authenticationUrl"],
                                 secrets.token_bytes(32))
        return answer.json()

    def register(self) -> None:
        form = {"secret": self.identity.secret.hex(), "language": "en", "operation": "register"}
        answer = requests.post(self.registration, data=form, headers=SPEAKS, timeout=TIMEOUT_S)
        assert answer.json() == {"responseCode": 1}, answer.text

    def enroll(self, link: str) -> None:
        self.read(link)
        self.register()

    # Answering

    def password(self, link: str) -> str:
        """What the phone shows when it is offline."""
        challenge = Challenge.read(link)
        assert challenge.service == self.identity.service and challenge.identity in (None, self.identity.name), "a phone would not know this account"
        return ocra(self.identity.suite, self.identity.secret, challenge.question, challenge.session)

    def wrong_password(self, link: str) -> str:
        right = self.password(link)
        return right[:-1] + str((int(right[-1]) + 1) % 10)

    def answer(self, link: str, response: str | None = None) -> int:
        """`responseCode`."""
        form = {"sessionKey": Challenge.read(link).session, "userId": self.identity.name, "response": response or self.password(link), "language": "en",
                "operation": "login"}
        answer = requests.post(self.identity.url, data=form, headers=SPEAKS, timeout=TIMEOUT_S)
        assert answer.headers["X-TIQR-Protocol-Version"] == "2", answer.text
        return answer.json()["responseCode"]
