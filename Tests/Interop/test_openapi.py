"""/openapi.yaml: valid, true of the server as schemathesis asks it, and enough to make a client of."""
from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

import pytest
import requests
from openapi_spec_validator import OpenAPIV31SpecValidator

from described import Machine, basic, document, generated_client, operations, schemathesis
from outside_service import OutsideService
from phone import Phone, Release, person
from server import Server

CHECKS = ("not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
          "unsupported_method,allow_header_conformance")
TIQR, OPERATIONS = "/services/tiqr", "/services/operations"
# Each waits for an event, a phone or a socket as long as its caller would: tests of these are in test_events.py, test_shared_signals.py.
WAITING = r"^/(events/poll|ssf/poll/)"
# Each of its hundred places refuses a stranger by the same lines: Tests/AdministrationTests asks all of them.
ADMINISTRATION = "^/admin/api/v1"
# Pages of the console are one function's, asked by every role in Tests/AdministrationTests: without a login each is the same redirect.
CONSOLE = r"^/admin(/(?!api/)|$)"


@pytest.fixture(scope="module")
def asked(folder):
    """A server that is asked all that a program can think of: what it limits by address is used up there, and nowhere else."""
    place = Path(tempfile.mkdtemp(dir=folder))
    own = Server(place, PANDO_SIGNING_ALGORITHMS="ES256,RS256")
    with own.running():
        yield own


@pytest.fixture(scope="module")
def described(asked) -> dict:
    return document(asked)


def found_nothing(run) -> None:
    report = run.stdout + run.stderr
    assert run.returncode == 0, re.sub(r"(?s)^.*?(?=={5,} (ERRORS|FAILURES))", "", report, count=1)[:20_000]
    assert re.search(r"Test cases:\s+\d+ generated", report), report[-3_000:]


# Valid


def test_it_is_valid_openapi(described):
    assert described["openapi"].startswith("3.1")
    assert [error.message for error in OpenAPIV31SpecValidator(described).iter_errors()] == []


def test_every_operation_says_what_it_is(described):
    told = operations(described)
    assert len(told) > 230
    names = [operation["operationId"] for operation in told.values()]
    assert len(names) == len(set(names))
    for place, operation in told.items():
        assert operation["tags"] and operation["summary"] and operation["responses"], place
        assert "default" not in operation["responses"], place
    assert {tag for operation in told.values() for tag in operation["tags"]} == {tag["name"] for tag in described["tags"]}


def test_the_grants_of_the_metadata_are_told_one_by_one(asked, described):
    metadata = requests.get(f"{asked.issuer}/.well-known/oauth-authorization-server", timeout=20).json()
    assert set(described["components"]["schemas"]["TokenRequest"]["discriminator"]["mapping"]) == set(metadata["grant_types_supported"])


# True: schemathesis asks, with data that fits and data that does not


def test_who_shows_nothing(asked, folder):
    found_nothing(schemathesis(folder, asked, "--checks", CHECKS, "--exclude-path-regex", f"{ADMINISTRATION}|{CONSOLE}"))


def test_a_client_with_its_secret(asked, folder):
    client = Machine.add(asked, "reports").client
    paths = r"^/(token|introspect|revoke|par|device_authorization|token/validate)$"
    found_nothing(schemathesis(folder, asked, "--checks", CHECKS, "--include-path-regex", paths, "--header", f"Authorization: Basic {basic(client)}"))


@pytest.mark.parametrize("service, scopes", [(TIQR, ["org.tiqr.enroll", "org.tiqr.auth"]), (OPERATIONS, ["com.wultra.operations"])],
                         ids=["tiqr", "operations"])
def test_a_relying_service_in_a_back_office(asked, folder, service, scopes):
    token = Machine.add(asked, *scopes).token(asked.issuer + service)
    found_nothing(schemathesis(folder, asked, "--checks", CHECKS, "--include-path-regex", f"^{service}/", "--header", f"Authorization: Bearer {token}"))


def test_a_service_as_itself(asked, folder):
    service = OutsideService(asked)
    try:
        paths = r"^/(services/self|events|ssf/)"
        found_nothing(schemathesis(folder, asked, "--checks", CHECKS, "--include-path-regex", paths, "--exclude-path-regex", WAITING,
                                   "--header", f"Authorization: Basic {basic(service.entry)}"))
    finally:
        service.close()


@pytest.fixture(scope="module")
def phone(asked) -> Phone:
    return Phone(asked.issuer, Release.add(asked)).register().log_in(person(asked))


def test_an_app(asked, folder, phone):
    """By the token of its instance, before anybody is logged in with it."""
    paths = r"^/(authorize/challenge|introspect|revoke|protocol-discovery.*|federation/services.*)$"
    found_nothing(schemathesis(folder, asked, "--checks", CHECKS, "--include-path-regex", paths, holder=(phone.key, phone.instance)))


