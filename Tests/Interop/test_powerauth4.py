"""PowerAuth 4 as a phone speaks it that shares nothing with the server: KMAC, HPKE, ML-KEM, ML-DSA and envelopes from the protocol's documents (`powerauth4_phone`)."""
from __future__ import annotations

import json

import pytest

from bank import Bank
from powerauth4_keys import HYBRIDS, SUITES
from powerauth4_phone import Offer, PowerAuth4Phone
from powerauth_phone import Distrust, PowerAuthPhone, Refused, raw, text
from server import CommandFailed

ACTIVE = 3
NOTHING, CONFIRMATION, UPGRADE, NOT_TAKEN, BIOMETRY = 0, 1, 2, 4, 8
RIGHT, REFUSED = 200, 401
TWO_FACTORS = ("possession_knowledge", "possession_biometry")


def taking(server, *algorithms: str, protocols: tuple[str, ...] = ("3.3", "4.0")) -> Bank:
    """A bank whose app takes those, by the word of an operator; all algorithms where none is named."""
    bank = Bank(server)
    chosen = take(server, bank, *algorithms, protocols=protocols)
    assert (chosen["protocols"], chosen["algorithms"]) == (list(protocols), list(algorithms or SUITES))
    return bank


def take(server, bank: Bank, *algorithms: str, protocols: tuple[str, ...] = ("3.3", "4.0")) -> dict:
    named = [word for one in protocols for word in ("--take", one)] + [word for one in algorithms for word in ("--algorithm", one)]
    return server.admin("operations", "protocols", *named, "--app", bank.app)


@pytest.fixture(scope="module")
def bank(server) -> Bank:
    return taking(server)


def configured(server, bank: Bank, algorithm: str = "EC_P384") -> PowerAuth4Phone:
    built = server.admin("operations", "config", "--app", bank.app)
    return PowerAuth4Phone(built["url"], built["sdk_config"], algorithm)


def invited(bank: Bank, user: str, phase: str = "ON_KEY_EXCHANGE") -> dict:
    return bank.ask("POST", "/registrations", {"userId": user, "appId": bank.app, "commitPhase": phase, "protocol": "4.0"})


def activated(server, bank: Bank, user: str, algorithm: str = "EC_P384") -> PowerAuth4Phone:
    return configured(server, bank, algorithm).activate(invited(bank, user)["activationQrCodeData"])


def in_use(server, bank: Bank, user: str, algorithm: str, *, biometry: bool = False) -> PowerAuth4Phone:
    phone = activated(server, bank, user, algorithm)
    phone.confirm(biometry)
    return phone


def steps(server, phone: PowerAuth4Phone) -> set[str]:
    """What refused it, by the trail."""
    lines = server.admin("audit", "list", "--node", f"registration:{phone.id}", "--outcome", "refused")["items"]
    return {line["reason"] for line in lines}


def code_of(refused) -> tuple[int, str]:
    return refused.value.status, refused.value.code


# What a phone does


@pytest.mark.parametrize("algorithm", SUITES)
def test_a_phone_of_protocol_4_activates_reads_and_approves(server, bank, user, algorithm):
    phone = activated(server, bank, user, algorithm)
    assert phone.status() == (ACTIVE, CONFIRMATION, 0)
    assert phone.validate() == REFUSED
    phone.confirm()
    assert phone.status() == (ACTIVE, NOTHING, 0)
    told = server.admin("operations", "registrations", "show", phone.id)
    assert (told["protocol"], told["algorithm"]) == ("4.0", algorithm)
    assert phone.user() == user

    order = bank.order(user)
    phone.make_token()
    assert phone.waiting() == [order["operationId"]]
    assert phone.validate(wrong=True) == REFUSED
    assert phone.status() == (ACTIVE, NOTHING, 1)
    assert phone.approve(order) == RIGHT
    assert bank.ask("GET", f"/operations/{order['operationId']}")["status"] == "APPROVED"
    assert phone.waiting() == []


@pytest.mark.parametrize("algorithm", SUITES)
def test_both_sides_show_the_same_digits_before_somebody_commits(server, bank, user, algorithm):
    """They are of every key, those of ML-DSA among them."""
    phone = configured(server, bank, algorithm).activate(invited(bank, user, phase="ON_COMMIT")["activationQrCodeData"])
    told = bank.ask("GET", f"/registrations/{phone.id}")
    assert (told["registrationStatus"], told["activationFingerprint"]) == ("PENDING_COMMIT", phone.fingerprint)
    phone.confirm()
    assert phone.validate() == REFUSED, "nobody has compared anything yet"
    bank.ask("POST", f"/registrations/{phone.id}/commit", {})
    assert phone.validate() == RIGHT


