"""Each way to a token, or to its end, as one request that may be asked again; and what holds of its answer afterwards."""
from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import uuid
from dataclasses import dataclass
from typing import Callable

import requests
from requests.auth import HTTPBasicAuth

from browsing import Browser
from clients import CALLBACK, CODE, DEVICE, REFRESH, machine, web_client
from keys import new_id, new_key, now, pkce, public, signed
from phone import ACCESS_TOKEN, ID_JAG, JWT_BEARER, TOKEN_EXCHANGE, PASSWORD, Phone, Release, person
from server import Server, session

ASSERTED = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
SCOPE, BUNDLE = "ch.pando.viewer", "org.example.photos"
TIMEOUT_S = 30


@dataclass
class Case:
    """`holds` says of an acknowledged answer whether it is true still. `spent` is there for what works once: when it is refused at the second asking, was it
    used up by a commit that left what it was for? `refusal` is what it is refused with then."""

    ask: Callable[[], requests.Response]
    holds: Callable[[dict], bool]
    spent: Callable[[], bool] | None = None
    refusal: tuple[int, str] = (400, "invalid_grant")
    # Of a revocation, which an answer ends; everything else must live.
    ends: Callable[[], bool] | None = None
    # Of a refresh whose process was killed between the commit of its note and the answer, and that came back when its last ten seconds were over
    # (docs/token-tree.md, "Refresh tokens"): whether it was that; the person has logged in again then.
    missed: Callable[[], bool] | None = None


class World:
    """Clients, a phone and a person, at a server whose issuer is where it listens."""

    def __init__(self, server: Server, database: str):
        self.server, self.issuer, self.database = server, server.issuer, database
        self.viewer = f"{server.issuer}/services/viewer"
        self.basic = HTTPBasicAuth(*machine(server))
        self.key = new_key()
        self.keyed = server.admin("clients", "create", "--name", "keyed", "--grant", "client_credentials", "--scope", "read", "--auth-method", "private_key_jwt",
                                  "--jwks", "-", stdin=json.dumps({"keys": [public(self.key, kid="k1")]}))["client_id"]
        self.release, self.name = Release.add(server), person(server)
        self.phone = Phone(self.issuer, self.release).register().log_in(self.name)
        self.service = self.phone.open(self.viewer)
        self.web = web_client(server, "Web", grants=(CODE, REFRESH))
        self.web_auth = HTTPBasicAuth(self.web["client_id"], self.web["client_secret"])
        self.television = web_client(server, "Television", grants=(DEVICE, REFRESH), auth="none")["client_id"]
        self.browser = Browser(self.issuer, self.name)
        self.pair = self.redeemed(*self.code())

    def post(self, path: str, **options) -> requests.Response:
        options.setdefault("timeout", TIMEOUT_S)
        return requests.post(path if path.startswith("http") else self.issuer + path, allow_redirects=False, **options)

    def asserted(self) -> dict:
        """RFC 7523, 2.2: the client proves itself by its key."""
        claims = {"iss": self.keyed, "sub": self.keyed, "aud": self.issuer, "iat": now(), "exp": now() + 120, "jti": new_id()}
        return {"client_id": self.keyed, "client_assertion_type": ASSERTED, "client_assertion": signed(self.key, claims, kid="k1")}

    def sql(self, statement: str) -> str:
        """Past the wire that breaks."""
        return subprocess.run([*session(self.database), "--command", statement], check=True, text=True, capture_output=True, timeout=30).stdout.strip()

    def active(self, told: dict, auth=None) -> bool:
        """A client is told of its own tokens."""
        answer = self.post("/introspect", data={"token": told["access_token"]}, auth=auth or self.basic)
        assert answer.status_code == 200, answer.text
        return answer.json()["active"]

    def held_by_web(self, told: dict) -> bool:
        return self.active(told, self.web_auth)

    def userinfo(self, told: dict) -> bool:
        return requests.get(f"{self.issuer}/userinfo", headers={"Authorization": f"Bearer {told['access_token']}"}, timeout=TIMEOUT_S).status_code == 200

    def reads(self, told: dict, service: str) -> bool:
        """Whether the service takes it, with its key; what for, is another matter."""
        return requests.get(f"{service}/attributes", auth=self.phone.proof(told), timeout=TIMEOUT_S).status_code != 401

    # Codes

    def code(self, **more: str) -> tuple[str, str]:
        verifier, challenge = pkce()
        query = {"response_type": "code", "client_id": self.web["client_id"], "redirect_uri": CALLBACK, "scope": "openid", "state": new_id(),
                 "code_challenge": challenge, "code_challenge_method": "S256"}
        page = self.browser.walk(requests.Request("GET", f"{self.issuer}/authorize", params=query | more).prepare().url)
        assert page.is_outside and "code" in page.answer, page.url
        return page.answer["code"], verifier

    def redeem(self, code: str, verifier: str) -> requests.Response:
        return self.post("/token", auth=self.web_auth, data={"grant_type": CODE, "code": code, "code_verifier": verifier, "redirect_uri": CALLBACK})

    def redeemed(self, code: str, verifier: str) -> dict:
        answer = self.redeem(code, verifier)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def is_spent(self, code: str) -> bool:
        """Used, with a token that was issued for it."""
        node = uuid.UUID(bytes=base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))[:16])
        return self.sql(f"select count(*) from token c join token t on t.id = c.child where c.id = '{node}' and c.used_at is not null") == "1"


    def missed(self, refresh_token: str, log_in: Callable[[], None]) -> bool:
        family = uuid.UUID(bytes=base64.urlsafe_b64decode(refresh_token + "=" * (-len(refresh_token) % 4))[:16])
        was = self.sql(f"select count(*) from family where id = '{family}' and answered_at < now() - interval '10 seconds'") == "1"
        log_in()
        return was