def test_a_person_with_an_app(asked, folder, phone):
    """By a personal access token; nothing is deleted, as that may end the token itself and refuse all that comes after."""
    paths = r"^/(userinfo|user-profile|service-discovery/user|instances.*|authorization|account/tree.*|account/export|services/liquid/.*)$"
    found_nothing(schemathesis(folder, asked, "--checks", CHECKS, "--include-path-regex", paths, "--exclude-method", "DELETE", holder=(phone.key, phone.pat)))
    assert phone.ask("GET", "/userinfo").status_code == 200, "it ended on the way, and what was asked since was refused"


def test_an_operator_and_who_registers(asked, folder):
    token = Machine.add(asked, "admin").token()
    found_nothing(schemathesis(folder, asked, "--checks", CHECKS, "--include-path-regex", f"{ADMINISTRATION}/crawl", "--header", f"Authorization: Bearer {token}"))

    invitation = asked.admin("clients", "invite", "--uses", "1000")["initial_access_token"]
    found_nothing(schemathesis(folder, asked, "--checks", CHECKS, "--include-path", "/register", "--header", f"Authorization: Bearer {invitation}"))


def test_an_auditor(asked, folder):
    """Who looks at everything and changes nothing: who may change would end, by and by, what the other tests stand on."""
    token = Machine.add(asked, "admin.read").token(f"{asked.issuer}/admin/api/v1")
    found_nothing(schemathesis(folder, asked, "--checks", CHECKS, "--include-path-regex", ADMINISTRATION, "--header", f"Authorization: Bearer {token}"))


def test_a_person_with_a_browser_may_ask_no_more_than_is_told(asked, described):
    """HTML for who wants it: the type that is told, whatever came of it."""
    for place, operation in operations(described).items():
        method, path = place.split(" ", 1)
        if method != "get" or "{" in path or "text/html" not in json.dumps(operation["responses"].get("200", {})):
            continue
        answer = requests.get(asked.issuer + path, headers={"Accept": "text/html"}, allow_redirects=False, timeout=20)
        assert str(answer.status_code) in operation["responses"], (place, answer.status_code)
        assert answer.status_code == 303 or answer.headers["Content-Type"].startswith(("text/html", "application/json")), place


# Enough: a client that nobody wrote


@pytest.fixture(scope="module")
def client(asked, folder):
    package, said = generated_client(Path(tempfile.mkdtemp(dir=folder)), asked)
    # It knows no other media types than forms and JSON, and passes over what has another.
    left_out = re.findall(r"WARNING parsing (\w+ \S+) within \S+ Endpoint will not be generated", said)
    assert all(re.search(r"/events$|^POST /socket\.io/$", place) for place in left_out), said
    return package


def test_it_registers_introspects_and_manages(asked, client):
    from pando_client import AuthenticatedClient
    from pando_client.api.oauth import introspect, revoke, token
    from pando_client.api.registration import delete_client, read_client, register_client, update_client
    from pando_client.models import ClientCredentialsGrant, ClientMetadata, ClientUpdate, IntrospectionRequest, RevocationRequest

    # Registers, by an invitation (RFC 7591).
    invitation = asked.admin("clients", "invite", "--grant", "client_credentials", "--grant", "authorization_code")
    invited = AuthenticatedClient(base_url=asked.issuer, token=invitation["initial_access_token"])
    wanted = ClientMetadata(client_name="Generated", redirect_uris=["https://client.example.org/callback"],
                            grant_types=["authorization_code", "client_credentials"])
    made = register_client.sync_detailed(client=invited, body=wanted)
    assert made.status_code == 201 and made.parsed.client_name == "Generated", made.content
    again = register_client.sync_detailed(client=invited, body=wanted)
    assert again.status_code == 401 and again.parsed.error == "invalid_token"

    # Gets a token, looks at it, ends it.
    secret = basic({"client_id": made.parsed.client_id, "client_secret": made.parsed.client_secret})
    own = AuthenticatedClient(base_url=asked.issuer, token=secret, prefix="Basic")
    answer = token.sync_detailed(client=own, body=ClientCredentialsGrant.from_dict({"grant_type": "client_credentials"}))
    assert answer.status_code == 200 and answer.parsed.token_type == "Bearer", answer.content
    look = IntrospectionRequest(token=answer.parsed.access_token)
    assert introspect.sync(client=own, body=look).active is True
    assert introspect.sync(client=own, body=look).client_id == made.parsed.client_id
    assert revoke.sync_detailed(client=own, body=RevocationRequest(token=answer.parsed.access_token)).status_code == 200
    assert introspect.sync(client=own, body=look).active is False

    # Looks after its registration (RFC 7592).
    manager = AuthenticatedClient(base_url=asked.issuer, token=made.parsed.registration_access_token)
    client_id = made.parsed.client_id
    assert read_client.sync(client_id, client=manager).redirect_uris == ["https://client.example.org/callback"]
    change = ClientUpdate(client_id=client_id, client_name="Renamed", redirect_uris=["https://client.example.org/other"])
    changed = update_client.sync(client_id, client=manager, body=change)
    assert changed.client_name == "Renamed" and changed.redirect_uris == ["https://client.example.org/other"]
    assert delete_client.sync_detailed(client_id, client=manager).status_code == 204
    gone = read_client.sync_detailed(client_id, client=manager)
    assert gone.status_code == 401 and gone.parsed.error == "invalid_token"
