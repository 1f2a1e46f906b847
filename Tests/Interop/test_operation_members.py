"""Members of an operation on their way over HTTP: from the bank's back office to the phone, and what the phone tells of it back (docs/design/backoffice.md, "Operations")."""
from __future__ import annotations

import pytest

from bank import PAYMENT, Bank

APPROVED, REFUSED, MALFORMED = 200, 401, (400, "ERROR_REQUEST")
SHOP = "/shop/offline"
# What an app of the bank reads itself, beside what the SDKs do.
SOUND = {"playSound": True, "sound": "${currency}.caf", "steps": {"list": [1, 2.5, "${amount}"]}}
PLACE = {"id": "place", "type": "GEO", "text": "Where", "params": {"latitude": "lat", "longitude": "lon"}, "zoom": 12.5, "shown": True}
PARAMETERS = {"amount": "10.00", "currency": "CHF", "note": "books"}
TEXTS = [PAYMENT["texts"][0] | {"attributes": [{"id": "note", "type": "NOTE", "text": "Note", "params": {"note": "note"}}, PLACE]}]


@pytest.fixture(scope="module")
def bank(server) -> Bank:
    bank = Bank(server)
    bank.ask("POST", "/templates", PAYMENT | {"name": "loud", "customProperties": SOUND, "offlineUriId": SHOP, "texts": TEXTS})
    return bank


def only(phone) -> dict:
    """The one operation that its user is asked about; every way to read it says the same."""
    [listed] = phone.operations()
    assert phone.read("/detail", id=listed["id"]) == listed
    return listed


def read(bank: Bank, order: dict) -> dict:
    return bank.ask("GET", f"/operations/{order['operationId']}")


def nested(levels: int) -> list | int:
    return [nested(levels - 1)] if levels else 1


def short(odd: dict) -> str:
    return str(odd)[:40]


# Members of an app's own


def test_custom_properties_reach_the_phone_behind_the_others(bank, user):
    """The template's with its parameters filled in, the operation's as they came."""
    assert bank.ask("GET", "/templates/loud")["customProperties"] == SOUND
    phone, own = bank.phone(user), {"sound": "${amount}", "badge": 3, "deep": nested(8)}
    order = bank.order(user, template="loud", customProperties=own)
    shown = only(phone)

    assert {name: shown[name] for name in ("playSound", "sound", "steps", "badge", "deep")} == {
        "playSound": True, "sound": "${amount}", "steps": {"list": [1, 2.5, "10.00"]}, "badge": 3, "deep": nested(8)}
    assert list(shown)[-5:] == ["playSound", "sound", "steps", "badge", "deep"]
    assert order["customProperties"] == read(bank, order)["customProperties"] == own
    assert phone.approve(shown).status_code == APPROVED, "the SDK's own are as they were"

    bank.order(user, template="loud")
    assert only(phone)["sound"] == "CHF.caf"


@pytest.mark.parametrize("odd", [
    {"id": "x"}, {"status": "APPROVED"}, {"data": "A1"}, {"formData": {}}, {"proximityCheck": {}}, {"a b": 1}, {"ä": 1}, {"": 1}, {"null": None},
    {"holds": [1, {"null": None}]}, {"deep": nested(9)}, {"long": "x" * 8192}, {f"x{number}": number for number in range(33)}], ids=short)
def test_a_property_that_a_phone_cannot_have_begins_nothing(bank, user, odd):
    order = {"template": "payment", "userId": user, "parameters": PARAMETERS}
    assert bank.refused("POST", "/operations", order | {"customProperties": odd}) == MALFORMED
    assert bank.refused("POST", "/templates", PAYMENT | {"name": f"odd-{user}", "customProperties": odd}) == MALFORMED
    assert bank.ask("GET", f"/operations?userId={user}")["operations"] == []
    assert f"odd-{user}" not in str(bank.ask("GET", "/templates"))


# Attributes