# The cases. Each is made anew, with all that it needs made beforehand.


def client_credentials(world: World) -> Case:
    return Case(lambda: world.post("/token", data={"grant_type": "client_credentials"}, auth=world.basic), world.active)


def client_assertion(world: World) -> Case:
    """One `jti` for all tries, as of a client that signs once and asks again: what authenticates may be used up and nothing given for it, as the client signs
    anew at no cost, and is taken then."""
    shown, before = world.asserted(), int(world.sql("select count(*) from one_time"))

    def token(form: dict) -> requests.Response:
        return world.post("/token", data={"grant_type": "client_credentials"} | form)

    def holds(told: dict) -> bool:
        answer = world.post("/introspect", data={"token": told["access_token"]} | world.asserted())
        return answer.status_code == 200 and answer.json()["active"]

    def spent() -> bool:
        return int(world.sql("select count(*) from one_time")) > before and holds(token(world.asserted()).json())
    return Case(lambda: token(shown), holds, spent, (401, "invalid_client"))


def register_phone(world: World) -> Case:
    phone = Phone(world.issuer, world.release)
    key = public(phone.key)

    def ask() -> requests.Response:
        claims = {"iss": world.release.id, "sub": phone.device, "aud": world.issuer, "iat": now(), "exp": now() + 60, "jti": new_id(), "cnf": {"jwk": key},
                  **phone.described}
        assertion = signed(world.release.key, claims, typ="client-authentication+jwt", kid=world.release.kid)
        return world.post("/token", data={"grant_type": "client_credentials", "client_id": world.release.id, "client_assertion_type": ASSERTED, "client_assertion": assertion})

    def holds(told: dict) -> bool:
        answer = requests.post(f"{world.issuer}/introspect", data={"token": told["access_token"]}, auth=phone.proof(told), timeout=TIMEOUT_S)
        return answer.status_code == 200 and answer.json()["active"]
    return Case(ask, holds)


def challenge(world: World) -> Case:
    verifier, wanted = pkce()
    form = {"client_id": world.phone.client_id, "username": world.name, "password": PASSWORD, "code_challenge": wanted, "code_challenge_method": "S256"}

    def holds(told: dict) -> bool:
        answer = world.post("/token", auth=world.phone.proof(), data={
            "grant_type": CODE, "code": told["authorization_code"], "code_verifier": verifier, "client_id": world.phone.client_id})
        if answer.status_code == 200:
            world.phone.pat = answer.json()
            world.service = world.phone.open(world.viewer)
        return answer.status_code == 200
    return Case(lambda: world.phone.ask("POST", "/authorize/challenge", world.phone.instance, data=form), holds)


