"""The services of `examples/services` in a real federation: each is found, redeems, hands out, hears of what has ended, and forgets nothing.

What they refuse is in test_example_services_refuse.py.
"""
from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from xml.etree import ElementTree

import pytest
import requests

from example_kinds import EACH
from example_services import ExampleService
from keys import Proof, new_key
from phone import Phone, person
from waiting import at_once, eventually

BUNDLE = "org.example.photos"


@pytest.fixture(scope="module", params=EACH)
def service(request, server, folder) -> ExampleService:
    """One for all tests of a kind; who changes how it is told puts that back."""
    made = request.param(Path(mkdtemp(dir=folder)), server.issuer)
    try:
        yield made.join(server)
    finally:
        made.clear()


@pytest.fixture
def anew(server, release):
    """More people, each with a phone."""
    return lambda: Phone(server.issuer, release).register().log_in(person(server))


def opened(phone: Phone, service: ExampleService, key=None) -> tuple[dict, dict]:
    """A service token, and one for an app of that key."""
    holder = phone.open(service.base)
    return holder, phone.hand_out(holder, service.base, service.scope, BUNDLE, key)


def settled(server, service) -> bool:
    """Whether it has taken all there was."""
    status = server.admin("events", "status", service.id)["items"][0]
    return status["acknowledged"] == status["last"]


# Found, and used


def test_the_crawler_has_read_what_it_offers(server, service, phone):
    documents = phone.ask("POST", "/protocol-discovery", json=[service.scope]).json()
    found = next(document for document in documents if document["apis"]["org.ietf.oauth2"]["apiLink"] == service.base)

    assert service.scope in found["apis"]


def test_its_document_is_json_or_xml(service):
    json = requests.get(f"{service.base}/rsd", headers={"Accept": "application/json"}, timeout=30)
    xml = requests.get(f"{service.base}/rsd", headers={"Accept": "application/x-rsd+xml"}, timeout=30)
    home = requests.get(service.home, timeout=30)

    assert json.json()["apis"]["org.ietf.oauth2"]["apiLink"] == service.base and json.headers["Content-Type"].startswith("application/x-rsd+json")
    names = {element.get("name") for element in ElementTree.fromstring(xml.content).iter("{http://github.com/rsd-spec/rsd}api")}
    assert {"org.ietf.oauth2", service.scope} <= names and xml.headers["Content-Type"].startswith("application/x-rsd+xml")
    assert f'<{service.base}/rsd>; rel="ServiceAPI"' in home.headers["Link"]


def test_the_operators_check_finds_nothing(server, service, request):
    """What is wrong is in the report with its section; that it looked at all is in what is right."""
    report = server.admin("services", "check", service.id)

    findings = report["findings"]
    assert [finding for finding in findings if finding["severity"] in ("error", "warning")] == []
    looked = {"document", "links", "cors-credentials", "forged", "tampered", "redeem", "reuse", "reuse-ends", "app-token", "scope-unknown", "events-forged", "revocation"}
    if "wordpress" not in request.node.name:  # Everybody may read the root of its REST API, so what a token opens cannot be seen there.
        looked |= {"api", "bound-bare", "bound-other-key"}
    assert looked <= {finding["id"] for finding in findings if finding["severity"] == "ok"}


def test_an_app_gets_to_its_person(service, phone, anew):
    """By its own key, and without one; another person is somebody else."""
    key = new_key()
    holder, bound = opened(phone, service, key)
    bare = phone.hand_out(holder, service.base, service.scope, "org.example.bare")
    other = anew()
    (_, another) = opened(other, service)

    answers = [service.call(bound, key), service.call(bare), service.call(another)]

    assert [answer.status_code for answer in answers] == [200] * 3, [answer.text for answer in answers]
    people = [service.who(answer.json()) for answer in answers]
    assert people[0] == people[1] != people[2]
    assert (holder["token_type"], bound["token_type"], bare["token_type"]) == ("DPoP", "DPoP", "Bearer")
    assert holder["scope"] == f"{service.base}/token" and bound["scope"] == service.scope


def test_a_token_is_refreshed_once(service, phone):
    """A wrong key uses nothing and ends nothing; the second use ends all, what was handed on too."""
    holder, app = opened(phone, service)

    wrong = service.refresh(holder, new_key())
    fresh = service.refresh(holder, phone.key)
    later = phone.hand_out(fresh.json(), service.base, service.scope, "org.example.later")
    assert (wrong.status_code, wrong.json()["error"]) == (400, "invalid_grant")
    assert fresh.status_code == 200 and service.call(later).status_code == 200

    again = service.refresh(holder, phone.key)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert [service.call(token).status_code for token in (later, app)] == [401, 401]
    assert service.refresh(fresh.json(), phone.key).status_code == 400


def test_of_two_refreshes_at_once_none_lives_on(service, phone):
    holder = phone.open(service.base)

    answers = at_once([lambda: service.refresh(holder, phone.key)] * 4)

    good = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(good) == 1 and {answer.status_code for answer in answers} == {200, 400}
    assert service.refresh(good[0], phone.key).status_code == 400


def test_an_app_is_authorized_anew(service, phone):
    """The newer token of an app takes the place of the older; that of another app stays."""
    holder, first = opened(phone, service)
    other = phone.hand_out(holder, service.base, service.scope, "org.example.other")
    second = phone.hand_out(holder, service.base, service.scope, BUNDLE)

    assert [service.call(token).status_code for token in (first, second, other)] == [401, 200, 200]
    assert service.refresh(first).status_code == 400


