"""OpenID Shared Signals Framework 1.0: the server is the transmitter, `signal_receiver` a receiver that knows the texts alone."""
from __future__ import annotations

import pytest
import requests
from requests.auth import HTTPBasicAuth

from outside_service import OutsideService
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


def receiver_of(outside: OutsideService) -> Receiver:
    """With a short-lived token for itself, as the CAEP interoperability profile wants it."""
    return Receiver(outside.server.issuer, Bearer(outside.token("ssf.read ssf.manage")))


@pytest.fixture
def receiver(outside) -> Receiver:
    return receiver_of(outside)


@pytest.fixture
def known(release, outside):
    return outside.met(release)


def revoke(phone) -> None:
    assert phone.ask("POST", "/revoke", phone.instance, data={"token": phone.instance["access_token"]}).status_code == 200


def test_the_transmitter_configuration(receiver):
    told = receiver.metadata
    assert told["spec_version"] == "1_0" and told["default_subjects"] == "ALL"
    assert {PUSH, POLL} <= set(told["delivery_methods_supported"])
    assert {"spec_urn": "urn:ietf:rfc:6749"} in told["authorization_schemes"]
    for name in ("jwks_uri", "configuration_endpoint", "status_endpoint", "verification_endpoint", "add_subject_endpoint", "remove_subject_endpoint"):
        assert told[name].startswith(told["issuer"])


def test_a_stream_is_made_verified_and_polled(server, receiver, known):
    name, phone = known
    stream = receiver.create(events_requested=[CAEP + "session-revoked", CAEP + "credential-change", RISC + "account-disabled", "urn:example:unknown"])
    assert stream["delivery"]["method"] == POLL, "SSF 8.1.1.1"
    assert len(stream["events_delivered"]) == 3 and receiver.read() == stream and receiver.status() == "enabled"

    receiver.verify(state="VGhpcyBpcyBhIHN0YXRl")
    (verification,) = receiver.poll()
    assert event_type(verification) == SSF + "verification" and body(verification) == {"state": "VGhpcyBpcyBhIHN0YXRl"}
    with pytest.raises(Refused) as early:
        receiver.verify()
    assert early.value.status == 429 and int(early.value.headers["Retry-After"]) <= stream["min_verification_interval"]

    revoke(phone)
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
    with PushEndpoint(outside.port, header="Bearer a-secret-of-the-receiver") as endpoint:
        endpoint.receiver = receiver
        receiver.create(events_requested=[CAEP + "session-revoked"],
                        delivery={"method": PUSH, "endpoint_url": f"{outside.base}/signals", "authorization_header": endpoint.header})
        receiver.verify()
        assert eventually(lambda: receiver.types() == [SSF + "verification"]), (receiver.types(), endpoint.problems)
        server.admin("services", "stream", outside.id, "pause")
        assert eventually(lambda: receiver.types()[1:] == [SSF + "stream-updated"]), (receiver.types(), endpoint.problems)
        assert receiver.status() == "paused"
        revoke(phone)
        assert not eventually(lambda: len(receiver.events) > 2, within_s=2)
        server.admin("services", "stream", outside.id, "resume")
        assert eventually(lambda: len(receiver.events) == 4), (receiver.types(), endpoint.problems)
        assert receiver.types()[2:] == [CAEP + "session-revoked", SSF + "stream-updated"]
        assert [body(claims)["status"] for claims in receiver.events[1::2]] == ["paused", "enabled"], "SSF 8.1.5"
        assert endpoint.problems == []
        server.admin("services", "stream", outside.id, "delete", "--yes")
        with pytest.raises(CommandFailed) as gone:
            server.admin("services", "stream", outside.id)
        assert gone.value.exit_code == 3


def test_what_a_push_endpoint_does_not_take_comes_again_with_its_header(receiver, outside):
    """SSF 6.1.1: the header with every request. RFC 8935, 2.1: the same token, until it is taken."""
    with PushEndpoint(outside.port, header="Bearer a-secret-of-the-receiver") as endpoint:
        endpoint.receiver, endpoint.refusing = receiver, 503
        receiver.create(delivery={"method": PUSH, "endpoint_url": f"{outside.base}/signals", "authorization_header": endpoint.header})
        receiver.verify()
        assert eventually(lambda: endpoint.tokens), endpoint.problems
        endpoint.refusing = None
        assert eventually(lambda: receiver.events, within_s=60), endpoint.problems
        assert {receiver.checked(token)["jti"] for token in endpoint.tokens} == {receiver.events[0]["jti"]}
        assert len(endpoint.tokens) >= 2 and endpoint.problems == [] and body(receiver.events[0]) == {}, "SSF 8.1.4.2: no state was asked for"