def code_of_phone(world: World) -> Case:
    phone = Phone(world.issuer, world.release).register()
    verifier, wanted = pkce()
    told = phone.ask("POST", "/authorize/challenge", phone.instance, data={
        "client_id": phone.client_id, "username": world.name, "password": PASSWORD, "code_challenge": wanted, "code_challenge_method": "S256"})
    code = told.json()["authorization_code"]
    form = {"grant_type": CODE, "code": code, "code_verifier": verifier, "client_id": phone.client_id}
    return Case(lambda: world.post("/token", data=form, auth=phone.proof()), phone.lives, lambda: world.is_spent(code))


def code_of_web_client(world: World) -> Case:
    code, verifier = world.code()
    return Case(lambda: world.redeem(code, verifier), world.held_by_web, lambda: world.is_spent(code))


def refresh_of_phone(world: World) -> Case:
    form = {"grant_type": "refresh_token", "refresh_token": world.phone.pat["refresh_token"], "client_id": world.phone.client_id}

    def holds(told: dict) -> bool:
        world.phone.pat = told
        return world.phone.lives(told)
    def log_in() -> None:
        world.phone.log_in(world.name)
        world.service = world.phone.open(world.viewer)
    return Case(lambda: world.post("/token", data=form, auth=world.phone.proof()), holds, missed=lambda: world.missed(form["refresh_token"], log_in))


def refresh_of_web_client(world: World) -> Case:
    form = {"grant_type": "refresh_token", "refresh_token": world.pair["refresh_token"]}

    def holds(told: dict) -> bool:
        world.pair = told
        return world.held_by_web(told)
    def log_in() -> None:
        world.pair = world.redeemed(*world.code())
    return Case(lambda: world.post("/token", data=form, auth=world.web_auth), holds, missed=lambda: world.missed(form["refresh_token"], log_in))


def refresh_at_service(world: World) -> Case:
    form = {"grant_type": "refresh_token", "refresh_token": world.service["refresh_token"], "client_id": world.phone.client_id}

    def holds(told: dict) -> bool:
        world.service = told
        return world.reads(told, world.viewer)
    def log_in() -> None:
        world.service = world.phone.open(world.viewer)
    return Case(lambda: world.post(f"{world.viewer}/token", data=form, auth=world.phone.proof()), holds, missed=lambda: world.missed(form["refresh_token"], log_in))


def assertion_for_service(world: World) -> Case:
    def holds(told: dict) -> bool:
        return world.post(f"{world.viewer}/token", data={"grant_type": JWT_BEARER, "assertion": told["code"]}, auth=world.phone.proof()).status_code == 200
    form = {"response_type": "code", "redirect_uri": world.viewer}
    return Case(lambda: world.phone.ask("POST", "/authorization", data=form), holds)


def token_exchange(world: World) -> Case:
    form = {"grant_type": TOKEN_EXCHANGE, "subject_token": world.phone.pat["access_token"], "subject_token_type": ACCESS_TOKEN, "requested_token_type": ID_JAG,
            "resource": world.viewer, "client_id": world.phone.client_id}

    def holds(told: dict) -> bool:
        return world.post(f"{world.viewer}/token", data={"grant_type": JWT_BEARER, "assertion": told["access_token"]}, auth=world.phone.proof()).status_code == 200
    return Case(lambda: world.post("/token", data=form, auth=world.phone.proof()), holds)


def jwt_bearer(world: World) -> Case:
    assertion, endpoint = world.phone.assertion(world.viewer)
    used = "select count(*) from family where realm = 'viewer' and kind = 'service_token'"
    before = int(world.sql(used))

    def holds(told: dict) -> bool:
        world.service = told
        return world.reads(told, world.viewer)
    return Case(lambda: world.post(endpoint, data={"grant_type": JWT_BEARER, "assertion": assertion}, auth=world.phone.proof()), holds,
                lambda: int(world.sql(used)) > before)


