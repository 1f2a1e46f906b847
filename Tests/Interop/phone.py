"""A phone app whose OAuth is Authlib's: Authlib builds and reads every token request, we add keys and proofs."""
from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from joserfc.jwk import ECKey

from keys import Proof, new_id, new_key, now, pkce, public, signed
from server import Server

TIMEOUT_S = 30
JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"
PASSWORD = "a long enough password"


class ShortAssertion(PrivateKeyJWT):
    """Authlib's `private_key_jwt`, for the issuer instead of the token endpoint, and for a minute instead of an hour."""

    def __init__(self, issuer: str, header: dict | None = None, **claims):
        super().__init__(token_endpoint=issuer, headers=header, alg="ES256")
        self._ours = claims

    @property
    def claims(self) -> dict:
        """Authlib would keep one `jti` for all requests of a session."""
        return {"exp": now() + 60, "jti": new_id()} | self._ours

    @claims.setter
    def claims(self, value) -> None:
        """Authlib's initialiser sets none."""


@dataclass
class Release:
    """A version of an app, known to the server by its public key."""

    app: str
    version: str
    key: ECKey = field(default_factory=new_key)
    kid: str = field(default_factory=lambda: f"v-{secrets.token_hex(4)}")

    @property
    def id(self) -> str:
        return f"{self.app}.{self.version}"

    @staticmethod
    def add(server: Server, app: str | None = None, version: str = "1") -> "Release":
        release = Release(app or f"org.example.a{secrets.token_hex(4)}", version)
        if app is None:
            server.admin("apps", "create", release.app, "--name", "Interop app")
        server.admin("apps", "versions", "add", release.app, version, "--jwk", "-", stdin=json.dumps(public(release.key, kid=release.kid)))
        return release


def person(server: Server, name: str | None = None) -> str:
    """A username whose password is PASSWORD."""
    name = name or f"u{secrets.token_hex(5)}"
    server.admin("accounts", "create", "--username", name, "--password-stdin", "--email", f"{name}@example.org", stdin=PASSWORD)
    return name


class Phone:
    """One installed app. `instance`, `pat` and what `open` and `hand_out` give are Authlib's token dictionaries."""

    def __init__(self, issuer: str, release: Release, **described: str):
        self.issuer, self.release = issuer, release
        self.described = {"name": "Interop phone", "device_type": "phone", "os_version": "1.0"} | described
        self.key, self.device = new_key(), f"device-{secrets.token_hex(6)}"
        self.instance = self.pat = self.client_id = None

    @property
    def token_endpoint(self) -> str:
        return f"{self.issuer}/token"

    def session(self) -> OAuth2Session:
        """One for each use: an Authlib session remembers the last token that it saw."""
        return OAuth2Session(self.client_id, default_timeout=TIMEOUT_S)

    def proof(self, token: dict | None = None) -> Proof:
        return Proof(self.key, token and token["access_token"])

    def register(self) -> "Phone":
        """`client_credentials` with the version's key as Authlib's client key."""
        session = OAuth2Session(self.release.id, self.release.key, token_endpoint_auth_method="private_key_jwt", default_timeout=TIMEOUT_S)
        session.register_client_auth_method(ShortAssertion(
            self.issuer, {"typ": "client-authentication+jwt", "kid": self.release.kid}, sub=self.device, **self.described,
            cnf={"jwk": public(self.key)}))
        self.instance = session.fetch_token(self.token_endpoint, grant_type="client_credentials")
        self.client_id = self.instance["client_id"]
        return self

    def log_in(self, username: str, password: str = PASSWORD) -> "Phone":
        verifier, challenge = pkce()
        code = self.ask("POST", "/authorize/challenge", self.instance, data={
            "client_id": self.client_id, "username": username, "password": password, "code_challenge": challenge, "code_challenge_method": "S256"})
        assert code.status_code == 200, code.text
        self.pat = self.session().fetch_token(self.token_endpoint, grant_type="authorization_code", code=code.json()["authorization_code"],
                                              code_verifier=verifier, client_id=self.client_id, auth=self.proof())
        return self

    def ask(self, method: str, path: str, token: dict | None = None, **options) -> requests.Response:
        """With the PAT, or another token of this phone, and a proof."""
        return requests.request(method, self.issuer + path, auth=self.proof(token or self.pat), timeout=TIMEOUT_S, **options)

    def refresh(self, token: dict) -> dict:
        return self.session().refresh_token(self.token_endpoint, refresh_token=token["refresh_token"], auth=self.proof(), client_id=self.client_id)

    def assertion(self, service: str) -> tuple[str, str]:
        """Assertion and token endpoint, by eduID's own endpoint."""
        answer = self.ask("POST", "/authorization", data={"response_type": "code", "redirect_uri": service})
        assert answer.status_code == 200, answer.text
        return answer.json()["code"], answer.json()["redirect_uri"]

    def exchange(self, service: str) -> dict:
        """The same by RFC 8693."""
        return self.session().fetch_token(self.token_endpoint, grant_type=TOKEN_EXCHANGE, subject_token=self.pat["access_token"],
                                          subject_token_type=ACCESS_TOKEN, requested_token_type=ID_JAG, resource=service, auth=self.proof())

    def open(self, service: str) -> dict:
        """A service token: an assertion, redeemed at once."""
        assertion, endpoint = self.assertion(service)
        return self.session().fetch_token(endpoint, grant_type=JWT_BEARER, assertion=assertion, auth=self.proof())

    def hand_out(self, service_token: dict, service: str, scope: str, bundle: str, app_key: ECKey | None = None) -> dict:
        """An app token for another app on this phone, bound to its key when it brings one."""
        endpoint = f"{service}/token"
        claims = {"iss": self.client_id, "sub": bundle, "aud": endpoint, "iat": now(), "exp": now() + 60, "jti": new_id()}
        claims |= {"cnf": {"jwk": public(app_key)}} if app_key else {}
        return self.session().fetch_token(endpoint, grant_type="authorization_code", code=signed(self.key, claims, typ="JWT"), client_id=bundle,
                                          scope=scope, auth=self.proof(service_token))

    def lives(self, token: dict) -> bool:
        """Whether the server takes this token of ours."""
        answer = self.session().introspect_token(f"{self.issuer}/introspect", token=token["access_token"], auth=self.proof(self.instance))
        return answer.status_code == 200 and answer.json()["active"]
