"""Which phones an operation is for: `registrationId` and `flag`, from the bank's back office to phones of both protocols
(docs/design/backoffice.md, "Operations")."""
from __future__ import annotations

import unicodedata

import pytest

from approving_phones import PhoneBank, approve, history, read, refusals, reject, short, waiting
from powerauth_phone import Refused

MALFORMED = (400, "ERROR_REQUEST")
NOT_FOUND, NOT_ALLOWED, NO_CHANGE = ((400, f"ERROR_REGISTRATION_{why}") for why in ("NOT_FOUND", "NOT_ALLOWED", "CHANGE"))
UNKNOWN, NEEDS_FLAG, NO_SIGNATURE = (400, "INVALID_REQUEST"), (400, "OPERATION_REQUIRES_ACTIVATION_FLAG"), (401, "POWERAUTH_AUTH_FAIL")
PARAMETERS = {"amount": "10.00", "currency": "CHF", "note": "books"}
MOST_FLAGS, LONGEST_FLAG = 20, 100
# The same to people's eyes, and to Swift's `==`.
COMPOSED, DECOMPOSED = (unicodedata.normalize(form, "josé") for form in ("NFC", "NFD"))
# Texts that no name is.
ODD = ["", 7, True, ["x"], {"x": 1}, "x" * 257, "two\nlines", "\u0007", "nul\u0000", "\ud800"]


@pytest.fixture(scope="module")
def bank(server) -> PhoneBank:
    return PhoneBank(server)


def order_of(bank: PhoneBank, user: str | None, **members) -> dict:
    """As the back office would send it."""
    named = {"userId": user} if user else {}
    return {"template": "payment", "appId": bank.app, "parameters": PARAMETERS} | named | members


def flags_of(bank: PhoneBank, phone) -> list[str]:
    return bank.ask("GET", f"/registrations/{phone.id}")["flags"]


def flag(bank: PhoneBank, phone, *flags: str) -> None:
    """These alone."""
    bank.ask("PUT", f"/registrations/{phone.id}", {"change": "FLAGS", "flags": list(flags)})
    assert flags_of(bank, phone) == list(flags)


def refused_steps(server, order: dict) -> set[str]:
    """What refused phones at it, by the trail."""
    lines = server.admin("audit", "list", "--node", f"operation:{order['operationId']}", "--outcome", "refused")["items"]
    return {line["reason"] for line in lines}


# Bound to one phone


def test_a_bound_operation_is_for_one_phone_alone(server, bank, user, protocol):
    """Its user's other phone finds nothing, does nothing and costs no attempt; which phone it was is told when it has decided."""
    mine, other = bank.phone(user, protocol), bank.phone(user, protocol)
    order = bank.order(user, registrationId=mine.id)
    assert (waiting(mine), waiting(other)) == ([order["operationId"]], [])
    assert refusals(other, order) == {UNKNOWN}
    assert bank.read(order) == order and "registrationId" not in order, "nobody has decided it"
    assert refused_steps(server, order) == {"operation_of_other_registration"}

    approve(mine, order)
    after = bank.read(order)
    assert (after["status"], after["registrationId"], after["failureCount"]) == ("APPROVED", mine.id, 0)
    assert [one["status"] for one in history(mine)] == ["APPROVED"] and history(other) == []


def test_the_users_of_a_bound_operation_is_its_phones(bank, user, protocol):
    """Where none is named it is nobody's to claim: it is theirs at once."""
    mine, stranger = bank.phone(user, protocol), bank.phone(f"{user}-2", protocol)
    order = bank.ask("POST", "/operations", order_of(bank, None, registrationId=mine.id))
    assert order["userId"] == user and waiting(mine) == [order["operationId"]]
    assert refusals(stranger, order) == {UNKNOWN}
    reject(mine, order)
    assert bank.read(order)["status"] == "REJECTED" and bank.read(order)["registrationId"] == mine.id