def app_token(world: World) -> Case:
    """One token of the app, shown again at a second asking: an `aud` and `jti` of one request."""
    endpoint, phone = f"{world.viewer}/token", world.phone

    def ask() -> requests.Response:
        claims = {"iss": phone.client_id, "sub": BUNDLE, "aud": endpoint, "iat": now(), "exp": now() + 60, "jti": new_id()}
        return world.post(endpoint, auth=phone.proof(world.service), data={
            "grant_type": CODE, "code": signed(phone.key, claims, typ="JWT"), "client_id": BUNDLE, "scope": SCOPE})

    def holds(told: dict) -> bool:
        return requests.get(f"{world.viewer}/attributes", headers={"Authorization": f"Bearer {told['access_token']}"}, timeout=TIMEOUT_S).status_code == 200
    return Case(ask, holds)


def device_code(world: World) -> Case:
    begun = world.post("/device_authorization", data={"client_id": world.television, "scope": "openid"}).json()
    page = world.browser.walk(begun["verification_uri_complete"])
    assert page.status == 200, page.text
    device = hashlib.sha256(begun["device_code"].encode()).hexdigest()
    form = {"grant_type": DEVICE, "device_code": begun["device_code"], "client_id": world.television}

    def issued() -> int:
        return int(world.sql(f"select count(*) from family where client = '{world.television}'"))
    before = issued()

    def ask() -> requests.Response:
        # As if the five seconds between two questions had passed.
        world.sql(f"update device_authorization set last_poll = null where device = decode('{device}', 'hex')")
        return world.post("/token", data=form)
    return Case(ask, world.userinfo, lambda: issued() > before)


def pushed_request(world: World) -> Case:
    query = {"response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s", "code_challenge": pkce()[1], "code_challenge_method": "S256"}

    def holds(told: dict) -> bool:
        asked = {"client_id": world.web["client_id"], "request_uri": told["request_uri"]}
        return "code" in world.browser.walk(requests.Request("GET", f"{world.issuer}/authorize", params=asked).prepare().url).answer
    return Case(lambda: world.post("/par", data=query, auth=world.web_auth), holds)


def register_client(world: World) -> Case:
    """An invitation for one client."""
    invitation = world.server.admin("clients", "invite")["initial_access_token"]
    draft = {"client_name": "Registered", "redirect_uris": [CALLBACK], "grant_types": [CODE, REFRESH], "scope": "openid"}
    before = int(world.sql("select count(*) from client"))

    def holds(told: dict) -> bool:
        headers = {"Authorization": f"Bearer {told['registration_access_token']}"}
        return requests.get(told["registration_client_uri"], headers=headers, timeout=TIMEOUT_S).status_code == 200
    return Case(lambda: world.post("/register", json=draft, headers={"Authorization": f"Bearer {invitation}"}), holds,
                lambda: int(world.sql("select count(*) from client")) > before, (401, "invalid_token"))


def revoke(world: World) -> Case:
    token = world.post("/token", data={"grant_type": "client_credentials"}, auth=world.basic).json()
    return Case(lambda: world.post("/revoke", data={"token": token["access_token"]}, auth=world.basic), lambda told: True, ends=lambda: not world.active(token))


def revoke_phone(world: World) -> Case:
    """By a refresh token, which ends its family and what a service has of it."""
    phone = Phone(world.issuer, world.release).register().log_in(world.name)
    held = phone.open(world.viewer)
    instance, pat = phone.instance, phone.pat

    def is_over() -> bool:
        return not phone.lives(pat) and not world.reads(held, world.viewer)
    return Case(lambda: phone.ask("POST", "/revoke", instance, data={"token": pat["refresh_token"]}), lambda told: True, ends=is_over)


GRANTS = [client_credentials, client_assertion, register_phone, challenge, code_of_phone, code_of_web_client, refresh_of_phone, refresh_of_web_client,
          refresh_at_service, assertion_for_service, token_exchange, jwt_bearer, app_token, device_code, pushed_request, register_client, revoke, revoke_phone]