# Stream configuration (SSF 8.1.1)


def test_a_second_stream_is_refused_and_the_first_is_found_and_changed(receiver):
    """SSF 8.1.1.1, 8.1.1.2: what a receiver does that has forgotten its stream."""
    assert receiver.streams() == []
    made = receiver.create(description="ours")
    with pytest.raises(Refused) as second:
        receiver.create(description="theirs")
    assert second.value.status == 409
    assert receiver.streams() == [made] and receiver.read() == made
    receiver.stream = {}
    (receiver.stream,) = receiver.streams()
    assert receiver.change("PATCH", description="still ours") == made | {"description": "still ours"}


def test_each_stream_has_its_own_id_and_address(server, receiver):
    """SSF 8.1.1, 6.1.2."""
    streams = [receiver.create(), receiver_of(OutsideService(server)).create()]
    receiver.delete()
    streams.append(receiver.create())
    assert len({stream["stream_id"] for stream in streams}) == len({stream["delivery"]["endpoint_url"] for stream in streams}) == 3
    assert requests.post(streams[0]["delivery"]["endpoint_url"], json={}, auth=receiver.auth, timeout=20).status_code == 404


def test_a_patch_changes_what_it_names_and_nothing_else(receiver, outside):
    """SSF 8.1.1.3."""
    stream = receiver.create(events_requested=[CAEP + "session-revoked"], description="ours")
    changes = [{"events_requested": [RISC + "account-disabled", "urn:example:unknown"]}, {"description": "theirs"},
               {"delivery": {"method": PUSH, "endpoint_url": f"{outside.base}/signals"}}]
    for change in changes:
        expected = stream | change | ({"events_delivered": [RISC + "account-disabled"]} if "events_requested" in change else {})
        stream = receiver.change("PATCH", **change)
        assert stream == expected and receiver.read() == expected


def test_a_configuration_is_read_changed_and_put_back(receiver, outside):
    """SSF 8.1.1.4: with all that we supplied, events_delivered as it was before; what is missing is taken away."""
    made = receiver.create(events_requested=[CAEP + "session-revoked"], description="ours",
                           delivery={"method": PUSH, "endpoint_url": f"{outside.base}/signals"})
    put = receiver.change("PUT", **made | {"events_requested": [RISC + "account-disabled"]})
    assert put == made | {"events_requested": [RISC + "account-disabled"], "events_delivered": [RISC + "account-disabled"]}

    for wrong in (made, put | {"iss": "https://elsewhere.example.org"}, put | {"aud": "https://elsewhere.example.org"}):
        for method in ("PUT", "PATCH"):
            with pytest.raises(Refused) as refused:
                receiver.change(method, **wrong)
            assert refused.value.status == 400 and receiver.read() == put, "what we supplied must be as it is"

    bare = receiver.change("PUT")
    assert "description" not in bare and "events_requested" not in bare and bare["delivery"]["method"] == POLL


def test_only_the_stream_that_is_named_is_deleted(receiver):
    """SSF 8.1.1.5."""
    made = receiver.create()
    for named, status in (({}, 400), ({"stream_id": "another"}, 404)):
        with pytest.raises(Refused) as refused:
            receiver.ask("DELETE", "configuration_endpoint", 204, params=named)
        assert refused.value.status == status
    assert receiver.streams() == [made]
    receiver.delete()
    with pytest.raises(Refused) as gone:
        receiver.read()
    assert gone.value.status == 404 and receiver.streams() == []


# Stream status (SSF 8.1.2)


def test_what_a_paused_stream_holds_comes_in_its_order(server, receiver, known):
    """SSF 8.1.2.1: about one person, oldest first; a pause that the receiver asked for is told by no event."""
    name, _ = known
    receiver.create(events_requested=[CAEP + "credential-change", RISC + "account-disabled", RISC + "account-enabled"])
    receiver.set_status("paused", reason="moving house")
    server.admin("accounts", "password", name, "--password-stdin", stdin="quite another long phrase")
    server.admin("accounts", "suspend", name)
    server.admin("accounts", "resume", name)
    receiver.verify()
    assert receiver.polled() == ([], False) and receiver.status() == "paused"

    receiver.set_status("enabled")
    receiver.poll(maxEvents=1)
    assert receiver.types() == [CAEP + "credential-change", RISC + "account-disabled", RISC + "account-enabled", SSF + "verification"]


