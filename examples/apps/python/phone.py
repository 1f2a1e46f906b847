"""An installation of an app: it registers, logs its person in, and opens services (docs/for-app-makers.md)."""
from __future__ import annotations

import fcntl
import json
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

import requests
from joserfc.jwk import ECKey

from keys import Proof, new_key, public, sha256, signed

TIMEOUT_S, EARLY_S, PAUSES_S = 70, 30, (0.2, 0.5, 1.0, 0)
MFA = "https://refeds.org/profile/mfa"
LINKS = {"tiqr": "auth_url", "operations": "deeplink"}
JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
CLIENT_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class Refused(Exception):
    """What a server answered: `error` is for programs, the text for developers."""

    def __init__(self, answer: requests.Response):
        try:
            self.members = answer.json()
        except ValueError:
            self.members = {}
        self.error = self.members.get("error", f"status {answer.status_code}")
        super().__init__(f"{self.error}: {self.members.get('error_description', answer.reason)}")


def checked(answer: requests.Response) -> requests.Response:
    if not answer.ok:
        raise Refused(answer)
    return answer


class Store(dict):
    """Keys and tokens, in a file that nobody else reads. On a phone keys are in its key store, and the rest is encrypted."""

    def __init__(self, path: Path):
        self.path = path
        self.lock = os.open(f"{path}.lock", os.O_CREAT | os.O_WRONLY, 0o600)
        fcntl.flock(self.lock, fcntl.LOCK_EX)       # two that refresh at once would look like a thief
        super().__init__(json.loads(path.read_text()) if path.exists() else {})

    def keep(self, **changes) -> None:
        """Whole or not at all, and before anybody uses what is new."""
        self.update(changes)
        new = Path(f"{self.path}.new")
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            json.dump(self, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)


