"""A receiver of shared signals, written from the texts alone: OpenID Shared Signals Framework 1.0 (SSF), CAEP 1.0, RISC 1.0, RFC 8417, 8935, 8936, 9493."""
from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import requests
from joserfc import jws, jwt
from joserfc.jwk import KeySet

PUSH, POLL = "urn:ietf:rfc:8935", "urn:ietf:rfc:8936"
CAEP = "https://schemas.openid.net/secevent/caep/event-type/"
RISC = "https://schemas.openid.net/secevent/risc/event-type/"
SSF = "https://schemas.openid.net/secevent/ssf/event-type/"
STATUSES = ("enabled", "paused", "disabled")
# RFC 9493, 3.2, and SSF 3.5: what each format must have.
FORMATS = {"account": {"uri"}, "email": {"email"}, "iss_sub": {"iss", "sub"}, "opaque": {"id"}, "phone_number": {"phone_number"}, "did": {"url"},
           "uri": {"uri"}, "jwt_id": {"iss", "jti"}}
INITIATORS = {"admin", "user", "policy", "system"}
CHANGES = {"create", "revoke", "update", "delete"}
CREDENTIALS = {"password", "pin", "x509", "fido2-platform", "fido2-roaming", "fido-u2f", "verifiable-credential", "phone-voice", "phone-sms", "app"}


class Refused(Exception):
    """SSF has statuses for what cannot be."""

    def __init__(self, answer: requests.Response):
        self.status, self.headers = answer.status_code, answer.headers
        super().__init__(f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text[:300]}")


class Receiver:
    """`auth` is of `requests`. What it is told is in `events`, as claims that were checked."""

    def __init__(self, issuer: str, auth):
        self.issuer, self.auth = issuer, auth
        self.metadata = discovered(issuer)
        self.stream: dict = {}
        self.events: list[dict] = []
        # What verifications were asked for with.
        self.states: list[str] = []

    # The management API (SSF 8.1)

    def ask(self, method: str, endpoint: str, expected: int, **options) -> requests.Response:
        answer = requests.request(method, self.metadata[endpoint], auth=self.auth, timeout=60, **options)
        if answer.status_code != expected:
            raise Refused(answer)
        if answer.content:
            assert is_json(answer), "SSF 8.1.1.1, 8.1.1.2, 8.1.2.1"
        return answer

    def create(self, **members) -> dict:
        return self.keep(self.ask("POST", "configuration_endpoint", 201, json=members).json())

    def change(self, method: str, **members) -> dict:
        return self.keep(self.ask(method, "configuration_endpoint", 200, json=self.named(members)).json())

    def read(self) -> dict:
        return self.keep(self.ask("GET", "configuration_endpoint", 200, params=self.named({})).json())

    def streams(self) -> list[dict]:
        return self.ask("GET", "configuration_endpoint", 200).json()

    def delete(self) -> None:
        assert not self.ask("DELETE", "configuration_endpoint", 204, params=self.named({})).content

    def status(self) -> str:
        return self.stands(self.ask("GET", "status_endpoint", 200, params=self.named({})).json())

    def set_status(self, status: str, **members) -> None:
        assert self.stands(self.ask("POST", "status_endpoint", 200, json=self.named({"status": status, **members})).json()) == status

    def verify(self, **members) -> None:
        self.states += [members["state"]] if "state" in members else []
        assert not self.ask("POST", "verification_endpoint", 204, json=self.named(members)).content

    def named(self, members: dict) -> dict:
        return {"stream_id": self.stream["stream_id"], **members}

    def keep(self, stream: dict) -> dict:
        """SSF 8.1.1: what a configuration must have."""
        assert stream["iss"] == self.issuer and isinstance(stream["stream_id"], str) and stream["stream_id"]
        assert audiences(stream) and all(isinstance(name, str) and name for name in audiences(stream))
        assert set(stream["events_delivered"]) <= set(stream["events_supported"])
        if "events_requested" in stream:
            assert set(stream["events_delivered"]) <= set(stream["events_requested"])
        assert stream["delivery"]["method"] in self.metadata["delivery_methods_supported"]
        assert stream["delivery"]["endpoint_url"].startswith("http")
        assert isinstance(stream.get("min_verification_interval", 0), int) and isinstance(stream.get("description", ""), str)
        self.stream = stream
        return stream

    def stands(self, told: dict) -> str:
        """SSF 8.1.2.1: what a status must have."""
        assert told["stream_id"] == self.stream["stream_id"] and told["status"] in STATUSES and isinstance(told.get("reason", ""), str)
        return told["status"]

    # Delivery

    def polled(self, **members) -> tuple[list[dict], bool]:
        """RFC 8936, 2.4: one poll. What came, checked, and whether there is more."""
        answer = requests.post(self.stream["delivery"]["endpoint_url"], json={"returnImmediately": True, **members}, auth=self.auth, timeout=60)
        assert answer.status_code == 200 and is_json(answer), answer.text
        told = answer.json()
        assert isinstance(told.get("moreAvailable", False), bool), "RFC 8936, 2.3"
        assert len(told["sets"]) <= members.get("maxEvents", len(told["sets"])), "RFC 8936, 2.2"
        came = []
        for jti, token in told["sets"].items():
            claims = self.checked(token)
            assert claims["jti"] == jti, "RFC 8936, 2.3"
            came.append(claims)
        return came, told.get("moreAvailable", False)

    def poll(self, **members) -> list[dict]:
        """What waits is acknowledged, until there is no more; what was acknowledged never comes again."""
        taken: list[dict] = []
        while True:
            new, more = self.polled(**members, ack=[claims["jti"] for claims in taken])
            known = {claims["jti"] for claims in self.events + taken}
            assert not known & {claims["jti"] for claims in new}, "RFC 8936, 2.4"
            taken += new
            if not new and not more:
                self.events += taken
                return taken

    def take(self, token: str) -> None:
        self.events.append(self.checked(token))

    def types(self) -> list[str]:
        return [event_type(claims) for claims in self.events]

    def checked(self, token: str) -> dict:
        """SSF 4.1: a token by the transmitter's key, which cannot be taken for another kind."""
        header = jws.extract_compact(token.encode()).headers()
        assert header["typ"].lower() in ("secevent+jwt", "application/secevent+jwt"), "SSF 4.1.1"
        assert header["alg"] not in ("none", "HS256")
        keys = requests.get(self.metadata["jwks_uri"], timeout=20).json()
        claims = jwt.decode(token, KeySet.import_key_set(keys), algorithms=[header["alg"]]).claims
        assert claims["iss"] == self.stream["iss"], "SSF 4.1.6"
        assert set(audiences(claims)) & set(audiences(self.stream)), "SSF 4.1.8"
        assert "sub" not in claims and "exp" not in claims, "SSF 4.1.3"
        assert isinstance(claims["jti"], str) and claims["jti"]
        assert isinstance(claims["iat"], int) and abs(claims["iat"] - time.time()) < 600
        assert isinstance(claims["events"], dict) and len(claims["events"]) == 1, "SSF 4.2.1"
        check_subject(claims["sub_id"])
        check_event(claims, self.stream, self.states)
        return claims