def test_a_wrong_pin_counts_at_a_bound_operation_for_its_phone_alone(bank, user):
    """Another's counts at that phone, and burns no attempt of what is not for it."""
    mine, other = bank.phone(user), bank.phone(user)
    order = bank.order(user, registrationId=mine.id)
    for phone, failures in ((other, 0), (mine, 1)):
        answer = phone.approve({"id": order["operationId"], "data": order["data"]}, wrong_pin=True)
        assert (answer.status_code, answer.json()["responseObject"]["code"]) == NO_SIGNATURE
        assert bank.read(order)["failureCount"] == failures
        assert bank.ask("GET", f"/registrations/{phone.id}")["failedAttempts"] == 1


def test_a_phone_that_is_blocked_may_be_named_and_decides_when_it_is_not(bank, user, protocol):
    mine, other = bank.phone(user, protocol), bank.phone(user, protocol)
    bank.ask("PUT", f"/registrations/{mine.id}", {"change": "BLOCK"})
    order = bank.order(user, registrationId=mine.id)
    with pytest.raises(Refused) as blocked:
        approve(mine, order)
    assert (blocked.value.status, blocked.value.code) == NO_SIGNATURE
    assert refusals(other, order) == {UNKNOWN} and bank.read(order) == order
    bank.ask("PUT", f"/registrations/{mine.id}", {"change": "UNBLOCK"})
    approve(mine, order)
    assert bank.read(order)["status"] == "APPROVED"


def test_a_phone_that_could_not_decide_it_is_not_named(server, bank, user):
    """Of another user, removed, unknown, of another application or bank: nothing is begun, and no phone hears of anything."""
    mine, stranger, removed, foreign = bank.phone(user), bank.phone(f"{user}-2"), bank.phone(user), PhoneBank(server).phone(user)
    bank.ask("DELETE", f"/registrations/{removed.id}")
    second = bank.ask("POST", "/applications", {"appId": f"{bank.app}-2"})["appId"]
    for refusal, named in (
            (NOT_ALLOWED, {"registrationId": stranger.id}), (NOT_ALLOWED, {"registrationId": removed.id}),
            (NOT_ALLOWED, {"registrationId": removed.id, "userId": None}), (NOT_FOUND, {"registrationId": foreign.id}),
            (NOT_FOUND, {"registrationId": mine.id, "appId": second}), (NOT_FOUND, {"registrationId": mine.id.upper()}),
            (NOT_FOUND, {"registrationId": f" {mine.id}"}), (NOT_FOUND, {"registrationId": "%"})):
        assert bank.refused("POST", "/operations", order_of(bank, user, **named)) == refusal, named
    assert bank.begun(user) == bank.begun(f"{user}-2") == [] and [waiting(phone) for phone in (mine, stranger, foreign)] == [[], [], []]


@pytest.mark.parametrize("member", ["registrationId", "flag"])
@pytest.mark.parametrize("odd", ODD, ids=short)
def test_what_is_no_name_begins_nothing(bank, user, member, odd):
    """Neither of a phone nor of a flag: it is not taken for one that was left out, which would ask all phones."""
    assert bank.refused("POST", "/operations", order_of(bank, user, **{member: odd})) == MALFORMED
    assert bank.begun(user) == []


def test_names_are_compared_byte_by_byte(bank, user, protocol):
    """Two users, or two flags, that differ in the normal form alone are two: the phone of the one decides nothing of the other."""
    mine, other = bank.phone(user + COMPOSED, protocol), bank.phone(user + DECOMPOSED, protocol, flags=[DECOMPOSED])
    order, flagged = bank.order(user + COMPOSED), bank.order(user + DECOMPOSED, flag=COMPOSED)
    assert refusals(other, order) == {UNKNOWN} and bank.read(order) == order
    assert refusals(other, flagged) == {NEEDS_FLAG} and bank.read(flagged) == flagged
    assert bank.refused("POST", "/operations", order_of(bank, user + DECOMPOSED, registrationId=mine.id)) == NOT_ALLOWED
    if protocol == "3.3":
        asked = f"/operations/{order['operationId']}/offline/qr?registrationId={other.id}"
        assert bank.refused("GET", asked, {}) == NOT_ALLOWED