@pytest.mark.parametrize("algorithm", HYBRIDS)
def test_each_factor_has_a_key_of_its_own(server, bank, user, algorithm):
    phone = in_use(server, bank, user, algorithm, biometry=True)
    assert phone.status() == (ACTIVE, BIOMETRY, 0)
    assert [phone.validate(kind) for kind in ("possession", *TWO_FACTORS)] == [RIGHT] * 3
    assert [phone.validate(kind, wrong=True) for kind in ("possession", *TWO_FACTORS)] == [REFUSED] * 3
    assert phone.validate() == RIGHT, "it is a few counters ahead"
    # What was right took back the two that counted; a wrong key of the device counts nothing.
    assert phone.status() == (ACTIVE, BIOMETRY, 0)
    for kind in TWO_FACTORS:
        assert phone.approve(bank.order(user), kind) == RIGHT
    assert phone.approve(bank.order(user), "possession") == REFUSED
    assert steps(server, phone) == {"signature_mismatch"}


@pytest.mark.parametrize("algorithm", HYBRIDS)
def test_changed_factors_have_keys_that_are_agreed_upon_anew(server, bank, user, algorithm):
    phone = in_use(server, bank, user, algorithm)
    first = phone.keys["knowledge"]
    assert phone.validate("possession_biometry") == REFUSED
    phone.change_pin()
    assert phone.validate() == RIGHT
    changed, phone.keys["knowledge"] = phone.keys["knowledge"], first
    assert phone.validate() == REFUSED, "that of before counts no more"
    phone.keys["knowledge"] = changed

    phone.add_biometry()
    assert phone.validate("possession_biometry") == RIGHT
    assert phone.status() == (ACTIVE, BIOMETRY, 0)
    phone.remove_biometry()
    assert phone.validate("possession_biometry") == REFUSED
    assert phone.status()[1] == NOTHING
    assert steps(server, phone) == {"biometry_off", "signature_mismatch"}


@pytest.mark.parametrize("algorithm", HYBRIDS)
def test_the_vault_has_the_keys_that_both_sides_derive(server, bank, user, algorithm):
    phone = in_use(server, bank, user, algorithm, biometry=True)
    assert {name: phone.unlock(name) for name in phone.vault} == phone.vault
    assert phone.unlock("KDK_APP_VAULT_2FA", "possession_biometry") == phone.vault["KDK_APP_VAULT_2FA"]
    with pytest.raises(Refused) as closed:
        phone.unlock("KEK_DEVICE_PRIVATE", "possession_biometry")
    assert code_of(closed) == (400, "ERR_SECURE_VAULT")


@pytest.mark.parametrize("algorithm", HYBRIDS)
def test_without_a_network_the_code_is_for_one_phone(server, bank, user, algorithm):
    phone, other, order = in_use(server, bank, user, algorithm), in_use(server, bank, user, algorithm), bank.order(user)
    code = bank.ask("GET", f"/operations/{order['operationId']}/offline/qr?registrationId={phone.id}")
    with pytest.raises(Distrust):
        other.answer(code["operationQrCodeData"])
    typed = {"otp": phone.answer(code["operationQrCodeData"]), "nonce": code["nonce"], "registrationId": phone.id}
    assert bank.ask("POST", f"/operations/{order['operationId']}/offline/otp", typed)["otpValid"]
    assert bank.ask("GET", f"/operations/{order['operationId']}")["status"] == "APPROVED"


# From 3.3 to 4.0


@pytest.mark.parametrize("algorithm", SUITES)
def test_a_phone_of_3_3_goes_on_as_one_of_4(server, bank, user, algorithm):
    old, phone = bank.phone(user), configured(server, bank, algorithm)
    order = bank.order(user)
    assert [one["id"] for one in old.operations()] == [order["operationId"]]
    with pytest.raises(Refused) as wrong:
        phone.upgrade(old, wrong_pin=True)
    assert code_of(wrong) == (REFUSED, "ERR_AUTHENTICATION")

    phone.upgrade(old, biometry=True)
    assert phone.status(b"\x03\x04") == (ACTIVE, UPGRADE | BIOMETRY, 0), "nothing is decided yet"
    assert old.validates() and phone.validate() == REFUSED
    assert phone.confirm_upgrade() == RIGHT
    assert not old.validates() and [phone.validate(kind) for kind in TWO_FACTORS] == [RIGHT] * 2
    assert phone.status() == (ACTIVE, BIOMETRY, 0)
    told = server.admin("operations", "registrations", "show", phone.id)
    assert (told["id"], told["protocol"], told["algorithm"]) == (old.id, "4.0", algorithm)
    assert told["fingerprint"] == phone.fingerprint

    phone.token = old.token
    assert phone.waiting() == [order["operationId"]], "what could read goes on"
    assert phone.approve(order) == RIGHT