def is_json(answer: requests.Response) -> bool:
    return answer.headers["Content-Type"].split(";")[0] == "application/json"


def discovered(issuer: str) -> dict:
    """SSF 7.1, 7.2: the configuration of a transmitter whose issuer has no path."""
    answer = requests.get(f"{issuer}/.well-known/ssf-configuration", timeout=20)
    assert answer.status_code == 200 and is_json(answer), "SSF 7.2.3"
    told = answer.json()
    assert told["issuer"] == issuer and not urlsplit(issuer).query and not urlsplit(issuer).fragment, "SSF 7.2.4"
    assert all(value for value in told.values() if isinstance(value, list)), "SSF 7.2.3: what has no elements is left out"
    assert told.get("default_subjects", "ALL") in ("ALL", "NONE")
    assert all(scheme["spec_urn"].startswith("urn:") for scheme in told["authorization_schemes"]), "SSF 7.1.1"
    return told


def audiences(claims: dict) -> list[str]:
    return claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]


def event_type(claims: dict) -> str:
    return next(iter(claims["events"]))


def body(claims: dict) -> dict:
    return claims["events"][event_type(claims)]


def check_subject(subject: dict, simple: bool = False) -> None:
    """SSF 3: a simple subject, or one of several simple ones."""
    if subject["format"] == "complex":
        assert not simple and len(subject) > 1
        for name, member in subject.items():
            if name != "format":
                check_subject(member, simple=True)
        return
    needed = FORMATS[subject["format"]]
    assert set(subject) == needed | {"format"} and all(isinstance(subject[name], str) and subject[name] for name in needed)


def check_event(claims: dict, stream: dict, states: list[str]) -> None:
    kind, members = event_type(claims), body(claims)
    if kind.startswith(SSF):
        # About the stream itself, asked for or not.
        assert claims["sub_id"] == {"format": "opaque", "id": stream["stream_id"]}, "SSF 8.1.4.1, 8.1.5"
        if kind == SSF + "verification":
            assert not members or members in [{"state": state} for state in states], "SSF 8.1.4.1: the one that was asked for, or none"
        else:
            assert kind == SSF + "stream-updated" and set(members) <= {"status", "reason"} and members["status"] in STATUSES, "SSF 8.1.5"
        return
    assert kind in stream["events_delivered"], "SSF 8.1.1"
    if kind.startswith(CAEP):
        assert isinstance(members.get("event_timestamp", 0), int)
        assert members.get("initiating_entity", "user") in INITIATORS, "CAEP 2"
    if kind == CAEP + "credential-change":
        assert members["change_type"] in CHANGES and members["credential_type"] in CREDENTIALS, "CAEP 3.3.1"
    if kind.startswith(RISC):
        assert set(members) <= {"reason"}, "RISC 2"


class PushEndpoint:
    """RFC 8935 at `BASE/signals` of a service on this machine; `refusing` answers so instead. `tokens` are all that came."""

    def __init__(self, port: int, header: str | None = None):
        self.header, self.receiver, self.refusing = header, None, None
        self.tokens: list[str] = []
        self.problems: list[str] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"endpoint": self}))
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def __enter__(self) -> "PushEndpoint":
        return self

    def __exit__(self, *problem) -> None:
        self._http.shutdown()
        self._http.server_close()

    def take(self, path: str, headers, token: str) -> int:
        if path != "/learn/signals":
            # What comes while there is no stream, heartbeats for one.
            return 404
        try:
            assert headers["Content-Type"] == "application/secevent+jwt" and "application/json" in headers["Accept"], "RFC 8935, 2.1"
            assert headers.get("Authorization") == self.header, "SSF 6.1.1: with every request"
            self.tokens.append(token)
            if self.refusing:
                return self.refusing
            self.receiver.take(token)
        except Exception as problem:  # the test looks at it
            self.problems.append(repr(problem))
            return 400
        return 202


class _Handler(BaseHTTPRequestHandler):
    endpoint: PushEndpoint

    def log_message(self, *arguments) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        token = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        status = self.endpoint.take(self.path, self.headers, token)
        said = b'{"err": "invalid_request", "description": "not as the texts have it"}' if status == 400 else b""
        self.send_response(status)
        self.send_header("Content-Length", str(len(said)))
        if said:
            self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(said)