def test_attributes_of_other_types_reach_the_phone_as_they_came(bank, user):
    """The SDKs give their app what they do not know as `UNKNOWN`; the operation's stand behind the template's, and `type` before all."""
    own = [{"id": "to", "type": "KEY_VALUE", "label": "To", "value": "CH93"}, {"id": "fee", "type": "AMOUNT", "label": "Fee", "amount": "1.50", "currency": "CHF"},
           {"id": "risk", "type": "risk.score-1", "label": "Risk", "score": 0.25, "level": "low\nindeed", "blocked": False, "count": 7}]
    phone, order = bank.phone(user), bank.order(user, template="loud", attributes=own, parameters=PARAMETERS | {"lat": "46.95"})
    note, place, to, fee, risk = only(phone)["formData"]["attributes"]

    assert note == {"type": "NOTE", "id": "note", "label": "Note", "note": "books"}
    assert place == {"type": "GEO", "id": "place", "label": "Where", "zoom": 12.5, "shown": True, "latitude": "46.95"}, "of a missing parameter nothing"
    assert (to, risk) == (own[0], own[2])
    assert fee.items() >= {"type": "AMOUNT", "id": "fee", "label": "Fee", "amount": 1.5, "currency": "CHF"}.items() and "1.50" in fee["amountFormatted"]
    assert {next(iter(one)) for one in (note, place, to, fee, risk)} == {"type"}
    assert order["attributes"] == read(bank, order)["attributes"] == own
    assert phone.approve(only(phone)).status_code == APPROVED


@pytest.mark.parametrize("odd", [
    {"type": "GEO", "at": [1]}, {"type": "GEO", "at": {"x": 1}}, {"type": "GEO", "at": None}, {"type": "GEO", "a b": 1}, {"type": "GEO", "x": "\u0007"},
    {"type": "note", "note": "x"}, {"type": "Key-Value", "value": "x"}, {"type": ""}, {"type": "KEY_VALUE", "value": "x", "more": "y"}, {"type": "KEY_VALUE"},
    {"type": "AMOUNT", "amount": "ten", "currency": "CHF"}, {"type": "HEADING", "id": "note"}], ids=short)
def test_an_attribute_that_a_phone_cannot_read_begins_nothing(bank, user, odd):
    """An array or a null within one takes the whole list from a phone; an id is the template's already."""
    order = {"template": "loud", "userId": user, "parameters": PARAMETERS}
    assert bank.refused("POST", "/operations", order | {"attributes": [{"id": "odd"} | odd]}) == MALFORMED
    assert bank.ask("GET", f"/operations?userId={user}")["operations"] == []


def test_an_id_stands_once(bank, user):
    twice = [{"id": "one", "type": "HEADING"}, {"id": "one", "type": "GEO"}]
    order = {"template": "payment", "userId": user, "parameters": PARAMETERS, "attributes": twice}
    assert bank.refused("POST", "/operations", order) == MALFORMED


# Without a network


@pytest.mark.parametrize("template, own, uri", [("loud", {}, SHOP), ("loud", {"offlineUriId": "/own?x=1"}, "/own?x=1"), ("payment", {"offlineUriId": SHOP}, SHOP)])
def test_an_offline_code_is_answered_under_the_uri_of_the_operation(server, bank, user, template, own, uri):
    """An app that gives its SDK another is understood; under the SDK's own the same digits are wrong, and count."""
    phone, order = bank.phone(user), bank.order(user, template=template, **own)
    assert order["offlineUriId"] == read(bank, order)["offlineUriId"] == uri
    assert server.admin("operations", "show", order["operationId"])["offline_uri"] == uri
    place = f"/operations/{order['operationId']}/offline"
    code = bank.ask("GET", f"{place}/qr?registrationId={phone.id}")

    def typed(*given: str) -> dict:
        return bank.ask("POST", f"{place}/otp", {"otp": phone.answer(code["operationQrCodeData"], *given), "nonce": code["nonce"], "registrationId": phone.id})

    wrong = typed()
    assert not wrong["otpValid"] and read(bank, order)["status"] == "PENDING" and read(bank, order)["failureCount"] == 1
    right = typed(uri)
    assert right["otpValid"] and right["remainingAttempts"] == wrong["remainingAttempts"] + 1
    assert read(bank, order)["status"] == "APPROVED"