def test_phones_of_3_3_go_on_beside_it(server, bank, user):
    """With what their app was built with before; and the choice is said twice without effect."""
    phone = bank.phone(user)
    assert server.admin("operations", "registrations", "show", phone.id)["protocol"] == "3.3"
    assert take(server, bank)["already"] is True


# Halves of a secret


def classical(offer: Offer, response: dict) -> bytes:
    """As who breaks P-384 alone would have it."""
    return offer.combined(response, offer.shares(response)[:1])


def lattice(offer: Offer, response: dict) -> bytes:
    """As who breaks ML-KEM alone would have it."""
    return offer.combined(response, offer.shares(response)[1:])


def spoilt(offer: Offer, response: dict) -> bytes:
    """Of a ciphertext of ML-KEM of which one bit was changed on the way: no error, but another secret."""
    first, second = (raw(one) for one in response["encapsulatedKeys"])
    return offer.secret(response | {"encapsulatedKeys": [text(first), text(second[:-1] + bytes([second[-1] ^ 1]))]})


HALVES = (classical, lattice, spoilt)


@pytest.mark.parametrize("algorithm", HYBRIDS)
@pytest.mark.parametrize("learn", HALVES)
def test_who_has_half_of_a_secret_has_nothing(server, bank, user, algorithm, learn):
    """Neither reads nor writes in an envelope, nor activates; and takes nothing from who has all of it."""
    phone, code = configured(server, bank, algorithm), invited(bank, user)["activationCode"]
    with pytest.raises(Refused) as sealed:
        phone.activate_unsigned(code, key=phone.temporary_key(learn))
    assert code_of(sealed) == (400, "ERR_ENCRYPTION")

    phone.activate_unsigned(code, learn=learn)
    with pytest.raises(Refused) as unknown:
        phone.status()
    assert code_of(unknown) == (400, "ERR_TEMPORARY_KEY")
    with pytest.raises(Refused) as stranger:
        phone.confirm()
    assert code_of(stranger) == (REFUSED, "ERR_AUTHENTICATION")
    assert steps(server, phone) == {"jwt_signature_mismatch", "signature_mismatch"}

    own = in_use(server, bank, user, algorithm)
    with pytest.raises(Refused) as closed:
        own.user(own.temporary_key(learn))
    assert code_of(closed) == (400, "ERR_ENCRYPTION") and steps(server, own) == {"mac_mismatch"}
    assert own.user() == user and own.validate() == RIGHT


# Two signatures


@pytest.mark.parametrize("algorithm", HYBRIDS)
def test_each_of_two_keys_signs_and_one_is_not_enough(server, bank, user, algorithm):
    """The application's before the activation, the registration's after it."""
    phone = configured(server, bank, algorithm)
    for signer, stranger in ((lambda: phone.master, configured(server, taking(server), algorithm)), (lambda: phone.server, phone)):
        whole = json.loads(phone.given_key(Offer(algorithm).request)[0])
        first, second = whole["signatures"]
        assert signer().claims(json.dumps(whole))
        with pytest.raises(Distrust):
            stranger.master.claims(json.dumps(whole))
        for left in ([first], [second], [second, first], [first, first], [first, second | {"signature": first["signature"]}],
                     [first | {"signature": text(bytes(96)).rstrip("=")}, second]):
            with pytest.raises(Distrust):
                signer().claims(json.dumps(whole | {"signatures": left}))
        if not phone.id:
            phone.activate_unsigned(invited(bank, user)["activationCode"])


# What is not taken


def test_nobody_gets_in_with_less_than_an_app_takes(server, user):
    """Neither at first nor later, by whichever request; what was asked for is still to be had as it should be."""
    strict = taking(server, "EC_P384_ML_L5", protocols=("4.0",))
    code = invited(strict, user)["activationCode"]
    for less in ("EC_P384", "EC_P384_ML_L3"):
        with pytest.raises(Refused) as key:
            configured(server, strict, less).temporary_key()
        assert code_of(key) == (400, "ERR_TEMPORARY_KEY")
        phone, weaker = configured(server, strict, "EC_P384_ML_L5"), configured(server, strict, less)
        with pytest.raises(Refused) as exchange:
            phone.activate_unsigned(code, sharedSecretRequest=Offer(less).request, devicePublicKeys=weaker.device_keys)
        assert code_of(exchange) == (400, "ERR_ACTIVATION")
    with pytest.raises(Refused) as three:
        PowerAuthPhone(strict.base, strict.config).activate_unsigned(code)
    assert code_of(three) == (400, "ERR_ACTIVATION")

    phone.activate_unsigned(code).confirm()
    for less in ("EC_P384", "EC_P384_ML_L3"):
        with pytest.raises(Refused) as key:
            phone.temporary_key(algorithm=less)
        assert code_of(key) == (400, "ERR_TEMPORARY_KEY")
        for factor in ("password/change", "biometry/add"):
            with pytest.raises(Refused) as agreed:
                phone.agree(factor, less)
            assert code_of(agreed) == (400, "INVALID_REQUEST")
    assert steps(server, phone) == {"algorithm_not_taken"}
    assert phone.status() == (ACTIVE, NOTHING, 0) and phone.validate() == RIGHT


