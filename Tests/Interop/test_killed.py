"""kill -9 right after a revocation: what was acknowledged is not lost, here or at a service that was down."""
from __future__ import annotations

import pytest

from keys import verified
from outside_service import OutsideService
from phone import Phone, Release, person
from server import Server
from waiting import eventually

ENDED = "urn:pando:event:ended"
# A sender that was killed keeps its claim for up to 30 s (EventSender.lease).
DELIVERED_WITHIN_S = 60


@pytest.fixture
def outside(own_server):
    service = OutsideService(own_server)
    yield service
    service.close()


@pytest.fixture
def held(own_server, outside):
    """A phone, and the lineage that the service has stored with its assertion."""
    phone = Phone(own_server.issuer, Release.add(own_server)).register().log_in(person(own_server))
    assertion, endpoint = phone.assertion(outside.base)
    assert endpoint == f"{outside.base}/token"
    return phone, verified(assertion, own_server.issuer, "oauth-id-jag+jwt")["lineage"]


def test_a_revocation_outlives_the_process(own_server, outside, held):
    """The service is down, the phone is revoked, the server is killed at once: after the restart the phone is dead and the service is told."""
    phone, lineage = held

    answer = phone.ask("POST", "/revoke", phone.instance, data={"token": phone.instance["access_token"]})
    own_server.kill()

    assert answer.status_code == 200 and outside.events == []
    own_server.start()
    assert phone.ask("GET", "/user-profile").status_code == 401
    assert outside.status()["acknowledged"] == 0 and outside.status()["last"] == 1
    outside.open()
    assert eventually(lambda: outside.events, within_s=DELIVERED_WITHIN_S)
    event = outside.events[0]
    assert event["aud"] == outside.base and event["events"][ENDED]["node"] in lineage and event["events"][ENDED]["seq"] == 1
    assert eventually(lambda: outside.status()["acknowledged"] == 1)


def test_events_come_in_order_and_say_no_names(own_server, outside, held):
    """Three revocations below one another while the service is down: three events, in order, by pseudonym only."""
    phone, lineage = held
    jti = verified(phone.pat["access_token"], own_server.issuer, "at+jwt")["jti"]
    for node in (f"token:{jti}", f"instance:{phone.client_id}", f"version:{phone.release.id}"):
        own_server.admin("tokens", "revoke", node, "--reason", "interop")

    outside.open()

    assert eventually(lambda: len(outside.events) >= 3, within_s=DELIVERED_WITHIN_S)
    assert [event["events"][ENDED]["seq"] for event in outside.events] == [1, 2, 3]
    # Epoch, version, instance, key, signing key, instance token, password, account, PAT, service, use, assertion.
    assert [lineage.index(event["events"][ENDED]["node"]) for event in outside.events] == [8, 2, 1]
    text = str(outside.events)
    assert not any(name in text for name in (phone.client_id, phone.release.app, jti, phone.device))


def test_a_killed_server_starts_again_on_its_own_postgresql(folder):
    """`pando dev` without a database of ours: kill -9 leaves its PostgreSQL behind, and the next start takes it up again."""
    place = folder / "own-postgres"
    place.mkdir()
    server = Server(place).start()
    try:
        name = person(server)
        server.kill()

        server.start()

        assert server.admin("accounts", "show", name)["username"] == name
        server.stop()
    finally:
        server.clear()
