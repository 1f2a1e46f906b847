"""PowerAuth 4 as a phone speaks it that shares nothing with the server: KMAC, HPKE and envelopes from the protocol's documents (`powerauth4_phone`)."""
from __future__ import annotations

import secrets

import pytest

from bank import Bank
from powerauth4_phone import PowerAuth4Phone
from powerauth_phone import Refused
from server import CommandFailed

ACTIVE, CONFIRMATION, NOTHING = 3, 1, 0


@pytest.fixture(scope="module")
def bank(server) -> Bank:
    """Whose app takes protocol 4, by the word of an operator."""
    bank = Bank(server)
    chosen = server.admin("operations", "protocols", "--take", "3.3", "--take", "4.0", "--algorithm", "EC_P384", "--app", bank.app)
    assert (chosen["protocols"], chosen["algorithms"]) == (["3.3", "4.0"], ["EC_P384"])
    return bank


def activated(server, bank: Bank, user: str) -> PowerAuth4Phone:
    built = server.admin("operations", "config", "--app", bank.app)
    code = bank.ask("POST", "/registrations", {"userId": user, "appId": bank.app, "commitPhase": "ON_KEY_EXCHANGE", "protocol": "4.0"})
    return PowerAuth4Phone(built["url"], built["sdk_config"]).activate(code["activationQrCodeData"])


def test_a_phone_of_protocol_4_activates_reads_and_approves(server, bank):
    user = f"user-{secrets.token_hex(4)}"
    phone = activated(server, bank, user)
    assert phone.status() == (ACTIVE, CONFIRMATION, 0)
    assert phone.validate() == 401
    phone.confirm()
    assert phone.status() == (ACTIVE, NOTHING, 0)

    order = bank.order(user)
    phone.make_token()
    assert phone.waiting() == [order["operationId"]]
    assert phone.validate(wrong=True) == 401
    assert phone.status() == (ACTIVE, NOTHING, 1)
    assert phone.approve(order) == 200
    assert bank.ask("GET", f"/operations/{order['operationId']}")["status"] == "APPROVED"
    assert phone.waiting() == []


def test_phones_of_3_3_go_on_beside_it(server, bank):
    """With what their app was built with before; and the choice is said twice without effect."""
    user = f"user-{secrets.token_hex(4)}"
    phone = bank.phone(user)
    assert server.admin("operations", "registrations", "show", phone.id)["protocol"] == "3.3"
    again = server.admin("operations", "protocols", "--take", "3.3", "--take", "4.0", "--algorithm", "EC_P384", "--app", bank.app)
    assert again["already"] is True


def test_what_is_not_taken_is_refused(server, bank):
    built = server.admin("operations", "config", "--app", bank.app)
    off = Bank(server)
    phone = PowerAuth4Phone(built["url"], built["sdk_config"])
    code = off.ask("POST", "/registrations", {"userId": "ada", "appId": off.app})["activationCode"]
    with pytest.raises(Refused) as unknown:
        phone.activate_unsigned(code)
    assert (unknown.value.status, unknown.value.code) == (400, "ERR_ACTIVATION")
    with pytest.raises(CommandFailed):
        server.admin("operations", "protocols", "--take", "5.0", "--app", bank.app)
