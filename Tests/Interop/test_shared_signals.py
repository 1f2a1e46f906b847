"""OpenID Shared Signals Framework 1.0: the server is the transmitter, `signal_receiver` a receiver that knows the texts alone."""
from __future__ import annotations

import pytest
import requests
from requests.auth import HTTPBasicAuth

from outside_service import OutsideService
from phone import Phone, person
from server import CommandFailed
from signal_receiver import CAEP, POLL, PUSH, RISC, SSF, PushEndpoint, Receiver, Refused, body, event_type
from waiting import eventually


class Bearer(requests.auth.AuthBase):
    def __init__(self, token: str):
        self.token = token

    def __call__(self, request):
        request.headers["Authorization"] = f"Bearer {self.token}"
        return request


@pytest.fixture
def outside(server):
    return OutsideService(server)


@pytest.fixture
def receiver(server, outside) -> Receiver:
    """With a short-lived token for itself, as the CAEP interoperability profile wants it."""
    answer = requests.post(f"{server.issuer}/token", auth=HTTPBasicAuth(outside.entry["client_id"], outside.entry["client_secret"]),
                           data={"grant_type": "client_credentials", "scope": "ssf.read ssf.manage"}, timeout=20)
    assert answer.status_code == 200, answer.text
    return Receiver(server.issuer, Bearer(answer.json()["access_token"]))


@pytest.fixture
def known(server, release, outside):
    """A person whom the service has met, and the phone by which."""
    name = person(server)
    phone = Phone(server.issuer, release).register().log_in(name)
    phone.assertion(outside.base)
    return name, phone


def test_the_transmitter_configuration(receiver):
    told = receiver.metadata
    assert told["spec_version"] == "1_0" and told["default_subjects"] == "ALL"
    assert {PUSH, POLL} <= set(told["delivery_methods_supported"])
    assert {"spec_urn": "urn:ietf:rfc:6749"} in told["authorization_schemes"]
    for name in ("jwks_uri", "configuration_endpoint", "status_endpoint", "verification_endpoint", "add_subject_endpoint", "remove_subject_endpoint"):
        assert told[name].startswith(told["issuer"])


def test_a_stream_is_made_verified_and_polled(server, receiver, outside, known):
    name, phone = known
    stream = receiver.create(events_requested=[CAEP + "session-revoked", CAEP + "credential-change", RISC + "account-disabled", "urn:example:unknown"])
    assert stream["delivery"]["method"] == POLL, "SSF 8.1.1.1"
    assert len(stream["events_delivered"]) == 3 and receiver.read() == stream and receiver.status() == "enabled"
    with pytest.raises(Refused) as second:
        receiver.create()
    assert second.value.status == 409

    receiver.verify(state="VGhpcyBpcyBhIHN0YXRl")
    (verification,) = receiver.poll()
    assert event_type(verification) == SSF + "verification" and body(verification) == {"state": "VGhpcyBpcyBhIHN0YXRl"}
    with pytest.raises(Refused) as early:
        receiver.verify()
    assert early.value.status == 429 and int(early.value.headers["Retry-After"]) <= stream["min_verification_interval"]

    assert phone.ask("POST", "/revoke", phone.instance, data={"token": phone.instance["access_token"]}).status_code == 200
    server.admin("accounts", "password", name, "--password-stdin", stdin="quite another long phrase")
    server.admin("accounts", "suspend", name)
    receiver.poll()
    assert receiver.types().count(CAEP + "session-revoked") >= 2
    assert receiver.types().count(CAEP + "credential-change") == 1 and receiver.types().count(RISC + "account-disabled") == 1
    (disabled,) = [claims for claims in receiver.events if event_type(claims) == RISC + "account-disabled"]
    (changed,) = [claims for claims in receiver.events if event_type(claims) == CAEP + "credential-change"]
    assert disabled["sub_id"] == changed["sub_id"] and disabled["sub_id"]["format"] == "iss_sub"
    assert body(changed)["credential_type"] == "password" and body(changed)["change_type"] == "update"
    users = [claims["sub_id"]["user"] for claims in receiver.events if claims["sub_id"]["format"] == "complex"]
    assert users and all(user == disabled["sub_id"] for user in users), "one person has one name"
    assert receiver.poll() == [], "all was acknowledged"
    receiver.delete()


def test_a_stream_is_pushed_paused_and_resumed(server, receiver, outside, known):
    _, phone = known
    endpoint = PushEndpoint(outside.port, header="Bearer a-secret-of-the-receiver")
    endpoint.receiver = receiver
    try:
        receiver.create(events_requested=[CAEP + "session-revoked"],
                        delivery={"method": PUSH, "endpoint_url": f"{outside.base}/signals", "authorization_header": endpoint.header})
        receiver.verify()
        assert eventually(lambda: receiver.types() == [SSF + "verification"]), (receiver.types(), endpoint.problems)
        server.admin("services", "stream", outside.id, "pause")
        assert eventually(lambda: receiver.types()[1:] == [SSF + "stream-updated"]), (receiver.types(), endpoint.problems)
        assert receiver.status() == "paused"
        assert phone.ask("POST", "/revoke", phone.instance, data={"token": phone.instance["access_token"]}).status_code == 200
        assert not eventually(lambda: len(receiver.events) > 2, within_s=2)
        server.admin("services", "stream", outside.id, "resume")
        assert eventually(lambda: len(receiver.events) == 4), (receiver.types(), endpoint.problems)
        assert receiver.types()[2:] == [CAEP + "session-revoked", SSF + "stream-updated"]
        assert endpoint.problems == []
        server.admin("services", "stream", outside.id, "delete", "--yes")
        with pytest.raises(CommandFailed) as gone:
            server.admin("services", "stream", outside.id)
        assert gone.value.exit_code == 3
    finally:
        endpoint.close()


def test_subjects_stay(receiver):
    receiver.create()
    subject = {"format": "email", "email": "somebody@example.org"}
    receiver.ask("POST", "add_subject_endpoint", 200, json=receiver.named({"subject": subject}))
    receiver.ask("POST", "remove_subject_endpoint", 403, json=receiver.named({"subject": subject}))


@pytest.mark.parametrize("endpoint", ["configuration_endpoint", "status_endpoint"])
def test_nobody_else_reads_a_stream(receiver, endpoint):
    receiver.create()
    receiver.auth = None
    receiver.ask("GET", endpoint, 401, params=receiver.named({}))