def test_over_a_disabled_stream_nothing_comes(receiver, known):
    """SSF 8.1.2.1. What has ended meanwhile is told when it is enabled again: no end is lost (docs/shared-signals.md, "Where it departs")."""
    _, phone = known
    receiver.create()
    receiver.set_status("disabled")
    revoke(phone)
    with pytest.raises(Refused) as refused:
        receiver.verify()
    assert refused.value.status == 400
    assert receiver.polled() == ([], False) and receiver.status() == "disabled"
    receiver.set_status("enabled")
    receiver.poll()
    assert receiver.types() == [CAEP + "session-revoked"]


# Delivery by poll (SSF 6.1.2, RFC 8936)


def test_what_is_not_acknowledged_comes_again(server, receiver, known):
    """RFC 8936, 2.2 to 2.4: maxEvents, moreAvailable, ack, setErrs."""
    name, _ = known
    receiver.create(events_requested=[RISC + "account-disabled", RISC + "account-enabled"])
    for verb in ("suspend", "resume", "suspend"):
        server.admin("accounts", verb, name)

    (first,), more = receiver.polled(maxEvents=1)
    assert more and receiver.polled(maxEvents=1) == ([first], True)
    assert receiver.polled(maxEvents=0) == ([], True)
    (second,), more = receiver.polled(maxEvents=1, ack=[first["jti"]])
    assert more and event_type(second) == RISC + "account-enabled"
    (third,), more = receiver.polled(setErrs={second["jti"]: {"err": "invalid_request", "description": "not understood"}})
    assert not more and event_type(third) == RISC + "account-disabled" and third["jti"] != first["jti"]
    assert receiver.polled(ack=["unknown"]) == ([third], False) and receiver.polled(ack=[third["jti"]]) == ([], False)


# Subjects (SSF 8.1.3)


def test_subjects_stay(receiver):
    receiver.create()
    subject = {"format": "email", "email": "somebody@example.org"}
    receiver.ask("POST", "add_subject_endpoint", 200, json=receiver.named({"subject": subject}))
    receiver.ask("POST", "remove_subject_endpoint", 403, json=receiver.named({"subject": subject}))


# Who may (SSF 8)


def every_request(receiver: Receiver) -> dict[str, requests.PreparedRequest]:
    """All that is asked about a stream, without what shows who asks."""
    told, named = receiver.metadata, receiver.named({})
    about = named | {"status": "disabled", "subject": {"format": "opaque", "id": "x"}}
    made = {f"{method} configuration": requests.Request(method, told["configuration_endpoint"], params=named) for method in ("GET", "DELETE")}
    made |= {f"{method} configuration": requests.Request(method, told["configuration_endpoint"], json=named) for method in ("PATCH", "PUT")}
    made |= {"GET status": requests.Request("GET", told["status_endpoint"], params=named)}
    made |= {f"POST {name}": requests.Request("POST", told[f"{name}_endpoint"], json=about)
             for name in ("status", "add_subject", "remove_subject", "verification")}
    made |= {"POST poll": requests.Request("POST", receiver.stream["delivery"]["endpoint_url"], json={"returnImmediately": True})}
    return {name: request.prepare() for name, request in made.items()}


@pytest.mark.parametrize("who, status", [(lambda _: None, 401), (lambda _: HTTPBasicAuth("nobody", "knows"), 401),
                                         (lambda server: receiver_of(OutsideService(server)).auth, 404)],
                         ids=["nobody", "a stranger", "another receiver"])
def test_nobody_else_reads_or_changes_a_stream(server, receiver, who, status):
    made, auth = receiver.create(), who(server)
    with requests.Session() as session:
        answers = {name: session.send(auth(request) if auth else request, timeout=20).status_code for name, request in every_request(receiver).items()}
    assert answers == dict.fromkeys(answers, status) and len(answers) == 10
    assert receiver.read() == made and receiver.status() == "enabled"


def test_a_token_in_an_address_is_not_taken(receiver):
    """CAEP interoperability profile 1.0, 2.7.3; RFC 6750, 2.3."""
    receiver.create()
    token, receiver.auth = receiver.auth.token, None
    receiver.ask("GET", "configuration_endpoint", 401, params=receiver.named({"access_token": token}))
