"""A service that nobody can push to polls for its events (RFC 8936), asks for what it missed, and what it calls wrong is an operator's."""
from __future__ import annotations

import pytest
import requests

from keys import verified
from outside_service import OutsideService
from phone import Phone, Release, person

ENDED = "urn:pando:event:ended"


@pytest.fixture
def outside(server):
    service = OutsideService(server)
    yield service
    service.close()


def ask(outside, method, path, **members):
    """As the service, by its client id and secret."""
    credentials = (outside.entry["client_id"], outside.entry["client_secret"])
    answer = requests.request(method, outside.server.issuer + path, auth=credentials, timeout=40, **members)
    assert answer.status_code == 200, answer.text
    return answer.json()


def poll(outside, **members):
    """Events without heartbeats: (jti, number, node), in their order."""
    sets = ask(outside, "POST", "/events/poll", json=members)["sets"]
    found = []
    for jti, text in sets.items():
        claims = verified(text, outside.server.issuer, "secevent+jwt")
        assert claims["jti"] == jti and claims["aud"] == outside.base
        if ENDED in claims["events"]:
            found.append((jti, claims["events"][ENDED]["seq"], claims["events"][ENDED]["node"]))
    return sorted(found, key=lambda event: event[1])


def test_a_service_polls_and_asks_again(server, outside):
    """Two ends: told by poll, waited for, settled out of order, and told again to who asks."""
    phones = [Phone(server.issuer, Release.add(server)).register().log_in(person(server)) for _ in range(2)]
    lineages = [verified(phone.assertion(outside.base)[0], server.issuer, "oauth-id-jag+jwt")["lineage"] for phone in phones]
    assert poll(outside, returnImmediately=True) == []

    for phone in phones:
        server.admin("tokens", "revoke", f"instance:{phone.client_id}", "--reason", "interop")
    first, second = poll(outside)

    assert (first[1], second[1]) == (1, 2)
    assert first[2] in lineages[0] and second[2] in lineages[1]
    assert [event[1] for event in poll(outside, returnImmediately=True, ack=[second[0]])] == [1]
    assert poll(outside, maxEvents=0, ack=[first[0]]) == []
    assert list(ask(outside, "GET", "/events?after=0")["sets"]) == [first[0], second[0]]
    assert list(ask(outside, "GET", "/events?after=1")["sets"]) == [second[0]]
    assert outside.status()["acknowledged"] == 2


def test_what_a_service_calls_wrong_is_a_dead_letter(server, outside):
    """An operator sees it with the reason, has it sent again, and drops it."""
    phone = Phone(server.issuer, Release.add(server)).register().log_in(person(server))
    phone.assertion(outside.base)
    server.admin("tokens", "revoke", f"instance:{phone.client_id}", "--reason", "interop")
    jti = poll(outside)[0][0]

    poll(outside, maxEvents=0, setErrs={jti: {"err": "jwtAud", "description": "not for us"}})
    dead = server.admin("events", "dead", "list", outside.id)["items"]
    assert [(letter["jti"], letter["error"]) for letter in dead] == [(jti, "jwtAud: not for us")]
    assert outside.status()["dead"] == 1

    assert server.admin("events", "dead", "retry", outside.id, jti)["events"] == [jti]
    assert [event[0] for event in poll(outside)] == [jti]
    poll(outside, maxEvents=0, setErrs={jti: {"err": "jwtAud"}})
    assert server.admin("events", "dead", "drop", outside.id, "--yes")["events"] == [jti]
    assert server.admin("events", "dead", "list", outside.id)["items"] == []
    assert outside.status()["acknowledged"] == 1
