"""Phones of both protocols at one bank, by the calls of the Mobile Token API that are alike in both: what waits, what was, yes and no."""
from __future__ import annotations

from bank import Bank
from powerauth4_phone import PowerAuth4Phone
from powerauth_phone import OPERATIONS, PowerAuthPhone, Refused

PROTOCOLS = ("3.3", "4.0")
# Whatever language the server chooses itself.
NO_LANGUAGE = {"Accept-Language": None}
Phone = PowerAuthPhone | PowerAuth4Phone


def short(odd) -> str:
    """The name of a case that is about this value."""
    return ascii(odd)[:50]


class PhoneBank(Bank):
    """One whose application takes both; a phone of 3.3 goes on with the configuration of before."""

    def __init__(self, server):
        super().__init__(server)
        self.config_of_4 = self.ask("PUT", f"/applications/{self.app}", {"protocols": list(PROTOCOLS)})["sdkConfig"]

    def phone(self, user: str, protocol: str = "3.3", **members) -> Phone:
        """Activated and in use; `members` are those of its registration."""
        asked = {"userId": user, "appId": self.app, "commitPhase": "ON_KEY_EXCHANGE", "protocol": protocol} | members
        scanned = self.ask("POST", "/registrations", asked)["activationQrCodeData"]
        if protocol == "3.3":
            return PowerAuthPhone(self.base, self.config).activate(scanned)
        phone = PowerAuth4Phone(self.base, self.config_of_4).activate(scanned)
        phone.confirm()
        phone.make_token()
        return phone

    def order(self, user: str | None, **members) -> dict:
        return super().order(user, appId=self.app, **members)

    def read(self, order: dict) -> dict:
        return self.ask("GET", f"/operations/{order['operationId']}")

    def begun(self, user: str) -> list[dict]:
        """What the bank has asked that person."""
        return self.ask("GET", f"/operations?userId={user}")["operations"]


def read(phone: Phone, path: str, headers: dict | None = None, **members: str) -> dict | list:
    """By the phone's token."""
    body = {"requestObject": members} if members else {}
    return phone.good(phone.post(OPERATIONS + path, body, phone.token_header() | (headers or {})))["responseObject"]


def waiting(phone: Phone) -> list[str]:
    return [operation["id"] for operation in read(phone, "/list")]


def history(phone: Phone) -> list[dict]:
    return phone.good(phone.signed(f"{OPERATIONS}/history", "/operation/history", {}))["responseObject"]


def approve(phone: Phone, order: dict, *factors: str) -> None:
    body = {"requestObject": {"id": order["operationId"], "data": order["data"]}}
    phone.good(phone.signed(f"{OPERATIONS}/authorize", "/operation/authorize", body, *factors))


def reject(phone: Phone, order: dict) -> None:
    body = {"requestObject": {"id": order["operationId"], "reason": "UNEXPECTED_OPERATION"}}
    phone.good(phone.signed(f"{OPERATIONS}/cancel", "/operation/cancel", body, "possession"))


def refusals(phone: Phone, order: dict) -> set[tuple[int, str]]:
    """Of all that a phone may do about an operation: none of it is admitted."""
    name, codes = order["operationId"], set()
    for call in (lambda: read(phone, "/detail", id=name), lambda: read(phone, "/detail/claim", id=name), lambda: approve(phone, order),
                 lambda: reject(phone, order)):
        try:
            call()
        except Refused as refused:
            codes.add((refused.status, refused.code))
        else:
            raise AssertionError(f"a phone was admitted that the operation {name} is not for")
    return codes
