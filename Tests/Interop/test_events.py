"""A service that nobody can push to polls for its events (RFC 8936), asks for what it missed, and what it calls wrong is an operator's."""
from __future__ import annotations

import pytest

from keys import verified
from outside_service import OutsideService
from phone import Phone, Release, person


@pytest.fixture
def outside(server):
    service = OutsideService(server)
    yield service
    service.close()


def test_a_service_polls_and_asks_again(server, outside):
    """Two ends: told by poll, waited for, settled out of order, and told again to who asks."""
    phones = [Phone(server.issuer, Release.add(server)).register().log_in(person(server)) for _ in range(2)]
    lineages = [verified(phone.assertion(outside.base)[0], server.issuer, "oauth-id-jag+jwt")["lineage"] for phone in phones]
    assert outside.poll(returnImmediately=True) == []

    for phone in phones:
        server.admin("tokens", "revoke", f"instance:{phone.client_id}", "--reason", "interop")
    first, second = outside.poll()

    assert (first[1], second[1]) == (1, 2)
    assert first[2] in lineages[0] and second[2] in lineages[1]
    assert [event[1] for event in outside.poll(returnImmediately=True, ack=[second[0]])] == [1]
    assert outside.poll(maxEvents=0, ack=[first[0]]) == []
    assert list(outside.ask("GET", "/events?after=0")["sets"]) == [first[0], second[0]]
    assert list(outside.ask("GET", "/events?after=1")["sets"]) == [second[0]]
    assert outside.status()["acknowledged"] == 2


def test_what_a_service_calls_wrong_is_a_dead_letter(server, outside):
    """An operator sees it with the reason, has it sent again, and drops it."""
    phone = Phone(server.issuer, Release.add(server)).register().log_in(person(server))
    phone.assertion(outside.base)
    server.admin("tokens", "revoke", f"instance:{phone.client_id}", "--reason", "interop")
    jti = outside.poll()[0][0]

    outside.poll(maxEvents=0, setErrs={jti: {"err": "jwtAud", "description": "not for us"}})
    dead = server.admin("events", "dead", "list", outside.id)["items"]
    assert [(letter["jti"], letter["error"]) for letter in dead] == [(jti, "jwtAud: not for us")]
    assert outside.status()["dead"] == 1

    assert server.admin("events", "dead", "retry", outside.id, jti)["events"] == [jti]
    assert [event[0] for event in outside.poll()] == [jti]
    outside.poll(maxEvents=0, setErrs={jti: {"err": "jwtAud"}})
    assert server.admin("events", "dead", "drop", outside.id, "--yes")["events"] == [jti]
    assert server.admin("events", "dead", "list", outside.id)["items"] == []
    assert outside.status()["acknowledged"] == 1
