"""operations and discovery at another institution (docs/roles-apart.md): two servers, two databases, two master keys, and HTTP between."""
from __future__ import annotations

import json
import subprocess

import pytest
import requests

from bank import SCOPE, Bank
from elsewhere import elsewhere
from keys import verified
from phone import Phone, Release, person
from waiting import eventually

BUNDLE, PROTOCOL = "org.example.photos", "com.wultra.operations"
TIMEOUT_S = 30


@pytest.fixture(scope="module")
def far(folder, server):
    with elsewhere(folder, server, "operations", "discovery") as far:
        yield far.start()


@pytest.fixture(scope="module")
def operations(far) -> str:
    return far.base("operations")


class Visit:
    """A phone with a person, and an app on it that acts at the far service."""

    def __init__(self, server, release: Release, operations: str):
        self.operations = operations
        self.phone = Phone(server.issuer, release).register().log_in(person(server))
        self.app = self.phone.hand_out(self.phone.open(operations), operations, SCOPE, BUNDLE)

    def status(self) -> int:
        headers = {"Authorization": f"Bearer {self.app['access_token']}"}
        return requests.get(f"{self.operations}/v2/operations", headers=headers, timeout=TIMEOUT_S).status_code


@pytest.fixture
def visit(server, release, operations) -> Visit:
    visit = Visit(server, release, operations)
    assert visit.status() == 200
    return visit


def revoke(server, visit: Visit) -> None:
    server.admin("tokens", "revoke", f"instance:{visit.phone.client_id}", "--reason", "lost")


def found(far, phone: Phone, question: list[str]) -> list[dict]:
    """What discovery elsewhere answers to an assertion that was made for it."""
    assertion, _ = phone.assertion(far.base("discovery"))
    answer = requests.post(f"{far.base('discovery')}/protocol-discovery", json=question, auth=phone.proof({"access_token": assertion}), timeout=TIMEOUT_S)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_configuration_says_whose_services_it_runs(server, far):
    checked = far.run("config", "check")

    assert checked.returncode == 0, checked.stderr
    assert f"its services belong to {server.issuer}: discovery as client " in checked.stdout and checked.stdout.rstrip().endswith("push")


@pytest.mark.parametrize(("name", "value", "word"), [
    ("PANDO_ROLES", "idp,operations", "roles: people and the index are those of authorization-server"),
    ("PANDO_ROLES", "operations,tiqr", "has no client_id and client_secret of tiqr"),
    ("PANDO_AUTHORIZATION_SERVER", "http://id.example.org", "authorization-server: "),
    ("PANDO_SERVICE_CREDENTIALS", "/nonexistent.json", "service-credentials: /nonexistent.json cannot be read"),
])
def test_what_cannot_stand_is_said_before_the_start(far, name, value, word):
    for command in (("config", "check"), ("serve",)):
        refused = far.run(*command, **{name: value, "PANDO_PORT": "0"})
        assert refused.returncode == 2 and word in refused.stderr, refused.stderr
    doctor = far.run("doctor", "-o", "json", **{name: value})
    told = [item["text"] for item in json.loads(doctor.stdout)["items"] if (item["name"], item["status"]) == ("settings", "error")]
    assert doctor.returncode == 7 and len(told) == 1 and word in told[0], doctor.stdout


def test_a_phone_finds_the_service_by_protocol_and_acts_there(server, far, operations, visit):
    """The list is the issuer's, the answer the far server's; so are the tokens that it gives for an assertion of the issuer."""
    server.admin("crawl", "run", far.ids["operations"])

    documents = eventually(lambda: [one for one in found(far, visit.phone, [PROTOCOL]) if one["engineLink"] == operations], within_s=15)

    assert documents and documents[0]["apis"][PROTOCOL]["apiLink"] == f"{operations}/v2"
    assert found(far, visit.phone, [operations]) == documents
    claims = verified(visit.app["access_token"], far.issuer, "at+jwt")
    assert claims["iss"] == claims["aud"] == operations
    assert requests.get(f"{server.issuer}/user-profile", headers={"Authorization": f"Bearer {visit.app['access_token']}"}, timeout=TIMEOUT_S).status_code == 401


def test_a_relying_service_calls_its_back_office_with_a_token_of_the_issuer(server, far, operations):
    """And a phone of its customers approves there; neither has ever spoken to the issuer."""
    bank = Bank(server, operations)
    customer = bank.phone("somebody")
    bank.order("somebody")

    waiting = customer.operations()

    assert len(waiting) == 1 and customer.approve(waiting[0]).status_code == 200
    server.admin("clients", "delete", bank.client_id)
    gone = eventually(lambda: requests.get(f"{operations}/v2/applications", headers=bank.bearer, timeout=TIMEOUT_S).status_code == 401)
    assert gone


def test_what_ends_at_the_issuer_ends_there_within_seconds(server, visit):
    revoke(server, visit)

    assert eventually(lambda: visit.status() == 401, within_s=5)


def test_who_was_killed_comes_back_and_knows_what_ended_meanwhile(server, far, release, operations, visit):
    """At once, by asking: the issuer tries again later and later. What had not ended lives on."""
    other = Visit(server, release, operations)
    far.kill()
    revoke(server, visit)
    assert eventually(lambda: server.admin("events", "status", far.ids["operations"])["items"][0]["failures"] > 0)

    far.start()

    assert eventually(lambda: visit.status() == 401, within_s=5)
    assert other.status() == 200


def test_the_far_server_keeps_no_person_and_no_key_of_the_issuer(server, far):
    """What it has is what any outside service has."""
    for table in ("account", "app_instance"):
        counted = subprocess.run([*far.psql(), "--command", f"select count(*) from {table}"], check=True, timeout=30, capture_output=True, text=True)
        assert counted.stdout.strip() == "0"
    theirs = {key["kid"] for key in requests.get(f"{server.issuer}/jwks.json", timeout=TIMEOUT_S).json()["keys"]}
    ours = {key["kid"] for key in requests.get(f"{far.issuer}/jwks.json", timeout=TIMEOUT_S).json()["keys"]}
    assert ours and not ours & theirs
    assert requests.post(f"{far.issuer}/token", data={"grant_type": "client_credentials"}, timeout=TIMEOUT_S).status_code == 404
