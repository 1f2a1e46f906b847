"""What operators do on the command line with phones that approve, and with what they approve."""
from __future__ import annotations

import pytest

from bank import Bank
from powerauth_phone import PowerAuthPhone, Refused
from server import CommandFailed


@pytest.fixture(scope="module")
def bank(server) -> Bank:
    return Bank(server)


def test_what_an_app_is_built_with(server, bank):
    """Of the house, and of a service by its name and its client; what is missing or not one's own is not found."""
    house = server.admin("operations", "config")
    own = server.admin("operations", "config", "--app", bank.app)

    assert (house["app"], house["url"]) == ("pando", bank.base)
    assert PowerAuthPhone(house["url"], house["sdk_config"]).application
    assert own["sdk_config"] == bank.config == server.admin("operations", "config", "--app", bank.app, "--client", bank.client_id)["sdk_config"]
    for arguments in (("--app", "nothing"), ("--app", bank.app, "--client", "nobody")):
        with pytest.raises(CommandFailed) as missing:
            server.admin("operations", "config", *arguments)
        assert missing.value.exit_code == 3
    assert server.run("admin", "operations", "config", "--client", bank.client_id).returncode == 2


def test_a_phone_is_found_blocked_unblocked_and_removed(server, bank, user):
    """A thing said twice is already done; a dry run changes nothing."""
    phone = bank.phone(user)

    listed = server.admin("operations", "registrations", "list", "--user", user)["items"]
    assert [one["id"] for one in listed] == [phone.id]
    assert (listed[0]["status"], listed[0]["owner"], listed[0]["app"]) == ("ACTIVE", f"client:{bank.client_id}", bank.app)
    assert listed[0]["fingerprint"] == phone.fingerprint
    assert server.admin("operations", "registrations", "block", phone.id, "--dry-run")["dry_run"] and phone.validates()

    blocked = server.admin("operations", "registrations", "block", phone.id, "--reason", "reported lost")
    assert blocked["status"] == "BLOCKED" and not blocked["already"] and not phone.validates()
    assert server.admin("operations", "registrations", "block", phone.id)["already"]
    assert phone.id in [one["id"] for one in server.admin("operations", "registrations", "list", "--blocked", "--app", bank.app)["items"]]
    assert not server.admin("operations", "registrations", "unblock", phone.id)["already"] and phone.validates()
    assert server.admin("operations", "registrations", "unblock", phone.id)["already"]

    removed = server.admin("operations", "registrations", "remove", phone.id, "--yes")
    assert removed["status"] == "REMOVED" and "browsers_ended" not in removed, "no account logs in with it"
    assert not phone.validates()
    assert server.admin("operations", "registrations", "show", phone.id)["status"] == "REMOVED"
    lines = server.admin("audit", "list", "--node", f"registration:{phone.id}")["items"]
    assert "reported lost" in [line["reason"] for line in lines]
    for verb, status in (("show", 3), ("block", 3)):
        with pytest.raises(CommandFailed) as missing:
            server.admin("operations", "registrations", verb, "nothing")
        assert missing.value.exit_code == status
    with pytest.raises(CommandFailed) as ended:
        server.admin("operations", "registrations", "unblock", phone.id)
    assert ended.value.exit_code == 4


def test_an_app_is_set_up(server, bank):
    """Its blocks, and what it is pushed to with; a secret that went in is told by nobody."""
    noun = ("operations", "applications")
    assert server.admin(*noun, "show", bank.app)["push"] == []
    chosen, again = (server.admin(*noun, "blocks", bank.app, "1", "5") for _ in range(2))
    assert chosen["block_minutes"] == [1, 5] and not chosen["already"] and again["already"]
    set_up = server.admin(*noun, "push-hms", bank.app, "--app-id", "100", "--secret", "-", "--client", bank.client_id, stdin="geheim\n")
    assert set_up["provider"] == "hms" and set_up["app_id"] == "100"
    shown = server.admin(*noun, "show", bank.app)
    assert [one["provider"] for one in shown["push"]] == ["hms"] and "geheim" not in str(shown)
    assert bank.app in [one["app"] for one in server.admin(*noun, "list")["items"]]
    assert not server.admin(*noun, "push-remove", bank.app, "hms")["already"] and server.admin(*noun, "push-remove", bank.app, "hms")["already"]
    with pytest.raises(CommandFailed):
        server.admin(*noun, "blocks", bank.app, "0")
    assert server.admin(*noun, "blocks", bank.app)["block_minutes"] == []


def test_operations_are_listed_by_page_and_canceled(server, bank, user):
    """What they are about is not told; what was decided stays so."""
    phone, orders = bank.phone(user), [bank.order(user, externalId=f"{user}-{number}") for number in range(3)]
    names = [order["operationId"] for order in reversed(orders)]

    first = server.admin("operations", "list", "--user", user, "--limit", "2")
    rest = server.admin("operations", "list", "--user", user, "--after", first["next"])
    assert [one["id"] for one in first["items"] + rest["items"]] == names and rest["next"] is None
    assert [one["id"] for one in server.admin("operations", "list", "--external-id", f"{user}-0")["items"]] == names[-1:]
    assert "10.00" not in str(first) and first["items"][0]["type"] == "authorize_payment"

    canceled = server.admin("operations", "cancel", names[0], "--status-reason", "mistake")
    assert canceled["status"] == "CANCELED" and canceled["status_reason"] == "mistake" and not canceled["already"]
    assert server.admin("operations", "cancel", names[0])["already"]
    assert sorted(one["id"] for one in phone.operations()) == sorted(names[1:])
    [waiting] = [one for one in phone.operations() if one["id"] == names[1]]
    assert phone.approve(waiting).status_code == 200
    with pytest.raises(CommandFailed) as decided:
        server.admin("operations", "cancel", names[1])
    assert decided.value.exit_code == 4
    assert server.admin("operations", "show", names[1])["factor"] == "possession_knowledge"
    assert [one["id"] for one in server.admin("operations", "list", "--user", user, "--status", "pending")["items"]] == names[2:]
    with pytest.raises(CommandFailed) as odd:
        server.admin("operations", "list", "--status", "maybe")
    assert odd.value.exit_code == 2


def test_offline_digits_and_refusals(server, bank, user):
    """The simulated phone's own arithmetic, on all its ways: digits for a code, a rejection, a wrong PIN, a removal."""
    phone = bank.phone(user)
    order = bank.order(user)
    code = bank.ask("GET", f"/operations/{order['operationId']}/offline/qr?registrationId={phone.id}")
    typed = {"otp": phone.answer(code["operationQrCodeData"]), "nonce": code["nonce"], "registrationId": phone.id}
    assert bank.ask("POST", f"/operations/{order['operationId']}/offline/otp", typed)["otpValid"]

    shared = bank.order(None)
    code = bank.ask("GET", f"/operations/{shared['operationId']}/offline/qr")
    typed = {"otp": phone.answer(code["operationQrCodeData"]), "nonce": code["nonce"], "registrationId": phone.id}
    assert bank.ask("POST", f"/operations/{shared['operationId']}/offline/otp", typed)["userId"] == user
    assert bank.ask("GET", f"/operations/{shared['operationId']}")["status"] == "APPROVED"

    other = bank.order(user)
    assert phone.approve({"id": other["operationId"], "data": other["data"]}, wrong_pin=True).status_code == 401
    phone.reject(other["operationId"], "INCORRECT_DATA")
    assert bank.ask("GET", f"/operations/{other['operationId']}")["rejectReason"] == "INCORRECT_DATA"
    phone.remove()
    with pytest.raises(Refused):
        phone.operations()