def test_it_tells_and_ends_tokens(service, phone, anew):
    """RFC 7662 for those of the same phone, RFC 7009 for who has the token and its key."""
    key = new_key()
    holder, app = opened(phone, service, key)
    stranger = anew().open(service.base)

    def told(token, by, by_key):
        answer = service.post("introspect", auth=Proof(by_key, by["access_token"]), data={"token": token["access_token"]})
        assert answer.status_code == 200, answer.text
        return answer.json()

    assert told(app, holder, phone.key)["active"] and told(app, holder, phone.key)["scope"] == service.scope
    assert told(stranger, holder, phone.key) == {"active": False}
    assert service.post("introspect", data={"token": app["access_token"]}).status_code == 401
    assert service.post("revoke", auth=Proof(phone.key), data={"token": app["refresh_token"]}).status_code == 200
    assert service.call(app, key).status_code == 200, "that was not its key"
    assert service.post("revoke", auth=Proof(key), data={"token": app["refresh_token"]}).status_code == 200
    assert service.call(app, key).status_code == 401 and told(app, holder, phone.key) == {"active": False}
    assert service.post("revoke", data={"token": "unknown"}).status_code == 200


# Used up


def test_an_assertion_that_is_used_twice_ends_what_came_of_it(service, phone):
    assertion, _ = phone.assertion(service.base)
    holder = service.redeem(assertion).json()
    app = phone.hand_out(holder, service.base, service.scope, BUNDLE)
    assert service.call(app).status_code == 200

    again = service.redeem(assertion)

    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert service.call(app).status_code == 401 and service.refresh(holder, phone.key).status_code == 400


def test_of_many_at_once_one_is_used_and_none_lives_on(service, phone):
    assertion, _ = phone.assertion(service.base)

    answers = at_once([lambda: service.redeem(assertion)] * 6)

    good = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(good) == 1 and sorted(answer.status_code for answer in answers) == [200] + [400] * 5
    assert service.refresh(good[0], phone.key).status_code == 400


# Ended elsewhere


def test_a_revoked_phone_is_dead_here(server, service, phone, anew):
    other = anew()
    (_, app), (_, others) = opened(phone, service), opened(other, service)
    assert service.call(app).status_code == 200
    unused, _ = phone.assertion(service.base)

    server.admin("tokens", "revoke", f"instance:{phone.client_id}", "--reason", "lost")

    assert service.has(app, status=401)
    assert service.call(others).status_code == 200
    late = service.redeem(unused)
    assert (late.status_code, late.json()["error"]) == (400, "invalid_grant"), "the event was faster than the app"


def test_an_app_that_is_not_taken_any_more(server, service, phone):
    """The policy comes as an event; what it ended stays so when the app is taken again."""
    holder, app = opened(phone, service)

    server.admin("services", "policy", service.id, "deny", BUNDLE, "--yes")
    assert service.has(app, status=401)
    with pytest.raises(Exception, match="access_denied"):
        phone.hand_out(holder, service.base, service.scope, BUNDLE)

    server.admin("services", "policy", service.id, "clear", BUNDLE, "--yes")
    assert eventually(lambda: settled(server, service), within_s=30)
    assert service.call(app).status_code == 401
    assert service.call(phone.hand_out(holder, service.base, service.scope, BUNDLE)).status_code == 200


# Not forgotten


def test_a_restart_forgets_nothing(server, service, phone, anew):
    assertion, _ = phone.assertion(service.base)
    key, ended = new_key(), anew()
    app = phone.hand_out(service.redeem(assertion).json(), service.base, service.scope, BUNDLE, key)
    _, dead = opened(ended, service)
    server.admin("tokens", "revoke", f"instance:{ended.client_id}", "--reason", "lost")
    assert service.has(dead, status=401)

    service.restart()

    assert service.call(app, key).status_code == 200 and service.call(dead).status_code == 401
    assert service.redeem(assertion).status_code == 400 and service.call(app, key).status_code == 401


def test_what_ended_while_it_was_down_is_asked_for(server, service, phone):
    """Nothing is pushed meanwhile or afterwards: it has to ask."""
    _, app = opened(phone, service)
    server.admin("services", "update", service.id, "--notify", "poll")
    try:
        service.stop()
        server.admin("tokens", "revoke", f"instance:{phone.client_id}", "--reason", "lost")
        service.start(ASK_AFTER="1")
        assert service.has(app, status=401)
    finally:
        server.admin("services", "update", service.id, "--notify", "push")
        service.restart(ASK_AFTER="90")


def test_an_event_that_got_lost_is_asked_for_when_the_next_one_comes(server, service, anew):
    """The first is acknowledged in its name, as by a proxy that said 202 and kept it."""
    first, second = anew(), anew()
    apps = [opened(phone, service)[1] for phone in (first, second)]
    server.admin("services", "update", service.id, "--notify", "poll")
    server.admin("tokens", "revoke", f"instance:{first.client_id}", "--reason", "lost")
    polled = eventually(lambda: requests.post(f"{server.issuer}/events/poll", json={"returnImmediately": True}, auth=service.client, timeout=30).json()["sets"])
    requests.post(f"{server.issuer}/events/poll", json={"maxEvents": 0, "ack": list(polled)}, auth=service.client, timeout=30).raise_for_status()
    assert service.call(apps[0]).status_code == 200, "it knows nothing of it"

    server.admin("services", "update", service.id, "--notify", "push")
    server.admin("tokens", "revoke", f"instance:{second.client_id}", "--reason", "lost")

    assert service.has(apps[1], status=401) and service.call(apps[0]).status_code == 401
