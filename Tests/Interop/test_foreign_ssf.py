"""Receivers of shared signals that nobody here wrote (docs/shared-signals.md, "Receivers that others wrote").

SailPoint's SDK makes, reads, changes, pauses and deletes a stream, and reads each answer into its models. It knows the paths of its own transmitter: they stand
here for the endpoints that our metadata names. What is pushed is verified by PyJWT, with keys that the SDK has read.
"""
from __future__ import annotations

from urllib.parse import urlsplit

import jwt
import pytest
import requests
from requests.auth import HTTPBasicAuth
from sailpoint.configuration import Configuration, ConfigurationParams
from sailpoint.shared_signals_framework_ssf import (
    ApiClient, CreateStreamDeliveryRequest, CreateStreamRequest, ReplaceStreamConfigurationRequest, ReplaceStreamConfigurationRequestDelivery,
    SharedSignalsFrameworkSSFApi, StreamConfigResponse, TransmitterMetadata, UpdateStreamConfigurationRequest, UpdateStreamStatusRequest,
    VerificationRequest)
from sailpoint.shared_signals_framework_ssf.exceptions import ApiException, ConflictException, NotFoundException, UnauthorizedException
from sailpoint.shared_signals_framework_ssf.rest import RESTClientObject

from outside_service import OutsideService
from signal_receiver import CAEP, POLL, PUSH, RISC, SSF, PushEndpoint, body, event_type
from waiting import eventually

HEADER = "Bearer a-secret-of-the-receiver"


class Discovered(RESTClientObject):
    """Asks where the metadata says."""

    def __init__(self, configuration: Configuration, issuer: str):
        super().__init__(configuration)
        self.places = {"/.well-known/v1/ssf-configuration": f"{issuer}/.well-known/ssf-configuration"}

    def learn(self, told: TransmitterMetadata) -> None:
        self.places |= {"/ssf/v1/jwks": told.jwks_uri, "/ssf/v1/streams": told.configuration_endpoint,
                        "/ssf/v1/streams/status": told.status_endpoint, "/ssf/v1/streams/verify": told.verification_endpoint}

    def request(self, method, url, **options):
        place = urlsplit(url)
        return super().request(method, self.places[place.path] + (f"?{place.query}" if place.query else ""), **options)


class Receiver:
    """`api` is the SDK's; what it is pushed is in `events`, as claims that PyJWT has verified."""

    def __init__(self, issuer: str, token: str):
        params = ConfigurationParams()
        params.base_url, params.access_token = issuer, token
        client = ApiClient(Configuration(params))
        client.rest_client = places = Discovered(client.configuration, issuer)
        self.api = SharedSignalsFrameworkSSFApi(client)
        self.metadata = self.api.get_ssf_configuration_v1()
        places.learn(self.metadata)
        self.stream: StreamConfigResponse | None = None
        self.events: list[dict] = []

    def take(self, token: str) -> None:
        header = jwt.get_unverified_header(token)
        (key,) = [key for key in self.api.get_jwks_data_v1().keys if key.kid == header["kid"]]
        self.events.append(jwt.decode(token, jwt.PyJWK(key.to_dict()), algorithms=["RS256"], audience=self.stream.aud, issuer=self.metadata.issuer,
                                      options={"require": ["iss", "aud", "iat", "jti", "sub_id", "events"]}))

    def types(self) -> list[str]:
        return [event_type(claims) for claims in self.events]


@pytest.fixture
def outside(server):
    return OutsideService(server)


@pytest.fixture
def receiver(server, outside) -> Receiver:
    return Receiver(server.issuer, outside.token("ssf.read ssf.manage"))


def create(receiver: Receiver, outside: OutsideService, *types: str, **members) -> StreamConfigResponse:
    delivery = CreateStreamDeliveryRequest(method=PUSH, endpoint_url=f"{outside.base}/signals", authorization_header=HEADER)
    receiver.stream = receiver.api.create_stream_v1(CreateStreamRequest(delivery=delivery, events_requested=list(types), **members))
    return receiver.stream