def test_the_uri_of_the_sdks_is_not_told_and_another_has_a_form(bank, user):
    assert "offlineUriId" not in bank.order(user) and "offlineUriId" not in bank.ask("GET", "/templates/payment")
    assert bank.ask("GET", "/templates/loud")["offlineUriId"] == SHOP
    order = {"template": "payment", "userId": user, "parameters": PARAMETERS}
    for odd in ("shop", "/a b", "/grün", "/" + "x" * 256, 7):
        assert bank.refused("POST", "/operations", order | {"offlineUriId": odd}) == MALFORMED, odd
        assert bank.refused("POST", "/templates", PAYMENT | {"name": f"odd-{user}", "offlineUriId": odd}) == MALFORMED, odd


# What the phone tells


@pytest.mark.parametrize("report, told", [
    ({"type": "QR_CODE", "timestampReceived": "2026-01-01T12:00:00.123Z", "timestampSent": "2026-01-01T13:00:01+0100"},
     {"type": "QR_CODE", "timestampReceived": 1767268800123, "timestampSent": 1767268801000}),
    ({"type": "DEEPLINK", "timestampReceived": 1767268800123}, {"type": "DEEPLINK", "timestampReceived": 1767268800123}),
    ({"type": "NFC", "timestampReceived": "yesterday", "timestampSent": None}, None),
    ({}, None)])
def test_what_a_phone_tells_of_its_nearness_is_kept_and_decides_nothing(server, bank, user, report, told):
    """The code alone does; what cannot be read is left out."""
    phone, order = bank.phone(user), bank.order(user, proximityCheckEnabled=True)
    waiting, place = only(phone), f"/operations/{order['operationId']}"
    assert phone.approve(waiting, proximityCheck=report | {"otp": "00000000"}).status_code == REFUSED
    assert phone.approve(waiting).status_code == REFUSED, "who tells no code has seen nothing"
    assert "proximityCheck" not in read(bank, order)

    near = bank.ask("GET", f"{place}/proximity?scheme=bank")
    assert order["operationId"] in near["deeplink"] and near["otp"] in near["deeplink"]
    assert phone.approve(waiting, proximityCheck=report | {"otp": near["otp"]}).status_code == APPROVED
    after = read(bank, order)
    assert (after["status"], after.get("proximityCheck")) == ("APPROVED", told) and "proximityOtp" not in after
    assert server.admin("operations", "show", order["operationId"]).get("proximity") == (told or {}).get("type")


def test_what_an_app_tells_besides_is_kept_for_the_bank_alone(bank, user):
    """With a yes and with a no; what the bank keeps for itself reaches no phone."""
    phone, additional, told = bank.phone(user), {"session": {"id": [1, 2.5, True]}}, {"device": {"jailbroken": False, "screen": "${amount}"}}
    first = bank.order(user, additionalData=additional)
    waiting = only(phone)
    assert "additionalData" not in waiting and read(bank, first)["additionalData"] == additional
    refused = phone.approve(waiting, mobileTokenData="text")
    assert (refused.status_code, refused.json()["responseObject"]["code"]) == (400, "INVALID_REQUEST")
    odd = phone.approve(waiting, proximityCheck=[])
    assert (odd.status_code, odd.json()["responseObject"]["code"]) == (400, "INVALID_REQUEST")
    assert read(bank, first)["status"] == "PENDING"
    assert phone.approve(waiting, mobileTokenData=told).status_code == APPROVED
    assert (read(bank, first)["status"], read(bank, first)["mobileTokenData"]) == ("APPROVED", told)

    second = bank.order(user)
    phone.reject(only(phone)["id"], "a word of the app's own", mobileTokenData=told)
    after = read(bank, second)
    assert (after["status"], after["rejectReason"], after["mobileTokenData"]) == ("REJECTED", "a word of the app's own", told)