class Phone:
    def __init__(self, store: Store, issuer: str):
        self.store, self.issuer = store, issuer
        metadata = checked(requests.get(f"{issuer}/.well-known/oauth-authorization-server", timeout=TIMEOUT_S)).json()
        if metadata["issuer"] != issuer or store.get("issuer", issuer) != issuer:       # RFC 8414, 3.3
            raise ValueError(f"{issuer} is not {metadata['issuer']}, or not {store.get('issuer', 'it')}, for which {store.path} is")
        self.token_endpoint, self.revocation_endpoint = metadata["token_endpoint"], metadata["revocation_endpoint"]
        self.challenge_endpoint = metadata["authorization_challenge_endpoint"]
        self.key = self.key_of("phone")

    def key_of(self, holder: str) -> ECKey:
        if f"key {holder}" not in self.store:
            self.store.keep(**{f"key {holder}": new_key().as_dict(private=True)})
        return ECKey.import_key(self.store[f"key {holder}"])

    # 1. Register; the next version takes over what the last one registered

    def register(self, app: str, version: str, version_key: ECKey, **device: str) -> None:
        self.store.keep(issuer=self.issuer, device=self.store.get("device") or secrets.token_urlsafe(16))
        assertion = signed(version_key, {"typ": "client-authentication+jwt", "kid": version_key.thumbprint()}, iss=f"{app}.{version}",
                           sub=self.store["device"], aud=self.issuer, exp=int(time.time()) + 120, cnf={"jwk": public(self.key)}, **device)
        form = {"grant_type": "client_credentials", "client_assertion_type": CLIENT_ASSERTION, "client_assertion": assertion}
        is_update = "instance" in self.store and self.store["version"] != version
        answer = checked(self.send("instance", self.token_endpoint, data=form) if is_update else self.ask(self.token_endpoint, form))
        self.keep("instance", self.token_endpoint, answer, version=version, client_id=answer.json()["client_id"])

    # 2. Log in

    def log_in(self, username: str, password: str, show: Callable[[str], None], ask: Callable[[str], str], factor: str | None = None) -> None:
        """With `factor` the person shows that one too, where they have it. `show` gets what another phone opens, `ask` a code on paper."""
        verifier, shown, chosen = secrets.token_urlsafe(48), None, factor
        step = {"username": username, "password": password, "code_challenge": sha256(verifier), "code_challenge_method": "S256"}
        step |= {"acr_values": MFA} if factor else {}
        while not (answer := self.send("instance", self.challenge_endpoint, data=step, headers={"Prefer": "wait=30"})).ok:
            refused = Refused(answer)
            if refused.error not in ("insufficient_authorization", "authorization_pending") or refused.members.get("factors") == []:
                raise refused               # an empty list: the person has none yet, and gets one at ISS/account in a browser
            step = {"auth_session": refused.members.get("auth_session", step.get("auth_session"))}
            if "factors" in refused.members:
                chosen = chosen or next((name for name in refused.members["factors"] if name in LINKS), "recovery")
                step["factor"] = chosen
            elif chosen == "recovery":
                step["recovery_code"] = ask("recovery code: ")
            elif (link := refused.members.get(chosen, {}).get(LINKS[chosen], shown)) != shown:
                show(shown := link)         # that of operations changes every half minute
        form = {"grant_type": "authorization_code", "code": answer.json()["authorization_code"], "code_verifier": verifier}
        self.keep("person", self.token_endpoint, self.ask(self.token_endpoint, form | {"client_id": self.store["client_id"]}))

    # 3. Find services that offer all of these protocols

    def find(self, *protocols: str) -> list[dict]:
        return checked(self.send("person", f"{self.issuer}/protocol-discovery", json=protocols)).json()

    # 4. Open one: an assertion, redeemed at once. The service token is for its token endpoint alone

    def open(self, service: str) -> None:
        grant = checked(self.send("person", f"{self.issuer}/authorization", data={"response_type": "code", "resource": service})).json()
        self.keep(service, grant["redirect_uri"], self.ask(grant["redirect_uri"], {"grant_type": JWT_BEARER, "assertion": grant["code"]}))

    # 5. A token for an app on this phone, bound to the key of that app

    def authorize(self, service: str, bundle: str, scope: str, key: ECKey) -> dict:
        if service in self.store:
            try:
                return self.hand_out(service, bundle, scope, key)
            except Refused as refused:
                if refused.error not in ("invalid_token", "invalid_grant"):
                    raise                   # else it has ended there: from the beginning
        self.open(service)
        return self.hand_out(service, bundle, scope, key)

    def hand_out(self, service: str, bundle: str, scope: str, key: ECKey) -> dict:
        endpoint = self.store[service]["endpoint"]
        code = signed(self.key, {"typ": "JWT"}, iss=self.store["client_id"], sub=bundle, aud=endpoint, exp=int(time.time()) + 60, cnf={"jwk": public(key)})
        return checked(self.send(service, endpoint, data={"grant_type": "authorization_code", "code": code, "client_id": bundle, "scope": scope})).json()

    # 6. Keep, refresh, show, end

    def keep(self, name: str, endpoint: str, answer: requests.Response, **more) -> None:
        tokens = checked(answer).json()
        self.store.keep(**{name: tokens | {"endpoint": endpoint, "expires": time.time() + tokens["expires_in"]}}, **more)

    def ask(self, endpoint: str, form: dict) -> requests.Response:
        """A token endpoint, with a proof of our key and no token."""
        return requests.post(endpoint, auth=Proof(self.key), data=form, timeout=TIMEOUT_S)

    def refresh(self, name: str) -> None:
        old = self.store[name]
        form = {"grant_type": "refresh_token", "refresh_token": old["refresh_token"], "client_id": self.store["client_id"]}
        for pause in PAUSES_S:              # an answer that was lost is given again, for a while
            try:
                answer = self.ask(old["endpoint"], form)
                if answer.status_code < 500 or not pause:
                    return self.keep(name, old["endpoint"], answer)
            except requests.ConnectionError:
                if not pause:
                    raise
            time.sleep(pause)

    def send(self, name: str, url: str, **options) -> requests.Response:
        """POST with one of our tokens and its proof; refreshed where it is about to end or is refused."""
        if self.store[name]["expires"] < time.time() + EARLY_S:
            self.refresh(name)
        answer = self.show(name, url, **options)
        if answer.status_code != 401 or Refused(answer).error != "invalid_token":
            return answer
        self.refresh(name)
        return self.show(name, url, **options)

    def show(self, name: str, url: str, **options) -> requests.Response:
        return requests.post(url, auth=Proof(self.key, self.store[name]["access_token"]), timeout=TIMEOUT_S, **options)

    def disconnect(self) -> None:
        """Ends this installation and all that came of it, here and at the services."""
        checked(self.send("instance", self.revocation_endpoint, data={"token": self.store["instance"]["access_token"]}))
        self.store.path.unlink()