def test_events_are_pushed_and_verified(server, release, receiver, outside):
    name, phone = outside.met(release)
    with PushEndpoint(outside.port, HEADER) as endpoint:
        endpoint.receiver = receiver
        stream = create(receiver, outside, CAEP + "session-revoked", CAEP + "credential-change", RISC + "account-disabled")
        assert stream.iss == receiver.metadata.issuer == server.issuer and len(stream.events_delivered) == 3

        receiver.api.send_stream_verification_v1(VerificationRequest(stream_id=stream.stream_id, state="VGhpcyBpcyBhIHN0YXRl"))
        assert eventually(lambda: receiver.events), endpoint.problems
        assert receiver.events[0]["events"] == {SSF + "verification": {"state": "VGhpcyBpcyBhIHN0YXRl"}}
        assert receiver.events[0]["sub_id"] == {"format": "opaque", "id": stream.stream_id}

        assert phone.ask("POST", "/revoke", phone.instance, data={"token": phone.instance["access_token"]}).status_code == 200
        assert eventually(lambda: receiver.types()[1:] == [CAEP + "session-revoked"]), (receiver.types(), endpoint.problems)
        server.admin("accounts", "password", name, "--password-stdin", stdin="quite another long phrase")
        server.admin("accounts", "suspend", name)
        told = {CAEP + "credential-change", RISC + "account-disabled"}
        assert eventually(lambda: told <= set(receiver.types())), (receiver.types(), endpoint.problems)
        (changed,) = [claims for claims in receiver.events if event_type(claims) == CAEP + "credential-change"]
        assert body(changed)["credential_type"] == "password" and changed["sub_id"] == receiver.events[1]["sub_id"]["user"]
        assert endpoint.problems == []


def test_a_stream_is_read_changed_paused_and_deleted(receiver, outside):
    api, stream = receiver.api, create(receiver, outside, CAEP + "session-revoked", description="ours")
    with pytest.raises(ConflictException):
        create(receiver, outside, CAEP + "session-revoked")
    assert api.get_stream_v1(stream.stream_id).actual_instance == stream
    assert [StreamConfigResponse.from_dict(each) for each in api.get_stream_v1().actual_instance] == [stream]

    changed = api.update_stream_configuration_v1(UpdateStreamConfigurationRequest(stream_id=stream.stream_id, events_requested=[RISC + "account-purged"]))
    assert changed.events_delivered == [RISC + "account-purged"] and changed.description == "ours" and changed.delivery == stream.delivery
    delivery = ReplaceStreamConfigurationRequestDelivery(method=PUSH, endpoint_url=f"{outside.base}/other")
    put = api.set_stream_configuration_v1(ReplaceStreamConfigurationRequest(stream_id=stream.stream_id, delivery=delivery,
                                                                            events_requested=[CAEP + "session-revoked"]))
    assert put.delivery.endpoint_url == f"{outside.base}/other" and put.description is None and put.events_delivered == [CAEP + "session-revoked"]

    for status in ("paused", "disabled", "enabled"):
        asked = UpdateStreamStatusRequest(stream_id=stream.stream_id, status=status, reason="moving house")
        told = api.update_stream_status_v1(asked)
        assert told == api.get_stream_status_v1(stream.stream_id) and (told.status, told.reason) == (status, "moving house")

    api.send_stream_verification_v1(VerificationRequest(stream_id=stream.stream_id))
    with pytest.raises(ApiException) as early:
        api.send_stream_verification_v1(VerificationRequest(stream_id=stream.stream_id))
    assert early.value.status == 429

    api.delete_stream_v1(stream.stream_id)
    with pytest.raises(NotFoundException):
        api.get_stream_v1(stream.stream_id)
    assert api.get_stream_v1().actual_instance == []


def test_a_token_that_is_none_is_refused(server, receiver):
    receiver.api.api_client.configuration.access_token = "none"
    with pytest.raises(UnauthorizedException):
        receiver.api.get_stream_v1()


def test_polls_are_answered_as_caep_dev_reads_them(server, outside):
    """SGNL's ssfreceiver (Go; read at b619c24): it names an empty address for a poll, members of its own, and reads an answer as an object of objects."""
    told = requests.get(f"{server.issuer}/.well-known/ssf-configuration", timeout=20).json()
    auth = HTTPBasicAuth(outside.entry["client_id"], outside.entry["client_secret"])

    def ask(endpoint: str, expected: int, **members) -> dict:
        answer = requests.post(endpoint, json=members, auth=auth, timeout=60)
        assert answer.status_code == expected, answer.text
        return answer.json() if answer.content else {}

    stream = ask(told["configuration_endpoint"], 201, delivery={"method": POLL, "endpoint_url": ""}, events_requested=[CAEP + "session-revoked"])
    ask(told["verification_endpoint"], 204, stream_id=stream["stream_id"])
    poll, named = stream["delivery"]["endpoint_url"], {"stream_id": stream["stream_id"], "returnImmediately": True}
    came = ask(poll, 200, **named, max_events=10)
    assert list(came) == ["sets"] and [type(token) for token in came["sets"].values()] == [str]
    assert ask(poll, 200, **named, ack=list(came["sets"])) == {"sets": {}}
