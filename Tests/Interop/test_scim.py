"""SCIM 2.0 (RFC 7643, 7644) as scim2-tester checks it and as scim2-client speaks it, which nobody here wrote; and people by the thousand."""
from __future__ import annotations

import json

import pytest
import requests
from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_models import PatchOp, PatchOperation, SearchRequest
from scim2_tester import Status, check_server

from described import Machine
from server import Server

TIMEOUT_S = 120
FEDERATION = "urn:pando:scim:schemas:extension:federation:2.0:User"
# The tester makes values of the types of attributes, and takes examples where a value has a form of its own: one of each, as it does
# not know that what is added to a list stands beside what is there.
EXAMPLES = {
    "eduperson_principal_name": "anna@uni.example", "eduperson_unique_id": "17@uni.example", "eduperson_affiliation": "student",
    "eduperson_primary_affiliation": "student", "eduperson_scoped_affiliation": "student@uni.example",
    "eduperson_entitlement": "urn:mace:example:reader", "eduperson_assurance": "https://refeds.org/assurance/IAP/low",
    "eduperson_orcid": "https://orcid.org/0000-0002-1825-0097", "schac_home_organization": "uni.example",
    "schac_home_organization_type": "urn:schac:homeOrganizationType:int:university", "schac_personal_unique_code": "urn:schac:personalUniqueCode:int:17",
    "groups": "readers@uni.example"}
# RFC 7643, 4.1.1 leaves to the server what an account without `active` is. Here everybody is the one or the other.
DEPARTURES = {"PATCH modify() did not remove attribute 'active'"}


@pytest.fixture(scope="module")
def server(folder):
    place = folder / "scim"
    place.mkdir()
    own = Server(place)
    with own.running():
        yield own


@pytest.fixture(scope="module")
def token(server) -> str:
    return Machine.add(server, "scim").token()


@pytest.fixture
def client(server, token):
    with Client(base_url=f"{server.issuer}/scim/v2", headers={"Authorization": f"Bearer {token}"}, timeout=TIMEOUT_S) as http:
        found = SyncSCIMClient(http)
        found.discover()
        yield found


def model(client, name: str):
    return next(client.provider.model_for(kind) for kind in client.provider.resource_types if kind.name == name)


def test_the_tester_finds_nothing(client):
    user = model(client, "User")
    # No user name is a UUID here, as the tester's other texts are: it would name another account.
    user.model_fields["user_name"].examples = [f"person-{number}" for number in range(50_000)]
    extension = user.get_extension_models()[FEDERATION]
    for name, example in EXAMPLES.items():
        extension.model_fields[name].examples = [example]

    results = check_server(client)

    bad = [result for result in results if result.status in (Status.ERROR, Status.CRITICAL) and result.reason not in DEPARTURES]
    assert bad == [], "\n".join(f"{result.title}: {result.reason}" for result in bad)
    done = [result.title for result in results if result.status is Status.SUCCESS]
    assert len(done) > 60
    for title in ["object_creation", "object_replacement", "object_deletion", "check_add_attribute", "check_remove_attribute", "check_replace_attribute",
                  "object_list_with_attributes", "access_schema_by_id"]:
        assert title in done, title


def test_a_client_made_of_the_schemas_provisions_somebody(client):
    user, group = model(client, "User"), model(client, "Group")
    extension = user.get_extension_models()[FEDERATION]
    wanted = user(user_name="Doris.Dänzer", external_id="4711", display_name="Doris Dänzer")
    wanted[extension] = extension(eduperson_affiliation=["staff", "member"])
    doris = client.create(wanted)
    assert doris.meta.version and doris[extension].eduperson_affiliation == ["staff", "member"]

    found = client.query(user, query_parameters=SearchRequest(filter='externalId eq "4711" and active eq true'))
    assert [one.id for one in found.resources] == [doris.id]
    place = client.create(group(display_name="University of Examples"))
    operation = PatchOperation(op=PatchOperation.Op.add, path="members", value=[{"value": doris.id}])
    client.modify(group, place.id, PatchOp[group](operations=[operation]))
    assert [one.value for one in client.query(user, doris.id).groups] == [place.id]

    # 404 from then on, and the institution may go.
    client.delete(user, doris.id)
    assert client.query(user, doris.id, raise_scim_errors=False).status == 404
    client.delete(group, place.id)


def test_a_directory_of_an_institution_by_the_command_line(server, token):
    group = {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Small College"}
    place = requests.post(f"{server.issuer}/scim/v2/Groups", json=group, headers={"Authorization": f"Bearer {token}"}, timeout=TIMEOUT_S).json()["id"]
    made = server.admin("clients", "create", "--name", "college directory", "--grant", "client_credentials", "--scope", "scim", "--institution", place)
    own = {"Authorization": f"Bearer {Machine(server, 'scim', made).token()}"}
    body = {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "emil"}
    emil = requests.post(f"{server.issuer}/scim/v2/Users", json=body, headers=own, timeout=TIMEOUT_S)

    assert emil.status_code == 201 and emil.json()["groups"][0]["value"] == place
    assert requests.get(f"{server.issuer}/scim/v2/Users", headers=own, timeout=TIMEOUT_S).json()["totalResults"] == 1
    assert server.admin("accounts", "show", "emil")["status"] == "active"


def test_two_thousand_people_by_a_file_and_as_many_by_bulk(server, token, folder):
    bearer = {"Authorization": f"Bearer {token}"}
    group = {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Large University"}
    place = requests.post(f"{server.issuer}/scim/v2/Groups", json=group, headers=bearer, timeout=TIMEOUT_S).json()["id"]
    file = folder / "people.csv"
    lines = "".join(f"csv{number},csv{number}@uni.example,{number},student;member\n" for number in range(2_000))
    file.write_text("username,email,external_id,eduperson_affiliation\n" + lines)

    made = server.run("admin", "--json", "accounts", "import", str(file), "--institution", place)
    assert made.returncode == 0 and json.loads(made.stdout)["new"] == 2_000, made.stderr
    again = server.run("admin", "--json", "accounts", "import", str(file), "--institution", place)
    assert json.loads(again.stdout)["same"] == 2_000

    for start in (0, 1_000):
        operations = [{"method": "POST", "path": "/Users", "bulkId": str(number),
                       "data": {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": f"scim{number}", "externalId": f"s{number}"}}
                      for number in range(start, start + 1_000)]
        body = {"schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], "Operations": operations}
        answer = requests.post(f"{server.issuer}/scim/v2/Bulk", json=body, headers=bearer, timeout=TIMEOUT_S)
        assert answer.status_code == 200, answer.text
        assert {operation["status"] for operation in answer.json()["Operations"]} == {"201"}

    def count(condition: str) -> int:
        return requests.get(f"{server.issuer}/scim/v2/Users", params={"filter": condition, "count": 0}, headers=bearer, timeout=TIMEOUT_S).json()["totalResults"]

    assert count(f'groups.value eq "{place}" and {FEDERATION}:eduperson_affiliation eq "student"') == 2_000
    assert count('userName sw "scim"') == 2_000
    exported = server.run("admin", "accounts", "export", "--institution", place).stdout.splitlines()
    assert len(exported) == 2_001 and exported[0].startswith("username,email")