def test_a_flag_that_no_phone_can_have_begins_nothing(bank, user):
    assert bank.refused("POST", "/operations", order_of(bank, user, flag="x" * (LONGEST_FLAG + 1))) == MALFORMED
    assert bank.begun(user) == []


def test_null_is_left_out(bank, user):
    phones = [bank.phone(user), bank.phone(user)]
    order = bank.order(user, registrationId=None, flag=None)
    assert [waiting(phone) for phone in phones] == [[order["operationId"]]] * 2


# With a flag


def test_an_operation_with_a_flag_waits_for_phones_that_have_it(server, bank, user, protocol):
    """The others are told that they lack one, and change nothing; whose flags change meanwhile has it or has it no more."""
    plain, vip = bank.phone(user, protocol, flags=["TEST"]), bank.phone(user, protocol, flags=["TEST", "VIP"])
    order = bank.order(user, flag="VIP")
    assert (waiting(plain), waiting(vip)) == ([], [order["operationId"]])
    assert refusals(plain, order) == {NEEDS_FLAG}
    assert bank.read(order) == order and refused_steps(server, order) == {"flag_missing"}

    flag(bank, plain, "VIP")
    flag(bank, vip, "TEST")
    assert (waiting(plain), waiting(vip)) == ([order["operationId"]], [])
    assert refusals(vip, order) == {NEEDS_FLAG}
    approve(plain, order)
    assert (bank.read(order)["status"], bank.read(order)["registrationId"]) == ("APPROVED", plain.id)
    assert [one["id"] for one in history(plain)] == [order["operationId"]] and history(vip) == []


def test_a_flag_is_the_same_letter_for_letter(bank, user):
    phone = bank.phone(user, flags=["vip", "VIP ", "VIP2", "${VIP}", "%"])
    order = bank.order(user, flag="VIP")
    assert waiting(phone) == [] and refusals(phone, order) == {NEEDS_FLAG}
    for name in ("vip", "VIP ", "${VIP}", "%"):
        approve(phone, bank.order(user, flag=name))
    assert bank.read(order) == order


def test_nobodys_operation_with_a_flag_is_claimed_by_who_has_it(bank, user, protocol):
    """Who lacks the flag does not have it first; once somebody has it, it is nothing to others, whatever their flags."""
    plain, vip = bank.phone(user, protocol), bank.phone(f"{user}-2", protocol, flags=["VIP"])
    order = bank.order(None, flag="VIP")
    assert refusals(plain, order) == {NEEDS_FLAG}
    assert "userId" not in bank.read(order) and bank.read(order) == order

    assert read(vip, "/detail/claim", id=order["operationId"])["status"] == "PENDING"
    assert bank.read(order)["userId"] == f"{user}-2" and waiting(vip) == [order["operationId"]]
    flag(bank, plain, "VIP")
    assert waiting(plain) == [] and refusals(plain, order) == {UNKNOWN}
    approve(vip, order)
    assert bank.read(order)["status"] == "APPROVED"


def test_of_both_the_phone_is_asked_for_first(bank, user):
    mine, other = bank.phone(user), bank.phone(user, flags=["VIP"])
    order = bank.order(user, registrationId=mine.id, flag="VIP")
    assert waiting(mine) == waiting(other) == []
    assert (refusals(mine, order), refusals(other, order)) == ({NEEDS_FLAG}, {UNKNOWN})
    flag(bank, mine, "VIP")
    assert waiting(mine) == [order["operationId"]] and refusals(other, order) == {UNKNOWN}
    approve(mine, order)
    assert bank.read(order)["registrationId"] == mine.id


