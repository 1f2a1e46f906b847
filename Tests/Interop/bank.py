"""A bank: a service that relies on operations, through its back office (design/backoffice.md)."""
from __future__ import annotations

import secrets

import requests

from powerauth_phone import PowerAuthPhone
from server import Server

SCOPE = "com.wultra.operations"
TIMEOUT_S = 30
PAYMENT = {"name": "payment", "operationType": "authorize_payment", "dataTemplate": "A1*A${amount}${currency}*N${note}", "maxFailureCount": 3,
           "texts": [{"language": "en", "title": "Payment", "message": "Pay ${amount} ${currency}?", "attributes": []}]}


class Bank:
    """With a client, a token, an application and the template `payment`."""

    def __init__(self, server: Server, base: str | None = None):
        """`base` is that of operations where they are not the issuer's own."""
        self.base = base or f"{server.issuer}/services/operations"
        client = server.admin("clients", "create", "--name", "bank", "--grant", "client_credentials", "--scope", SCOPE)
        self.client_id, self.app = client["client_id"], f"bank-{secrets.token_hex(4)}"
        answer = requests.post(f"{server.issuer}/token", auth=(client["client_id"], client["client_secret"]), timeout=TIMEOUT_S,
                               data={"grant_type": "client_credentials", "scope": SCOPE, "resource": self.base})
        assert answer.ok, answer.text
        self.bearer = {"Authorization": f"Bearer {answer.json()['access_token']}"}
        self.config = self.ask("POST", "/applications", {"appId": self.app})["sdkConfig"]
        self.ask("POST", "/templates", PAYMENT)

    def ask(self, method: str, path: str, body: dict | None = None) -> dict:
        answer = requests.request(method, f"{self.base}/v2{path}", json=body, headers=self.bearer, timeout=TIMEOUT_S)
        assert answer.ok, (answer.status_code, answer.text)
        return answer.json()

    def refused(self, method: str, path: str, body: dict) -> tuple[int, str]:
        """Status and code of what must not be taken."""
        answer = requests.request(method, f"{self.base}/v2{path}", json=body, headers=self.bearer, timeout=TIMEOUT_S)
        assert not answer.ok, answer.text
        return answer.status_code, answer.json()["responseObject"]["code"]

    def phone(self, user: str) -> PowerAuthPhone:
        """Activated and in use."""
        code = self.ask("POST", "/registrations", {"userId": user, "commitPhase": "ON_KEY_EXCHANGE"})["activationQrCodeData"]
        return PowerAuthPhone(self.base, self.config).activate(code)

    def order(self, user: str | None, **members) -> dict:
        """A payment that waits."""
        return self.ask("POST", "/operations", {"template": "payment", "userId": user, "parameters": {"amount": "10.00", "currency": "CHF", "note": "books"}} | members)