def test_an_upgrade_leads_to_what_is_taken_alone(server, user):
    strict = taking(server, "EC_P384_ML_L3")
    old, phone = strict.phone(user), configured(server, strict, "EC_P384_ML_L3")
    classical_keys = {"sharedSecretRequest": Offer("EC_P384").request, "devicePublicKeys": configured(server, strict).device_keys}
    phone.exchange = lambda offer: classical_keys
    with pytest.raises(Refused) as refused:
        phone.upgrade(old)
    assert code_of(refused) == (400, "ERR_UPGRADE")
    del phone.exchange
    phone.upgrade(old)
    # Its owner thinks better of it between the two.
    take(server, strict, "EC_P384_ML_L5")
    assert phone.confirm_upgrade() == REFUSED and old.validates()
    take(server, strict, "EC_P384_ML_L3")
    assert phone.confirm_upgrade() == RIGHT
    assert steps(server, phone) == {"algorithm_not_taken"}


@pytest.mark.parametrize("algorithm", HYBRIDS)
def test_a_phone_in_use_hears_that_its_suite_is_taken_no_more_and_goes_on(server, user, algorithm):
    bank = taking(server)
    phone, late = in_use(server, bank, user, algorithm), invited(bank, user)["activationCode"]
    take(server, bank, "EC_P384")
    assert phone.status() == (ACTIVE, NOT_TAKEN, 0)
    assert phone.approve(bank.order(user)) == RIGHT
    with pytest.raises(Refused) as refused:
        configured(server, bank, algorithm).activate_unsigned(late)
    assert code_of(refused) == (400, "ERR_TEMPORARY_KEY")


@pytest.mark.parametrize("algorithm", HYBRIDS)
def test_keys_that_are_not_the_suites_are_none(server, bank, user, algorithm):
    """One where there should be two, another level's, ML-KEM's in the place of ML-DSA's, coefficients that are not reduced."""
    [level] = set(HYBRIDS) - {algorithm}
    phone, other, code = configured(server, bank, algorithm), configured(server, bank, level), invited(bank, user)["activationCode"]
    own, foreign = Offer(algorithm).request, Offer(level).request
    (curve, kem), ours, theirs = own["encapsulationKeys"], phone.device_keys, other.device_keys
    unreduced = text(raw(kem)[:22] + b"\xff" * (len(raw(kem)) - 22))
    for keys in ([curve], [kem], [kem, curve], [curve, kem, kem], [curve, foreign["encapsulationKeys"][1]], [curve, unreduced], [curve, kem[:-4]]):
        with pytest.raises(Refused) as asked:
            phone.given_key(own | {"encapsulationKeys": keys})
        assert code_of(asked) == (400, "ERR_TEMPORARY_KEY"), keys
        with pytest.raises(Refused) as exchanged:
            phone.activate_unsigned(code, sharedSecretRequest=own | {"encapsulationKeys": keys})
        assert code_of(exchanged) == (400, "ERR_ACTIVATION"), keys
    for keys in ({"ecdsa": ours["ecdsa"]}, {"mldsa": ours["mldsa"]}, ours | {"mldsa": None}, ours | {"mldsa": theirs["mldsa"]}, ours | {"mldsa": kem},
                 ours | {"mldsa": ours["mldsa"][:-4]}):
        with pytest.raises(Refused) as exchanged:
            phone.activate_unsigned(code, devicePublicKeys=keys)
        assert code_of(exchanged) == (400, "ERR_ACTIVATION"), keys
    phone.activate_unsigned(code).confirm()
    assert phone.validate() == RIGHT, "the code is good still"


def test_what_is_not_taken_is_refused(server, bank):
    built = server.admin("operations", "config", "--app", bank.app)
    off = Bank(server)
    phone = PowerAuth4Phone(built["url"], built["sdk_config"])
    code = off.ask("POST", "/registrations", {"userId": "ada", "appId": off.app})["activationCode"]
    with pytest.raises(Refused) as unknown:
        phone.activate_unsigned(code)
    assert code_of(unknown) == (400, "ERR_ACTIVATION")
    with pytest.raises(CommandFailed):
        server.admin("operations", "protocols", "--take", "5.0", "--app", bank.app)