@pytest.mark.parametrize("narrowed", ["registrationId", "flag"])
def test_an_offline_code_is_for_the_same_phones(bank, user, narrowed):
    """It is neither made for another one, nor taken from it where the application signed it, which all phones read; that costs nothing."""
    mine, other = bank.phone(user, flags=["VIP"]), bank.phone(user)
    order = bank.order(user, **{narrowed: {"registrationId": mine.id, "flag": "VIP"}[narrowed]})
    place = f"/operations/{order['operationId']}/offline"
    assert bank.refused("GET", f"{place}/qr?registrationId={other.id}", {}) == NOT_ALLOWED

    code = bank.ask("GET", f"{place}/qr")
    typed = [{"otp": phone.answer(code["operationQrCodeData"]), "nonce": code["nonce"], "registrationId": phone.id}
             for phone in (other, mine)]
    assert bank.refused("POST", f"{place}/otp", typed[0]) == NOT_ALLOWED
    assert bank.read(order) == order and bank.ask("GET", f"/registrations/{other.id}")["failedAttempts"] == 0
    assert bank.ask("POST", f"{place}/otp", typed[1])["otpValid"]
    assert (bank.read(order)["status"], bank.read(order)["registrationId"]) == ("APPROVED", mine.id)


# Flags of a phone


def test_flags_are_told_as_they_were_set(server, bank, user, protocol):
    """At the registration and later, each time all of them; up to 20, of up to 100 characters."""
    many = [f"{number:02}" + "ä" * (LONGEST_FLAG - 2) for number in range(MOST_FLAGS)]
    assert flags_of(bank, bank.phone(user, protocol)) == []
    phone = bank.phone(user, protocol, flags=["b", "a"])
    assert flags_of(bank, phone) == ["b", "a"]
    assert server.admin("operations", "registrations", "show", phone.id)["flags"] == ["b", "a"]
    flag(bank, phone, *many)
    assert bank.ask("GET", f"/registrations?userId={user}")["registrations"][0]["flags"] == many
    order = bank.order(user, flag=many[-1])
    assert waiting(phone) == [order["operationId"]]
    flag(bank, phone)
    assert waiting(phone) == [] and "flags" not in server.admin("operations", "registrations", "show", phone.id)


@pytest.mark.parametrize("odd", [
    "VIP", 7, {"VIP": True}, [7], ["VIP", None], [["VIP"]], [""], ["x" * (LONGEST_FLAG + 1)],
    [f"x{number}" for number in range(MOST_FLAGS + 1)], ["two\nlines"], ["\u0007"], ["nul\u0000"], ["\ud800"]], ids=short)
def test_flags_that_are_none_change_nothing(bank, user, odd):
    """Neither is a phone registered, nor do those that it has become others."""
    assert bank.refused("POST", "/registrations", {"userId": user, "appId": bank.app, "flags": odd}) == MALFORMED
    assert bank.ask("GET", f"/registrations?userId={user}")["registrations"] == []
    phone = bank.phone(user, flags=["VIP"])
    order = bank.order(user, flag="VIP")
    assert bank.refused("PUT", f"/registrations/{phone.id}", {"change": "FLAGS", "flags": odd}) == MALFORMED
    assert flags_of(bank, phone) == ["VIP"] and waiting(phone) == [order["operationId"]]


def test_flags_are_changed_by_their_word_alone(server, bank, user):
    """Of one's own phones, and none that is removed."""
    phone, stranger = bank.phone(user, flags=["VIP"]), PhoneBank(server)
    place = f"/registrations/{phone.id}"
    for body in ({"change": "FLAGS"}, {"change": "FLAGS", "flags": None}, {"change": "flags", "flags": []}, {"flags": []},
                 {"change": ["FLAGS"], "flags": []}):
        assert bank.refused("PUT", place, body) == MALFORMED, body
    assert stranger.refused("PUT", place, {"change": "FLAGS", "flags": []}) == NOT_FOUND
    bank.ask("PUT", place, {"change": "BLOCK", "flags": []})
    bank.ask("PUT", place, {"change": "UNBLOCK", "flags": ["OTHER"]})
    assert flags_of(bank, phone) == ["VIP"], "another change changes no flags"
    bank.ask("PUT", place, {"change": "REMOVE"})
    assert bank.refused("PUT", place, {"change": "FLAGS", "flags": []}) == NO_CHANGE
    assert flags_of(bank, phone) == ["VIP"]
